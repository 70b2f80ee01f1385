# SPDX-License-Identifier: MIT
# 2-two-stage.mk: the run of 1-two-stage.sh as a graph of files for make.
#
#   make -f 2-two-stage.mk                       write the files to ./two-stage
#   make -f 2-two-stage.mk OUT=/tmp/x SIZE=500   another directory and size
#
# Every file appears complete or not at all, since the tools write it with -o.  A run that was
# killed resumes where it was, an LSTM at its last epoch, and files that are up to date are not
# made again.  Use this form if you change one setting at a time.

MOTIF := 10001011111000
LENGTH := 30
FEATURES := -m $(MOTIF) --ft 1001111 --feature length:$(LENGTH)
SIZE := 100
VALID := 25
TEST := 5000
DISTIL := 20000
SAMPLE := 2000
SEED := 1
TRAIN :=
PI :=
FIT :=
# Smooth r with n-grams, so that P predicts V best; empty: r as it is.
SMOOTH = --valid $(OUT)/V
OUT := two-stage

export LC_ALL := C
.DELETE_ON_ERROR:
# Keep these intermediate files.  Not .PRECIOUS: that would also keep the incomplete sample of a
# gam-sample that reached its limit of proposals (exit status 3), and the next make would use it.
.SECONDARY: $(foreach m,r.lstm g.gam pi.lstm,$(OUT)/$(m).sample)
.SUFFIXES:

.PHONY: all
all: $(OUT)/table $(OUT)/comparison

$(OUT)/table: $(OUT)/exact $(foreach m,r.lstm g.gam pi.lstm,$(OUT)/$(m).eval $(OUT)/$(m).freq)
	awk -F '\t' -v OFS='\t' ' \
	    BEGIN { print "model", "CE", "motif" } \
	    FNR == 1 { n = split(FILENAME, part, "/"); split(part[n], name, ".") } \
	    $$1 == "entropy_per_char" { printf "source\t%.4f\t1\n", $$2 } \
	    $$1 == "ce" { ce = $$2 } \
	    $$1 == "$(MOTIF)" { printf "%s\t%.4f\t%.4f\n", name[1], ce, $$4 }' $^ >$@.tmp
	mv $@.tmp $@
	cat $@

# The source, and three samples of it: training, validation and test set, each with its own seed.

$(OUT)/truth.pfsa:
	mkdir -p $(OUT)
	pfsa-gen -l $(LENGTH) -m $(MOTIF) --build -o $@

$(OUT)/D: $(OUT)/truth.pfsa
	pfsa-gen -s $(SEED) -n $(SIZE) $< -o $@

$(OUT)/V: $(OUT)/truth.pfsa
	pfsa-gen -s 1$(SEED) -n $(VALID) $< -o $@

$(OUT)/T: $(OUT)/truth.pfsa
	pfsa-gen -s 2$(SEED) -n $(TEST) $< -o $@

# Training-1: r, lambda.  Training-2: D', V', pi.

$(OUT)/r.lstm: $(OUT)/D $(OUT)/V
	lstm-train -s $(SEED) $(TRAIN) --checkpoint $@.checkpoint --resume --valid $(OUT)/V $< -o $@
	rm -f $@.checkpoint

$(OUT)/g.gam: $(OUT)/D $(OUT)/V $(OUT)/r.lstm
	gam-fit -q -s $(SEED) $(SMOOTH) $(FIT) --base $(OUT)/r.lstm $(FEATURES) $< -o $@

$(OUT)/D2: $(OUT)/g.gam
	gam-sample -s 1$(SEED) -n $(DISTIL) $< -o $@

$(OUT)/V2: $(OUT)/g.gam
	gam-sample -s 2$(SEED) -n $$(($(DISTIL) / 10)) $< -o $@

$(OUT)/pi.lstm: $(OUT)/D2 $(OUT)/V2 $(OUT)/r.lstm
	lstm-train -s $(SEED) --recipe distil $(PI) --init $(OUT)/r.lstm --checkpoint $@.checkpoint --resume --valid $(OUT)/V2 $< -o $@
	rm -f $@.checkpoint

# Evaluation: CE on T given the maximum length of P, and the motif in samples.

$(OUT)/exact: $(OUT)/truth.pfsa
	pfsa-entropy $< -o $@

$(OUT)/%.eval: $(OUT)/% $(OUT)/T
	lm-eval --max-length $(LENGTH) $^ -o $@

$(OUT)/%.sample: $(OUT)/%
	gam-sample -s $(SEED) -n $(SAMPLE) $< -o $@

$(OUT)/%.freq: $(OUT)/%.sample
	motif-freq -m $(MOTIF) $< -o $@

# Is pi better than r?  Differences from r on the same strings, with their errors and p-values.

$(OUT)/comparison: $(OUT)/r.lstm $(OUT)/g.gam $(OUT)/pi.lstm $(OUT)/T
	lm-compare --reference $(OUT)/r.lstm $^ -o $@
	cat $@
