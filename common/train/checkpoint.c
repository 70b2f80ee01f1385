/* SPDX-License-Identifier: MIT */
#include "train/checkpoint.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "core/err.h"
#include "core/seconds.h"
#include "io/output.h"
#include "lstm/lstm.h"
#include "model/container.h"
#include "train/training.h"

static int
put_all(const struct checkpoint *c, struct out *out, struct err *e)
{
    struct mdl_writer *w = mdl_writer_new(out, MDL_LSTM, c->meta, e);
    int rc = w == NULL ? ERR_NOMEM : lstm_put(c->model, w, e);
    if (rc == 0)
        rc = train_put(c->train, c->identity, w, e);
    if (rc == 0)
        rc = mdl_finish(w, e);
    mdl_writer_free(w);
    return rc;
}

int
checkpoint_save(struct checkpoint *c, struct err *e)
{
    if (c->path == NULL)
        return 0;
    struct out *out = out_open(c->path, e);
    if (out == NULL)
        return e->code;
    put_all(c, out, e);
    if (out_finish(out, e) == 0)
        c->saved = seconds_now();
    return e->code;
}

int
checkpoint_save_now_and_then(struct checkpoint *c, struct err *e)
{
    bool due = c->saved == 0 || seconds_now() - c->saved >= 1;
    return due ? checkpoint_save(c, e) : 0;
}

int
checkpoint_restore(struct checkpoint *c, struct err *e)
{
    if (access(c->path, F_OK) != 0 && errno == ENOENT)
        return 0;
    struct mdl *mdl = mdl_load(c->path, NULL, e);
    int rc = mdl == NULL ? e->code : train_restore(c->train, c->identity, mdl, e);
    mdl_free(mdl);
    if (rc != 0)
        return rc;
    c->saved = seconds_now();
    return 1;
}
