#!/usr/bin/env bash
# Installs and builds what a mode needs, then runs it. Each mode is a package in scripts/ecbench/. See bench.sh help.
set -euo pipefail

main() {
  if (($# == 0)); then run bench; fi
  case $1 in
    --resume | --resume=*) start bench "$@" ;; # builds nothing: the run began earlier, so its ecbench is already built
    --output | --output=*) run bench "$@" ;;
  esac
  local mode=$1
  shift
  case $mode in
    bench | fplot) run "$mode" "$@" ;; # Ceph's documentation calls "bench.sh fplot jerasure"; Ceph and ecbench ignore jerasure
    sweep | tune | report | compare | profile | gate | recovery | overwrite | mixed | firefly | plan | contenders | conformance | fleet) run_mode "$mode" "$@" ;;
    -h | --help | help) usage ;;
    *)
      if has_python; then start "$mode"; fi # mode.py refuses the argument and suggests a mode
      fail "'$mode' is not a mode of bench.sh; bench.sh help lists the modes"
      ;;
  esac
}

usage() { cat -- "$root/scripts/help.txt"; }

run() {
  if ! asks_for_help "$@" && needs_build; then
    check "$@"
    install
    # In a fresh clone, build only the program and the plugins that the table needs, so that the table begins earlier. The next call
    # builds the rest.
    if [[ -e $root/build/ecbench ]]; then build_product; else build_product bench-product; fi
  fi
  start "$@"
}

asks_for_help() {
  local word
  for word in "$@"; do
    if [[ $word == -- ]]; then return 1; fi
    if [[ $word == -h || $word == --help ]]; then return 0; fi
  done
  return 1
}

# Installs and builds what the mode needs. With --help, it installs and builds nothing.
run_mode() {
  local mode=$1 word
  shift
  if asks_for_help "$@"; then start "$mode" "$@"; fi
  if [[ $mode == gate ]]; then
    keep_grid "$@"
    set -- "${words[@]}"
  fi
  if [[ $mode != compare ]]; then check "$mode" "$@"; fi
  case $mode in
    sweep | tune | recovery | overwrite | firefly | conformance) install && build_product ;;
    plan)
      install
      for word in "$@"; do
        if [[ $word == --page || $word == --page=* ]]; then install report; fi
      done
      build_product
      ;;
    mixed) install && install report && build_product ;;
    contenders) install_and_build_contenders "$@" ;;
    report) install report ;;
    profile) install_for_profile "$@" && build_product ;; # valgrind first, since the build looks for its header
    gate)
      install
      if [[ ${1:-} == ir || ${1:-} == pr ]]; then install callgrind; fi # valgrind first, since the build looks for its header
      for word in "$@"; do
        if [[ $word == --svg || $word == --svg=* ]]; then install report; fi # for the chart
      done
      build_product
      ;;
    fleet) install_for_fleet "$@" ;;
    compare) ;; # needs only Python
  esac
  start "$mode" "$@"
}

# Sets words to the arguments. If a grid is a pipe such as <(command), its content is copied to an unnamed file, since the grid is
# read several times: to check it before the build, and to measure it.
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

# Libraries in other languages need additional tools. If tools are missing, make contenders reports the libraries that it skips, and
# the other libraries are still compared. With --resume, nothing is built.
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
    printf 'ecbench: the mode contenders continues without the plugins that could not be built\n' >&2
  fi
}

# fleet unpack, a report without a page, and a call with --kubernetes need only Python. Other calls measure: they need Ansible and
# the files from which the bundle is built.
install_for_fleet() {
  local word
  case ${1:-} in
    unpack) ;;
    report)
      for word in "$@"; do
        if [[ $word == --page || $word == --page=* ]]; then install report; fi
      done
      ;;
    *)
      for word in "$@"; do
        if [[ $word == --kubernetes ]]; then return; fi
      done
      install && install fleet && install report && build_product
      ;;
  esac
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

# Refuses wrong arguments before anything is installed or built. If Python is not installed yet, install() calls check() after the
# installation.
check() {
  to_check=("$@")
  if ! has_python; then return; fi
  env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" --check "$@" || exit
  to_check=()
  end_if_interrupted "before the start"
}

has_python() { command -v "$python" >/dev/null; }

# Starts the mode. Signals stay blocked until Python can handle them; otherwise Python would print a traceback. -E and -s exclude
# the user's Python variables and packages.
start() {
  local mode=$1
  shift
  need "$python:python3"
  trap - "${signals[@]}"
  end_if_interrupted "before the start"
  exec env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" "$mode" "$@"
}

# True if CEPH_ERASURE_CODE_BENCHMARK is not set, or if it names a program in build/ that is not built yet. Other programs need no
# build.
needs_build() {
  local program=${CEPH_ERASURE_CODE_BENCHMARK:-}
  [[ -z $program ]] && return 0
  [[ ! -e $program && $(realpath -m -- "$program") == "$root"/build/* ]]
}

# Packages are installed in the foreground, since sudo and install-deps.sh ask the user. An interrupt takes effect after the
# installation, so that apt-get is never stopped half way.
install() {
  local status=0
  "$root/scripts/install-deps.sh" "$@" >&2 || status=$?
  end_if_interrupted "while installing packages"
  if ((status != 0)); then exit "$status"; fi
  if ((${#to_check[@]} > 0)); then check "${to_check[@]}"; fi
}

build_product() {
  local status=0
  build "$@" || status=$?
  end_if_interrupted "while building"
  if ((status != 0)); then exit "$status"; fi
}

# The build runs in its own process group, so that an interrupt ends all its processes. After an interrupt, make's messages are not
# printed.
build() {
  local status=0 target=${1:-all}
  need make:make setsid:util-linux
  exec {lines}> >(relay >&2)
  relay=$!
  if [[ -t 2 ]]; then export ECBENCH_PROGRESS=lines; fi
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

# Prints the lines of make. A line of progress overwrites the line of progress before it. After SIGUSR1, relay() prints nothing. It
# still reads the lines, because make would get SIGPIPE if no process read its output.
relay() {
  local line end=''
  trap '' "${signals[@]}"
  trap 'exec >/dev/null' USR1
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line == 'ecbench: building: '*' %' ]]; then
      printf '\r%s' "$line"
      end=$'\n'
    else
      printf '%s%s\n' "$end" "$line"
      end=''
    fi
  done
  printf '%s' "$end"
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

# Each argument is PROGRAM:PACKAGE, a program and the Debian package that contains it.
need() {
  local word
  for word in "$@"; do
    if ! command -v -- "${word%:*}" >/dev/null; then
      fail "${word%:*}, which bench.sh needs, is not on PATH ($PATH): install the package ${word##*:}," \
        "or add the directory of ${word%:*} to PATH"
    fi
  done
}

fail() { fail_with 1 "$*"; }

fail_with() {
  printf 'ecbench: %s\n' "$2" >&2
  exit "$1"
}

# An interrupt ends the script between two steps; only the build is ended at once. The traps are set before the first $(...):
# without a trap, an interrupt in $(...) makes bash end with exit code 1. Signals that were ignored at the start stay ignored.
signals=(INT TERM HUP QUIT)
signal="" # the exit code for the first signal
group=""  # process group of the build while it runs
to_check=() # the mode and its arguments until they are checked
relay=""
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
trap 'stop 131' QUIT

# SIGINT is an exception. A script that runs bench.sh as a background job starts bench.sh with SIGINT ignored. bash cannot handle a
# signal that was ignored at the start, so env starts bench.sh again with SIGINT not ignored.
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
