# Front end for CMake. Each target installs the packages that it needs on Debian 12.
#
#   make                    build/ecbench and build/plugins/libec_*.so        make install PREFIX=DIRECTORY [DESTDIR=DIRECTORY], and
#                                                                             make uninstall with the same variables
#   make test               all tests that need only a build and packages     make test-page        tests of the page of bench.sh report
#   make test-quick         the unit tests of C++ and Python                  make bench-overhead   the overhead of ecbench's own loop
#   make test-system        tests that need root and a network                make bench-codes      the speed of codes built on other codes
#   make test-arm64         cross-builds the tests of coded bytes for arm64 in build-arm64/, and runs them under qemu-user. make
#                           test-system also runs these tests
#   make test-mutations     makes 20 bugs, one after the other; the tests must find each of them
#   make test-asan          the tests of make test under sanitizers, in build-asan/
#   make contenders         plugins for Go and Rust libraries and for Ceph, if go, cargo and Ceph's headers are installed; ISA-L 2.32
#   make fuzz               runs libFuzzer on the code that reads input, in build-fuzz/. FUZZ_SECONDS=60 is the time for each
#                           target. Installs clang-19
#   make lint               ruff, mypy, shellcheck, clang-format and clang-tidy; LINT=changed: clang-tidy only for changed files
#   make bundle             ecbench-VERSION-x86_64.tar.gz, for hosts       make deb              Debian packages of the last commit
#                           without compiler, Python or root               make image            an OCI image of the bundle
#   make release VERSION=X  sources, packages, bundle, SBOM and checksums
#   make clean
#
# OUTPUT=DIRECTORY is where bundle, deb, image and release write their files (default dist).
# PROFILE=1 builds for profilers, with frame pointers and debug information, in build-profile/.
# BUILD=DIRECTORY is another build directory. JOBS=N builds with N parallel processes. CMAKE_FLAGS=... are options of CMake, such as
# -DECBENCH_WERROR=ON. CC=clang-19 CXX=clang++-19 builds with clang; use another BUILD directory for it. clang 14 cannot compile the
# header <ranges> of libstdc++ 12.

BUILD ?= build
PREFIX ?= /usr/local
OUTPUT ?= dist
CMAKE_FLAGS ?=
TEST_JOBS ?= 2
CTEST = ctest --output-on-failure --no-tests=error --parallel $(TEST_JOBS)
PROFILE ?= 0

RELEASE = -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS)
ifeq ($(PROFILE),1)
override BUILD := $(BUILD)-profile
override CMAKE_FLAGS += -DECBENCH_PROFILE=ON
else ifneq ($(PROFILE),0)
$(error ecbench: PROFILE=$(PROFILE) is not allowed: use 1 to build for profilers, or 0)
endif
# With -O1, the tests that decode all erasure patterns take less time. Without precompiled headers, a missing include is a compiler
# error.
ASAN = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DECBENCH_SANITIZE=address,undefined \
       -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON $(CMAKE_FLAGS)

FUZZ = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DECBENCH_SANITIZE=address,undefined,fuzzer-no-link \
       -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON $(CMAKE_FLAGS)

.PHONY: all bench-product deps test test-quick test-system test-arm64 test-asan test-mutations test-page fuzz bench-overhead bench-codes contenders \
        install uninstall bundle deb image release clean lint

all: deps
	@scripts/build.sh "$(BUILD)" product $(RELEASE)

# Builds the program and the plugins that the modes bench and fplot can measure.
bench-product: deps
	@scripts/build.sh "$(BUILD)" bench_product $(RELEASE)

deps:
	@scripts/install-deps.sh

test: deps
	@scripts/build.sh "$(BUILD)" all $(RELEASE)
	@$(CTEST) --test-dir "$(BUILD)" --label-exclude system

test-quick: deps
	@scripts/build.sh "$(BUILD)" quick_tests $(RELEASE)
	@$(CTEST) --test-dir "$(BUILD)" --label-regex quick

