#!/usr/bin/env bash
# build-contenders.sh DIRECTORY [CMAKE OPTION...]: builds ecbench and the contenders (plugins for libraries in other languages, and
# for an installed Ceph) in DIRECTORY, and puts ISA-L 2.32 there. A contender whose build tools or packages are missing is skipped,
# with a message. Exit code 1 if ecbench or a contender could not be built. Exit code 3 if the tools or packages of all contenders
# are missing: then nothing is built.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=scripts/contender_tools.sh
source "$scripts/contender_tools.sh"
# shellcheck source=scripts/build_lock.sh
source "$scripts/build_lock.sh"

say() { printf 'ecbench: %s\n' "$*" >&2; }

how_to_get() {
  if [[ -f $1/needs.txt ]]; then
    printf 'install %s' "$(missing_packages "$1")"
  elif [[ -f $1/go.mod ]]; then
    printf "install Go from https://go.dev/dl, or Debian's golang-go if it is new enough"
  else
    printf "install Rust from https://rustup.rs, or Debian's cargo if it is new enough"
  fi
}

# A needs.txt lists files that a plugin needs. CMake defines the target of this plugin only if these files exist. CMake checks this
# only when it configures the build directory. The files may have been installed after that. Therefore this function removes the
# file .configured: then build.sh configures the directory again.
configure_again() {
  if [[ -f $1/needs.txt ]] && ! was_built "$name" "$build"; then rm -f -- "$build/.configured"; fi
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
    if was_built "$name" "$build"; then skipping="keeping the earlier build of $name"; fi
    say "$skipping: $reason; $(how_to_get "$folder")"
  elif configure_again "$folder" && "$scripts/build.sh" "$build" "ec_$name" "$@"; then
    built=$((built + 1))
  else
    say "$name could not be built: see above"
    failed=$((failed + 1))
  fi
done
build_isal() {
  lock_build "$build" "build-contenders.sh $build"
  if [[ -f $build/isal-2.32/libisal.so.2 ]]; then return; fi
  rm -rf -- "$build/isal-2.32"
  "$scripts/fetch-isal.sh" 2.32 "$build/isal-2.32" || say "skipping isa 2.32: see above"
}

if ((built > 0)); then (build_isal); fi # a subshell, since build.sh also locks the build directory
if ((built == 0 && failed == 0)); then
  say "no plugin of contenders can be built here: tools or packages are missing, see above"
  exit 3
fi
"$scripts/build.sh" "$build" product "$@" || exit 1
((failed == 0))
