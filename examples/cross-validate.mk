# SPDX-License-Identifier: MIT
# cross-validate.mk: compares recipes by cross-validation, with significance.
#
#   make -f cross-validate.mk DATA=words ALPHABET=abcdefghijklmnopqrstuvwxyz
#   make -f cross-validate.mk DATA=sites ALPHABET=ACGT FOLDS=10 RECIPES='pwm r' \
#       RECIPE_pwm='pfsa-train -a $$A --positional $$TRAIN -o $$MODEL' OUT=cv-sites
#
# A recipe NAME is a shell command RECIPE_NAME that makes a model from strings.  It sees the
# variables
#
#   TRAIN   the strings of all folds but one
#   D, V    the same, split: four fifths to train on, one fifth to stop or choose by
#   MODEL   the file to write
#   TMP     a directory for other files
#   A       the alphabet
#
# and may not look at other strings.  Each string of DATA is evaluated once, by the model that was
# made without it, so the folds together are one test set.  The last command prints the recipes,
# best first, with paired differences between strings; see lm-compare(1).  Write $$ for a $ of the
# shell.  Use -j to make models at the same time.

DATA :=
ALPHABET := 01
FOLDS := 5
SEED := 1
OUT := cross-validation
TRAIN :=
RECIPES := ngram r mix

RECIPE_ngram = pfsa-train -a $$A $$TRAIN -o $$MODEL
RECIPE_r = lstm-train -q -a $$A -s $(SEED) $(TRAIN) --valid $$V $$D -o $$MODEL
# Weights found on V, for models trained on D.
RECIPE_mix = lstm-train -q -a $$A -s $(SEED) $(TRAIN) --valid $$V $$D -o $$TMP/r.lstm && \
    pfsa-train -a $$A $$D -o $$TMP/n.pfsa && \
    lm-mix --valid $$V $$TMP/r.lstm $$TMP/n.pfsa -o $$MODEL

export LC_ALL := C
.DELETE_ON_ERROR:
.SUFFIXES:

folds := $(shell seq $(FOLDS))
scores := $(foreach n,$(RECIPES),$(OUT)/$(n).scores)
.SECONDARY: $(scores)

$(OUT)/table: $(scores)
	cd $(OUT) && lm-compare --scores $(notdir $(scores)) -o table
	awk -F '\t' 'NR == 1 { print "recipe\tce\tce_se\tdiff\tdiff_se\tp" } NR > 1 { sub(/\.scores$$/, "", $$1); \
	    printf "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.2g\n", $$1, $$2, $$3, $$4, $$5, $$6 }' $@

# The strings in an order that depends on SEED alone, so that folds do not depend on how DATA is
# sorted.
$(OUT)/shuffled: $(DATA)
	@[ -n '$(DATA)' ] || { echo 'cross-validate.mk: set DATA to a file of strings' >&2; exit 1; }
	mkdir -p $(OUT)
	gzip -cdf '$(DATA)' | awk -v seed=$(SEED) 'BEGIN { key = (seed * 48271 + 1) % 2147483647 } \
	    { sub(/\r$$/, ""); for (i = 0; i < 3; i++) key = (key * 16807 + 1) % 2147483647; \
	    printf "%010d %09d\t%s\n", key, NR, $$0 }' | sort | cut -f 2- >$@
	awk -v folds=$(FOLDS) 'END { if (NR < 2 * folds) { print "cross-validate.mk: " NR " strings are too few" >"/dev/stderr"; exit 1 } }' $@

# Fold I: test set T, and the others as TRAIN = D + V.
define fold
$(OUT)/$(1)/T: $(OUT)/shuffled
	mkdir -p $(OUT)/$(1)
	awk -v n=$(FOLDS) -v i=$(1) -v to=$(OUT)/$(1) 'NR % n == i % n { print >(to "/T.tmp"); next } \
	    { print >(to "/TRAIN") } ++rest % 5 == 0 { print >(to "/V"); next } { print >(to "/D") }' $$<
	mv $$@.tmp $$@
endef
$(foreach i,$(folds),$(eval $(call fold,$(i))))

define recipe
$(OUT)/$(2)/$(1).model: $(OUT)/$(2)/T
	mkdir -p $(OUT)/$(2)/$(1).tmp
	A='$(ALPHABET)' TRAIN=$(OUT)/$(2)/TRAIN D=$(OUT)/$(2)/D V=$(OUT)/$(2)/V \
	    MODEL=$$@ TMP=$(OUT)/$(2)/$(1).tmp sh -c '$$(RECIPE_$(1))'

$(OUT)/$(2)/$(1).scores: $(OUT)/$(2)/$(1).model $(OUT)/$(2)/T
	lm-eval --per-string --log-z-se 0.003 $$^ -o $$@
endef
$(foreach n,$(RECIPES),$(foreach i,$(folds),$(eval $(call recipe,$(n),$(i)))))

define pool
$(OUT)/$(1).scores: $(foreach i,$(folds),$(OUT)/$(i)/$(1).scores)
	cat $$^ >$$@
endef
$(foreach n,$(RECIPES),$(eval $(call pool,$(n))))
