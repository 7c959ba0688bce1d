#!/usr/bin/env bash
# build.sh DIRECTORY TARGET [CMAKE OPTION...]: builds TARGET in the build directory DIRECTORY. First, it configures DIRECTORY if
# DIRECTORY is new, if the CMake options have changed, or if a CMakeLists.txt has changed. The target `product` builds what users
# need: ecbench and the plugins, without tests. If TARGET is `product` or `all`, the contenders of earlier builds are built again.
# If the build is up to date, nothing is locked or written. The script prints only progress and errors.
set -euo pipefail

build=$1
target=$2
shift 2
options="$*${CC:+ CC=$CC}${CXX:+ CXX=$CXX}" # CMake reads CC and CXX only when it configures a directory for the first time
source_directory=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/contender_tools.sh
source "$source_directory/scripts/contender_tools.sh"
# shellcheck source=scripts/build_lock.sh
source "$source_directory/scripts/build_lock.sh"

fail() {
  printf 'ecbench: %s\n' "$*" >&2
  exit 1
}

# The revision that the program prints; empty if git is missing, or refuses to read a tree of another user.
revision() {
  printf '%s' "${ECBENCH_GIT_REVISION:-$(git -C "$source_directory" --no-optional-locks describe --always --dirty --abbrev=40 '--exclude=*' 2>/dev/null)}"
}

# A build of users' targets leaves the file $stamp, whose time is the begin of the build. Its lines: what was built, the revision,
# the results (=FILE), and the files outside of the source tree that were read (<FILE).
is_up_to_date() {
  local what built built_revision current
  [[ -r $stamp ]] || return 1
  { IFS= read -r built && IFS= read -r built_revision; } <"$stamp"
  current=$(revision) || true
  [[ $built == "$(described)" && (-z $current || $current == "$built_revision") ]] || return 1
  [[ -z $(find "$source_directory"/{CMakeLists.txt,src,scripts/{CMakeLists.txt,*.sh}} \
    \( -path "$source_directory/src/test" -o -name __pycache__ \) -prune -o -newer "$stamp" -print -quit) ]] || return 1
  while IFS= read -r what; do [[ -e $what ]] || return 1; done < <(sed -n 's/^=//p' "$stamp")
  # shellcheck disable=SC2016 # sh expands them
  what=$(sed -n 's/^<//p' "$stamp" | xargs -r -d '\n' sh -c 'find "$@" -newer "$0" -print -quit' "$stamp" 2>&1)
  [[ -z $what ]]
}

# The build looks for the header of valgrind each time (client_requests.cmake).
described() {
  printf '%s in %s from %s with %s %s' "$target" "$(realpath -- "$build")" "$source_directory" "$options" \
    "$(ls /usr/include/valgrind/callgrind.h 2>/dev/null)"
}

