# shellcheck shell=bash
# lock_build DIRECTORY COMMAND [OPTION]: locks the build directory until the calling script and the program that it starts with exec
# have ended. Builds lock it exclusively; modes that measure a build use OPTION --shared. While another process has the lock, waits,
# and prints this process and COMMAND, the command line that it gave. Returns after a signal for which the calling script has a trap
# that sets the variable `signal`.
lock_build() {
  local file=$1/.lock text begin=$SECONDS
  if [[ ! -e $file && -w $1 ]]; then { : >>"$file"; } 2>/dev/null || true; fi
  # Another user may have made the file in a directory that both can write.
  if [[ -w $file ]]; then exec {build_lock}<>"$file"; elif [[ -r $file ]]; then exec {build_lock}<"$file"; else return 0; fi
  if ! flock --nonblock "${@:3}" "$build_lock"; then
    text=$(<"$file")
    text="for the build directory $1, which is used by process ${text:-(unknown)}"
    if ! counts; then printf 'ecbench: waiting %s\n' "$text" >&2; fi
    # flock ends each second, so that the seconds are printed, and so that bash runs a trap after a signal.
    until flock --timeout 1 "${@:3}" "$build_lock"; do
      if (($? != 1)) || [[ -n ${signal:-} ]]; then return 0; fi
      if counts; then count "waiting $((SECONDS - begin)) s $text"; fi
    done
    if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
  fi
  if [[ -w $file ]]; then printf '%s (%s)\n' "$$" "$2" 2>/dev/null >"$file" || true; fi # the disk may be full
}

# Whether standard error shows progress: it is a terminal, or relay() of bench.sh reads it.
counts() { [[ -t 2 || -n ${ECBENCH_PROGRESS:-} ]]; }

# Prints a line of progress, which the next one overwrites.
count() {
  if [[ -t 2 ]]; then printf '\recbench: %s\033[K' "${1:0:${COLUMNS:-80}-10}" >&2; else printf 'ecbench: %s\n' "$1" >&2; fi
}
