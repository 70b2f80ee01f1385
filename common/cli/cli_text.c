/* SPDX-License-Identifier: MIT */
#include "cli/cli_text.h"

#include <stdio.h>
#include <xxhash.h>
#include <zlib.h>

#include "cli/cli.h"
#include "core/version.h"
#include "io/output.h"

/* "  -l, --length N      text", continued lines indented to the same column. */
static void
help_option(struct out *out, const struct cli_option *o, struct err *e)
{
    enum { COLUMN = 26 };
    char left[80], letter[8] = "    ";
    if (o->key < 256)
        snprintf(letter, sizeof letter, "-%c, ", o->key);
    int n = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name,
                     o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
    out_printf(out, e, "%s", left);
    if (n >= COLUMN - 1)
        out_printf(out, e, "\n%*s", COLUMN, "");
    else
        out_printf(out, e, "%*s", COLUMN - n, "");
    for (const char *p = o->help; *p != '\0'; p++)
        if (*p == '\n')
            out_printf(out, e, "\n%*s", COLUMN, "");
        else
            out_write(out, p, 1, e);
    out_write(out, "\n", 1, e);
}

static void
help_options(struct out *out, const struct cli_option *o, struct err *e)
{
    for (; o->help != NULL; o++)
        if ((o->flags & CLI_HEADING) != 0)
            out_printf(out, e, "\n%s:\n", o->help);
        else
            help_option(out, o, e);
}

void
cli_text_help(struct out *out, const struct cli_tool *tool, const struct cli_option *common,
              struct err *e)
{
    out_printf(out, e, "Usage: %s [OPTION]...%s%s\n%s\n", tool->name,
               tool->operands[0] != '\0' ? " " : "", tool->operands, tool->summary);
    if (tool->details != NULL)
        out_printf(out, e, "\n%s\n", tool->details);
    if (tool->options->help != NULL && (tool->options->flags & CLI_HEADING) == 0)
        out_printf(out, e, "\nOptions:\n");
    help_options(out, tool->options, e);
    out_printf(out, e, "\nCommon options:\n");
    help_options(out, common, e);
    if (tool->examples != NULL)
        out_printf(out, e, "\nExamples:\n%s\n", tool->examples);
    out_printf(out, e, "\nThe whole story: man %s; the toolkit: man gamut\n", tool->name);
}

void
cli_text_version(struct out *out, const struct cli_tool *tool, bool all, struct err *e)
{
    out_printf(out, e, "%s %s\n", tool->name, GAMUT_VERSION);
    if (all)
        out_printf(out, e, "compiler: %s\nzlib: %s\nxxHash: %u\n", __VERSION__, zlibVersion(),
                   XXH_versionNumber());
}
