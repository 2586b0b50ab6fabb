#!/bin/sh
# Make a virtual environment with the first Python that can.
#
# usage: make-venv.sh FOLDER [PYTHON]
#
# A Python is tried by running it: a pyenv shim may stand on PATH and still have nothing behind it.
set -eu

folder=$1
shift
wanted=${*:-python3.13 python3.12 python3.11 python3.14 python3}
without_venv=

for python in $wanted; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        without_venv=${without_venv:-$python}
        continue
    fi
    rm -rf "$folder"
    exec "$python" -m venv "$folder"
done

if [ -n "$without_venv" ]; then
    version=$("$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$without_venv cannot make a virtual environment: install its venv module (Debian: apt install python$version-venv)." >&2
else
    echo "No working Python 3.11 or later among: $wanted. Install one, or name it: make PYTHON=/path/to/python3 …" >&2
fi
exit 1
