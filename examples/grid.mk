# SPDX-License-Identifier: MIT
# grid.mk: the graph of a grid of experiments.  A Makefile that includes it sets
#
#   RUNS       the runs, each RECIPE-KIND-MOTIF-SIZE-SEED-FT-REGIME-MODE, where
#     RECIPE   default, or paper: the settings of the paper
#     KIND     m: all strings contain the motif; mam: 90% of them do
#     MOTIF    the motif
#     SIZE     number of strings in D
#     SEED     seed of data, training and sampling
#     FT       the bit mask of features; 1001111L adds length:30; 0000000 has no features, so
#              that P is r: a control that shows the effect of distillation alone
#     REGIME   rs or snis: the source of the moments in gam-fit
#     MODE     two: r, lambda, D', pi; cyclic: r is trained on each batch of D'
#   VALIDATE   paper: |V| = |D|/4, but 500 to 2000; quarter: |D|/4
#   RESULTS    directories with results that were published: results.tsv, a table of rows, and the
#              settings that they were made with.  Runs in tables with the settings of this grid
#              count as done.  FRESH=1 makes them again.
#
# and uses $(OUT)/run/RUN/row.tsv, the row of a run.  Files are complete or absent, and training
# resumes from its checkpoint, so a run that was killed resumes where it was.  Files that several
# runs need are made once:
#
#   data/KIND-MOTIF-SEED/           truth.pfsa D V T
#   r/RECIPE-KIND-MOTIF-SIZE-SEED/  D V r.lstm and its evaluation
#   run/RUN/                        g.gam S (distilled) pi.lstm and their evaluation
#
# Every tool has one thread: `make -j` uses the cores for runs in parallel.
#
# The variables below are not part of the name of a run, so other values need another OUT:
# $(OUT)/settings records them, and make stops if they differ.  NEEDS names programs that are
# required in addition to the tools.

LENGTH ?= 30
POOL ?= 20000
TEST ?= 5000
DISTIL ?= 20000
DISTIL_VALID ?= 2000
SAMPLE ?= 20000
LENGTHS_SIZE ?= 500
# Options of both LSTMs, of pi alone and of gam-fit: small settings for tests.
TRAIN ?=
PI ?=
FIT ?=
# Where pi starts in the default recipe: r, or random, from parameters of its own, as in the paper.
PI_START ?= r
OUT ?= $(TOP)/build/$(notdir $(CURDIR))

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
EXAMPLES := $(TOP)/examples
SHELL := /bin/sh
export LC_ALL := C
export PATH := $(TOP)/build/release/bin:$(PATH)

# Check the programs now, not after hours.
TOOLS := pfsa-gen pfsa-entropy lstm-train gam-fit gam-sample lm-eval motif-freq
missing := $(shell PATH='$(PATH)'; for tool in $(TOOLS) $(NEEDS); do \
    command -v $$tool >/dev/null || echo $$tool; done)
ifneq ($(missing),)
$(error not found: $(missing) (the tools are made by `make -C $(TOP)`))
endif

# Several goals would make the same files: run them one after the other, each on all cores.
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
endif
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDEXPANSION:

## ---- names

field = $(word $(1),$(subst -, ,$(2)))
fields = $(subst $() ,-,$(wordlist $(1),$(2),$(subst -, ,$(3))))
recipe = $(call field,1,$*)
motif = $(call field,3,$*)
size = $(call field,4,$*)
seed = $(call field,5,$*)
ft = $(call field,6,$*)
regime = $(call field,7,$*)
# data/ of r/ or run/; r/ of run/
data_of = $(OUT)/data/$(call field,2,$(1))-$(call field,3,$(1))-$(call field,5,$(1))
r_of = $(OUT)/r/$(call fields,1,5,$(1))
here = $(@D)

