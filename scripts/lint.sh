#!/usr/bin/env bash
# lint.sh BUILD [changed]: checks the code with ruff, mypy, shellcheck, clang-format, the compiler and clang-tidy; runs all of them even
# if one fails. It writes only to BUILD/lint. With `changed`, the compiler checks only C++ sources that differ from the commit where
# this branch left origin/main, or from the previous commit, or that include a header that differs; clang-tidy, which takes several
# seconds per file, checks only the sources that differ and one source for each such header.
set -euo pipefail

build=$(realpath -m -- "${1:?lint.sh: give a build directory}")
scope=${2:-all}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
lint=$build/lint
format=clang-format-14
tidy=clang-tidy-19 # clang-tidy 14 cannot read the header <ranges> of libstdc++ 12

fail() { printf 'ecbench: lint.sh: %s\n' "$*" >&2; exit 1; }

# clang-tidy needs the compiler options of each file, and headers that the build generates.
configure() {
  {
    cmake -S . -B "$lint/cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD=OFF &&
      cmake --build "$lint/cmake" --target client_requests git_revision
  } >"$lint/configure.log" 2>&1 || fail "CMake could not prepare $lint/cmake for clang-tidy: see $lint/configure.log"
}

# Prints nothing in a clone of depth 1, which has no previous commit; then all files are checked.
base() { git merge-base origin/main HEAD~1 2>/dev/null || git rev-parse --verify --quiet HEAD~1 || true; }

# Prints the files of the given kind (cc or h) that differ from the commit `from`.
changed() { git diff --name-only --diff-filter=d "$from" -- "*.$1"; }

# users FILES: prints the C++ sources that include one of these files, a line each, also through other headers.
users() {
  local found
  found=$(sort -u <(echo "$1") <(sed 's|.*/|[/"]|; s|$|"|' <<<"$1" | git grep -l -f - -- '*.cc' '*.h'))
  if [[ $found == "$1" ]]; then grep '\.cc$' <<<"$1" || true; else users "$found"; fi
}

# sources MOST: prints the C++ sources that must be checked: those that changed, and at most MOST that include each changed header.
sources() {
  if [[ -z $from ]]; then
    git ls-files -- '*.cc'
  else
    changed cc
    changed h | while read -r header; do users "$header" | head -n "$1"; done
  fi | sort -u
}

# Compiles each of these sources separately, without code generation. A unity build, which is the default, does not find a missing
# #include or an unused function. The commands in compile_commands.json are JSON strings.
check_compiler() {
  sources 1000 | sed "s|.*| -c $PWD/&|" >"$lint/affected"
  [[ -s $lint/affected ]] || return 0 # grep would not read its input, and the pipe would fail
  sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$lint/cmake/compile_commands.json" | sed 's/\\\(.\)/\1/g' |
    { grep -F -f "$lint/affected" || true; } | sed 's/$/ -fsyntax-only -Werror/' |
    xargs --no-run-if-empty -d '\n' -P "${JOBS:-$(nproc)}" -n 1 bash -c
}

failed=()
check() { # NAME COMMAND...
  local name=$1
  shift
  "$@" || failed+=("$name")
}

check_format() { git ls-files -z -- '*.cc' '*.h' | xargs -0 "$format" --dry-run --Werror; }
check_shell() { git ls-files -z -- '*.sh' '.ci/*' | xargs -0 shellcheck --external-sources; }

# CMake does not compile all sources on this machine.
check_tidy() {
  sources 1 | { grep -xF -f <(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\"$|\1|p" "$lint/cmake/compile_commands.json") || true; } |
    xargs --no-run-if-empty -P "${JOBS:-$(nproc)}" -n 2 "$tidy" -p "$lint/cmake" --quiet \
    2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated' >&2)
}

[[ $scope == all || $scope == changed ]] || fail "'$scope' is not allowed; give all or changed"
if [[ $scope == changed ]]; then from=$(base); else from=''; fi # empty: all files
scripts/install-deps.sh
scripts/install-deps.sh lint "$lint/venv"
check ruff "$lint/venv/bin/ruff" check --quiet --cache-dir "$lint/ruff" scripts src/test packaging
check mypy "$lint/venv/bin/mypy" --no-error-summary --cache-dir "$lint/mypy"
check shellcheck check_shell
check clang-format check_format
configure
check compiler check_compiler
# clang does not know these options of gcc.
sed -i -E 's/ -fno-tree-(ter|reassoc|pre)//g' "$lint/cmake/compile_commands.json"
check clang-tidy check_tidy
((${#failed[@]} == 0)) || fail "these linters reported errors: ${failed[*]}"
