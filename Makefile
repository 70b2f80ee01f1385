# SPDX-License-Identifier: MIT
# gamut: one non-recursive Makefile.  `make help` lists the targets.
#
# Adding a tool is adding tools/NAME.c (and man/NAME.1, tests/cli/NAME.t); adding a
# module is adding NAME.c and NAME.h to a folder of common/: nothing here needs to change.
# CFLAGS, CPPFLAGS and LDFLAGS are the user's and are never replaced.

CC ?= cc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
INSTALL ?= install

# Each variant has its own directory of objects: release, asan, asan-clang, tsan, coverage,
# fuzz (for libFuzzer, needs clang), faults (fault injection, see common/core/fault.h, under asan),
# avx512 (emulated, see tests/support/avx512.h).
VARIANT ?= release
B := build/$(VARIANT)

# V=1 shows the commands in full, -s nothing.
V ?= 0
ifeq ($(V)$(findstring s,$(firstword -$(MAKEFLAGS))),0)
quiet = @printf '  %-4s %s\n' $(1) $@;
else ifeq ($(V),0)
quiet = @
endif

# One job per core, unless -j or a parent make says otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

## ---- flags

# Messages that are too long are truncated on purpose, so gcc must not warn about that, and
# clang must not warn that it does not know the warning.
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
    -Wno-unknown-warning-option -Wno-format-truncation
DEFINES := -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Icommon -Itests

# The target of the compiler, which can differ from the machine it runs on: its predefined
# macros, listed once, when a recipe needs them and there is a compiler.
MACROS = $(eval MACROS := $(shell $(CC) -std=c11 $(CPPFLAGS) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null \
    | cut -d ' ' -f 2))$(MACROS)
# $(call for,MACRO,FLAGS): the flags if the compiler predefines the macro
for = $(if $(filter $(1),$(MACROS)),$(2))

# Results are the same bytes everywhere: the compiler must not fuse multiplications and
# additions, and must not keep floats with excess precision, as 32-bit x86 does in x87 registers
# and s390x by its standard.  Comes after the flags of the user, so that it takes effect.
NUMBERS = -ffp-contract=off $(call for,__i386__,-msse2 -mfpmath=sse) \
    $(call for,__s390x__,-fexcess-precision=fast)

SANITIZE_asan := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
SANITIZE_asan-clang := $(SANITIZE_asan)
SANITIZE_faults := $(SANITIZE_asan) -DGAMUT_FAULTS
SANITIZE_tsan := -fsanitize=thread
SANITIZE_fuzz := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
    -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
SANITIZE_coverage := -O0 --coverage
SANITIZE_avx512 := -include tests/support/avx512.h -Wno-psabi
SANITIZE := $(SANITIZE_$(VARIANT)) $(if $(SANITIZE_$(VARIANT)),-fno-omit-frame-pointer)

# Debugging information names sources relative to the tree, so that two checkouts give the
# same bytes.  Coverage needs absolute paths.
quote = '$(subst ','\'',$(1))'
ifneq ($(VARIANT),coverage)
PLACES = $(call quote,-ffile-prefix-map=$(CURDIR)=.)
endif

# Hardening for builds without sanitizers, as far as it costs almost no time.  By the counts of
# `make guard`, it adds 50,000 instructions at startup and at most 2 % to a job, which is below
# the noise of a clock.  _FORTIFY_SOURCE=3 would add 15 % to lm-eval of an LSTM, -fcf-protection
# 1 % more to gam-sample.  Without optimization _FORTIFY_SOURCE has no effect, and glibc warns
# about it.  A level given by the user replaces ours and that of the compiler.
ifeq ($(SANITIZE_$(VARIANT)),)
HARDEN = -fstack-protector-strong
ifneq ($(filter -O -O1 -O2 -O3 -Os,$(CFLAGS)),)
HARDEN += -U_FORTIFY_SOURCE $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-D_FORTIFY_SOURCE=2)
endif
HARDEN += $(call for,__linux__,-fPIE -fstack-clash-protection)
HARDEN_LINK = $(call for,__linux__,-pie -z relro -z now)
endif

COMPILE = $(CC) -std=c11 -pthread $(WARNINGS) $(DEFINES) $(HARDEN) \
    $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(NUMBERS) $(PLACES)
LINK = $(CC) -pthread $(HARDEN_LINK) $(CFLAGS) $(SANITIZE) $(LDFLAGS)
LIBS := -lz -lxxhash -lm

