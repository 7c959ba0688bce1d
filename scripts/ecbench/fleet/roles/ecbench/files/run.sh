#!/bin/sh
# run.sh look HOME RUN PROGRAM: prints the state of the run RUN of a mode: absent (no PROGRAM), new, running, failed, done
# run.sh start HOME RUN NICE CPUS PROGRAM MODE WORD...: starts the mode in a session of its own, resumes it (gate begins again), or
#   waits for the mode that an earlier call started. If the connection is lost, the mode continues
# run.sh remove HOME RUN: removes the run; if the host has no other run, also the bundles
# The mode inherits the lock of the run's directory: if the lock is free, the mode does not run.
# Files in HOME/runs/RUN: RUN.jsonl, the run file; messages.log, the stderr of the mode; ended, its exit code; lock.
set -eu
umask 077
absolute() {
  case $1 in /*) printf '%s' "$1" ;; *) printf '%s' "$PWD/$1" ;; esac
}

action=$1 home=$(absolute "$2") run=$3
folder=$home/runs/$run file=$home/runs/$run/$run.jsonl
shift 3

fail() { # EXIT_CODE MESSAGE
  printf '%s\n' "$2" >&2
  exit "$1"
}

# gate ab writes broken_off instead of end; with wrong bytes, it is finished.
finished() {
  tail -n 1 "$file" 2>/dev/null | grep -aqE '"record": ?"(end".*\}$|broken_off".*"exit_code": ?2[,}])'
}

look() {
  if ! flock -n 9; then echo running; elif finished; then echo "done"; else echo failed; fi
}

remove() {
  flock -n 9 || fail 1 "$folder was not removed: the mode still runs; wait until it has ended"
  cd "$home"
  rm -rf "$folder"
  if rmdir runs 2>/dev/null; then
    rm -rf bundles state
    cd /
    rmdir "$home" 2>/dev/null || true
  fi
}

start() {
  flock 9
  if ! finished; then
    begin "$@"
    exec 9>&- 8>>lock
    flock 8 # the mode has ended
  fi
  code=$(cat ended 2>/dev/null || true)
  if finished; then
    printf '{"hostname": "%s", "exit_code": %s}\n' "$(uname -n)" "${code:-null}"
  elif [ -n "$code" ]; then
    why=$(sed 's/^ecbench: //; /^[[:space:]]*$/d' messages.log | tail -n 1)
    fail "$((code ? code : 1))" "${why:-the mode had exit code $code and printed no message}"
  else
    fail 137 "the processes were killed$(df -P . | awk 'NR == 2 && $4 == 0 { print ", and the file system is full" }')"
  fi
}

begin() {
  nice=$1 cpus=$2
  shift 2
  rm -f ended
  if [ "$2" != gate ] && [ "$(head -n 1 "$file" 2>/dev/null | wc -l)" = 1 ]; then
    # Given again: the budget, and the words of files/loading.py, which are not taken from a run file.
    left=$(($# - 2)) is_value=
    set -- "$@" "$1" "$2" --resume "$file"
    shift 2
    while [ "$left" -gt 0 ]; do
      case $is_value$1 in
        --budget | --ecbench | --plugin-dir | --isal) set -- "$@" "$1" && is_value=value ;;
        value* | --budget=* | --ecbench=* | --plugin-dir=* | --isal=*) set -- "$@" "$1" && is_value= ;;
        *codec-lib=*) for part in $1; do case $part in codec-lib=*) set -- "$@" "$part" ;; esac done ;;
      esac
      shift
      left=$((left - 1))
    done
  else
    rm -f "$file"
    set -- "$@" --output "$file"
  fi
  [ -z "$cpus" ] || set -- taskset --cpu-list "$cpus" "$@"
  # `remove` also deletes the files that ecbench keeps between runs.
  XDG_STATE_HOME=$home/state ECBENCH_INSTALL=no setsid \
    sh -c '"$@" 2>messages.log; echo $? >ended.part && mv ended.part ended' sh nice -n "$nice" "$@" </dev/null >/dev/null 2>&1 &
}

if [ "$action" = look ] && [ ! -x "$1" ]; then
  echo absent
elif [ "$action" != start ] && [ ! -d "$folder" ]; then
  echo new
else
  mkdir -p "$folder"
  if [ "$action" = start ]; then
    nice=$1 cpus=$2 program=$(absolute "$3")
    shift 3
    set -- "$nice" "$cpus" "$program" "$@"
  fi
  cd "$folder"
  exec 9>>lock
  "$action" "$@"
fi
