/**
 * todo-context in pi: starts Python and carries messages between the two. Nothing is decided or known here.
 *
 * Each message is a line of JSON. One with an `ask` is a request, and its answer has the request's `id` as `re`.
 * What Python asks names in `for` the request of pi that it serves, and gets the ctx of that request: none is kept
 * for later. `todo-context install pi` puts this file into pi's folder of extensions; removing it undoes that.
 */
import { spawn } from "node:child_process";
import { Writable } from "node:stream";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

const INSTALLED = "python3";
const PYTHON = process.env.TODO_CONTEXT_PYTHON || INSTALLED;
const ARGUMENTS = ["-m", "todo_context.hosts.pi_bridge"];
/** How long Python may take to say what it offers. A cold disk needs seconds. */
const HELLO_MS = 30_000;
/** Characters of the longest line from Python. All messages of a request fit; what never ends is no answer. */
const LINE_LIMIT = 64 * 1024 * 1024;

const told = new Set<string>();

/** What to do with an error: say it once, or `always`. */
const tell = (ctx: ExtensionContext, always = false) => (error: Error) => {
	const message = `todo-context: ${error.message}`;
	if (told.has(message) && !always) return;
	told.add(message);
	// The ctx of a session that was left raises, and nobody is there to be told.
	try { ctx.hasUI ? ctx.ui.notify(message, "error") : process.stderr.write(`${message}\n`); } catch {}
};

export default (pi: ExtensionAPI) =>
	todoContext(pi).catch((error) => pi.on("session_start", (_event, ctx) => tell(ctx)(error)));

async function todoContext(pi: ExtensionAPI) {
	// Safe path: else a json.py in the folder of the project would be imported.
	const child = spawn(PYTHON, ARGUMENTS, { env: { ...process.env, PYTHONSAFEPATH: "1" } });
	const waiting = new Map<number, any>();
	const failed = new Set<string>();
	let [count, dead, unfinished, stderr] = [0, "", "", ""];

	/** What Python may ask of pi. */
	const deeds: Record<string, (ctx: any, ...args: any[]) => unknown> = {
		/** The branch after the entry `known`, or all of it where that is not on it. Not getBranch(): it walks it all. */
		branch: ({ sessionManager }, known) => {
			const entries = [];
			for (let entry = sessionManager.getLeafEntry(); entry; entry = sessionManager.getEntry(entry.parentId)) {
				if (entry.id === known) return { known, entries: entries.reverse() };
				entries.push(entry);
			}
			return { entries: entries.reverse() };
		},
		append: (ctx, type, data) => (pi.appendEntry(type, data), ctx.sessionManager.getLeafEntry()),
		active: () => pi.getActiveTools(),
		send: (_ctx, message, options) => pi.sendMessage(message, options),
		ui: (ctx, method, ...args) => ctx.ui[method](...args),
		copy: async (_ctx, text) => (await import("@earendil-works/pi-coding-agent")).copyToClipboard(text),
		// Without a UI pi makes process.stdout.write one for stderr; the stream below it is still the real one.
		print: (_ctx, stream: "stdout" | "stderr", text) => void Writable.prototype.write.call(process[stream], text),
	};

	const about = (ctx: any) => ({
		hasUI: ctx.hasUI,
		cwd: ctx.cwd,
		session: ctx.sessionManager.getSessionId(),
		file: ctx.sessionManager.getSessionFile(),
		// pi 0.74 tells none.
		modes: [ctx.mode, process.argv[process.argv.indexOf("--mode") + 1]],
	});
	const say = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
	const ask = (what: string, body: object, ctx?: ExtensionContext) =>
		new Promise<any>((resolve, reject) => {
			if (dead) throw new Error(dead);
			say({ id: ++count, ask: what, ...body, ctx: ctx && about(ctx) });
			waiting.set(count, { ctx, resolve, reject });
			child.ref();
		});

	const serve = async (message: any) => {
		const ctx = waiting.get(message.for)?.ctx;
		let answer: object;
		try {
			answer = { ok: await deeds[message.ask](ctx, ...message.args.map((value: unknown) => value ?? undefined)) };
		} catch (error) {
			answer = { error: String(error) };
		}
		if (message.id) say({ re: message.id, ...answer });
	};

	const hear = (line: string) => {
		const message = JSON.parse(line);
		if ("ask" in message) return void serve(message);
		const asked = waiting.get(message.re);
		waiting.delete(message.re);
		// pi may end while Python has nothing to do.
		if (!waiting.size) child.unref();
		"error" in message ? asked?.reject(new Error(message.error)) : asked?.resolve(message.ok ?? undefined);
	};

	const die = (why: string) => {
		if (dead) return;
		const last = stderr.trim().split("\n").pop()?.replace(/[\x00-\x1f\x7f-\x9f]+/g, " ").replace(/\.$/, "");
		dead = `${PYTHON} ${why}${last && `: ${last}`}. /reload starts it again; "todo-context install pi" names another one.`;
		child.kill("SIGKILL");
		for (const asked of waiting.values()) asked.reject(new Error(dead));
		waiting.clear();
	};

	child.on("error", (error) => die(`cannot be started (${(error as any).code ?? error.message})`));
	// Not "close": what Python itself started may hold the pipes open. Its last words come a little later.
	child.on("exit", (code, signal) => void setTimeout(() => die(`ended (${signal ?? `exit ${code}`})`), 50));
	child.stdin.on("error", () => {});
	child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-4000)));
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		const [first, ...others] = text.split("\n");
		unfinished += first;
		try {
			for (const next of others) {
				hear(unfinished);
				unfinished = next;
			}
			if (unfinished.length > LINE_LIMIT) die(`said a line of more than ${LINE_LIMIT} characters`);
		} catch {
			die("said what is no message");
		}
	});
	for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as any).unref();
	const patience = setTimeout(() => die(`said nothing in ${HELLO_MS / 1000} seconds`), HELLO_MS);
	const hello = await ask("hello", {}).finally(() => clearTimeout(patience));
	for (const tool of hello.tools) {
		const execute = async (call: string, args: unknown, _signal: unknown, _update: unknown, ctx: ExtensionContext) => {
			const result = await ask("tool", { name: tool.name, call, args }, ctx).catch((error) => {
				tell(ctx)(error);
				throw error;
			});
			if (result.isError) failed.add(call);
			return result;
		};
		pi.registerTool({ ...tool, execute });
	}
	// In pi 0.74 an error would else have to be thrown, and lose its details.
	pi.on("tool_result", (event) => (failed.delete(event.toolCallId) ? { isError: true } : undefined));
	for (const { name, description } of hello.commands) {
		const handler = (args: string, ctx: any) => ask("command", { name, args }, ctx).catch(tell(ctx, true));
		const complete = (prefix: string) => ask("complete", { name, prefix }).catch(() => null);
		pi.registerCommand(name, { description, handler, getArgumentCompletions: complete });
	}
	for (const [hook, name] of hello.hooks.entries())
		pi.on(name, (event: object, ctx: any) => ask("event", { hook, event }, ctx).catch(tell(ctx)));
	pi.on("session_shutdown", () => void child.stdin.end());
}
