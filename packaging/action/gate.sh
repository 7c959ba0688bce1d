#!/usr/bin/env bash
# Runs `ecbench gate` of a bundle in CI; action.yml sets the variables ECBENCH_*. The exit code is that of the gate, or 1 if
# the bundle cannot be fetched or has another SHA-256.
set -euo pipefail

fail() { printf 'ecbench: %s\n' "$*" | tee -a -- "${GITHUB_STEP_SUMMARY:-/dev/null}" >&2; exit 1; }
unusable() { fail "the input bundle $ECBENCH_BUNDLE cannot be used: ${1##*$'\n'}; give the path or URL of ecbench-VERSION-x86_64.tar.gz"; }

folder=$(mktemp -d -p "${RUNNER_TEMP:-/tmp}" ecbench-XXXXXX)
archive=$folder/bundle.tar.gz
case ${ECBENCH_BUNDLE:=} in
  http://* | https://*) said=$(curl -fsSL --retry 3 --output "$archive" "$ECBENCH_BUNDLE" 2>&1) || unusable "$said" ;;
  *) said=$(cp -- "$ECBENCH_BUNDLE" "$archive" 2>&1) || unusable "$said" ;;
esac
if [[ -n ${ECBENCH_SHA256:-} ]]; then
  sha256sum --check --status <<<"$ECBENCH_SHA256  $archive" ||
    fail "$ECBENCH_BUNDLE has the SHA-256 $(sha256sum <"$archive" | cut -d ' ' -f 1), but the input sha256 is $ECBENCH_SHA256: change the input bundle or the input sha256"
fi
said=$({ tar -xzf "$archive" --one-top-level="$folder/ecbench" --strip-components 1 && ls -- "$folder/ecbench/bin/ecbench"; } 2>&1) || unusable "$said"
if [[ ${ECBENCH_ARGUMENTS:-}$'\n' == *$'\\\n'* ]]; then
  fail "the input arguments has a line that ends in a backslash: leave the backslash out; words may be in several lines"
fi
# xargs splits ECBENCH_ARGUMENTS into words as a shell does, but does not run commands such as $(...) in this text.
xargs --no-run-if-empty --max-args=1 printf '%s\0' <<<"${ECBENCH_ARGUMENTS:-}" >"$folder/words" 2>/dev/null ||
  fail "the input arguments cannot be split into words: close each quote in the line in which it begins"
mapfile -d '' -t words <"$folder/words"
"$folder/ecbench/bin/ecbench" gate "${words[@]}" ${GITHUB_STEP_SUMMARY:+--markdown "$GITHUB_STEP_SUMMARY"}
