#!/usr/bin/env bash
# build-contenders.sh DIRECTORY [CMAKE OPTION...]: builds in DIRECTORY ecbench and the contenders, the plugins on libraries of other
# languages, as far as their tools are there. Says what it skips and why. Exit code 3 if nothing can be built here for want of tools,
# 1 if something that should have been built could not.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=scripts/contender_tools.sh
source "$scripts/contender_tools.sh"

say() { printf 'ecbench: %s\n' "$*" >&2; }

how_to_get() {
  if [[ -f $1/go.mod ]]; then
    printf "install Go of https://go.dev/dl, or Debian's golang-go where that is new enough"
  else
    printf "install Rust of https://rustup.rs, or Debian's cargo where that is new enough"
  fi
}

build=$1
shift
built=0
failed=0
mapfile -t folders < <(contender_folders "$scripts/../src/plugins")
for folder in "${folders[@]}"; do
  name=$(basename -- "$folder")
  reason=$(why_not "$folder")
  if [[ -n $reason ]]; then
    skipping="skipping $name"
    if was_built "$name" "$build"; then skipping="$name stays as it was built before"; fi
    say "$skipping: $reason; $(how_to_get "$folder")"
  elif "$scripts/build.sh" "$build" "ec_$name" "$@"; then
    built=$((built + 1))
  else
    say "$name could not be built: see above"
    failed=$((failed + 1))
  fi
done
if ((built == 0 && failed == 0)); then
  say "no contender can be built here"
  exit 3
fi
"$scripts/build.sh" "$build" product "$@" || exit 1
((failed == 0))
