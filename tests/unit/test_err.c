/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "core/err.h"
#include "support/tap.h"

int
main(void)
{
    struct err e = {0};
    ok(err_set(&e, ERR_DATA, "%s:%d: bad", "f", 3) == ERR_DATA, "err_set returns its code");
    ok(e.code == ERR_DATA && strcmp(e.text, "f:3: bad") == 0, "code and text are kept");
    ok(err_set(&e, ERR_IO, "later") == ERR_IO && e.code == ERR_DATA, "the first error wins");
    err_prefix(&e, "--%s", "valid");
    ok(strcmp(e.text, "--valid: f:3: bad") == 0, "a context is put in front");

    struct err help = {0}, passed = {0};
    ok(err_advise(&help, ERR_LIMIT, REMEDY_LOWER_MAX_LENGTH, "%d", 7) == ERR_LIMIT &&
           help.remedy == REMEDY_LOWER_MAX_LENGTH && strcmp(help.text, "7") == 0,
       "an error with a remedy");
    err_advise(&help, ERR_LIMIT, REMEDY_GUIDED, "later");
    ok(help.remedy == REMEDY_LOWER_MAX_LENGTH, "the first error's");
    ok(err_pass(&passed, &help) == ERR_LIMIT && passed.remedy == help.remedy &&
           strcmp(passed.text, "7") == 0,
       "passed on");
    err_remedy(&passed, REMEDY_GUIDED);
    ok(passed.remedy == REMEDY_GUIDED && passed.code == ERR_LIMIT, "with another remedy");
    ok(err_pass(&help, &e) == ERR_DATA && help.code == ERR_LIMIT, "but not over an earlier one");

    struct err io = {0};
    errno = ENOENT;
    ok(err_errno(&io, "cannot open '%s'", "f") == ERR_IO, "err_errno is an I/O error");
    ok(strcmp(io.text, "cannot open 'f': No such file or directory") == 0, "with its reason");

    struct err none = {0};
    err_prefix(&none, "context");
    ok(none.code == ERR_NONE && none.text[0] == '\0', "no error gets no prefix");

    struct err full = {0};
    char big[2 * ERR_TEXT_MAX];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    err_set(&full, ERR_DATA, "'%s' is too long", big);
    ok(strlen(full.text) == ERR_TEXT_MAX - 1 && strncmp(full.text, "'xxx", 4) == 0 &&
           strstr(full.text, "x .. x") != NULL && strstr(full.text, "x' is too long") != NULL,
       "of an endless text beginning and end are kept");
    err_prefix(&full, "--%s", big);
    ok(strlen(full.text) == ERR_TEXT_MAX - 1 && strncmp(full.text, "--xxx", 5) == 0 &&
           strstr(full.text, "x' is too long") != NULL,
       "behind an endless context too");
    struct err gone = {0};
    errno = ENOENT;
    err_errno(&gone, "cannot open '%s'", big);
    ok(strstr(gone.text, "x': No such file or directory") != NULL, "and so is the reason");
    return tap_done();
}
