#!/usr/bin/env bash
# fetch-isal.sh RELEASE DIRECTORY: puts another libisal into DIRECTORY, for --codec-lib. RELEASE is another Debian release (trixie,
# sid, ...), or 2.32 for ISA-L 2.32, which is built from the source in a package of PyPI (isal_source.sh). For a Debian release, the
# script needs no root and does not change the system's apt: it uses its own apt configuration in a temporary directory, and the
# mirror of the system's libisal2. It accepts only releases that are signed with the system's archive keys.
set -euo pipefail

# shellcheck source=scripts/isal_source.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/isal_source.sh"

package=libisal2
library=libisal.so.2

say() { printf 'ecbench: %s\n' "$*" >&2; }

fail() {
  say "fetch-isal.sh: $*"
  exit 1
}

# Prints the reason why a program failed: apt's first error, which causes the later ones. If the log has none, prints its last line.
complaint() { grep -m 1 '^E:' "$folder/log" || tail -n 1 "$folder/log"; }

check_arguments() {
  (($# == 2)) || fail "give a release and a directory: fetch-isal.sh trixie isal-trixie, or fetch-isal.sh $isal_release isal-$isal_release"
  [[ $1 == "$isal_release" || $1 =~ ^[a-z][a-z0-9-]*$ ]] ||
    fail "'$1' is not a release: give $isal_release for ISA-L $isal_release, or a release of Debian, such as trixie or sid"
  [[ -n $2 ]] || fail "'' is not a directory: give a directory that is new or empty"
  [[ ! -e $2 && ! -L $2 ]] || [[ -d $2 && -z $(ls -A -- "$2" 2>&1) ]] ||
    fail "$2 exists and is not an empty directory: give a directory that is new or empty"
}

check_debian() {
  local tool
  for tool in apt-get apt-config dpkg-deb; do
    command -v "$tool" >/dev/null ||
      fail "$tool is not installed, so no release of Debian can be fetched: give $isal_release instead"
  done
}

# Sets `mirror` to the mirror from which apt downloads libisal2 for this system, and `component` to the component of the archive
# that contains libisal2 (main, ...).
find_mirror() {
  local uri rest
  uri=$(apt-get download --print-uris "$package" 2>"$folder/log" | sed -n "s/^'\([^']*\)'.*/\1/p") || true
  [[ $uri == *://*/pool/*/* ]] ||
    fail "apt has no source of $package: run apt-get update ($(complaint))"
  mirror=${uri%%/pool/*}
  rest=${uri#*/pool/}
  component=${rest%%/*}
}

# Prints an option for a line of sources.list: [signed-by=FILE], where FILE contains the archive keys of this system. These keys
# also sign the other releases of the distribution. Prints nothing if the keys are not in their usual place. apt then uses its
# default keys.
keys() {
  local id keyring
  id=$(sed -n 's/^ID=//p' /etc/os-release 2>/dev/null) || true
  for keyring in "/usr/share/keyrings/$id-archive-keyring".{gpg,pgp}; do
    [[ -r $keyring ]] || continue
    printf '[signed-by=%s] ' "$keyring"
    return
  done
}

# Prints an apt configuration. It is used instead of the configuration in /etc/apt, which may have hooks that change the system. It
# contains only the system's settings for downloads (such as proxies) and for the maximum age of signed package lists.
write_configuration() {
  printf 'Dir::Etc::%s "/dev/null";\n' main parts
  apt-config dump | sed -En '/^Acquire::(https?::|ForceIPv|Check-(Valid-Until|Date)|M(ax|in)-(Valid|Future)Time|Retries)/Ip'
}

# Runs apt-get in `folder`, with the configuration from write_configuration and with only the keys and the architecture of this
# system. apt-get runs in the background, and bash calls `wait`. During `wait`, bash handles a signal at once. While a program runs
# in the foreground, bash does not handle signals. apt-get and its children are one process group, which clean_up ends.
private_apt() {
  set -m
  (
    cd -- "$folder"
    APT_CONFIG=$folder/apt.conf exec apt-get -q -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- \
      -o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=- -o Dir::State="$folder/state" \
      -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User="$(id -un)" \
      -o APT::Update::Error-Mode=any -o Acquire::AllowInsecureRepositories=false -o APT::Get::AllowUnauthenticated=false \
      -o Acquire::Languages=none -o APT::Default-Release= "$@" >"$folder/log" 2>&1
  ) &
  set +m
  wait $!
}

download() {
  mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/package"
  : >"$folder/status"
  write_configuration >"$folder/apt.conf"
  printf 'deb %s%s %s %s\n' "$(keys)" "$mirror" "$1" "$component" >"$folder/sources.list"
  private_apt update || fail "release $1 cannot be downloaded from $mirror: $(complaint)"
  private_apt download "$package" || fail "release $1 has no $package at $mirror: $(complaint)"
  deb=("$folder/$package"_*.deb)
  dpkg-deb -x "${deb[0]}" "$folder/package" >"$folder/log" 2>&1 || fail "${deb[0]##*/} cannot be unpacked: $(complaint)"
}

# Checks that this system can load the library: the library may need a newer libc than this system has.
check_library() {
  found=$(find "$folder/package" -name "$library" -print -quit)
  [[ -n $found ]] || fail "the package of release $1 has no $library, which plugin isa needs"
  local missing
  missing=$(ldd "$found" 2>&1 | grep -m 1 'not found') || return 0
  fail "the libisal of release $1 cannot be loaded on this system:${missing##*:}; give another release, or $isal_release"
}

clean_up() {
  local group
  for group in $(jobs -p); do
    kill -- "-$group" 2>/dev/null || true
  done
  wait
  rm -rf -- "$folder"
}

check_arguments "$@"
[[ $1 == "$isal_release" ]] || check_debian
folder=$(mktemp -d)
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if [[ $1 == "$isal_release" ]]; then
  build_isal
  origin="built from $isal_package $isal_package_version of PyPI"
else
  find_mirror
  download "$1"
  check_library "$1"
  origin="of $1, $package $(dpkg-deb -f "${deb[0]}" Version)"
fi
{ mkdir -p -- "$2" && cp -P -- "$found"* "$2/"; } 2>"$folder/log" || fail "$2 cannot be written: $(complaint)"
say "$2 has $(basename -- "$(realpath -- "$2/$library")") $origin: --codec-lib $2"
