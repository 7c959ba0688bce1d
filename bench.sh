#!/usr/bin/env bash
# Installs and builds what a mode needs, then runs the mode. Each mode is a package in scripts/ecbench/, and declares its needs
# (scripts/ecbench/installation/needs.py). See bench.sh help.
if [ -z "${BASH_VERSION:-}" ]; then exec bash "$0" "$@"; fi # for sh bench.sh
set +o posix
set -euo pipefail

main() {
  local status=0 steps=() printed step word
  case ${1:-bench} in
    -h | --help | help)
      if [[ -t 1 ]] && command -v "$python" >/dev/null; then start help; fi
      exec cat -- "$root/scripts/help.txt"
      ;;
    --resume | --resume=* | --output | --output=* | --budget | --budget=* | *=*) set -- bench "$@" ;;
  esac
  if (($# == 0)); then set -- bench; fi
  if [[ $1 == --version ]]; then start --version; fi
  if ! command -v "$python" >/dev/null; then install; fi
  keep_grid "$@"
  set -- "${words[@]}"
  need "$python:python3"
  for word in "$@"; do
    case $word in
      --) break ;;
      -h | --help) start "$@" ;;
    esac
  done
  # Prints what the mode needs. Refuses wrong arguments before anything is installed or built.
  printed=$(exec env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" --check "$@") || status=$?
  end_if_interrupted "before the start"
  if ((status != 0)); then exit "$status"; fi
  mapfile -t steps <<<"$printed"
  for step in "${steps[@]}"; do
    case $step in
      install) install ;;
      install\ report) install_page_library ;;
      install\ *) install "${step#install }" ;;
      wait) wait_for_machine ;;
      build\ *) build_product "${step#build }" ;;
      try\ *) build_if_possible "$1" "${step#try }" ;;
    esac
  done
  lock_product
  start "$@"
}

# Copies the arguments to the array `words`. The grid of gate and the experiment of run are read several times: before the build (to
# check them), and for the measurement. But a pipe, such as <(command), can be read only once. Therefore, if one is a pipe,
# keep_grid() copies it to a temporary file that is deleted before it is written. `words` gets /dev/fd/N, where N is the descriptor
# of the file.
keep_grid() {
  local word grid copy file before=""
  words=()
  for word in "$@"; do
    grid=${word#--grid=}
    if [[ $before == --grid || $word != "$grid" || $1 =~ ^(run|sweep)$ ]] &&
      [[ $grid =~ ^/dev/(fd/|stdin$) && -p $grid ]]; then
      file=$(mktemp 2>/dev/null) || not_kept
      exec {copy}<>"$file"
      rm -f -- "$file"
      { cat -- "$grid" >&"$copy"; } 2>/dev/null || not_kept
      word=${word%"$grid"}/dev/fd/$copy
    fi
    words+=("$word")
    before=$word
  done
  end_if_interrupted "before the start"
}

not_kept() {
  end_if_interrupted "before the start"
  fail "the grid cannot be copied to the temporary directory ${TMPDIR:-/tmp}: free space in it, or set TMPDIR to a directory that" \
    "you can write and that has free space"
}

# Starts the mode. env blocks the signals, and the mode unblocks them when it can handle them. If signals were not blocked, Python
# would print a traceback after an interrupt at its start. With -E and -s, Python ignores the environment variables PYTHON* and the
# packages in the user's home directory.
start() {
  trap - "${signals[@]}"
  end_if_interrupted "before the start"
  exec env --block-signal=INT,TERM,HUP,QUIT "$python" -E -s "$root/scripts/mode.py" "$@"
}

# install-deps.sh runs in the foreground, since it asks the user for permission, and sudo asks for the password. If bench.sh gets a
# signal during the installation, bench.sh ends only after the installation, and does not stop apt-get.
install() {
  local status=0
  "$root/scripts/install-deps.sh" "$@" >&2 || status=$?
  end_if_interrupted "while installing packages"
  if ((status != 0)); then exit "$status"; fi
}

# Without the library, the mode prints its text, and a line about the page.
install_page_library() {
  "$root/scripts/install-deps.sh" report >&2 || true
  end_if_interrupted "while installing packages"
}

# A build would disturb a measurement. mode.py runs in the background, so that bash runs a trap at once.
wait_for_machine() {
  local status=0
  "$python" -E -s "$root/scripts/mode.py" --wait &
  wait_for_group || status=$?
  end_if_interrupted "while waiting for another measurement"
  if ((status != 0)); then exit "$status"; fi
}

# Waits for the last background job, which stop() can end. Returns its exit code.
wait_for_group() {
  local status=0
  group=$!
  if [[ -n $signal ]]; then stop "$signal"; fi
  wait "$group" || status=$?
  if [[ -n $signal ]]; then wait "$group" 2>/dev/null || true; fi
  group=""
  return "$status"
}

build_product() {
  local status=0
  build "$@" || status=$?
  end_if_interrupted "while building"
  if ((status != 0)); then exit 1; fi # the exit code of make is 2, which would mean wrong bytes
  built=yes
}

# Called after the last build: a build waits until no other process has the lock, and would wait for bench.sh itself.
lock_product() {
  if [[ -z $built ]]; then return; fi
  lock_build "$root/build" "bench.sh $called" --shared
  end_if_interrupted "while waiting for another build"
}

build_if_possible() { # MODE TARGET
  if ! build "$2"; then
    end_if_interrupted "while building"
    printf 'ecbench: the mode %s continues without the plugins that could not be built\n' "$1" >&2
  fi
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
  exec {lines}>&-
  wait_for_group || status=$?
  wait "$relay" || true
  return "$status"
}

# Prints the output of make. On a terminal, if two consecutive lines show the progress of the build, the second line overwrites the
# first. After SIGUSR1, relay() prints nothing, but still reads the output of make. If no process read this output, make would get SIGPIPE.
relay() {
  local line end=''
  trap '' "${signals[@]}"
  trap 'exec >/dev/null' USR1
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ -t 1 && $line =~ ^'ecbench: '(building.*%|waiting [0-9]) ]]; then
      printf '\r%s\033[K' "${line:0:${COLUMNS:-80}-1}"
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
  if [[ -z $group ]]; then return 0; fi # without 0, bash returns the status of the command before the trap, and set -e ends it
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

