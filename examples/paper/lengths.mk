# SPDX-License-Identifier: MIT
# lengths.mk: the experiment of the paper's footnote.  The strings have varying lengths; the
# features are length and its square; mean and variance of the length before and after.

LENGTHS_PROCESS := --stop 0.15 -m 1001
LENGTHS_MAX := 100
LENGTHS := $(OUT)/lengths

lengths_features := --feature length --feature length2
lengths_recipe = $(if $(filter paper,$*),--recipe paper)
lengths_sample = gam-sample $(one) -n $(SAMPLE) $< -o $@.tmp

$(LENGTHS)/D: | $(OUT)/settings
	$(begin) pfsa-gen $(one) $(LENGTHS_PROCESS) -n $(LENGTHS_SIZE) -o $@.tmp $(finish)

$(LENGTHS)/exact:
	$(begin) pfsa-entropy $(one) $(LENGTHS_PROCESS) $(lengths_features) --max-length $(LENGTHS_MAX) \
	    -o $@.tmp $(finish)

# r-RECIPE, P-RECIPE, pi-RECIPE
$(LENGTHS)/r-%.lstm: $(LENGTHS)/D
	$(begin) lstm-train $(one) $(lengths_recipe) $(TRAIN) --max-length $(LENGTHS_MAX) $< -o $@.tmp $(finish)

$(LENGTHS)/P-%.gam: $(LENGTHS)/r-%.lstm $(LENGTHS)/D
	$(begin) gam-fit $(one) --regime snis --samples 200000 --l2 0 --base $< $(lengths_features) \
	    $(LENGTHS)/D -o $@.tmp $(finish)

$(LENGTHS)/pi-%.lstm: $(LENGTHS)/P-%.sample
	$(begin) lstm-train $(one) $(lengths_recipe) $(TRAIN) $(PI) --max-length $(LENGTHS_MAX) \
	    --valid-fraction 0.1 $< -o $@.tmp $(finish)

$(LENGTHS)/r-%.sample: $(LENGTHS)/r-%.lstm
	$(begin) $(lengths_sample) $(finish)
$(LENGTHS)/P-%.sample: $(LENGTHS)/P-%.gam
	$(begin) $(lengths_sample) $(finish)
$(LENGTHS)/pi-%.sample: $(LENGTHS)/pi-%.lstm
	$(begin) $(lengths_sample) $(finish)

$(LENGTHS)/%.moments: $(LENGTHS)/%.sample
	$(begin) motif-freq $(one) $(lengths_features) --max-length $(LENGTHS_MAX) $< -o $@.tmp $(finish)
$(LENGTHS)/D.moments: $(LENGTHS)/D
	$(begin) motif-freq $(one) $(lengths_features) --max-length $(LENGTHS_MAX) $< -o $@.tmp $(finish)

.PRECIOUS: $(LENGTHS)/r-%.lstm $(LENGTHS)/P-%.gam $(LENGTHS)/pi-%.lstm $(LENGTHS)/%.moments \
    $(LENGTHS)/r-%.sample $(LENGTHS)/P-%.sample $(LENGTHS)/pi-%.sample
lengths_recipes := default $(if $(filter smoke,$(SET)),,paper)
# The table depends on the settings alone, so that a published one is as good.
published_lengths := $(firstword $(wildcard $(PUBLISHED:%results.tsv=%lengths.md)))
ifneq ($(published_lengths),)
$(PAGE)/lengths.md: $(published_lengths)
	$(begin) cp $< $@.tmp $(finish)
else
$(PAGE)/lengths.md: $(LENGTHS)/exact $(LENGTHS)/D.moments \
    $(foreach c,$(lengths_recipes),$(foreach m,r P pi,$(LENGTHS)/$(m)-$(c).moments))
	$(begin) awk -F '\t' -v max=$(LENGTHS_MAX) ' \
	    function show() { \
	        if (file != "") \
	            printf "| %s | %.2f | %.1f |\n", file, max * first, max * max * (second - first * first) } \
	    BEGIN { print "| strings of | mean length | variance |\n|---|---|---|" } \
	    FNR == 1 { show(); n = split(FILENAME, part, "/"); file = part[n]; sub(/\.moments/, "", file); \
	        sub(/exact/, "the process, exactly", file); sub(/-default/, ", default recipe", file); \
	        sub(/-paper/, ", the paper\047s recipe", file) } \
	    $$1 == "moment:length" || $$1 == "length" { first = $$2 } \
	    $$1 == "moment:length2" || $$1 == "length2" { second = $$2 } \
	    END { show() }' $^ >$@.tmp $(finish)
endif
