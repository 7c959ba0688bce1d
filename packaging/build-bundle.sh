#!/usr/bin/env bash
# build-bundle.sh BUILD OUTPUT: writes OUTPUT/ecbench-VERSION-x86_64.tar.gz, a bundle that runs on every Linux of this architecture.
# The bundle contains the programs of BUILD, the libraries that they need, Debian's Python, and this system's C library and loader.
# The directory share/doc/ of the bundle has the licence of each Debian package from which a file was copied. The file
# share/doc/packages has the versions of these packages.
set -euo pipefail
umask 022 # the umask of the caller has no effect: all users can read the files that this script writes

build=$(realpath -- "$1")
output=$(realpath -- "$2")
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
loader=/lib64/ld-linux-x86-64.so.2
python_packages=(python3.11-minimal libpython3.11-minimal libpython3.11-stdlib python3-pyelftools) # gate ir needs pyelftools
# These Python modules are not copied, because ecbench does not use them. Most of them need libraries that the bundle does not have.
without=(_curses _curses_panel _dbm _gdbm readline nis _sqlite3 _ssl _hashlib _tkinter _uuid _crypt ossaudiodev)

fail() { printf 'ecbench: %s\n' "$*" >&2; exit 1; }

[[ $(uname -m) == x86_64 ]] || fail "make bundle needs x86_64; this machine is $(uname -m)"
[[ -x $build/ecbench ]] || fail "$build contains no program ecbench: build it with make"
for package in "${python_packages[@]}"; do
  dpkg-query -s "$package" >/dev/null 2>&1 || fail "package $package of Debian 12 is not installed, but make bundle needs it: apt-get install python3 python3-pyelftools"
done
version=$("$build/ecbench" --version | sed -n '1s/^ecbench //p')
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
name=ecbench-$version-x86_64
root=$work/$name
libraries=$work/libraries # this file has a line for each copied library: the path of the library in this system

copy() { # FILE TARGET
  cp -L --preserve=mode,timestamps -- "$1" "$2"
}

copy_library() {
  copy "$1" "$root/lib/"
  realpath -- "$1" >>"$libraries"
}

# Copies the installed files of BUILD, except the contenders, and except the files that are only needed to build plugins. Most
# contenders are compiled for the CPU of the build machine, from sources that are not in Debian. The other contenders need Ceph.
copy_own_files() {
  local contender
  DESTDIR='' cmake --install "$build" --prefix "$root" --strip >/dev/null
  [[ -d $root/lib/ecbench ]] || fail "CMAKE_INSTALL_LIBDIR of $build is not lib: configure $build again with -DCMAKE_INSTALL_LIBDIR=lib"
  rm -rf -- "$root"/include "$root"/lib/{cmake,liberasure_code.a}
  for contender in "$here"/../src/plugins/*/{go.mod,Cargo.toml,needs.txt}; do
    if [[ -f $contender ]]; then rm -f -- "$root/lib/ecbench/libec_$(basename -- "$(dirname -- "$contender")").so"; fi
  done
  mkdir -p "$root/program" "$root/libexec"
  mv -- "$root/bin/ecbench" "$root/program/ecbench"
  gcc -static -Os -s -Wall -Wextra -o "$root/bin/ecbench" "$here/bundle/launcher.c"
  cp -- "$root/bin/ecbench" "$root/libexec/python3"
  printf '{"program": "../../bin/ecbench", "prefix": "../..", "bundle": true, "version": "%s"}\n' "$version" >"$root/share/ecbench/installed.json"
}

copy_python() {
  local file target module
  copy "$(command -v /usr/bin/python3.11)" "$root/program/python3"
  dpkg-query -L "${python_packages[@]}" | grep -e '^/usr/lib/python3.11/' -e '^/usr/lib/python3/dist-packages/elftools/' | sort -u | while IFS= read -r file; do
    [[ -f $file && ! -L $file && $file != */__pycache__/* ]] || continue
    module=$(basename -- "$file")
    [[ " ${without[*]} " != *" ${module%%.*} "* || $file != */lib-dynload/* ]] || continue
    target=${file#/usr/lib/python3.11/}
    target=$root/lib/python3.11/${target#/usr/lib/python3/dist-packages/}
    mkdir -p -- "$(dirname -- "$target")"
    copy "$file" "$target"
  done
  # All modules are compiled now, because ecbench starts Python with -B. With -B, Python does not store compiled modules. The
  # compiled files are also valid if the bundle is in another directory.
  /usr/bin/python3.11 -m compileall -q --invalidation-mode unchecked-hash -s "$root" "$root/lib/python3.11" "$root/share/ecbench"
}

copy_libraries() {
  local file
  copy_library "$loader"
  find "$root" -type f \( -name '*.so' -o -path '*/program/*' \) -exec ldd {} + 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    sort -u | while IFS= read -r file; do copy_library "$file"; done
}

# dpkg lists some files of /usr/lib with a path that begins with /lib. /lib is a link to /usr/lib.
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
  { # also lists the packages whose code is compiled into programs: libc6-dev (libc.a, in the launcher) and nlohmann-json3-dev
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