process = -l $(LENGTH) -m $(call field,2,$*) $(if $(filter mam,$(call field,1,$*)),--mix 0.9)
train_recipe = $(if $(filter paper,$(recipe)),--recipe paper)
fit_recipe = $(if $(filter paper,$(recipe)),--optimizer sgd,--accepted 5000)
update_recipe = $(if $(filter paper,$(recipe)),--recipe paper --steps 1)
refit_recipe = $(if $(filter paper,$(recipe)),--patience 5)
no_feature = $(filter 0000000,$(ft))
features = -m $(motif) $(if $(no_feature),--feature length:$(LENGTH),--ft $(subst L,,$(ft)) \
    $(if $(findstring L,$(ft)),--feature length:$(LENGTH)))
# gam-fit requires a feature: use one with weight 0.
fit_features = $(if $(no_feature),--feature length:$(LENGTH) --lambda length:$(LENGTH)=0,$(features))

# Every recipe makes its directory, writes $@.tmp, and renames it after success.
begin = @mkdir -p $(@D) && printf '  %s\n' $(@:$(OUT)/%=%) &&
finish = && mv $@.tmp $@
# gnuplot writes blanks at the ends of SVG lines.
neat = $(if $(filter %.svg,$@),&& sed 's/ *$$//' $@.tmp >$@.new && mv $@.new $@.tmp)
timed = sh $(EXAMPLES)/timed.sh
one = -q -j 1
checkpoint = --checkpoint $@.checkpoint --resume
train = lstm-train $(one) -s $(seed) $(train_recipe) $(TRAIN) $(checkpoint)
train_pi = $(if $(filter paper,$(recipe))$(filter random,$(PI_START)),$(train), \
    lstm-train $(one) -s $(seed) --recipe distil --init $(call r_of,$*)/r.lstm $(checkpoint)) $(PI)

# Keep the files between the data and the rows.
.PRECIOUS: $(foreach f,truth.pfsa D V T,$(OUT)/data/%/$(f)) \
    $(foreach f,D V r.lstm r.eval rL.eval r.sample,$(OUT)/r/%/$(f)) \
    $(foreach f,g.gam S pi.D pi.V,$(OUT)/run/%-two/$(f) $(OUT)/run/%-cyclic/$(f)) \
    $(foreach f,pi.lstm pi.sample P.eval pi.eval,$(OUT)/run/%/$(f)) \
    $(foreach f,truth r S pi,$(OUT)/run/%/$(f).moments)

## ---- the settings of all that is in $(OUT)

settings_now = $(strip LENGTH=$(LENGTH) POOL=$(POOL) TEST=$(TEST) DISTIL=$(DISTIL) \
    DISTIL_VALID=$(DISTIL_VALID) SAMPLE=$(SAMPLE) TRAIN=$(TRAIN) PI=$(PI) FIT=$(FIT) \
    PI_START=$(PI_START) VALIDATE=$(VALIDATE) LENGTHS_SIZE=$(LENGTHS_SIZE))
$(OUT)/settings: FORCE
	@mkdir -p $(OUT) && if [ ! -e $@ ]; then echo '$(settings_now)' >$@.tmp && mv $@.tmp $@; fi && \
	if [ "$$(cat $@)" != '$(settings_now)' ]; then \
	    echo "$(OUT) was made with other settings (see $@); use another OUT, or remove it" >&2; exit 1; \
	fi

## ---- data/KIND-MOTIF-SEED: three samples of one process, from three seeds

$(OUT)/data/%/truth.pfsa: | $(OUT)/settings
	$(begin) pfsa-gen $(one) $(process) --build -o $@.tmp $(finish)

$(OUT)/data/%/D: $(OUT)/data/%/truth.pfsa
	$(begin) pfsa-gen $(one) -s $(call field,3,$*) -n $(POOL) $< -o $@.tmp $(finish)

$(OUT)/data/%/V: $(OUT)/data/%/truth.pfsa
	$(begin) pfsa-gen $(one) -s 1$(call field,3,$*) -n 2000 $< -o $@.tmp $(finish)

$(OUT)/data/%/T: $(OUT)/data/%/truth.pfsa
	$(begin) pfsa-gen $(one) -s 2$(call field,3,$*) -n $(TEST) $< -o $@.tmp $(finish)

## ---- r/RECIPE-KIND-MOTIF-SIZE-SEED: Training-1a

