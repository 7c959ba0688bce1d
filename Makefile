# Front end for CMake. Each target installs the packages that it needs on Debian 12.
#
#   make                    builds build/ecbench and build/plugins/libec_*.so
#   make install            installs ecbench below PREFIX=DIRECTORY (default: /usr/local). DESTDIR=DIRECTORY is a staging directory
#   make uninstall          removes the installed files; give the same PREFIX and DESTDIR as for make install
#   make isal               builds ISA-L 2.32, to compare it with the installed one
#   make contenders         builds ISA-L 2.32, and plugins for Go libraries (needs go), Rust libraries (needs cargo) and Ceph (needs
#                           Ceph's headers). Skips plugins whose tools or headers are missing
#   make test-quick         runs the unit tests of C++ and Python
#   make test               also compares coded bytes, and runs each mode once
#   make test-all           runs all tests that need neither root nor a network. TEST_JOBS=N runs N tests at a time (default: one
#                           for each core)
#   make test-plugins       tests each plugin in PLUGINS=DIRECTORY, or the plugin NAME=mine: bytes, losses, threads, allocations.
#                           PARAMETERS="k=6 m=3" are the parameters of its profile (default: those of the plugin)
#   make test-system        runs the tests that need root, a network or additional packages
#   make test-page          opens HTML pages in headless Chromium and tests them
#   make test-arm64         builds the tests of coded bytes for arm64 in build-arm64/ with a cross-compiler, and runs them under
#                           qemu-user. make test-system also runs these tests
#   make test-mutations     puts 30 bugs into a copy of the code, one at a time; the tests must find each bug
#   make test-asan          runs the tests of make test with ASan and UBSan, in build-asan/
#   make fuzz               runs libFuzzer on each parser, in build-fuzz/. FUZZ_SECONDS=N is the time for each parser in seconds
#                           (default: 60). Installs clang-19
#   make lint               runs ruff, mypy, shellcheck, clang-format and clang-tidy. With LINT=changed, clang-tidy checks only
#                           changed files
#   make handicapped        builds plugins that do 5 % of their work twice, in build/handicapped/plugins, to try a gate with
#   make bundle             builds ecbench-VERSION-x86_64.tar.gz, for hosts without compiler, Python or root access
#   make deb                builds Debian packages of the last commit
#   make image              builds an OCI image of the bundle
#   make release VERSION=X  builds the source archive, the Debian packages and the bundle; also writes an SBOM and checksums
#   make pictures           draws the pictures in docs/images/ from stored runs
#   make site               writes the page about the runs in results/ to OUTPUT/site, with the runs
#   make clean              removes build/ and the build directories of tests, fuzz and PROFILE=1
#
# The targets bundle, deb, image, release and site write their files to OUTPUT=DIRECTORY (default: dist).
# PROFILE=1 builds for profilers: in build-profile/, with frame pointers and debug information.
# BUILD=DIRECTORY selects another build directory (default: build). JOBS=N builds with N parallel processes. CMAKE_FLAGS=OPTIONS
# gives options to CMake, such as -DECBENCH_WERROR=ON. CC=clang-19 CXX=clang++-19 builds with clang. Set BUILD to a separate
# directory for builds with clang. clang 14 is too old: it cannot compile the header <ranges> of libstdc++ 12.

BUILD ?= build
PREFIX ?= /usr/local
OUTPUT ?= dist
CMAKE_FLAGS ?=
TEST_JOBS ?= $(shell nproc)
CTEST = ctest --output-on-failure --no-tests=error --parallel $(TEST_JOBS) --test-dir
PYTEST = ECBENCH_BUILD="$$(realpath -m -- "$(1)")" /usr/bin/python3 -E -s -m pytest --numprocesses $(TEST_JOBS)
# Runs the C++ tests and the Python tests at the same time, so that no core waits for the last test of either.
BOTH = $(MAKE) --no-print-directory --jobs 2 cpp-tests python-tests PROFILE=0 BUILD="$(1)" LABELS="$(2)" MARKERS="$(3)"
PROFILE ?= 0

RELEASE = -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS)
ifeq ($(PROFILE),1)
override BUILD := $(BUILD)-profile
override CMAKE_FLAGS += -DECBENCH_PROFILE=ON
else ifneq ($(PROFILE),0)
$(error ecbench: PROFILE=$(PROFILE) is not allowed: give 1 (a build for profilers) or 0 (a normal build))
endif
# The tests that decode all erasure patterns take less time with -O1 than with -O0.
ASAN = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DECBENCH_SANITIZE=address,undefined $(CMAKE_FLAGS)

FUZZ = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 -DECBENCH_SANITIZE=address,undefined,fuzzer-no-link $(CMAKE_FLAGS)

.PHONY: all bench-product deps cpp-tests python-tests test test-all test-deps test-quick test-plugins test-system test-arm64 test-asan test-mutations \
        test-page fuzz handicapped contenders isal install uninstall bundle deb image release pictures site clean lint

