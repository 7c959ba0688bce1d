# shellcheck shell=bash
# Sourced by fetch-isal.sh: builds ISA-L from its source, which the package isal of PyPI contains. pip fetches it, from the index that
# it is configured for. Uses fail and complaint of the script, its folder for temporary files, and its library (the file's name).
# shellcheck disable=SC2154 # these two

isal_release=2.32
isal_package=isal
isal_package_version=1.9.1
isal_sha256=d210dca02a689ef2af709d2c62d2daac2e36b5d2fa06e6dc0d023c83fee77e91
isal_file_version=2.0.32 # of release 2.32.1, as ISA-L's own installation names it

# Prints the tools that are missing, and nothing if all are there.
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
  [[ -z $missing ]] || fail "ISA-L cannot be built: there is no ${missing% } here"
}

# Runs a program whose output goes to the log, in a process group of its own, which clean_up ends.
logged() {
  set -m
  "$@" >"$folder/log" 2>&1 &
  set +m
  wait $!
}

# pip checks the sum before it looks into the package, and runs what is in it to learn its name.
download_package() {
  local required="$isal_package==$isal_package_version --hash=sha256:$isal_sha256"
  mkdir "$folder/package" "$folder/source"
  printf '%s\n' "$required" >"$folder/requirements"
  logged python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps --no-cache-dir --no-binary "$isal_package" \
    --dest "$folder/package" --require-hashes --requirement "$folder/requirements" ||
    fail "$isal_package $isal_package_version cannot be had from PyPI: $(complaint)"
  local archive=$folder/package/$isal_package-$isal_package_version.tar.gz
  sha256sum --check --status <<<"$isal_sha256  $archive" 2>"$folder/log" ||
    fail "$isal_package $isal_package_version of PyPI is not the package that is known here: its SHA-256 sum is not $isal_sha256"
  logged tar -xzf "$archive" -C "$folder/source" || fail "${archive##*/} cannot be unpacked: $(complaint)"
}

# Sets `found` to the library; its file is next to it.
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
