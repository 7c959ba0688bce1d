#!/usr/bin/env bash
# Installs and builds what a mode needs, then runs the mode. Each mode is a package in scripts/ecbench/. See bench.sh help.
set -euo pipefail

main() {
  if (($# == 0)); then run bench; fi
  case $1 in
    --resume | --resume=*) start bench "$@" ;; # needs no build: the first part of the run has already built ecbench
    --output | --output=*) run bench "$@" ;;
  esac
  local mode=$1
  shift
  case $mode in
    # Ceph's documentation has the command "bench.sh fplot jerasure". Both Ceph's and this bench.sh ignore the argument jerasure.
    bench | fplot) run "$mode" "$@" ;;
    sweep | tune | report | compare | profile | gate | recovery | overwrite | mixed | firefly | plan | contenders | conformance | fleet) run_mode "$mode" "$@" ;;
    -h | --help | help) usage ;;
    *)
      if has_python; then start "$mode"; fi # mode.py prints an error, and suggests the mode with a similar name
      fail "'$mode' is not a mode of bench.sh; bench.sh help lists the modes"
      ;;
  esac
}

usage() { cat -- "$root/scripts/help.txt"; }

run() {
  if ! asks_for_help "$@" && needs_build; then
    check "$@"
    install
    # In a fresh clone, build only the program and the plugins that the table needs. The first row is then printed earlier. The next
    # call of bench.sh builds the other plugins.
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
    profile) install_for_profile "$@" && build_product ;; # installs valgrind before the build, which looks for valgrind's header
    gate)
      install
      if [[ ${1:-} == ir || ${1:-} == pr ]]; then install callgrind; fi # before the build, which looks for valgrind's header
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

# Copies the arguments to the array `words`. A grid is read several times: before the build (to check it), and for the measurement.
# But a pipe, such as <(command), can be read only once. Therefore, if the grid is a pipe, keep_grid() copies the grid to a
# temporary file, and deletes this file while it is open. `words` gets /dev/fd/N, where N is the descriptor of the file.
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

# The plugins for Go and Rust libraries need go and cargo. If a tool is missing, `make contenders` skips the plugins that need this
# tool, and prints their names. The mode then compares the other libraries. With --resume, nothing is installed or built.
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

# `fleet unpack`, `fleet --kubernetes`, and `fleet report` without --page need only Python. `fleet report --page` also needs the
# packages that draw charts. All other calls of fleet measure on hosts. They need Ansible, the packages that draw charts, and a
# build of ecbench. From this build, fleet makes the bundle for the hosts.
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

# Refuses wrong arguments before packages are installed and ecbench is built. If Python is not installed yet, check() does nothing,
# and install() calls check() again after the installation.
check() {
  to_check=("$@")
  if ! has_python; then return; fi
  env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" --check "$@" || exit
  to_check=()
  end_if_interrupted "before the start"
}

has_python() { command -v "$python" >/dev/null; }

# Starts the mode. env blocks the signals, and the mode unblocks them when it can handle them. If signals were not blocked, Python
# would print a traceback after an interrupt at its start. With -E and -s, Python ignores the environment variables PYTHON* and the
# packages in the user's home directory.
start() {
  local mode=$1
  shift
  need "$python:python3"
  trap - "${signals[@]}"
  end_if_interrupted "before the start"
  exec env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" "$mode" "$@"
}

# True if CEPH_ERASURE_CODE_BENCHMARK is not set, or if it is the path of a program in build/ that is not built yet. For the path of
# any other program, no build is needed.
needs_build() {
  local program=${CEPH_ERASURE_CODE_BENCHMARK:-}
  [[ -z $program ]] && return 0
  [[ ! -e $program && $(realpath -m -- "$program") == "$root"/build/* ]]
}

# install-deps.sh runs in the foreground, since it asks the user for permission, and sudo asks for the password. If bench.sh gets a
# signal during the installation, bench.sh ends only after the installation, and does not stop apt-get.
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

# The build runs in its own process group, so that stop() can end all processes of the build. After an interrupt, no messages of
# make are printed.
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

# Prints the output of make. If two consecutive lines show the progress of the build, the second line overwrites the first. After
# SIGUSR1, relay() prints nothing, but still reads the output of make. If no process read this output, make would get SIGPIPE.
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

# Fails if a program is not on PATH. Each argument is PROGRAM:PACKAGE. PACKAGE is the Debian package that contains PROGRAM.
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

# If a signal in `signals` arrives during the build, stop() ends the build at once. If the signal arrives during another step, for
# example the installation of packages, bench.sh completes this step and then ends. If a signal without a trap arrives during
# $(...), the exit code of bash is 1. Therefore the traps are set before the first $(...). A signal that was ignored when bench.sh
# started stays ignored.
signals=(INT TERM HUP QUIT)
signal="" # exit code for the first signal that arrived; empty if no signal has arrived
group=""  # process group of the build; empty if no build is running
to_check=() # the mode and its arguments; empty after check() has checked them
relay=""
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
trap 'stop 131' QUIT

# SIGINT must not stay ignored. If a script starts bench.sh as a background job, SIGINT is ignored from the start, and bash cannot
# change this. Therefore env starts bench.sh again with the default action for SIGINT.
if [[ $(trap -p INT) == *"''"* ]]; then exec env --default-signal=INT "$BASH" "$0" "$@"; fi
need realpath:coreutils dirname:coreutils env:coreutils
if ! env --block-signal=INT true 2>/dev/null; then
  fail "$(command -v env) has no option --block-signal, which bench.sh needs: install coreutils 8.31 or newer, or put the" \
    "directory of a newer env first on PATH ($PATH)"
fi
root=$(cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")" && pwd -P)
python=/usr/bin/python3
[[ -x $python ]] || python=python3
main "$@"
