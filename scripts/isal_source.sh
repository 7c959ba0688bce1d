# shellcheck shell=bash
# Sourced by fetch-isal.sh. Builds ISA-L from its source in the package isal of PyPI, which pip downloads from its configured index.
# Uses `fail`, `complaint`, the temporary directory and the library's file name of fetch-isal.sh.
# shellcheck disable=SC2154 # the directory and the file name

isal_release=2.32
isal_package=isal
isal_package_version=1.9.1
isal_sha256=d210dca02a689ef2af709d2c62d2daac2e36b5d2fa06e6dc0d023c83fee77e91
isal_file_version=2.0.32 # the version in the file name of the library. An installation of ISA-L 2.32.1 uses the same file name

# Prints the missing tools; nothing if all are installed.
missing_tools() {
  local tool tools=(gcc make)
  if [[ $(uname -m) == x86_64 ]]; then tools+=(nasm); fi
  for tool in "${tools[@]}"; do
    if ! command -v "$tool" >/dev/null; then printf '%s ' "$tool"; fi
  done
  if ! python3 -m pip --version >/dev/null 2>&1; then printf 'pip '; fi
}

require_tools() {
  if [[ -z $(missing_tools) ]]; then return; fi
  "$(dirname -- "${BASH_SOURCE[0]}")/install-deps.sh" isal || exit 1
  local missing
  missing=$(missing_tools)
  [[ -z $missing ]] || fail "ISA-L cannot be built, because these tools are not installed: ${missing% }"
}

# Runs a program in its own process group, which clean_up ends. The output of the program is written to the log.
logged() {
  set -m
  "$@" >"$folder/log" 2>&1 &
  set +m
  wait $!
}

# pip checks the SHA-256 sum before it opens the package. After that, pip runs code of the package to find the package's name.
download_package() {
  local required="$isal_package==$isal_package_version --hash=sha256:$isal_sha256"
  mkdir "$folder/package" "$folder/source"
  printf '%s\n' "$required" >"$folder/requirements"
  logged python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --no-cache-dir --no-binary "$isal_package" \
    --dest "$folder/package" --require-hashes --requirement "$folder/requirements" ||
    fail "$isal_package $isal_package_version cannot be downloaded from PyPI: $(complaint)"
  local archive=$folder/package/$isal_package-$isal_package_version.tar.gz
  sha256sum --check --status <<<"$isal_sha256  $archive" 2>"$folder/log" ||
    fail "$isal_package $isal_package_version of PyPI has another content than expected: its SHA-256 sum is not $isal_sha256; check the package index that pip uses"
  logged tar -xzf "$archive" -C "$folder/source" || fail "${archive##*/} cannot be unpacked: $(complaint)"
}

# Sets `found` to the path of a symbolic link to the library. The link and the library are in the same directory.
build_isal() {
  require_tools
  download_package
  local source=("$folder/source/"*/src/isal/isa-l)
  logged make -C "${source[0]}" -f Makefile.unx -j "$(nproc)" units="erasure_code raid crc igzip mem misc" slib ||
    fail "ISA-L $isal_release cannot be built: $(complaint)"
  found=$folder/$library
  cp -- "${source[0]}/bin/libisal.so" "${found%.2}.$isal_file_version" 2>"$folder/log" ||
    fail "ISA-L $isal_release was built without a libisal.so: $(complaint)"
  ln -s "${library%.2}.$isal_file_version" "$found"
}