$(OUT)/r/%/D: $$(call data_of,$$*)/D
	$(begin) head -n $(size) $< >$@.tmp $(finish)

$(OUT)/r/%/V: $$(call data_of,$$*)/V
	$(begin) n=$$(($(size) / 4)) && \
	if [ $(VALIDATE) = paper ]; then \
	    n=$$((n < 500 ? 500 : n > 2000 ? 2000 : n)); \
	fi && head -n "$$n" $< >$@.tmp $(finish)

$(OUT)/r/%/r.lstm: $(OUT)/r/%/D $(OUT)/r/%/V
	$(begin) $(timed) $(here)/r.seconds \
	    $(train) --valid $(here)/V --log $(here)/r.log $< -o $@.tmp $(finish)
	@rm -f $@.checkpoint

$(OUT)/r/%/r.eval: $(OUT)/r/%/r.lstm $$(call data_of,$$*)/T
	$(begin) lm-eval $(one) --truth $(call data_of,$*)/truth.pfsa $^ -o $@.tmp $(finish)

# The same given the maximum length of P and of all samples, for a fair comparison.
$(OUT)/r/%/rL.eval: $(OUT)/r/%/r.lstm $$(call data_of,$$*)/T
	$(begin) lm-eval $(one) --max-length $(LENGTH) $^ -o $@.tmp $(finish)

$(OUT)/r/%/r.sample: $(OUT)/r/%/r.lstm
	$(begin) gam-sample $(one) -s $(seed) -n $(SAMPLE) $< -o $@.tmp $(finish)

## ---- run/RUN: Training-1b, distillation, Training-2

# If a moment misses its target (exit status 3), gam-fit and its report say so, and the run continues.
$(OUT)/run/%-two/g.gam: $$(call r_of,$$*)/D $$(call r_of,$$*)/r.lstm
	$(begin) $(timed) $(here)/g.seconds \
	    gam-fit $(one) -s $(seed) $(fit_recipe) --regime $(regime) $(fit_features) $(FIT) \
	    --base $(call r_of,$*)/r.lstm --report $(here)/g.report $< -o $@.tmp || \
	    { [ $$? -eq 3 ] && mv $(here)/g.seconds.spent $(here)/g.seconds; } $(finish)

$(OUT)/run/%-two/S: $(OUT)/run/%-two/g.gam
	$(begin) $(timed) $(here)/S.seconds \
	    gam-sample $(one) -s $(seed) -n $$(($(DISTIL) + $(DISTIL_VALID))) \
	    --stats $(here)/S.stats $< -o $@.tmp $(finish)

$(OUT)/run/%-two/pi.D: $(OUT)/run/%-two/S
	$(begin) head -n $(DISTIL) $< >$@.tmp $(finish)

$(OUT)/run/%-two/pi.V: $(OUT)/run/%-two/S
	$(begin) tail -n $(DISTIL_VALID) $< >$@.tmp $(finish)

# 3-cyclic.sh writes S, pi.D, pi.V and finally g.gam; touch the others so that they are not older.
$(OUT)/run/%-cyclic/g.gam: $$(call r_of,$$*)/D $$(call r_of,$$*)/V $$(call r_of,$$*)/r.lstm
	$(begin) cp $^ $(here) && \
	SEED=$(seed) THREADS=1 TOTAL=$(DISTIL) FEATURES='$(fit_features)' UPDATE='$(update_recipe)' \
	FIT='$(fit_recipe) --regime $(regime) $(FIT)' \
	REFIT='$(fit_recipe) $(refit_recipe) --regime $(regime) $(FIT)' \
	$(timed) $(here)/g.seconds sh $(EXAMPLES)/3-cyclic.sh -d $(here) >$(here)/log
$(addprefix $(OUT)/run/%-cyclic/,S pi.D pi.V): $(OUT)/run/%-cyclic/g.gam
	@touch -c $(addprefix $(here)/,S pi.D pi.V)

