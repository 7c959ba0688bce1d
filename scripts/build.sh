#!/bin/sh
# build.sh DIRECTORY TARGET [CMAKE OPTION...]: see build.py.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
exec "$python" -E -s "$(dirname -- "$0")/build.py" "$@"
