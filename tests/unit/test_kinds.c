/* SPDX-License-Identifier: MIT
 *
 * The table of model kinds: each is complete, no two are equal, and the sections that a kind
 * writes are those that its readers use.
 */
#include <string.h>

#include "core/err.h"
#include "gam/gam.h"
#include "io/input.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "mix/mix.h"
#include "model/container.h"
#include "model/model.h"
#include "pfsa/pfsa.h"
#include "support/tap.h"

static bool
sections_valid(const struct section_rule *rule)
{
    for (const struct section_rule *r = rule; r->name != NULL; r++) {
        if (strlen(r->name) > SECTION_NAME_MAX || strcmp(r->name, "meta") == 0 || r->max_count == 0)
            return false;
        for (const struct section_rule *s = rule; s != r; s++)
            if (strcmp(s->name, r->name) == 0)
                return false;
    }
    return true;
}

static void
test_table(void)
{
    for (const struct model_kind *const *k = model_kinds; *k != NULL; k++) {
        bool steps = (*k)->step != NULL && (*k)->root != NULL && (*k)->state_bytes != NULL;
        bool weighs = (*k)->log_weight != NULL && (*k)->weight_bytes != NULL;
        unsigned same = 0;
        for (const struct model_kind *const *other = model_kinds; other != k; other++)
            same += (*other)->number == (*k)->number || strcmp((*other)->name, (*k)->name) == 0;
        ok(same == 0 && (*k)->number > 0, "%s: a number and a name of its own", (*k)->name);
        ok((*k)->read != NULL && (*k)->write != NULL && (*k)->describe != NULL &&
               (*k)->free != NULL && ((*k)->scratch_new == NULL) == ((*k)->scratch_free == NULL),
           "%s: complete", (*k)->name);
        ok(steps != weighs, "%s: autoregressive, or with weights of whole strings", (*k)->name);
        ok(sections_valid((*k)->sections), "%s: sections", (*k)->name);
    }
}

static bool
listed(const struct section_rule *rule, const char *name)
{
    while (rule->name != NULL && strcmp(rule->name, name) != 0)
        rule++;
    return rule->name != NULL || strcmp(name, "meta") == 0;
}

/* Whether all sections of a model that is written are in the table, and it is read again. */
static bool
comes_back(const struct model *m, struct err *e)
{
    size_t size;
    struct output *out = output_to_memory(e);
    if (model_write(m, m->meta, out, e) != 0)
        return false;
    const void *bytes = output_bytes(out, &size);
    struct input *in = input_from_memory(bytes, size, "again", e);
    struct container *file = container_read(in, e);
    bool all = file != NULL && container_kind(file) == m->kind;
    for (size_t i = 0; all && i < container_sections(file); i++)
        all = listed(m->kind->sections, container_section(file, i)->name);
    struct model *again = all ? model_read(file, e) : NULL;
    all = again != NULL && again->max_length == m->max_length &&
          alphabet_equal(&again->alphabet, &m->alphabet);
    model_free(again);
    container_free(file);
    input_close(in);
    output_abort(out);
    return all;
}

static void
test_file(const char *path, const struct model_kind *kind, const struct model_kind *other)
{
    struct err e = {0}, wrong = {0};
    struct model *m = model_load(path, &e);
    ok(m != NULL && m->kind == kind && m->meta != NULL, "%s: read as '%s'", path, kind->name);
    if (m == NULL)
        return;
    ok((pfsa_of(m) != NULL) == (kind == &pfsa_kind) &&
           (lstm_of(m) != NULL) == (kind == &lstm_kind) &&
           (gam_of(m) != NULL) == (kind == &gam_kind) && (mix_of(m) != NULL) == (kind == &mix_kind),
       "%s: as one kind, and no other", path);
    ok(model_proposal(m) == (m->base != NULL ? m->base : m) &&
           model_proposal(m)->kind->step != NULL,
       "%s: strings come from an autoregressive model", path);
    ok(comes_back(m, &e), "%s: written and read again", path);
    ok(model_load_kind(path, other, NULL, &wrong) == NULL && wrong.code == ERR_FORMAT &&
           strstr(wrong.text, kind->name) != NULL && strstr(wrong.text, other->name) != NULL,
       "%s", wrong.text);
    model_free(m);
}

int
main(void)
{
    test_table();
    test_file("tests/golden/mixture.pfsa", &pfsa_kind, &gam_kind);
    test_file("tests/golden/dna.lstm", &lstm_kind, &pfsa_kind);
    test_file("tests/golden/epoch.lstm", &lstm_kind, &gam_kind);
    test_file("tests/golden/dna.gam", &gam_kind, &lstm_kind);
    test_file("tests/golden/estimate.gam", &gam_kind, &pfsa_kind);
    test_file("tests/golden/dna.mix", &mix_kind, &lstm_kind);
    test_file("tests/golden/utf8.pfsa", &pfsa_kind, &lstm_kind);
    test_file("tests/golden/tokens.gam", &gam_kind, &mix_kind);
    ok(pfsa_of(NULL) == NULL && lstm_of(NULL) == NULL && gam_of(NULL) == NULL &&
           mix_of(NULL) == NULL,
       "nothing is no model");
    return tap_done();
}