write_stamp() {
  local file where
  where=$(realpath -- "$build")
  {
    described
    printf '\n%s\n' "$(revision || true)"
    printf '=%s\n' "$where/ecbench" "$where"/plugins/*.so
    find "$build/src" \( -name '*.d' -o -name build.make \) -exec grep -hoE '(^|[ :])/([^ :\\]|\\ )+' {} + |
      sed 's/^[ :]//; s/\\ / /g' | sort -u |
      grep -v -e "^$source_directory/" -e "^$where/" |
      while IFS= read -r file; do [[ ! -f $file ]] || printf '<%s\n' "$file"; done
  } >"$stamp.new" && touch --reference="$build/.begin" -- "$stamp.new" && mv -- "$stamp.new" "$stamp"
}

# Refuses a build directory that cannot be written, that belongs to another source tree, or that was moved. The messages are
# shorter than those of CMake.
check_directory() {
  mkdir -p -- "$build" 2>/dev/null || fail "$build cannot be created: choose another build directory with BUILD=DIRECTORY"
  [[ -w $build ]] ||
    fail "$build is not up to date, and you cannot write to it: let its owner, $(stat -c %U -- "$build"), run make, or build in a clone of your own (or elsewhere: make BUILD=DIRECTORY)"
  [[ -f $build/CMakeCache.txt ]] || return 0
  local configured_for configured_in
  configured_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  configured_in=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$build/CMakeCache.txt")
  [[ "$(realpath -m -- "$configured_for") in $(realpath -m -- "$configured_in")" == \
    "$source_directory in $(realpath -- "$build")" ]] ||
    fail "the CMake files in $build were made for the build directory $configured_in and the sources in $configured_for: remove $build, or choose another build directory with BUILD=DIRECTORY"
}

# Succeeds if a CMakeLists.txt is newer than the file $1, for example after a git pull. In this case, the generated makefiles may
# lack a target.
has_newer_lists() {
  [[ -n $(find "$source_directory/CMakeLists.txt" "$source_directory/src" -name CMakeLists.txt -newer "$1" -print -quit) ]]
}

configure() {
  local configured=$build/.configured
  local quiet=(-DCMAKE_RULE_MESSAGES=ON -DCMAKE_TARGET_MESSAGES=OFF) fresh=()
  if [[ -f $configured && -f $build/CMakeCache.txt ]]; then
    # CMake's cache keeps options that are no longer given. --fresh removes the cache, but not the object files. If a directory
    # has no file .configured, the options in its cache are kept. Such a directory was configured without this script, or
    # build-contenders.sh has removed the file.
    if [[ $(<"$configured") != "$options" ]]; then
      fresh=(--fresh)
    elif ! has_newer_lists "$configured"; then
      return 0
    fi
  fi
  rm -f -- "$build"/.built.*
  printf 'unfinished' >"$configured"
  cmake "${fresh[@]}" -S "$source_directory" -B "$build" "${quiet[@]}" "$@" >"$build/configure.log" 2>&1 ||
    { cat -- "$build/configure.log" >&2; fail "CMake could not configure $build"; }
  printf '%s' "$options" >"$configured"
  printf 'ecbench: building in %s\n' "$build"
}

# Finds the contenders that an earlier `make contenders` has built. These contenders must be built again, because their plugins must
# match the headers of this checkout. Sets `contenders` to the targets of the contenders that can be built on this machine. Sets
# `without_tool` to the directories of those that cannot be built.
find_contenders_built_before() {
  local folders folder name
  mapfile -t folders < <(contender_folders "$source_directory/src/plugins")
  for folder in "${folders[@]}"; do
    name=$(basename -- "$folder")
    was_built "$name" "$build" || continue
    if [[ -z $(why_not "$folder") ]]; then contenders+=("ec_$name"); else without_tool+=("$folder"); fi
  done
}

# build_lock is closed, so that a server that a compiler starts does not keep the lock.
build_targets() { cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "$@" {build_lock}>&- | show_progress; }

# Prints the progress of make in percent, and in a first build an estimate of the remaining time. Later, the percentage also counts
# files that are up to date, and the text says so. If standard output is a terminal, each line overwrites the previous line. If
# ECBENCH_PROGRESS is set, prints all lines; the function relay() of bench.sh reads them. Otherwise, prints at most one line in 10 s.
# Other lines of make, such as errors, are printed unchanged.
show_progress() {
  local line percent text first='' begin=0 next=0 shown='' was_built=''
  [[ ! -e $build/ecbench ]] || was_built=yes
  while IFS= read -r line; do
    if [[ $line == *'] Built target '* ]]; then continue; fi
    if [[ ! $line =~ ^\[\ *([0-9]+)%\] ]]; then
      printf '%s\n' "$line"
      continue
    fi
    percent=${BASH_REMATCH[1]}
    if [[ -z $first ]]; then first=$percent begin=$SECONDS next=$((SECONDS + 5)); fi
    text="ecbench: building${was_built:+ what is new or has changed}: $percent %"
    if [[ -z $was_built ]] && ((percent > first && SECONDS >= begin + 5)); then
      text+=", about $(((SECONDS - begin) * (100 - percent) / (percent - first))) s left"
    fi
    if [[ -n ${ECBENCH_PROGRESS:-} ]]; then
      printf '%s\n' "$text"
    elif [[ -t 1 ]]; then
      shown=yes
      printf '\r%s\033[K' "$text"
    elif ((SECONDS >= next)); then
      next=$((SECONDS + 10))
      printf '%s\n' "$text"
    fi
  done
  if [[ -n $shown ]]; then printf '\n'; fi
}

# build_without_tool FOLDER: checks a contender of an earlier build if its tool or packages are now missing. Runs make for the
# contender's target. If the plugin is up to date, make needs no tool and succeeds. If make fails, removes the plugin, because it
# may not match the headers.
build_without_tool() {
  local name
  name=$(basename -- "$1")
  build_targets "ec_$name" >"$build/$name.log" 2>&1 && return
  rm -f -- "$build/plugins/libec_$name.so"
  printf 'ecbench: the earlier build of %s was removed, because the plugin cannot be built again: %s (%s)\n' \
    "$build/plugins/libec_$name.so" "$(why_not "$1")" "see $build/$name.log" >&2
}

[[ -z ${JOBS:-} || $JOBS =~ ^[1-9][0-9]{0,3}$ ]] ||
  fail "JOBS=$JOBS is not allowed: give the number of parallel build processes, 1 to 9999"
# `make -j` sets the number of parallel jobs for inner makes in MAKEFLAGS. The make that CMake starts must use JOBS instead.
unset MAKEFLAGS MFLAGS MAKELEVEL
stamp=$build/.built.$target # only of targets that users measure with; tests also run what no build has made
if [[ $target != *product && $target != ec_* ]]; then stamp=""; elif is_up_to_date; then exit 0; fi
check_directory
lock_build "$build" "build.sh $build $target"
configure "$@"
: >"$build/.begin"
# go stores downloaded sources below HOME. If none of HOME, GOPATH and GOMODCACHE is set, the sources are stored in the build
# directory. By default, go makes the stored sources read-only. -modcacherw makes them writable, so that `make clean` can remove
# them.
if [[ -z ${HOME:-}${GOPATH:-}${GOMODCACHE:-} ]]; then
  GOMODCACHE=$(realpath -- "$build")/go
  export GOMODCACHE GOFLAGS="${GOFLAGS:-} -modcacherw"
fi
contenders=()
without_tool=()
if [[ $target == product || $target == all ]]; then find_contenders_built_before; fi
build_targets "$target" "${contenders[@]}" || fail "$build could not be built: see above"
for folder in "${without_tool[@]}"; do
  build_without_tool "$folder"
done
if [[ -n $stamp ]]; then write_stamp 2>/dev/null || true; fi # without it, the next build asks make