# SIGINT must not stay ignored. If a script starts bench.sh as a background job, SIGINT is ignored from the start, and bash cannot
# change this. Therefore env starts bench.sh again with the default action for SIGINT.
begin() {
  if [[ $(trap -p INT) == *"''"* ]]; then exec env --default-signal=INT "$BASH" "$0" "$@"; fi
  need realpath:coreutils dirname:coreutils env:coreutils
  if ! env --block-signal=INT true 2>/dev/null; then
    fail "$(command -v env) has no option --block-signal, which bench.sh needs: install coreutils 8.31 or newer, or put the" \
      "directory of a newer env first on PATH ($PATH)"
  fi
  if [[ ! -d /dev/fd/ ]]; then fail "/dev/fd, which bench.sh needs, is not a directory: mount /proc"; fi
  root=$(cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")" && pwd -P)
  python=/usr/bin/python3
  called=$*
  # shellcheck source=scripts/build_lock.sh
  source "$root/scripts/build_lock.sh"
  [[ -x $python ]] || python=python3
  main "$@"
}

# If a signal in `signals` arrives during the build or the wait for another measurement, stop() ends this at once. If the signal arrives during another step, for
# example the installation of packages, bench.sh completes this step and then ends. If a signal without a trap arrives during
# $(...), the exit code of bash is 1. Therefore the traps are set before the first $(...). A signal that was ignored when bench.sh
# started stays ignored. begin() is a function because bash 5.2 fails with exit code 2 if it runs a trap while it parses $(...).
signals=(INT TERM HUP QUIT)
signal="" # exit code for the first signal that arrived; empty if no signal has arrived
group=""  # process group of the build, or process that waits for the machine; empty if none runs
relay=""
built=""  # yes if a build of the product has ended
trap 'stop 130' INT
trap 'stop 143' TERM
trap 'stop 129' HUP
trap 'stop 131' QUIT
begin "$@"
