"""Real pi, which is written in TypeScript: shim.ts runs in pi and talks with a Python of ours over pipes."""
