#!/usr/bin/env bash
# build-contenders.sh DIRECTORY [CMAKE OPTION...]: builds in DIRECTORY ecbench and the contenders, the plugins on libraries of other
# languages, as far as their tools are there: a folder with a go.mod needs go, one with a Cargo.toml needs cargo. Says what it skips
# and why. Exit code 3 if nothing can be built here for want of tools, 1 if something that should have been built could not.
set -euo pipefail

scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
plugins=$scripts/../src/plugins

say() { printf 'ecbench: %s\n' "$*" >&2; }

# version TEXT: the first version in it.
version() { grep -oE '[0-9]+(\.[0-9]+)+' <<<"$1" | head -n 1; }

# is_at_least VERSION LEAST
is_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

# why_not FOLDER: prints why the contender in it cannot be built here; nothing if it can.
why_not() {
  local tool least found
  if [[ -f $1/go.mod ]]; then
    tool=go
    least=$(version "$(grep '^go ' "$1/go.mod")")
  else
    tool=cargo
    least=$(version "$(grep '^rust-version' "$1/Cargo.toml")")
  fi
  if ! command -v "$tool" >/dev/null; then
    printf 'it needs %s %s or later, and there is no %s on PATH' "$tool" "$least" "$tool"
    return
  fi
  # In the folder, since a tool may choose its version by it.
  found=$(cd -- "$1" && if [[ $tool == go ]]; then GOTOOLCHAIN=local go env GOVERSION; else cargo --version; fi 2>/dev/null) || found=
  found=$(version "$found") || found=
  if [[ -z $found ]]; then
    printf 'the %s on PATH does not run' "$tool"
  elif ! is_at_least "$found" "$least"; then
    printf 'it needs %s %s or later, and this is %s' "$tool" "$least" "$found"
  fi
}

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
for folder in "$plugins"/*/; do
  folder=${folder%/}
  [[ -f $folder/go.mod || -f $folder/Cargo.toml ]] || continue
  name=$(basename -- "$folder")
  reason=$(why_not "$folder")
  if [[ -n $reason ]]; then
    say "skipping $name: $reason; $(how_to_get "$folder")"
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
"$scripts/build.sh" "$build" product "$@"
((failed == 0))
