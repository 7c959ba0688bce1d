#!/bin/sh
# Prints one line of JSON with the facts that the role checks before it uses a host. Uses only POSIX tools.
osd_ticks() { # CPU time of all ceph-osd: fields 14 and 15 of stat. sed removes fields 1 and 2, since the name may contain blanks
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
