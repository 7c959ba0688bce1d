# shellcheck shell=bash
# Functions that find contenders and their build tools, for the scripts that build contenders. A contender is a plugin for a library
# in another language, or for an installed Ceph. Its directory contains one of three files. If this file is go.mod, the build needs
# go. If it is Cargo.toml, the build needs cargo. If it is needs.txt, the build needs the files that are listed in needs.txt.

# contender_folders PLUGINS: the directory PLUGINS contains one directory per plugin. Prints the directories of the plugins that are
# contenders, one per line.
contender_folders() {
  local folder
  for folder in "$1"/*/; do
    folder=${folder%/}
    if [[ -f $folder/go.mod || -f $folder/Cargo.toml || -f $folder/needs.txt ]]; then printf '%s\n' "$folder"; fi
  done
}

# was_built NAME DIRECTORY: succeeds if an earlier build has put the plugin of contender NAME into the build directory DIRECTORY.
was_built() { [[ -f $2/plugins/libec_$1.so ]]; }

# version TEXT: prints the first version number in TEXT.
version() { grep -oE '[0-9]+(\.[0-9]+)+' <<<"$1" | head -n 1; }

# is_at_least VERSION LEAST: succeeds if VERSION is LEAST or later.
is_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

# missing_packages FOLDER: each line of FOLDER/needs.txt names a file and the Debian package that contains this file. For each file
# that does not exist, prints the package. The packages are separated by spaces. Tests set ECBENCH_SYSROOT to a directory. The
# files are then searched below this directory instead of below /.
missing_packages() {
  local file package missing=()
  while read -r file package; do
    if [[ $file == /* && ! -f ${ECBENCH_SYSROOT:-}$file ]]; then missing+=("$package"); fi
  done <"$1/needs.txt"
  printf '%s' "${missing[*]}"
}

# why_not FOLDER: prints why the contender in FOLDER cannot be built here. Prints nothing if it can be built.
why_not() {
  local tool least found
  if [[ -f $1/needs.txt ]]; then
    found=$(missing_packages "$1")
    if [[ -n $found ]]; then printf 'it needs files of Debian packages that are not installed'; fi
    return
  fi
  if [[ -f $1/go.mod ]]; then
    tool=go
    least=$(version "$(grep '^go ' "$1/go.mod")")
  else
    tool=cargo
    least=$(version "$(grep '^rust-version' "$1/Cargo.toml")")
  fi
  if ! command -v "$tool" >/dev/null; then
    printf 'it needs %s %s or later, but no %s is on PATH' "$tool" "$least" "$tool"
    return
  fi
  # The version of the tool may depend on the current directory, so the tool is run in the contender's directory.
  found=$(cd -- "$1" && if [[ $tool == go ]]; then GOTOOLCHAIN=local go env GOVERSION; else cargo --version; fi 2>/dev/null) || found=
  found=$(version "$found") || found=
  if [[ -z $found ]]; then
    printf 'the %s on PATH fails or prints no version' "$tool"
  elif ! is_at_least "$found" "$least"; then
    printf 'it needs %s %s or later, but %s is installed' "$tool" "$least" "$found"
  fi
}
