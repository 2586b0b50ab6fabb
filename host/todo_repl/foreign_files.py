"""What a file is that is no session: known by its first bytes, or by the keys of its first record.

Pure. Only ever a guess, and only to say more than that it cannot be read; nothing of such a file is used.
"""

from collections.abc import Mapping

from todo_context.plan.model import Json
from todo_repl.session_format import ANY_SESSION, Refused, no_header

BINARY_WITHIN = 8192
"""A NUL in so many first bytes makes a file binary, as for git and grep."""

_SIGNATURES = (
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"PK\x03\x04", "a zip file"),
    (b"%PDF-", "a PDF"),
    (b"\xff\xfe", "UTF-16 text, and a session is UTF-8"),
    (b"\xfe\xff", "UTF-16 text, and a session is UTF-8"),
)

_RECORDS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"parentUuid", "sessionId"}), "a transcript of Claude Code"),
    (frozenset({"type", "leafUuid"}), "a transcript of Claude Code"),
    (frozenset({"type", "messageId", "snapshot"}), "a transcript of Claude Code"),
    (frozenset({"type", "sessionId"}), "a transcript of Claude Code"),
    (frozenset({"timestamp", "type", "payload"}), "a session of Codex"),
    (frozenset({"type", "id", "parentId"}), "entries of a session without its header"),
    (frozenset({"role", "content"}), "a conversation without the entries of a session"),
)
"""Keys that stand in the first record, and what such a file is; the first that fits."""


def refused(content: bytes, record: Mapping[str, Json] | None, line: bytes) -> Refused:
    """Why a file is no session. `line` is the first that is not blank, `record` the first JSON object, if any."""
    kind = _by_bytes(content) or _by_keys(record)
    return Refused(f"no session file, it is {kind}.", ANY_SESSION) if kind else no_header(line)


def _by_bytes(content: bytes) -> str | None:
    for signature, kind in _SIGNATURES:
        if content.startswith(signature):
            return kind
    return "a binary file" if b"\0" in content[:BINARY_WITHIN] else None


def _by_keys(record: Mapping[str, Json] | None) -> str | None:
    keys = (record or {}).keys()
    return next((kind for wanted, kind in _RECORDS if wanted <= keys), None)
