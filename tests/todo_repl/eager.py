"""The reference for reading a session: all of its file at once, and nothing later. It has no other use."""

from todo_repl.session_format import Header, Log, Refused, fault, header_of, lines, parse


def read_eagerly(content: bytes) -> Log:
    """A session of ours whose last line is whole."""
    header = header_of(content)
    assert not isinstance(header, Refused)
    entries, notices = [], list[str]()
    for number, line in lines(content):
        if number > header.line_number:
            record = parse(line)
            found = fault(record)
            if record is None or found is not None:
                notices.append(f"line {number}: {found}, skipped")
            else:
                entries.append(record)
    return Log(header=header, entries=tuple(entries), notices=tuple(notices))


__all__ = ["Header", "read_eagerly"]
