#!/bin/sh
# Prints one line of JSON. The Ansible role checks the values in this line before it measures on a host. The script
# needs only POSIX tools. If `timeout` or `ceph` is missing, `health` is empty.
# The CPU time of all ceph-osd processes, in clock ticks: fields 14 and 15 (utime, stime) of /proc/PID/stat. Field 2 is the name of
# the process, which may contain blanks. Therefore sed removes fields 1 and 2, and the fields 14 and 15 become $12 and $13.
osd_ticks() {
  for file in /proc/[0-9]*/comm; do
    if read -r name <"$file" && [ "$name" = ceph-osd ]; then cat "${file%comm}stat"; fi
  done 2>/dev/null | sed 's/.*) //' | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}
cpus=$(getconf _NPROCESSORS_ONLN)
before=$(osd_ticks)
sleep 1
osd=$((100 * ($(osd_ticks) - before) / $(getconf CLK_TCK) / cpus))
load=$(cut -d ' ' -f 1 /proc/loadavg)
memory=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
folder=$ECBENCH_FOLDER
until [ -e "$folder" ]; do folder=$(dirname "$folder"); done
disk=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
health=$(timeout 20 ceph health 2>/dev/null | head -n 1 | LC_ALL=C tr -cd '[:print:]' | tr -d '\\"' | cut -c 1-200)
printf '{"architecture": "%s", "cpus": %d, "load": %s, "memory_mib": %d, "disk": "%s", "disk_mib": %d, "osd_percent": %d, "health": "%s"}\n' \
  "$(uname -m)" "$cpus" "$load" "$memory" "$folder" "$disk" "$osd" "$health"
