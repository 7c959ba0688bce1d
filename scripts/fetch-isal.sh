#!/usr/bin/env bash
# fetch-isal.sh RELEASE DIRECTORY: puts another libisal into DIRECTORY, for --codec-lib. RELEASE is another Debian release (trixie,
# sid, ...), or 2.32 for ISA-L 2.32, which is built from the source in the package isal of PyPI. For a Debian release, the
# script needs no root and does not change the system's apt: it uses its own apt configuration in a temporary directory, and the
# mirror of the system's libisal2. It accepts only releases that are signed with the system's archive keys.
set -euo pipefail

isal_release=2.32
source_package="isal==1.9.1 --hash=sha256:d210dca02a689ef2af709d2c62d2daac2e36b5d2fa06e6dc0d023c83fee77e91"
package=libisal2
library=libisal.so.2

say() { printf 'ecbench: %s\n' "$*" >&2; }

fail() { say "fetch-isal.sh: $*"; exit 1; }

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
# system.
private_apt() (
  cd -- "$folder"
  APT_CONFIG=$folder/apt.conf exec apt-get -q -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=- -o Dir::State="$folder/state" \
    -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" -o APT::Sandbox::User="$(id -un)" \
    -o APT::Update::Error-Mode=any -o Acquire::AllowInsecureRepositories=false -o APT::Get::AllowUnauthenticated=false \
    -o Acquire::Languages=none -o APT::Default-Release= "$@" >"$folder/log" 2>&1
)

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

# Sets `found` to the path of a symbolic link to the library, in the directory of the library. pip checks the SHA-256 sum before it
# opens the package; after that, it runs code of the package to find the package's name.
build_isal() {
  local source tools=(gcc make)
  if [[ $(uname -m) == x86_64 ]]; then tools+=(nasm); fi
  if ! { type "${tools[@]}" && python3 -m pip --version; } >/dev/null 2>&1; then
    "$(dirname -- "${BASH_SOURCE[0]}")/install-deps.sh" isal || exit 1
  fi
  printf '%s\n' "$source_package" >"$folder/requirements"
  python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --no-cache-dir --no-binary isal --dest "$folder" \
    --require-hashes --requirement "$folder/requirements" >"$folder/log" 2>&1 ||
    fail "${source_package% *} cannot be downloaded from PyPI: $(complaint)"
  tar -xzf "$folder"/isal-*.tar.gz -C "$folder" 2>"$folder/log" || fail "the package isal cannot be unpacked: $(complaint)"
  source=("$folder"/isal-*/src/isal/isa-l)
  make -C "${source[0]}" -f Makefile.unx -j "$(nproc)" units="erasure_code raid crc igzip mem misc" slib >"$folder/log" 2>&1 ||
    fail "ISA-L $isal_release cannot be built: $(complaint)"
  found=$folder/$library
  cp -- "${source[0]}/bin/libisal.so" "${found%.2}.2.0.32" 2>"$folder/log" ||
    fail "ISA-L $isal_release was built without a libisal.so: $(complaint)"
  ln -s "${library%.2}.2.0.32" "$found"
}

check_arguments "$@"
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
if [[ $1 == "$isal_release" ]]; then
  build_isal
  origin="built from ${source_package% *} of PyPI"
else
  type apt-get apt-config dpkg-deb >/dev/null 2>&1 ||
    fail "apt-get, apt-config or dpkg-deb is not installed, so no release of Debian can be fetched: give $isal_release instead"
  find_mirror
  download "$1"
  check_library "$1"
  origin="of $1, $package $(dpkg-deb -f "${deb[0]}" Version)"
fi
{ mkdir -p -- "$2" && cp -P -- "$found"* "$2/"; } 2>"$folder/log" || fail "$2 cannot be written: $(complaint)"
say "$2 has $(basename -- "$(realpath -- "$2/$library")") $origin: --codec-lib $2"
