#!/bin/sh
# run.sh look HOME RUN DIGEST: prints one line of JSON: the state of the run (new, begun, running, done) and what the role checks
#   before it starts a run. Needs only POSIX tools and flock. If `timeout` or `ceph` is missing, `health` is empty
# run.sh measure HOME RUN NICE CPUS [WORD...]: runs the command WORD... in a session of its own, so that it continues if the
#   connection is lost, and waits for its end; without WORD, waits for the command that an earlier call started
# run.sh remove HOME RUN: removes the run; if the host has no other run, all files of ecbench
# Files in HOME/runs/RUN: RUN.jsonl; messages.log, the stderr of the mode; ended, its exit code; lock, which the mode holds.
set -eu
umask 077
action=$1 run=$3
case $2 in \~ | \~/*) home=$HOME${2#\~} ;; /*) home=$2 ;; *) home=$PWD/$2 ;; esac
folder=$home/runs/$run file=$home/runs/$run/$run.jsonl
shift 3

fail() { printf '%s\n' "$2" >&2; exit "$1"; } # EXIT_CODE MESSAGE

finished() {
  tail -n 1 "$file" 2>/dev/null | grep -aqE '"record": ?"end".*\}$'
}

# Fields 14 and 15 (utime, stime) of /proc/PID/stat. Field 2, the name of the process, may contain blanks. Therefore sed removes
# fields 1 and 2, and the fields 14 and 15 become $12 and $13.
osd_ticks() {
  for name in /proc/[0-9]*/comm; do
    if read -r comm <"$name" && [ "$comm" = ceph-osd ]; then cat "${name%comm}stat"; fi
  done 2>/dev/null | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}

look() {
  state=new
  if [ -d "$folder" ]; then
    cd "$folder"
    [ "$(head -n 1 "$file" 2>/dev/null | wc -l)" = 0 ] || state=begun
    if ! (flock -n 9) 9>>lock; then state=running; elif finished; then state="done"; fi
  fi
  before=$(osd_ticks)
  sleep 1
  cpus=$(getconf _NPROCESSORS_ONLN)
  osd=$((100 * ($(osd_ticks) - before) / $(getconf CLK_TCK) / cpus))
  load=$(cut -d ' ' -f 1 /proc/loadavg)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  place=$home
  until [ -e "$place" ]; do place=$(dirname "$place"); done
  disk=$(df -Pk "$place" | awk 'NR == 2 { print int($4 / 1024) }')
  health=$(timeout 20 ceph health 2>/dev/null | head -n 1 | LC_ALL=C tr -cd '[:print:]' | tr -d '\\"' | cut -c 1-200)
  [ -x "$home/bundles/$1/bin/ecbench" ] && bundle=true || bundle=false
  printf '{"state": "%s", "home": "%s", "has_bundle": %s, "architecture": "%s", "cpus": %d, "load": %s, "memory_mib": %d, "disk": "%s", "disk_mib": %d, "osd_percent": %d, "health": "%s"}\n' \
    "$state" "$home" "$bundle" "$(uname -m)" "$cpus" "$load" "$memory" "$place" "$disk" "$osd" "$health"
}

measure() {
  mkdir -p "$folder"
  cd "$folder"
  nice=$1 cpus=$2
  shift 2
  exec 9>>lock
  flock 9
  if [ $# -gt 0 ] && ! finished; then
    rm -f ended
    [ -z "$cpus" ] || set -- taskset --cpu-list "$cpus" "$@"
    # `remove` also deletes the files that ecbench keeps between runs.
    XDG_STATE_HOME=$home/state ECBENCH_INSTALL=no setsid \
      sh -c '"$@" 2>messages.log; echo $? >ended.part && mv ended.part ended' sh nice -n "$nice" "$@" </dev/null >/dev/null 2>&1 &
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

remove() {
  [ -d "$folder" ] || exit 0
  (flock -n 9) 9>>"$folder/lock" || fail 1 "$folder was not removed: the mode still runs; wait until it has ended"
  cd "$home"
  rm -rf "$folder"
  if rmdir runs 2>/dev/null; then
    rm -rf bundles state
    cd /
    rmdir "$home" 2>/dev/null || true
  fi
}

"$action" "$@"
