"""The person's side of the host: a prompt, lines without a terminal, an editor, questions, printing.

Nothing in here decides; it shows what the runtime tells it and asks what the runtime wants to know.
"""
