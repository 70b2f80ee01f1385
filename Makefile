# SPDX-License-Identifier: MIT
# gamut: one non-recursive Makefile.  `make help` lists the targets.

CC ?= cc
CFLAGS ?= -O2 -g
VARIANT ?= release
B := build/$(VARIANT)

OURS := -std=c11 -D_GNU_SOURCE -Icommon -ffp-contract=off -pthread \
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
LIBS := -lz -lxxhash -lm

COMMON := $(patsubst common/%.c,$(B)/common/%.o,$(wildcard common/*.c))
TOOLS := $(patsubst tools/%.c,$(B)/bin/%,$(wildcard tools/*.c))
UNITS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/test_*.c))

all: $(TOOLS)

$(B)/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libgamut.a: $(COMMON)
	$(AR) rcs $@ $^

$(B)/bin/%: tools/%.c $(B)/libgamut.a
	@mkdir -p $(@D)
	$(CC) $(OURS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/libgamut.a $(LDFLAGS) $(LIBS)

$(B)/tests/%: tests/%.c $(B)/libgamut.a
	@mkdir -p $(@D)
	$(CC) $(OURS) -Itests $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/libgamut.a $(LDFLAGS) $(LIBS)

test: $(TOOLS) $(UNITS)
	BUILD=$(CURDIR)/$(B) prove --exec '' $(UNITS)
	BUILD=$(CURDIR)/$(B) prove --exec sh tests/*.t

clean:
	rm -rf build

.PHONY: all test clean
.SECONDARY:
-include $(wildcard $(B)/*/*.d)
