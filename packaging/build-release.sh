#!/usr/bin/env bash
# build-release.sh VERSION OUTPUT: builds a release from the last commit. It writes these files to OUTPUT/ecbench-VERSION:
# the sources, the Debian packages, the bundle, the bill of materials of the bundle, and SHA256SUMS.
set -euo pipefail
umask 022 # the umask of the caller has no effect: all users can read the files that this script writes

version=$1
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source_directory=$(dirname -- "$here")
declared=$(sed -n 's/^project(ecbench VERSION \([0-9.]*\).*/\1/p' "$source_directory/CMakeLists.txt")

fail() { printf 'ecbench: %s\n' "$*" >&2; exit 1; }

[[ -n $version ]] || fail "make release needs a version: make release VERSION=$declared"
[[ $version == "$declared" ]] ||
  fail "VERSION=$version is not allowed: CMakeLists.txt has $declared; change it there, or give VERSION=$declared"
[[ -z $(git -C "$source_directory" status --porcelain --untracked-files=no) ]] ||
  fail "the clone has changes that are not committed: a release is made from a commit; commit them, or git stash"
output=$(realpath -m -- "$2")/ecbench-$version
[[ ! -e $output ]] || fail "$output exists: remove it, or choose another directory with OUTPUT=DIRECTORY"

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
git -C "$source_directory" archive --prefix="ecbench-$version/" HEAD | gzip -n9 >"$work/ecbench-$version.tar.gz"
make --no-print-directory -C "$source_directory" deb bundle OUTPUT="$work" >&2
bundle=$work/ecbench-$version-x86_64.tar.gz
/usr/bin/python3 -E -s "$here/sbom.py" "$bundle" >"${bundle%.tar.gz}.spdx.json"
rm -f -- "$work"/*.changes "$work"/*.buildinfo
mkdir -p -- "$output"
cp -- "$work"/* "$output/"
(cd -- "$output" && sha256sum -- * >"$work/SHA256SUMS" && cp -- "$work/SHA256SUMS" .)
printf '%s\n' "$output"/*
