#!/usr/bin/env bash
# The front door of ecbench: sets itself up, then runs a mode, each a program under scripts/. See bench.sh --help.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")" && pwd -P)
python=/usr/bin/python3
[[ -x $python ]] || python=python3

main() {
  case ${1:-} in
    "") run bench.py ;;
    fplot) run bench.py fplot ;; # Ceph's documentation adds the word jerasure, which its own bench.sh ignores
    -h | --help | help) usage ;;
    *) fail "$1 is no mode of bench.sh: run it bare, or with one of fplot, help" ;;
  esac
}

usage() {
  cat <<'END'
bench.sh        builds ecbench, sweeps jerasure and isa over k, m, technique and packetsize, and prints the table
bench.sh fplot  the same as JavaScript (bench.js) for Ceph's bench.html
bench.sh help   this text

Variables, all optional:
  SIZE=4096                      bytes of an object, also 4K, 1M (default: 4096 and 1048576; fplot: 4096)
  ITERATIONS=100                 of every row, in one interval (default: samples of 0.2 s in all, which tell the spread too; a
                                 program that is not ecbench: as many as take about 0.3 s)
  TOTAL_SIZE=1M                  instead: TOTAL_SIZE / SIZE iterations
  PLUGINS="isa jerasure"         also: example
  TECHNIQUES="vandermonde ..."   Ceph's names (vandermonde cauchy liberation reed_sol_r6_op blaum_roth liber8tion) or the
                                 plugin's own (reed_sol_van cauchy_orig cauchy_good ...); a plugin skips those it lacks
  PARAMETERS="--parameter a=b"   added to every command; for ecbench also options such as --timing api
  PLUGIN_DIRECTORY=DIR           where the plugins are
  CEPH_ERASURE_CODE_BENCHMARK=F  the program to run instead of build/ecbench: another build, or Ceph's own
  ECBENCH_INSTALL=no             install no packages
END
}

run() {
  local program=$1
  shift
  if needs_build; then set_up; fi
  exec "$python" "$root/scripts/$program" "$@"
}

# Not when another program is named; but that may be the one that is built here, as in the article of 2013.
needs_build() {
  local program=${CEPH_ERASURE_CODE_BENCHMARK:-}
  [[ -z $program ]] && return 0
  [[ ! -e $program && $(realpath -m -- "$program") == "$root"/build/* ]]
}

# The build runs in a process group of its own, so that an interrupt ends all of it. The packages are installed in the foreground:
# sudo and the question need the terminal, and half an apt-get is worse than a late end.
set_up() {
  "$root/scripts/install-deps.sh" >&2
  interruptible make -C "$root" --no-print-directory all >&2
}

interruptible() {
  local group="" signal="" status=0
  trap 'stop 130' INT
  trap 'stop 143' TERM
  setsid "$@" </dev/null &
  group=$!
  if [[ -n $signal ]]; then stop "$signal"; fi
  wait "$group" || status=$?
  if [[ -n $signal ]]; then
    wait "$group" 2>/dev/null || true
    fail_with "$signal" "interrupted while building"
  fi
  trap - INT TERM
  return "$status"
}

stop() {
  signal=$1
  if [[ -n $group ]]; then kill -TERM -- "-$group" 2>/dev/null || kill -TERM "$group" 2>/dev/null || true; fi
}

fail() { fail_with 1 "$*"; }

fail_with() {
  printf 'ecbench: %s\n' "$2" >&2
  exit "$1"
}

# A background job of a script starts with SIGINT ignored, which bash cannot undo by itself.
if [[ $(trap -p INT) == *"''"* ]]; then exec env --default-signal=INT "$BASH" "$0" "$@"; fi
main "$@"
