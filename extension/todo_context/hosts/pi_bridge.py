"""What shim.ts starts: `python -m todo_context.hosts.pi_bridge [MODULE:FUNCTION …]`.

The functions are given the bridge as their host, in this order; without any, it is todo_context:activate.
"""

import sys

from todo_context.hosts.pi.process import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
