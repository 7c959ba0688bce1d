#!/usr/bin/env bash
# Installs and builds what a mode needs, then runs it. Each mode is a package in scripts/ecbench/. See bench.sh help.
set -euo pipefail

main() {
  if (($# == 0)); then run bench; fi
  case $1 in
    --resume | --resume=*) start bench "$@" ;; # with the program of the run: nothing to build
    --output | --output=*) run bench "$@" ;;
  esac
  local mode=$1
  shift
  case $mode in
    bench | fplot) run "$mode" "$@" ;; # Ceph's documentation adds the word jerasure, which its own bench.sh ignores
    sweep | tune | report | compare | profile | gate | recovery | firefly | plan | contenders | conformance) run_mode "$mode" "$@" ;;
    -h | --help | help) usage ;;
    *)
      if has_python; then start "$mode"; fi # which refuses it, and names the one that is probably meant
      fail "'$mode' is not a mode of bench.sh; bench.sh help lists them"
      ;;
  esac
}

usage() { cat -- "$root/scripts/help.txt"; }

# Signals are blocked until Python can handle them: before, it would print a traceback. -E and -s exclude the user's Python variables
# and packages.
run() {
  if needs_build; then
    check "$@"
    install
    build_product
  fi
  start "$@"
}

# Installs and builds only what the mode needs, and nothing for its help.
run_mode() {
  local mode=$1 word
  shift
  for word in "$@"; do
    if [[ $word == -- ]]; then break; fi
    if [[ $word == -h || $word == --help ]]; then start "$mode" "$@"; fi
  done
  if [[ $mode == gate ]]; then
    keep_grid "$@"
    set -- "${words[@]}"
  fi
  if [[ $mode != compare ]]; then check "$mode" "$@"; fi
  case $mode in
    sweep | tune | recovery | firefly | conformance) install && build_product ;;
    plan)
      install
      for word in "$@"; do
        if [[ $word == --page || $word == --page=* ]]; then install report; fi
      done
      build_product
      ;;
    contenders) install_and_build_contenders "$@" ;;
    report) install report ;;
    profile) install_for_profile "$@" && build_product ;; # valgrind first: the build looks for its header
    gate)
      install
      if [[ ${1:-} == ir ]]; then install callgrind; fi # valgrind before the build, as above
      for word in "$@"; do
        if [[ $word == --svg || $word == --svg=* ]]; then install report; fi # for the chart
      done
      build_product
      ;;
    compare) ;; # needs only Python
  esac
  start "$mode" "$@"
}