# --verbose shows why a test was skipped.
test-system: deps
	@scripts/install-deps.sh system-test
	@scripts/build.sh "$(BUILD)" product $(RELEASE)
	@$(CTEST) --test-dir "$(BUILD)" --label-regex system --verbose

# Runs only the tests of coded bytes. Other tests are left out: times that are measured under qemu-user mean nothing, and the scenes
# (src/test/scenes) would take too long.
test-arm64:
	@scripts/install-deps.sh arm64
	@scripts/arm64-sysroot.sh "$(BUILD)-arm64/sysroot"
	@scripts/build.sh "$(BUILD)-arm64" byte_tests $(RELEASE) -DCMAKE_TOOLCHAIN_FILE="$(CURDIR)/src/cmake/arm64-toolchain.cmake"
	@$(CTEST) --test-dir "$(BUILD)-arm64" --label-regex bytes

# gcc 12's LeakSanitizer reads the bounds of thread-local storage from the memory before this storage. It crashes (signal 11) if the
# bounds are not in this memory. intercept_tls_get_addr=0 prevents the crash. LeakSanitizer then still scans the static block of
# thread-local storage of each thread.
test-asan: deps
	@scripts/build.sh "$(BUILD)-asan" all $(ASAN)
	@ASAN_OPTIONS=intercept_tls_get_addr=0:$$ASAN_OPTIONS $(CTEST) --test-dir "$(BUILD)-asan" --label-exclude system

# Works on a copy of the last commit in a temporary directory.
test-mutations: deps
	@/usr/bin/python3 -E -s src/test/mutations/mutations.py $(RELEASE)

fuzz: deps
	@scripts/install-deps.sh fuzz
	@CC=clang-19 CXX=clang++-19 scripts/build.sh "$(BUILD)-fuzz" fuzz_targets $(FUZZ)
	@src/test/fuzz/fuzz.sh "$(BUILD)-fuzz"

# Needs no build. Also runs report_scene.py, which needs matplotlib: make test does not install matplotlib, and skips this scene if
# matplotlib is missing.
test-page:
	@scripts/install-deps.sh page-test
	@/usr/bin/python3 -E -s src/test/page/page_test.py
	@/usr/bin/python3 -E -s src/test/scenes/report_scene.py

lint:
	@scripts/lint.sh "$(BUILD)" $(LINT)

bench-overhead: deps
	@scripts/build.sh "$(BUILD)" bench_overhead $(RELEASE)
	@scripts/studies/bench_overhead.py "$(BUILD)/bench_overhead"

bench-codes: deps
	@scripts/build.sh "$(BUILD)" bench_codes $(RELEASE)
	@"$(BUILD)/bench_codes"

contenders: deps
	@scripts/build-contenders.sh "$(BUILD)" $(RELEASE)

install: all
	@scripts/install-deps.sh manual
	@DESTDIR="$(DESTDIR)" scripts/install.sh install "$(BUILD)" "$(PREFIX)"

bundle: all
	@mkdir -p -- "$(OUTPUT)"
	@packaging/build-bundle.sh "$(BUILD)" "$(OUTPUT)"

deb: deps
	@scripts/install-deps.sh deb
	@mkdir -p -- "$(OUTPUT)"
	@packaging/build-deb.sh "$(OUTPUT)"

image: all
	@scripts/install-deps.sh image
	@mkdir -p -- "$(OUTPUT)"
	@packaging/build-image.sh "$$(packaging/build-bundle.sh "$(BUILD)" "$(OUTPUT)")" "$(OUTPUT)"

release:
	@packaging/build-release.sh "$(VERSION)" "$(OUTPUT)"

uninstall:
	@DESTDIR="$(DESTDIR)" scripts/install.sh uninstall "$(BUILD)" "$(PREFIX)"

clean:
	rm -rf -- "$(BUILD)" "$(BUILD)-asan" "$(BUILD)-arm64" "$(BUILD)-fuzz" "$(BUILD)-profile"
