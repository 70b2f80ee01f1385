# SPDX-License-Identifier: MIT
# shards.mk: a large sample in parts, each an independent target:
#
#   make -f shards.mk MODEL=g.gam COUNT=100000000 SHARDS=200 OUT=sample all
#
# makes $(OUT)/part-I for I = 1..SHARDS and joins them, in order, into $(OUT)/strings.  Parts are
# complete or absent, and depend on MODEL, COUNT, SEED and SHARDS only, wherever they are made.
# $(OUT)/settings records the numbers: a directory holds the parts of one sample.

MODEL ?= g.gam
COUNT ?= 1000000
SHARDS ?= 10
SEED ?= 1
OUT ?= sample

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
export PATH := $(TOP)/build/release/bin:$(PATH)
parts := $(addprefix $(OUT)/part-,$(shell seq $(SHARDS) 2>/dev/null))
ifeq ($(parts),)
$(error SHARDS=$(SHARDS) is not a number of parts)
endif
settings := COUNT=$(COUNT) SHARDS=$(SHARDS) SEED=$(SEED)
made_with := $(if $(filter list,$(MAKECMDGOALS)),,$(shell cat $(OUT)/settings 2>/dev/null))
ifneq ($(made_with),$(if $(made_with),$(settings)))
$(error $(OUT) has a sample with $(made_with); use another OUT, or remove it)
endif
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all list

all: $(OUT)/strings

list: # the parts, for submit.sh array --targets
	@echo $(parts)

$(OUT)/part-%: $(MODEL)
	@mkdir -p $(OUT) && echo '$(settings)' >$(OUT)/settings
	gam-sample -q -j 1 -s $(SEED) -n $(COUNT) --shard $*/$(SHARDS) -o $@ $(MODEL)

$(OUT)/strings: $(parts)
	cat $(parts) >$@.tmp && mv $@.tmp $@
