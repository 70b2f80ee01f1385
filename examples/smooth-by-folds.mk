# SPDX-License-Identifier: MIT
# smooth-by-folds.mk: chooses how much a base model is smoothed by cross-validation, with a base
# model trained anew for each fold.
#
#   make -f smooth-by-folds.mk DATA=D FEATURES='-m 10001011111000 --ft 1001111'
#   make -f smooth-by-folds.mk DATA=words ALPHABET=a-z FEATURES='--feature suffix:ing' OUT=words
#
# gam-fit --valid chooses the weight of the n-gram in the base by one validation set.  With few
# strings that set is small.  Here each string of DATA is held out once:
#
#   I/r.lstm     an LSTM trained on all folds but I; a fifth of these strings stops it
#   I/C.gam      the GAM over it, with gam-fit --smooth C, for each weight C of WEIGHTS
#   C.scores     log P of the strings of each fold under the GAM made without them
#   table        the weights, best first, with paired differences; see lm-compare(1)
#   P.gam        the best weight with all strings of DATA: r on four fifths, stopped on the rest
#
# So no string is predicted by a model that has seen it, or was stopped on it.  Use -j to train
# folds at the same time.

DATA :=
ALPHABET := 01
FEATURES :=
FOLDS := 5
WEIGHTS := 0 0.02 0.05 0.1 0.2 0.3 0.5 0.7 0.85 0.95 1
SEED := 1
OUT := smooth-by-folds
TRAIN :=

export LC_ALL := C
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := $(OUT)/P.gam

folds := $(shell seq $(FOLDS))
scores := $(foreach c,$(WEIGHTS),$(OUT)/$(c).scores)
.SECONDARY:

$(OUT)/P.gam: $(OUT)/table $(OUT)/r.lstm
	c=$$(awk -F '\t' 'NR == 2 { sub(/\.scores$$/, "", $$1); print $$1 }' $<) && \
	    echo "smooth-by-folds.mk: weight $$c" && \
	    gam-fit -q -s $(SEED) --base $(OUT)/r.lstm --smooth $$c $(FEATURES) $(OUT)/shuffled -o $@

$(OUT)/table: $(scores)
	cd $(OUT) && lm-compare --scores $(notdir $(scores)) -o table
	awk -F '\t' 'NR == 1 { print "weight\tce\tce_se\tdiff\tdiff_se\tp" } NR > 1 { sub(/\.scores$$/, "", $$1); \
	    printf "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.2g\n", $$1, $$2, $$3, $$4, $$5, $$6 }' $@

# The strings in an order that depends on SEED alone.
$(OUT)/shuffled: $(DATA)
	@[ -n '$(DATA)' ] || { echo 'smooth-by-folds.mk: set DATA to a file of strings' >&2; exit 1; }
	@[ -n '$(FEATURES)' ] || { echo 'smooth-by-folds.mk: set FEATURES to options of gam-fit' >&2; exit 1; }
	mkdir -p $(OUT)
	gzip -cdf '$(DATA)' | awk -v seed=$(SEED) 'BEGIN { key = (seed * 48271 + 1) % 2147483647 } \
	    { sub(/\r$$/, ""); for (i = 0; i < 3; i++) key = (key * 16807 + 1) % 2147483647; \
	    printf "%010d %09d\t%s\n", key, NR, $$0 }' | sort | cut -f 2- >$@
	awk -v folds=$(FOLDS) 'END { if (NR < 2 * folds) { print "smooth-by-folds.mk: " NR " strings are too few" >"/dev/stderr"; exit 1 } }' $@

# All but fold I: D + V, with `others` for both; the fold is T.
define fold
$(OUT)/$(1)/T: $(OUT)/shuffled
	mkdir -p $(OUT)/$(1)
	awk -v n=$(FOLDS) -v i=$(1) -v to=$(OUT)/$(1) 'NR % n == i % n { print >(to "/T.tmp"); next } \
	    { print >(to "/others") } ++rest % 5 == 0 { print >(to "/V"); next } { print >(to "/D") }' $$<
	mv $$@.tmp $$@

$(OUT)/$(1)/r.lstm: $(OUT)/$(1)/T
	lstm-train -q -a $(ALPHABET) -s $(SEED) $(TRAIN) --valid $(OUT)/$(1)/V $(OUT)/$(1)/D -o $$@
endef
$(foreach i,$(folds),$(eval $(call fold,$(i))))

$(OUT)/r.lstm: $(OUT)/shuffled
	lstm-train -q -a $(ALPHABET) -s $(SEED) $(TRAIN) $< -o $@

define gam
$(OUT)/$(2)/$(1).gam: $(OUT)/$(2)/r.lstm
	gam-fit -q -s $(SEED) --base $$< --smooth $(1) $(FEATURES) $(OUT)/$(2)/others -o $$@

$(OUT)/$(2)/$(1).scores: $(OUT)/$(2)/$(1).gam
	lm-eval -q --per-string --log-z-se 0.003 $$< $(OUT)/$(2)/T -o $$@
endef
$(foreach c,$(WEIGHTS),$(foreach i,$(folds),$(eval $(call gam,$(c),$(i)))))

define pool
$(OUT)/$(1).scores: $(foreach i,$(folds),$(OUT)/$(i)/$(1).scores)
	cat $$^ >$$@
endef
$(foreach c,$(WEIGHTS),$(eval $(call pool,$(c))))