all: deps
	@scripts/build.sh "$(BUILD)" product $(RELEASE)

# Builds the program and the plugins that the modes bench and fplot can measure.
bench-product: deps
	@scripts/build.sh "$(BUILD)" bench_product $(RELEASE)

deps:
	@scripts/install-deps.sh

test-deps: deps
	@scripts/install-deps.sh test

test-quick: test-deps
	@scripts/build.sh "$(BUILD)" quick_tests $(RELEASE)
	@+$(call BOTH,$(BUILD),quick,quick)

test: test-deps
	@scripts/build.sh "$(BUILD)" tests $(RELEASE)
	@+$(call BOTH,$(BUILD),quick|test,quick or test)

cpp-tests:
	@$(CTEST) "$(BUILD)" --label-regex '^($(LABELS))$$' >"$(BUILD)/ctest.log" 2>&1; status=$$?; cat "$(BUILD)/ctest.log"; exit $$status

python-tests:
	@$(call PYTEST,$(BUILD)) -m "$(MARKERS)" $(if $(filter-out quick,$(MARKERS)),,src/test/scripts src/test/wording)

test-all: test-deps
	@scripts/build.sh "$(BUILD)" all $(RELEASE)
	@$(CTEST) "$(BUILD)"
	@$(call PYTEST,$(BUILD)) -m "quick or test or all"

test-plugins: deps
	@scripts/build.sh "$(BUILD)" plugin_check $(RELEASE)
	@"$(BUILD)/plugin_check" "$(PLUGINS)" $(NAME) $(PARAMETERS)

test-system: test-deps
	@scripts/install-deps.sh system-test
	@scripts/build.sh "$(BUILD)" tests $(RELEASE)
	@$(call PYTEST,$(BUILD)) --numprocesses 0 -m system -rs

# Runs only the tests of coded bytes (label `bytes`). Tests that measure times are not run, since times under qemu-user are not
# meaningful. The tests in src/test/scenes are not run, since they would take too long.
test-arm64:
	@scripts/install-deps.sh arm64
	@scripts/arm64-sysroot.sh "$(BUILD)-arm64/sysroot"
	@scripts/build.sh "$(BUILD)-arm64" byte_tests $(RELEASE) -DCMAKE_TOOLCHAIN_FILE="$(CURDIR)/src/cmake/arm64-toolchain.cmake"
	@$(CTEST) "$(BUILD)-arm64" --label-regex bytes

# LeakSanitizer of gcc 12 assumes that the bounds of a block of thread-local storage (TLS) are in the memory before the block. If
# the bounds are not there, LeakSanitizer crashes (signal 11). With intercept_tls_get_addr=0, LeakSanitizer does not crash, and
# still scans the static TLS block of each thread.
test-asan: test-deps
	@scripts/build.sh "$(BUILD)-asan" tests $(ASAN)
	@+ASAN_OPTIONS=intercept_tls_get_addr=0:$$ASAN_OPTIONS $(call BOTH,$(BUILD)-asan,quick|test,quick or test)

# mutations.py copies the last commit to a temporary directory, and puts the bugs only into this copy.
test-mutations: test-deps
	@/usr/bin/python3 -E -s src/test/mutations/mutations.py $(RELEASE)

fuzz: deps
	@scripts/install-deps.sh fuzz
	@CC=clang-19 CXX=clang++-19 scripts/build.sh "$(BUILD)-fuzz" fuzz_targets $(FUZZ)
	@src/test/fuzz/fuzz.sh "$(BUILD)-fuzz"

# This target needs no build. It also runs the tests of pages that make test skips if their libraries are missing.
test-page: test-deps
	@scripts/install-deps.sh page-test
	@$(call PYTEST,$(BUILD)) $(addprefix src/test/,page scripts/page_points_test.py scenes/report_scene.py)

lint:
	@scripts/lint.sh "$(BUILD)" $(LINT)

handicapped: deps
	@scripts/build.sh "$(BUILD)" handicapped $(RELEASE)

# bench.sh sets MAY_FAIL: it measures without what cannot be built.
contenders isal: deps
	@scripts/build.sh "$(BUILD)" $@ $(RELEASE) || test -n "$(MAY_FAIL)"

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

pictures:
	@scripts/install-deps.sh report
	@scripts/studies/pictures.py

site:
	@mkdir -p "$(OUTPUT)/site"
	@cp -r results "$(OUTPUT)/site/"
	@./bench.sh report "$(OUTPUT)/site/results" --output "$(OUTPUT)/site/index.html"

release:
	@packaging/build-release.sh "$(VERSION)" "$(OUTPUT)"

uninstall:
	@DESTDIR="$(DESTDIR)" scripts/install.sh uninstall "$(BUILD)" "$(PREFIX)"

clean:
	rm -rf -- "$(BUILD)" "$(BUILD)-asan" "$(BUILD)-arm64" "$(BUILD)-fuzz" "$(BUILD)-profile"
