#!/usr/bin/env bash
# arm64-sysroot.sh DIRECTORY: puts Debian's arm64 libraries into DIRECTORY, for cross-builds and qemu-user. The script does nothing
# if DIRECTORY already contains these libraries. The script installs no packages on this machine and does not need root. apt keeps
# its state in a temporary directory, so the architecture arm64 need not be added to dpkg. ECBENCH_DEBIAN_MIRROR=URL selects another
# mirror of Debian.
set -euo pipefail

packages=(libc6-dev libstdc++6 libjerasure-dev libgf-complete-dev libisal-dev libboost-program-options-dev libelf-dev
  nlohmann-json3-dev libgtest-dev libsimde-dev libssl-dev)

fail() { printf 'ecbench: arm64-sysroot.sh: %s\n' "$*" >&2; exit 1; }

sysroot=${1:-}
if (($# != 1)) || [[ -z $sysroot ]]; then fail "give one argument: the directory for the libraries"; fi
if [[ -f $sysroot/.packages && $(<"$sysroot/.packages") == "${packages[*]}" ]]; then exit 0; fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -r $keyring ]] || fail "$keyring is missing: install the package debian-archive-keyring, on Debian 12 or newer"
# shellcheck source=/dev/null
release=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
mirror=${ECBENCH_DEBIAN_MIRROR:-http://deb.debian.org/debian}
[[ -n $release ]] || fail "/etc/os-release does not name a Debian release in VERSION_CODENAME"

mkdir -p -- "$sysroot" 2>/dev/null || fail "$sysroot cannot be created: give another directory"
sysroot=$(realpath -- "$sysroot")
state=$(mktemp -d)
trap 'rm -rf -- "$state"' EXIT
chmod 755 "$state" # apt downloads files as the user _apt, which needs access to this directory
mkdir -p -- "$state"/{lists,archives}/partial
: >"$state/status"
cat >"$state/sources.list" <<SOURCES
deb [signed-by=$keyring] $mirror $release main
deb [signed-by=$keyring] $mirror $release-updates main
SOURCES
apt_get() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$state" -o Dir::State::status="$state/status" \
    -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Debug::NoLocking=1 -o APT::Update::Post-Invoke::= "$@" >"$state/log" 2>&1 || {
    cat -- "$state/log" >&2
    fail "apt-get $* failed; it needs a network connection"
  }
}
printf 'ecbench: downloading arm64 libraries into %s\n' "$sysroot" >&2
apt_get update
apt_get install -y --no-install-recommends --download-only "${packages[@]}"
for package in "$state"/archives/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
printf '%s' "${packages[*]}" >"$sysroot/.packages"