$(OUT)/run/%/pi.lstm: $(OUT)/run/%/pi.D $(OUT)/run/%/pi.V
	$(begin) $(timed) $(here)/pi.seconds \
	    $(train_pi) --valid $(here)/pi.V --log $(here)/pi.log $< -o $@.tmp $(finish)
	@rm -f $@.checkpoint

$(OUT)/run/%/P.eval: $(OUT)/run/%/g.gam $$(call data_of,$$*)/T
	$(begin) lm-eval $(one) --truth $(call data_of,$*)/truth.pfsa $^ -o $@.tmp $(finish)

$(OUT)/run/%/pi.eval: $(OUT)/run/%/pi.lstm $$(call data_of,$$*)/T
	$(begin) lm-eval $(one) --truth $(call data_of,$*)/truth.pfsa $^ -o $@.tmp $(finish)

$(OUT)/run/%/pi.sample: $(OUT)/run/%/pi.lstm
	$(begin) gam-sample $(one) -s $(seed) -n $(SAMPLE) $< -o $@.tmp $(finish)

# Moments: exact ones of the source, and those of samples, with the mean length.
$(OUT)/run/%/truth.moments: $$(call data_of,$$*)/truth.pfsa
	$(begin) pfsa-entropy $(one) $(if $(filter mam,$(call field,2,$*)),--mix 0.9) -l $(LENGTH) \
	    $(features) -o $@.tmp $(finish)

moments = motif-freq $(one) $(features) --feature length --max-length 100 $< -o $@.tmp
$(OUT)/run/%/r.moments: $$(call r_of,$$*)/r.sample
	$(begin) $(moments) $(finish)
$(OUT)/run/%/S.moments: $(OUT)/run/%/S
	$(begin) $(moments) $(finish)
$(OUT)/run/%/pi.moments: $(OUT)/run/%/pi.sample
	$(begin) $(moments) $(finish)

first_string = $$(head -n 1 $(1))
$(OUT)/run/%/row.tsv: $(EXAMPLES)/row.awk $$(call r_of,$$*)/r.eval $$(call r_of,$$*)/rL.eval \
    $(foreach f,truth.moments r.moments S.moments pi.moments P.eval pi.eval,$(OUT)/run/%/$(f))
	$(begin) awk -v run=$* -v string_true="$(call first_string,$(call data_of,$*)/T)" \
	    -v string_r="$(call first_string,$(call r_of,$*)/r.sample)" \
	    -v string_pi="$(call first_string,$(here)/pi.sample)" -f $^ $(call r_of,$*)/r.seconds \
	    $(here)/g.report $(if $(filter %-cyclic,$*),$(here)/rounds.tsv) $(here)/S.stats $(here)/[gS].seconds \
	    $(here)/pi.seconds >$@.tmp $(finish)

## ---- the table of runs

# Published tables with the settings of this grid, and the runs in them.
PUBLISHED := $(if $(FRESH),,$(shell for d in $(RESULTS); do \
    if [ "$$(cat "$$d/settings" 2>/dev/null)" = '$(settings_now)' ]; then echo "$$d/results.tsv"; fi; done))
published_runs := $(if $(PUBLISHED),$(shell awk -F '\t' 'FNR > 1 { \
    print $$1 "-" $$2 "-" $$3 "-" $$4 "-" $$5 "-" $$6 "-" $$7 "-" $$8 }' $(PUBLISHED)))

# The rows that exist and those to make, in the order of RUNS.  PARTIAL=1 makes none.
all_rows := $(RUNS:%=$(OUT)/run/%/row.tsv)
wanted := $(if $(PARTIAL),,$(filter-out $(published_runs:%=$(OUT)/run/%/row.tsv),$(all_rows)))
ROWS := $(filter $(wildcard $(all_rows)) $(wanted),$(all_rows))
# Checked each time, since the list of rows can change; rewritten only if the rows have changed.
table = awk -v runs='$(RUNS)' -f $(EXAMPLES)/table.awk $(ROWS) $(PUBLISHED) </dev/null >$@.tmp && \
    if cmp -s $@.tmp $@; then rm $@.tmp; else mv $@.tmp $@; fi
FORCE:
.PHONY: FORCE
