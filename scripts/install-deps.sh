#!/usr/bin/env bash
# install-deps.sh [test|report|manual|deb|image|fleet|page-test|system-test|arm64|fuzz|callgrind|pprof|perf|isal|ceph|lint]:
# installs the missing Debian packages that are needed to build ecbench, or for the named purpose. On a terminal, the user must
# agree first. Without a terminal, root installs at once; for other users the command is printed. ECBENCH_INSTALL=no installs
# nothing. If the CMake variable of a library (ISAL_ROOT, ...) is set, the library is not installed.
set -euo pipefail

packages=()
build_packages=(g++ make cmake ninja-build git python3 python3-jsonschema python3-pyelftools)
# Each entry is PACKAGE:VARIABLE. A user can set this CMake variable to the directory of another installation of the library.
libraries=(
  libjerasure-dev:Jerasure_ROOT
  libgf-complete-dev:GfComplete_ROOT
  libisal-dev:ISAL_ROOT
  libboost-program-options-dev:Boost_ROOT
  libelf-dev:LibElf_ROOT
  nlohmann-json3-dev:nlohmann_json_ROOT
  libgtest-dev:GTest_ROOT
  libsimde-dev:SIMDE_ROOT
  libssl-dev:OPENSSL_ROOT_DIR
)

say() { printf 'ecbench: %s\n' "$*" >&2; }

add_libraries_wanted() {
  local entry variable
  for entry in "${libraries[@]}"; do
    variable=${entry#*:}
    if [[ -z ${!variable:-} ]]; then packages+=("${entry%%:*}"); fi
  done
}

add_packages_for() {
  case $1 in
    build)
      packages=("${build_packages[@]}")
      add_libraries_wanted
      ;;
    test) packages=(python3-pytest python3-pytest-xdist python3-pytest-random-order) ;;
    report) packages=(python3-venv) ;;
    manual) packages=(python3 cmark-gfm) ;;
    deb) packages=(dpkg-dev debhelper dh-python lintian valgrind cmark-gfm libboost-program-options-dev) ;;
    image) packages=(buildah) ;;
    fleet) # if ansible-playbook is on PATH, it is used, even if it is not from a Debian package
      packages=(openssh-client)
      if ! command -v ansible-playbook >/dev/null; then packages+=(ansible-core); fi
      ;;
    page-test) packages=(python3-venv python3-selenium chromium chromium-driver) ;;
    system-test) packages=(debootstrap git ansible-core openssh-server iproute2 ceph-base ceph-mon ceph-mgr ceph-osd python3-rados jq) ;;
    arm64) packages=("${build_packages[@]}" g++-aarch64-linux-gnu qemu-user) ;;
    fuzz) packages=(clang-19 libclang-rt-19-dev) ;;
    callgrind) packages=(valgrind binutils) ;;
    pprof) packages=(google-perftools libgoogle-perftools4 binutils libc6-dbg) ;;
    perf) packages=(linux-perf binutils libc6-dbg) ;;
    isal) packages=(gcc make nasm python3-pip) ;;
    ceph) packages=(librados-dev libradospp-dev ceph-base) ;;
    lint) packages=(clang-format-14 clang-tidy-19 shellcheck python3-venv) ;;
    *)
      say "install-deps.sh: '$1' is not a purpose: give test, report, manual, deb, image, fleet, page-test, system-test, arm64, fuzz, callgrind, pprof, perf, isal, ceph or lint, or give no argument"
      exit 1
      ;;
  esac
}

# Prints the packages that are not installed. dpkg-query is called only once, since it takes 10 ms to start. If one of the packages
# is unknown, dpkg-query prints the status of the other packages and fails. This failure is ignored.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for package in "${packages[@]}"; do
    if [[ $'\n'$installed$'\n' != *$'\n'"installed $package"$'\n'* ]]; then printf '%s\n' "$package"; fi
  done
}

# Asks the user whether to install the packages. The question is written to /dev/tty, since stderr may be a file. If /dev/tty cannot
# be opened, the question is written to stdin. This works because stdin is a terminal: if stdin is not a terminal, nothing is asked.
agreed() {
  local answer terminal
  if [[ ! -t 0 ]]; then ((EUID == 0)) && return 0 || return 1; fi
  { exec {terminal}<>/dev/tty; } 2>/dev/null || exec {terminal}<>/dev/stdin
  printf 'ecbench: install %s? [Y/n] ' "${missing[*]}" >&"$terminal"
  read -r answer <&"$terminal" || return 1
  [[ -z $answer || $answer == [Yy]* ]]
}

# apt-get update fails if one of its sources is unreachable. This failure is ignored: if a package is only in that source, apt-get
# install fails. If another program installs packages, such as the updates of a new machine, apt-get waits for dpkg's lock.
install_packages() {
  "$@" apt-get -q update || true
  "$@" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "${missing[@]}"
}

become_root=()
can_become_root() {
  if ((EUID == 0)); then return 0; fi
  become_root=(sudo)
  command -v sudo >/dev/null
}

# The requirements are copied to the virtual environment at the end of the installation. If an installation was interrupted, the
# copy is missing. vega.js.gz is made by the first page.
scripts=.
if [[ ${BASH_SOURCE[0]} == */* ]]; then scripts=${BASH_SOURCE[0]%/*}; fi
install_from_pypi() { # WHAT REQUIREMENTS DIRECTORY
  local requirements=$scripts/$2 venv=$3
  if cmp -s -- "$requirements" "$venv/requirements.txt"; then return; fi
  local pip=("$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$requirements")
  local by_hand="/usr/bin/python3 -m venv --clear $venv && ${pip[*]}"
  if [[ ${ECBENCH_INSTALL:-} == no ]]; then
    say "ECBENCH_INSTALL=no, so $1 is not installed; install it by: $by_hand && cp $requirements $venv/requirements.txt"
    exit 1
  fi
  say "installing $1 in $venv"
  if ! { /usr/bin/python3 -m venv --clear "$venv" && "${pip[@]}"; } >&2; then
    say "$1 could not be installed; to see why, run: $by_hand"
    exit 1
  fi
  cp -- "$requirements" "$venv/requirements.txt"
}

# build/page is where page/charts.py looks for the library.
install_python_packages() {
  local build
  build=$(cd -- "$scripts/.." && pwd -P)/build
  case $purpose in
    report | page-test) install_from_pypi "the library of the page" page-requirements.txt "$build/page" ;;
    lint) install_from_pypi "ruff and mypy" lint-requirements.txt "${2:-$build/lint/venv}" ;;
  esac
}

purpose=${1:-build}
add_packages_for "$purpose"
if ! command -v dpkg-query >/dev/null; then
  say "this is not Debian: if a program or library is missing, install the packages of your distribution that correspond to these Debian packages: ${packages[*]}"
  exit 0
fi
mapfile -t missing < <(missing_packages)
if ((${#missing[@]} == 0)); then
  install_python_packages "$@"
  exit 0
fi

by_hand="sudo apt-get install -y --no-install-recommends ${missing[*]}"
if ((EUID == 0)); then by_hand=${by_hand#sudo }; fi
if [[ ${ECBENCH_INSTALL:-} == no ]]; then
  say "ECBENCH_INSTALL=no, so missing packages are not installed; install them by: $by_hand"
  exit 1
fi
if ! can_become_root || ! agreed; then
  say "packages are missing; install them by: $by_hand"
  exit 1
fi
say "installing ${missing[*]}"
if ! install_packages "${become_root[@]}" >&2; then
  say "the packages could not be installed; to see why, run: $by_hand"
  exit 1
fi
install_python_packages "$@"
