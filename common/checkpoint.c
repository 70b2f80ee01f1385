/* SPDX-License-Identifier: MIT */
#include "checkpoint.h"

#include <errno.h>
#include <unistd.h>

#include "err.h"
#include "lstm.h"
#include "mdl.h"
#include "out.h"
#include "train.h"

int
checkpoint_save(const char *path, const struct train *t, const struct lstm *m,
                const struct meta *meta, uint64_t identity, struct err *e)
{
    struct out *out = out_open(path, e);
    if (out == NULL)
        return ERR_IO;
    struct mdl_writer *w = mdl_writer_new(out, MDL_LSTM, meta, e);
    int rc = w == NULL ? ERR_NOMEM : lstm_put(m, w, e);
    if (rc == 0)
        rc = train_put(t, identity, w, e);
    if (rc == 0)
        rc = mdl_finish(w, e);
    mdl_writer_free(w);
    if (rc == 0)
        return out_commit(out, e);
    out_abort(out);
    return rc;
}

int
checkpoint_restore(const char *path, struct train *t, uint64_t identity, struct err *e)
{
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    struct mdl *mdl = mdl_load(path, NULL, e);
    int rc = mdl == NULL ? ERR_FORMAT : train_restore(t, identity, mdl, e);
    mdl_free(mdl);
    return rc == 0 ? 1 : rc;
}