# Sets words to the arguments, with an unnamed file in place of a grid that is a pipe such as <(command): the grid is read several
# times, to check it before the build and to measure it.
keep_grid() {
  local word grid copy file before=""
  words=()
  for word in "$@"; do
    grid=${word#--grid=}
    if [[ $before == --grid || $word != "$grid" ]] && [[ $grid == /dev/fd/* && -p $grid ]]; then
      file=$(mktemp)
      cat -- "$grid" >"$file"
      exec {copy}<"$file"
      rm -f -- "$file"
      word=${word%"$grid"}/dev/fd/$copy
    fi
    words+=("$word")
    before=$word
  done
  end_if_interrupted "before the start"
}

# Libraries in other languages need tools of these. The table is useful without them: make contenders reports what it leaves out. To
# continue a run, or to print it again, nothing is built.
install_and_build_contenders() {
  local word
  for word in "$@"; do
    if [[ $word == --resume || $word == --resume=* ]]; then return; fi
  done
  install
  install report # for the page
  build_product
  if ! build contenders; then
    end_if_interrupted "while building"
    printf 'ecbench: contenders continues without what could not be built\n' >&2
  fi
}

install_for_profile() {
  local word
  install
  for word in "$@"; do
    case $word in
      callgrind | pprof | perf) install "$word" ;;
      --grid | --grid=*) install report ;; # for the chart
      --svg | --svg=* | --gv) install graphviz ;;
      --) break ;;
    esac
  done
}

# Refuses wrong arguments before anything is installed and built. If Python is not installed yet, install() calls it again.
check() {
  to_check=("$@")
  if ! has_python; then return; fi
  env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" --check "$@" || exit
  to_check=()
  end_if_interrupted "before the start"
}

has_python() { command -v "$python" >/dev/null; }

start() {
  local mode=$1
  shift
  need "$python:python3"
  trap - "${signals[@]}"
  end_if_interrupted "before the start"
  exec env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" "$mode" "$@"
}

# Not when another program is named. That may be the one that is built here, as in the article of 2013.
needs_build() {
  local program=${CEPH_ERASURE_CODE_BENCHMARK:-}
  [[ -z $program ]] && return 0
  [[ ! -e $program && $(realpath -m -- "$program") == "$root"/build/* ]]
}

# The packages are installed in the foreground: sudo and the question need the terminal, and half an apt-get is worse than a late
# end.
install() {
  local status=0
  "$root/scripts/install-deps.sh" "$@" >&2 || status=$?
  end_if_interrupted "while installing packages"
  if ((status != 0)); then exit "$status"; fi
  if ((${#to_check[@]} > 0)); then check "${to_check[@]}"; fi
}

build_product() {
  local status=0
  build || status=$?
  end_if_interrupted "while building"
  if ((status != 0)); then exit "$status"; fi
}

# The build runs in a process group of its own, so that an interrupt ends all of it; what make says of its own end is kept back.
build() {
  local status=0 target=${1:-all}
  need make:make setsid:util-linux
  exec {lines}> >(relay >&2)
  relay=$!
  setsid make -C "$root" --no-print-directory "$target" </dev/null >&"$lines" 2>&1 {lines}>&- &
  group=$!
  exec {lines}>&-
  if [[ -n $signal ]]; then stop "$signal"; fi
  wait "$group" || status=$?
  if [[ -n $signal ]]; then wait "$group" 2>/dev/null || true; fi
  group=""
  wait "$relay" || true
  return "$status"
}

# Prints the lines of make until SIGUSR1; after that it only reads them, so that make gets no broken pipe.
relay() {
  local line
  trap '' "${signals[@]}"
  trap 'exec >/dev/null' USR1
  while IFS= read -r line || [[ -n $line ]]; do printf '%s\n' "$line"; done
}

stop() {
  signal=${signal:-$1}
  if [[ -z $group ]]; then return; fi
  kill -USR1 "$relay" 2>/dev/null || true
  kill -TERM -- "-$group" 2>/dev/null || kill -TERM "$group" 2>/dev/null || true
}

end_if_interrupted() {
  if [[ -n $signal ]]; then fail_with "$signal" "interrupted $1"; fi
}

# Each word is a program and the Debian package that has it.
need() {
  local word
  for word in "$@"; do
    if ! command -v -- "${word%:*}" >/dev/null; then
      fail "${word%:*}, which bench.sh needs, is not on PATH ($PATH): install the package ${word##*:}, or add the folder to PATH"
    fi
  done
}

fail() { fail_with 1 "$*"; }

fail_with() {
  printf 'ecbench: %s\n' "$2" >&2
  exit "$1"
}

# An interrupt ends the script between two steps, and only the build at once. The traps come before the first $(...): without a trap,
# bash that is interrupted in one has exit code 1. Signals that are ignored at the start stay ignored.
signals=(INT TERM HUP QUIT)
signal="" # the exit code of the first that came
group=""  # of the build, while it runs
to_check=() # the mode and its arguments, while they are not checked
relay=""
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
trap 'stop 131' QUIT

# SIGINT is the exception: a background job of a script starts with it ignored, which bash cannot undo by itself.
if [[ $(trap -p INT) == *"''"* ]]; then exec env --default-signal=INT "$BASH" "$0" "$@"; fi
need realpath:coreutils dirname:coreutils env:coreutils
if ! env --block-signal=INT true 2>/dev/null; then
  fail "$(command -v env) has no option --block-signal, which bench.sh needs: install coreutils 8.31 or newer, or put its env first" \
    "on PATH ($PATH)"
fi
root=$(cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")" && pwd -P)
python=/usr/bin/python3
[[ -x $python ]] || python=python3
main "$@"
