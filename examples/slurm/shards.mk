# SPDX-License-Identifier: MIT
# shards.mk: a large sample in parts, each an independent target:
#
#   make -f shards.mk MODEL=g.gam COUNT=100000000 SHARDS=200 OUT=sample all
#
# makes $(OUT)/part-I for I = 1..SHARDS and joins them, in order, into $(OUT)/strings.  Parts are
# complete or absent, and depend on MODEL, COUNT, SEED and SHARDS only, wherever they are made.

MODEL ?= g.gam
COUNT ?= 1000000
SHARDS ?= 10
SEED ?= 1
OUT ?= sample

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
export PATH := $(TOP)/build/release/bin:$(PATH)
parts := $(addprefix $(OUT)/part-,$(shell seq $(SHARDS)))
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all list

all: $(OUT)/strings

list: # the parts, for submit.sh array --targets
	@echo $(parts)

$(OUT)/part-%: $(MODEL)
	@mkdir -p $(OUT)
	gam-sample -q -j 1 -s $(SEED) -n $(COUNT) --shard $*/$(SHARDS) -o $@ $(MODEL)

$(OUT)/strings: $(parts)
	cat $(parts) >$@.tmp && mv $@.tmp $@
