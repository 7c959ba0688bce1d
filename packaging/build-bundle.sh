#!/usr/bin/env bash
# build-bundle.sh BUILD OUTPUT: writes OUTPUT/ecbench-VERSION-x86_64.tar.gz, an ecbench that runs on every Linux of this architecture.
# It contains the programs of BUILD, the libraries that they need, Debian's Python, and this system's C library and loader.
# share/doc/ has the licence of each Debian package from which a file was copied, and share/doc/packages has the packages' versions.
set -euo pipefail
umask 022 # all users can read what is written, whatever the umask of the caller

build=$(realpath -- "$1")
output=$(realpath -- "$2")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
loader=/lib64/ld-linux-x86-64.so.2
# shellcheck source=scripts/contender_tools.sh
source "$here/../scripts/contender_tools.sh"
python_packages=(python3.11-minimal libpython3.11-minimal libpython3.11-stdlib)
# Python modules that are not copied, because ecbench does not use them: modules for terminals, databases, TLS, cryptography and
# sound. Most of them need libraries that the bundle does not have.
without=(_curses _curses_panel _dbm _gdbm readline nis _sqlite3 _ssl _hashlib _tkinter _uuid _crypt ossaudiodev)

fail() {
  printf 'ecbench: %s\n' "$*" >&2
  exit 1
}

[[ $(uname -m) == x86_64 ]] || fail "make bundle needs x86_64; this machine is $(uname -m)"
[[ -x $build/ecbench ]] || fail "$build has no ecbench: build it with make"
for package in "${python_packages[@]}"; do
  dpkg-query -s "$package" >/dev/null 2>&1 || fail "package $package is not installed; make bundle needs Debian 12: apt-get install python3"
done
version=$("$build/ecbench" --version | sed -n '1s/^ecbench //p')
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
name=ecbench-$version-x86_64
root=$work/$name
libraries=$work/libraries # a file with the paths of the copied libraries in this system, one per line

copy() { # FILE TARGET
  cp -L --preserve=mode,timestamps -- "$1" "$2"
}

copy_library() {
  copy "$1" "$root/lib/"
  realpath -- "$1" >>"$libraries"
}

# Does not copy the headers and libraries for building plugins. Does not copy the contenders: most are compiled for the CPU of the
# build machine, from sources that are not in Debian; the others need Ceph.
copy_own_files() {
  local contender
  DESTDIR='' cmake --install "$build" --prefix "$root" --strip >/dev/null
  [[ -d $root/lib/ecbench ]] || fail "CMAKE_INSTALL_LIBDIR of $build is not lib: configure $build again with -DCMAKE_INSTALL_LIBDIR=lib"
  rm -rf -- "$root"/include "$root"/lib/{cmake,liberasure_code.a}
  contender_folders "$here/../src/plugins" | while IFS= read -r contender; do
    rm -f -- "$root/lib/ecbench/libec_$(basename -- "$contender").so"
  done
  mkdir -p "$root/program" "$root/libexec"
  mv -- "$root/bin/ecbench" "$root/program/ecbench"
  gcc -static -Os -s -Wall -Wextra -o "$root/bin/ecbench" "$here/bundle/launcher.c"
  cp -- "$root/bin/ecbench" "$root/libexec/python3"
  printf '{"program": "../../bin/ecbench", "prefix": "../..", "bundle": true}\n' >"$root/share/ecbench/installed.json"
}

copy_python() {
  local file target module
  copy "$(command -v /usr/bin/python3.11)" "$root/program/python3"
  dpkg-query -L "${python_packages[@]}" | grep '^/usr/lib/python3.11/' | sort -u | while IFS= read -r file; do
    [[ -f $file && ! -L $file && $file != */__pycache__/* ]] || continue
    module=$(basename -- "$file")
    [[ " ${without[*]} " != *" ${module%%.*} "* || $file != */lib-dynload/* ]] || continue
    target=$root/lib/python3.11/${file#/usr/lib/python3.11/}
    mkdir -p -- "$(dirname -- "$target")"
    copy "$file" "$target"
  done
  # Compiles all modules now, since ecbench starts Python with -B, which stores no compiled modules. The compiled files are valid in
  # every directory.
  /usr/bin/python3.11 -m compileall -q --invalidation-mode unchecked-hash -s "$root" "$root/lib/python3.11" "$root/share/ecbench"
}

copy_libraries() {
  local file
  copy_library "$loader"
  find "$root" -type f \( -name '*.so' -o -path '*/program/*' \) -exec ldd {} + 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    sort -u | while IFS= read -r file; do copy_library "$file"; done
}

# dpkg lists some files of /usr/lib under /lib, which is a link to /usr/lib.
packages_of_libraries() {
  local file
  while IFS= read -r file; do
    dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null ||
      fail "$file is in no Debian package, so its licence is unknown: build with the libraries of Debian packages"
  done < <(sort -u "$libraries") | sed 's/:.*//'
}

write_licences() {
  local package
  mkdir -p -- "$root/share/doc/ecbench"
  cp -- "$here/../LICENSE" "$root/share/doc/ecbench/LICENSE"
  { # also the packages whose code is compiled in: libc6-dev (libc.a in the launcher) and nlohmann-json3-dev (only headers)
    packages_of_libraries
    printf '%s\n' libc6-dev nlohmann-json3-dev "${python_packages[@]}"
  } | sort -u >"$work/packages"
  while IFS= read -r package; do
    mkdir -p -- "$root/share/doc/$package"
    cp -L -- "/usr/share/doc/$package/copyright" "$root/share/doc/$package/copyright"
  done <"$work/packages"
  # shellcheck disable=SC2016 # the variables are dpkg-query's
  xargs dpkg-query -W -f='${Package} ${Version} ${source:Package} ${source:Version}\n' <"$work/packages" >"$root/share/doc/packages"
}

copy_own_files
copy_python
copy_libraries
write_licences
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}" \
  -C "$work" -c "$name" | gzip -n9 >"$output/$name.tar.gz"
printf '%s\n' "$output/$name.tar.gz"
