# shellcheck shell=bash
# Sourced by the scripts that build contenders, which are plugins for libraries in other languages and for an installed Ceph. Finds
# the contenders and their tools. A directory with a go.mod needs go. A directory with a Cargo.toml needs cargo. A directory with a
# needs.txt needs the files in this list.

# contender_folders PLUGINS: prints the contenders among the plugins' directories, one per line.
contender_folders() {
  local folder
  for folder in "$1"/*/; do
    folder=${folder%/}
    if [[ -f $folder/go.mod || -f $folder/Cargo.toml || -f $folder/needs.txt ]]; then printf '%s\n' "$folder"; fi
  done
}

# was_built NAME DIRECTORY: whether DIRECTORY has the plugin of the contender from an earlier build.
was_built() { [[ -f $2/plugins/libec_$1.so ]]; }

# version TEXT: prints the first version number in TEXT.
version() { grep -oE '[0-9]+(\.[0-9]+)+' <<<"$1" | head -n 1; }

# is_at_least VERSION LEAST
is_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

# missing_packages FOLDER: each line of FOLDER/needs.txt has a file and its package. Prints the packages of the files that do not
# exist, separated by spaces. Tests set ECBENCH_SYSROOT to a directory that replaces / in the paths of the files.
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
  # The tool is run in the contender's directory, since its version may depend on the directory.
  found=$(cd -- "$1" && if [[ $tool == go ]]; then GOTOOLCHAIN=local go env GOVERSION; else cargo --version; fi 2>/dev/null) || found=
  found=$(version "$found") || found=
  if [[ -z $found ]]; then
    printf 'the %s on PATH does not run' "$tool"
  elif ! is_at_least "$found" "$least"; then
    printf 'it needs %s %s or later, but %s is installed' "$tool" "$least" "$found"
  fi
}
