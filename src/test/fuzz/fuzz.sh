#!/usr/bin/env bash
# fuzz.sh BUILD: runs each fuzz target in BUILD for FUZZ_SECONDS (default 60). JOBS targets run at the same time (default: the
# number of CPUs). The corpus is kept in BUILD/fuzz/corpus and grows with each run. An input that fails is kept in
# BUILD/fuzz/findings; the next run tests it first.
set -euo pipefail

build=$(realpath -- "${1:?fuzz.sh: give a build directory}")
source_directory=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
export FUZZ_SECONDS=${FUZZ_SECONDS:-60}
# The program and each plugin contain the same library (erasure_code). With detect_odr_violation=0, AddressSanitizer does not report
# this as an error.
export ASAN_OPTIONS=detect_odr_violation=0:${ASAN_OPTIONS:-}

fail() { printf 'ecbench: %s\n' "$*" >&2; exit 1; }

[[ $FUZZ_SECONDS =~ ^[1-9][0-9]{0,5}$ ]] || fail "FUZZ_SECONDS=$FUZZ_SECONDS is not allowed; give 1 to 999999"
cd -- "$build/fuzz"
/usr/bin/python3 -E -s "$source_directory/seeds.py" "$build/ecbench" "$build/fuzz/seeds"

# If an input takes more than 20 s (-timeout), libFuzzer stops and prints the stack.
run_target() {
  local name=$1
  mkdir -p -- "corpus/$name" "findings/$name"
  if ! "./$name" -max_total_time="$FUZZ_SECONDS" -timeout=20 -rss_limit_mb=4096 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="findings/$name/" "corpus/$name" "seeds/$name" "findings/$name" >"$name.log" 2>&1; then
    printf 'ecbench: %s found something: see %s\n' "$name" "$PWD/$name.log" >&2
    grep -m 3 -E '^(==[0-9]+==.*ERROR|SUMMARY|does not hold)|runtime error' "$name.log" >&2 || true
    return 1
  fi
  printf 'ecbench: %s: nothing found in %s runs, %s s\n' "$name" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.log" | tail -n 1)" "$FUZZ_SECONDS"
}
export -f run_target

printf '%s\n' *_fuzz | xargs -P "${JOBS:-$(nproc)}" -I '{}' bash -c 'run_target {}' ||
  fail "a target found something; its input is in $build/fuzz/findings"
