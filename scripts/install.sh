#!/usr/bin/env bash
# install.sh install|uninstall BUILD PREFIX: `install` installs the files in BUILD, man pages and the bash completion below
# $DESTDIR/PREFIX. `uninstall` removes the files of such an installation. Then it removes the empty directories that have ecbench in
# their path.
set -euo pipefail
umask 022 # all users can read the installed files, even if the caller has another umask

action=$1
build=$(realpath -- "$2")
prefix=$(realpath -ms -- "$3")
root=${DESTDIR:-}$prefix
scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# The directory of a temporary installation. The man pages are made from the help texts that its commands print. `uninstall` lists
# the files in this directory, and removes the files with the same names from PREFIX.
stage=$build/stage

fail() { printf 'ecbench: %s\n' "$*" >&2; exit 1; }

[[ -x $build/ecbench ]] || fail "$build has no ecbench: build it with make, or name another build directory with BUILD=DIRECTORY"
rm -rf -- "$stage"
DESTDIR='' cmake --install "$build" --prefix "$stage" >/dev/null
if [[ $action == install ]]; then
  rm -rf -- "$build/manual"
  /usr/bin/python3 -E -s "$scripts/manual.py" "$stage" "$build/manual"
  DESTDIR=${DESTDIR:-} cmake --install "$build" --prefix "$prefix" >/dev/null
  printf 'ecbench: installed below %s\n' "$root"
else
  if [[ -d $root ]]; then
    (cd -- "$stage" && find . ! -type d -print0) | (cd -- "$root" && xargs -0 rm -f --)
    (cd -- "$stage" && find . -depth -type d -path '*/ecbench*' -print0) |
      (cd -- "$root" && xargs -0 rmdir --ignore-fail-on-non-empty -- 2>/dev/null) || true
  fi
  printf 'ecbench: removed from %s\n' "$root"
fi