# Only the kernels and the random numbers have vector flags.  The rest runs on any CPU of the family, and the
# kernels are selected at run time.
ISA_avx2 = $(call for,__x86_64__,-mavx2 -mfma)
ISA_avx512 = $(call for,__x86_64__,-mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma)
ifeq ($(VARIANT),avx512)
ISA_avx512 = $(ISA_avx2) -DAVX512_EMULATED
endif
$(B)/common/lstm/%_avx2.o $(B)/common/core/%_avx2.o: ISA = $(ISA_avx2)
$(B)/common/lstm/%_avx512.o: ISA = $(ISA_avx512)

## ---- files

COMMON := $(patsubst %.c,$(B)/%.o,$(wildcard common/*/*.c))
NAMES := $(patsubst tools/%.c,%,$(wildcard tools/*.c))
TOOLS := $(NAMES:%=$(B)/bin/%)
UNITS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
SUPPORT := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/*.c))
FUZZERS := $(patsubst tests/%.c,$(B)/tests/%,$(filter-out %/replay.c,$(wildcard tests/fuzz/*.c)))
BENCHES := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/bench/*.c))
SCRIPTS := $(wildcard tests/cli/*.t)
MAN := $(wildcard man/*.[157])

## ---- build

all: $(TOOLS) ## the tools, in build/release/bin (the default)

everything: $(TOOLS) $(UNITS) $(FUZZERS) $(BENCHES)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(ISA) -MMD -MP -c -o $@ $<

$(B)/libgamut.a: $(COMMON)
	@rm -f $@
	$(call quiet,AR)$(AR) rcs $@ $^

$(B)/bin/%: $(B)/tools/%.o $(B)/libgamut.a
	@mkdir -p $(@D)
	$(call quiet,LINK)$(LINK) -o $@ $^ $(LIBS)

# Units are also linked with the code that tests share: the reference LSTM.
$(filter-out %/test_unchecked,$(UNITS)): %: %.o $(SUPPORT) $(B)/libgamut.a
	$(call quiet,LINK)$(LINK) -o $@ $^ $(LIBS)

$(B)/tests/%: $(B)/tests/%.o $(B)/libgamut.a
	$(call quiet,LINK)$(LINK) -o $@ $^ $(LIBS)

# A container reader that ignores checksums, for one unit and for the fuzz targets.
$(B)/unchecked/%.o: common/model/%.c $(B)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -MMD -MP -c -o $@ $<

$(B)/tests/unit/test_unchecked: $(B)/tests/unit/test_unchecked.o $(B)/unchecked/container_read.o $(B)/libgamut.a
	$(call quiet,LINK)$(LINK) -o $@ $^ $(LIBS)

# A fuzz target with libFuzzer's main, or with one that replays files.
FUZZ_MAIN := $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer,$(B)/tests/fuzz/replay.o)
$(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(B)/unchecked/container_read.o $(B)/libgamut.a \
    $(filter %.o,$(FUZZ_MAIN))
	$(call quiet,LINK)$(LINK) -o $@ $< $(FUZZ_MAIN) $(B)/unchecked/container_read.o $(B)/libgamut.a $(LIBS)

# The probe of the peak speed may fuse operations.
$(B)/tests/bench/peak.o: NUMBERS := -ffp-contract=fast

# A stamp that changes when the compiler or a flag changes: then everything is rebuilt.
# Goals that set up a fresh machine first check for the compiler.
SELF_SETUP := test demo bench asan asan-clang tsan faults coverage valgrind sanitize sanitize-short
$(B)/flags: FORCE | $(if $(filter $(SELF_SETUP),$(MAKECMDGOALS)),deps)
	@mkdir -p $(@D)
	@{ printf '%s\n' $(call quote,$(COMPILE) $(ISA_avx2) $(ISA_avx512)) $(call quote,$(LINK)); \
	   $(CC) --version; } >$@.new && \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

-include $(wildcard $(B)/*/*.d $(B)/*/*/*.d)

## ---- setting up

deps: ## install what is missing to build and test, or print how
	@sh tests/support/deps.sh build

bench-deps: ## install the programs that `make bench` compares with
	@sh tests/support/deps.sh bench

lint-deps: ## install the programs that `make lint` uses
	@sh tests/support/deps.sh lint

analyse-deps: ## install the program that `make analyse` needs besides gcc
	@sh tests/support/deps.sh analyse

guard-deps: ## install the program that `make guard` uses
	@sh tests/support/deps.sh guard

portability-deps: ## install the compilers, emulators and sources that `make portability` uses
	@sh tests/support/portability.sh deps

slurm-deps: ## install Slurm, for the test of examples/slurm on a private cluster
	@sh tests/support/deps.sh slurm

## ---- running

demo: all ## a tour of one minute: data, LSTM, GAM, distillation, evaluation
	@PATH=$(call quote,$(CURDIR)/$(B)/bin):$$PATH sh examples/demo.sh

# The exit status of a sanitizer must differ from those of the tools, and the tools report
# failed allocations themselves.
TESTS ?= $(UNITS) $(SCRIPTS)
test: everything ## all tests: C units and command lines, with one count at the end
	@BUILD=$(call quote,$(CURDIR)/$(B)) VARIANT=$(VARIANT) \
	ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_stack_use_after_return=1 \
	UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 \
	TSAN_OPTIONS=exitcode=99:allocator_may_return_null=1 \
	sh tests/support/run.sh $(TESTS)

asan: ## all tests with the address and undefined-behavior sanitizers
tsan: ## all tests with the thread sanitizer
faults: ## all tests as in asan, with injected failures of allocations, reads, writes, ...
asan tsan faults:
	@$(MAKE) --no-print-directory VARIANT=$@ test

asan-clang: ## the same as asan with clang, whose sanitizers detect more
	@if command -v clang >/dev/null; then \
	    $(MAKE) --no-print-directory VARIANT=$@ CC=clang test; \
	else \
	    echo 'asan-clang: SKIPPED, no clang'; \
	fi

test-avx512: ## tests of the AVX-512 kernels on a machine that has only AVX2
	@if grep -qw avx2 /proc/cpuinfo; then \
	    $(MAKE) --no-print-directory VARIANT=avx512 test TESTS='$(KERNEL_TESTS)'; \
	else \
	    echo 'test-avx512: SKIPPED, this machine has no AVX2'; \
	fi
KERNEL_TESTS := $(patsubst %,build/avx512/tests/unit/test_%,kernel lstm training) tests/cli/determinism.t

valgrind: everything ## all tests under valgrind (slow: most of an hour)
	@sh tests/support/valgrind.sh $(call quote,$(CURDIR)/$(B)) $(TESTS)

sanitize: ## all tests under asan and ubsan of gcc and clang, tsan and valgrind
	@$(MAKE) --no-print-directory asan
	@$(MAKE) --no-print-directory asan-clang
	@$(MAKE) --no-print-directory tsan
	@$(MAKE) --no-print-directory valgrind

# A part of them: units with threads under tsan, and units that read files under valgrind.
# `faults` is `asan` with fault injection.
THREADED := pool training sampler scorer word_counter fit kernel
READING := strings deflate io json container pfsa motif_process
# About texts and builds more than about the tools; their commands run elsewhere, too.
TEXTUAL := style doc-check man-examples install
sanitize-short: ## the same in minutes: nearly all under asan with faults, some under the others
	@FAULTS=short $(MAKE) --no-print-directory faults \
	    TESTS='$(UNITS:$(B)/%=build/faults/%) $(filter-out $(TEXTUAL:%=tests/cli/%.t),$(SCRIPTS))'
	@$(MAKE) --no-print-directory tsan \
	    TESTS='$(THREADED:%=build/tsan/tests/unit/test_%) tests/cli/determinism.t'
	@$(MAKE) --no-print-directory valgrind \
	    TESTS='$(READING:%=$(B)/tests/unit/test_%) tests/cli/model-info.t'

coverage: ## test coverage of each file, in build/coverage/report
	@find build/coverage -name '*.gcda' -exec rm -f {} + 2>/dev/null || :
	@$(MAKE) --no-print-directory VARIANT=coverage test
	@sh tests/support/coverage.sh build/coverage

fuzzers: $(FUZZERS)
fuzz: ## fuzz targets under clang's libFuzzer, TIME seconds each [60]
	@$(MAKE) --no-print-directory VARIANT=fuzz CC=clang fuzzers
	@sh tests/fuzz/run.sh build/fuzz/tests/fuzz $(or $(TIME),60)

determinism: ## compare the bytes from gcc and clang, -O0 and -O2, any threads and instruction set
	+@MAKE=$(call quote,$(MAKE)) sh tests/support/determinism-builds.sh

portability: ## compare the bytes from builds for TARGETS [arm64 i386 musl]; also s390x
	+@MAKE=$(call quote,$(MAKE)) sh tests/support/portability.sh $(TARGETS)

promises: everything ## run the tests that tests/PROMISES.md names and publish their counts there
	@$(MAKE) --no-print-directory VARIANT=faults all
	@sh tests/support/promises.sh

# The parts are scripts of tests/bench; they run one after the other, for any -j.
PARTS ?= machine rows memory instructions growth experiment quality
peers: $(BENCHES) ## compile the LSTMs over OpenBLAS and oneDNN that `make bench` compares with
	@BUILD=$(call quote,$(CURDIR)/$(B)) CC=$(call quote,$(CC)) sh tests/bench/peers.sh

bench: all $(BENCHES) peers ## run the PARTS of the benchmarks, see tests/bench; tables in build/bench
	@status=0; for part in $(PARTS); do \
	    BUILD=$(call quote,$(CURDIR)/$(B)) sh tests/bench/$$part.sh || status=1; \
	done; exit $$status

bench-quality: ## seconds to a stated cross-entropy, compared with PyTorch
	@$(MAKE) --no-print-directory bench PARTS=quality

bench-publish: ## run all benchmarks and write tests/bench/results; needs an idle machine
	@$(MAKE) --no-print-directory bench PARTS='$(PARTS) publish'

load: everything ## compare the peak memory of large jobs with the manual; also in build/load.tsv
	@BUILD=$(call quote,$(CURDIR)/$(B)) sh tests/support/load.sh

guard: all $(BENCHES) ## compare instructions of small jobs with tests/bench/guard.tsv
	@BUILD=$(call quote,$(CURDIR)/$(B)) sh tests/bench/guard.sh

guard-figures: all $(BENCHES) ## rewrite tests/bench/guard.tsv; review the diff
	@BUILD=$(call quote,$(CURDIR)/$(B)) sh tests/bench/guard.sh write

golden: all ## rewrite the golden files of the tests; review the diff
	@PATH=$(call quote,$(CURDIR)/$(B)/bin):$$PATH sh tests/golden/rewrite.sh

analyse: ## clang-tidy and gcc -fanalyzer; tests/support/analyse.known explains their findings
	@sh tests/support/analyse.sh

lint: ## both compilers with -Werror, style, words, manual pages, shell scripts
	+@MAKE=$(call quote,$(MAKE)) CC=$(call quote,$(CC)) CFLAGS=$(call quote,$(CFLAGS)) \
	sh tests/support/lint.sh

html: $(MAN:man/%=build/html/%.html) ## the manual as HTML, in build/html (needs mandoc)

build/html/%.html: man/%
	@mkdir -p $(@D)
	$(call quiet,HTML)mandoc -T html -O 'man=%N.%S.html' $< >$@

## ---- delivering

INTO_BIN = $(call quote,$(DESTDIR)$(BINDIR))
INTO_MAN = $(call quote,$(DESTDIR)$(MANDIR)/man)
install: all ## install tools and manual pages under PREFIX (/usr/local) and DESTDIR
	$(INSTALL) -d $(INTO_BIN)
	$(INSTALL) -m 755 $(TOOLS) $(INTO_BIN)
	for page in $(MAN); do \
	    dir=$(INTO_MAN)$${page##*.}; \
	    $(INSTALL) -d "$$dir" && $(INSTALL) -m 644 "$$page" "$$dir" || exit 1; \
	done

uninstall: ## remove what install wrote
	for name in $(NAMES); do rm -f $(INTO_BIN)/"$$name"; done
	for page in $(MAN); do rm -f $(INTO_MAN)"$${page##*.}/$${page##*/}"; done

RELEASE = gamut-$(shell sed -n 's/.*GAMUT_VERSION "\(.*\)"/\1/p' common/core/version.h)
dist: ## write the committed tree to build/gamut-VERSION.tar.gz
	@mkdir -p build
	git archive --format=tar --prefix=$(RELEASE)/ HEAD | gzip -n9 >build/$(RELEASE).tar.gz

clean: ## remove everything that was built
	rm -rf build

help: ## print this list
	@echo 'make [TARGET] [VARIANT=release|asan|asan-clang|tsan|avx512|coverage|faults|fuzz] [CC=...] [CFLAGS=...] [PREFIX=...]'
	@echo 'make test TESTS=... [PROVEFLAGS=-v], make fuzz [TIME=60], make bench [PARTS=...]'
	@awk -F ':.*## ' '/^[a-z][a-z0-9 -]*:.*## / { n = split($$1, t, " "); \
	    for (i = 1; i <= n; i++) printf "  %-14s %s\n", t[i], $$2 }' Makefile

FORCE:
.PHONY: FORCE all everything fuzzers fuzz determinism portability portability-deps promises deps bench-deps lint-deps \
    analyse-deps guard-deps slurm-deps demo test test-avx512 asan asan-clang tsan faults valgrind sanitize \
    sanitize-short analyse coverage peers bench bench-quality bench-publish load guard guard-figures \
    golden lint html install uninstall dist clean help
