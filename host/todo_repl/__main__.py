"""`python -m todo_repl` is `todo-context`."""

import sys

from todo_repl.cli import main

if __name__ == "__main__":
    sys.exit(main())
