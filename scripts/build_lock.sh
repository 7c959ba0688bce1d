# shellcheck shell=bash
# lock_build DIRECTORY COMMAND [OPTION]: locks the build directory until the calling script and the program that it starts with exec
# have ended. Builds lock it exclusively; modes that measure a build use OPTION --shared. While another process has the lock, prints
# this process and COMMAND, the command line that it gave. Returns at once after a signal for which the calling script has a trap.
lock_build() {
  local file=$1/.lock holder
  if [[ -w $1 ]]; then exec {build_lock}<>"$file"; elif [[ -r $file ]]; then exec {build_lock}<"$file"; else return 0; fi
  if ! flock --nonblock "${@:3}" "$build_lock"; then
    holder=$(<"$file")
    printf 'ecbench: waiting for the build directory %s, which is used by process %s\n' "$1" "${holder:-(unknown)}" >&2
    flock "${@:3}" "$build_lock" &
    wait "$!" || { kill "$!" 2>/dev/null || true; return 0; }
  fi
  if [[ -w $file ]]; then printf '%s (%s)\n' "$$" "$2" >"$file"; fi
}
