#!/usr/bin/env bash
# build.sh DIRECTORY TARGET [CMAKE OPTION...]: configures DIRECTORY if it is new, or if its options or a CMakeLists.txt changed, and
# builds TARGET in it. TARGET `product` is what users run: ecbench and the plugins, without tests. With `product` and `all`,
# contenders that were built before are also built again. Prints little except errors.
set -euo pipefail

build=$1
target=$2
shift 2
options="$*${CC:+ CC=$CC}${CXX:+ CXX=$CXX}" # CMake reads CC and CXX only when it configures a directory for the first time
source_directory=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/contender_tools.sh
source "$source_directory/scripts/contender_tools.sh"

fail() {
  printf 'ecbench: %s\n' "$*" >&2
  exit 1
}

# Refuses a build directory that cannot be written, that belongs to another source tree, or that was moved. The message is shorter
# than CMake's.
check_directory() {
  mkdir -p -- "$build" 2>/dev/null || fail "$build cannot be created: choose another build directory with BUILD=DIRECTORY"
  [[ -w $build ]] || fail "$build is read-only: choose another build directory with BUILD=DIRECTORY"
  [[ -f $build/CMakeCache.txt ]] || return 0
  local configured_for configured_in
  configured_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  configured_in=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$build/CMakeCache.txt")
  [[ "$(realpath -m -- "$configured_for") in $(realpath -m -- "$configured_in")" == \
    "$source_directory in $(realpath -- "$build")" ]] ||
    fail "the CMake files in $build were made for the build directory $configured_in and the sources in $configured_for: remove $build, or choose another build directory with BUILD=DIRECTORY"
}

# Whether a CMakeLists.txt is newer than the file $1, for example after a git pull. The generated makefiles may then lack a target.
has_newer_lists() {
  [[ -n $(find "$source_directory/CMakeLists.txt" "$source_directory/src" -name CMakeLists.txt -newer "$1" -print -quit) ]]
}

configure() {
  local stamp=$build/.configured
  local quiet=(-DCMAKE_RULE_MESSAGES=ON -DCMAKE_TARGET_MESSAGES=OFF) fresh=()
  if [[ -f $stamp && -f $build/CMakeCache.txt ]]; then
    # CMake's cache keeps options that are no longer given. --fresh removes the cache, but not the object files. A directory without
    # the file .configured keeps its options: it was configured by hand, or build-contenders.sh removed the file.
    if [[ $(<"$stamp") != "$options" ]]; then
      fresh=(--fresh)
    elif ! has_newer_lists "$stamp"; then
      return 0
    fi
  fi
  printf 'unfinished' >"$stamp"
  cmake "${fresh[@]}" -S "$source_directory" -B "$build" "${quiet[@]}" "$@" >"$build/configure.log" 2>&1 ||
    { cat -- "$build/configure.log" >&2; fail "CMake could not configure $build"; }
  printf '%s' "$options" >"$stamp"
  printf 'ecbench: building in %s\n' "$build"
}

# Finds the contenders that `make contenders` built before. They are built again, since they must fit the headers of this checkout.
# Sets `contenders` to the targets of contenders whose tool is installed, and `without_tool` to the directories of the other
# contenders.
find_contenders_built_before() {
  local folders folder name
  mapfile -t folders < <(contender_folders "$source_directory/src/plugins")
  for folder in "${folders[@]}"; do
    name=$(basename -- "$folder")
    was_built "$name" "$build" || continue
    if [[ -z $(why_not "$folder") ]]; then contenders+=("ec_$name"); else without_tool+=("$folder"); fi
  done
}

build_targets() { cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "$@" | show_progress; }

# Prints the progress of make in percent. On a terminal, each number overwrites the number before it. If ECBENCH_PROGRESS is
# set, each number has its own line, which relay() of bench.sh reads. Otherwise, without a terminal, no number is printed. Other
# lines of make, such as errors, are printed unchanged.
show_progress() {
  local line shown=''
  while IFS= read -r line; do
    if [[ ! $line =~ ^\[\ *([0-9]+)%\] ]]; then
      printf '%s\n' "$line"
    elif [[ -n ${ECBENCH_PROGRESS:-} ]]; then
      printf 'ecbench: building: %s %%\n' "${BASH_REMATCH[1]}"
    elif [[ -t 1 ]]; then
      shown=yes
      printf '\recbench: building: %s %%' "${BASH_REMATCH[1]}"
    fi
  done
  if [[ -n $shown ]]; then printf '\n'; fi
}

# build_without_tool FOLDER: checks a contender that was built before, but whose tool is no longer installed. The build is run: it
# succeeds only if the plugin is up to date, because then no tool is needed. If the build fails, the plugin is removed, since the
# plugin may not fit the headers.
build_without_tool() {
  local name
  name=$(basename -- "$1")
  build_targets "ec_$name" >"$build/$name.log" 2>&1 && return
  rm -f -- "$build/plugins/libec_$name.so"
  printf 'ecbench: the earlier build of %s was removed, because the plugin cannot be built again: %s (%s)\n' \
    "$build/plugins/libec_$name.so" "$(why_not "$1")" "see $build/$name.log" >&2
}

[[ -z ${JOBS:-} || $JOBS =~ ^[1-9][0-9]{0,3}$ ]] ||
  fail "JOBS=$JOBS is not allowed: give the number of processes that build at once, 1 to 9999"
# make -j passes its job slots to the inner make in MAKEFLAGS. The inner make must use JOBS instead.
unset MAKEFLAGS MFLAGS MAKELEVEL
check_directory
configure "$@"
# go stores downloaded sources below HOME. If HOME, GOPATH and GOMODCACHE are not set, the sources are stored in the build
# directory. go normally stores its sources read-only. -modcacherw makes them writable, so that make clean can remove them.
if [[ -z ${HOME:-}${GOPATH:-}${GOMODCACHE:-} ]]; then
  GOMODCACHE=$(realpath -- "$build")/go
  export GOMODCACHE GOFLAGS="${GOFLAGS:-} -modcacherw"
fi
contenders=()
without_tool=()
if [[ $target == product || $target == all ]]; then find_contenders_built_before; fi
build_targets "$target" "${contenders[@]}"
for folder in "${without_tool[@]}"; do
  build_without_tool "$folder"
done
