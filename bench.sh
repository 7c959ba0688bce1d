#!/usr/bin/env bash
# Finds Python, or installs it, and hands over to scripts/front.py, which installs and builds what a mode needs, and runs the mode.
# See bench.sh help.
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # for sh bench.sh
set +o posix
set -euo pipefail

fail() { printf 'ecbench: %s\n' "$2" >&2; exit "$1"; } # CODE MESSAGE

# Fails if a program is not on PATH. Each argument is PROGRAM:PACKAGE, with the Debian package that contains PROGRAM.
need() {
  local word
  for word in "$@"; do
    command -v -- "${word%:*}" >/dev/null || fail 1 "${word%:*}, which bench.sh needs, is not on PATH ($PATH): install the package ${word##*:}, or add the directory of ${word%:*} to PATH"
  done
}

main() {
  need realpath:coreutils dirname:coreutils env:coreutils
  env --block-signal=INT true 2>/dev/null ||
    fail 1 "$(command -v env) has no option --block-signal, which bench.sh needs: install coreutils 8.31 or newer, or put the directory of a newer env first on PATH ($PATH)"
  [[ -d /dev/fd/ ]] || fail 1 "/dev/fd, which bench.sh needs, is not a directory: mount /proc"
  root=$(cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")" && pwd -P)
  python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  if ! command -v "$python" >/dev/null; then
    case ${1:-} in -h | --help | help) exec cat -- "$root/scripts/help.txt" ;; esac
    "$root/scripts/install-deps.sh" >&2
  fi
  need "$python:python3"
  # Python would print a traceback after an interrupt at its start, so the signals stay blocked until it can handle them. A script
  # that starts bench.sh as a background job has SIGINT ignored. With -E and -s, Python ignores the environment variables PYTHON*
  # and the packages in the user's home directory.
  exec env --default-signal=INT --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/front.py" "$@"
}

# bash runs a trap when the current step, such as the installation of Python, has ended.
trap 'fail 130 "interrupted before the start"' INT
trap 'fail 143 "interrupted before the start"' TERM
trap 'fail 129 "interrupted before the start"' HUP
trap 'fail 131 "interrupted before the start"' QUIT
main "$@"
