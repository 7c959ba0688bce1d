#!/usr/bin/env bash
# build-deb.sh OUTPUT: builds the Debian packages ecbench and ecbench-dev from the last commit, and writes them to OUTPUT. The
# packages in Build-Depends (debian/control) must be installed: scripts/install-deps.sh deb installs them. JOBS=N builds with N
# processes.
set -euo pipefail

output=$(realpath -- "$1")
source_directory=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
version=$(sed -n 's/^project(ecbench VERSION \([0-9.]*\).*/\1/p' "$source_directory/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tree=$work/ecbench-$version

mkdir -p -- "$tree"
git -C "$source_directory" archive HEAD -- . ':!results' ':!docs/images' | tar -x -C "$tree"
mv -- "$tree/packaging/debian" "$tree/debian"
printf 'ecbench (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" \
  "$(sed -n 's/^Maintainer: //p' "$tree/debian/control")" "$(git -C "$source_directory" log -1 --format=%cD)" >"$tree/debian/changelog"
ECBENCH_GIT_REVISION=$(git -C "$source_directory" rev-parse HEAD)
export ECBENCH_GIT_REVISION
(cd -- "$tree" && DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-$(nproc)}" dpkg-buildpackage --build=binary --no-sign) >"$work/log" 2>&1 ||
  { cat -- "$work/log" >&2; exit 1; }
cp -- "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$output"
(cd -- "$work" && printf '%s\n' *.deb) | sed "s,^,$output/,"
