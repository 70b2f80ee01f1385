/* SPDX-License-Identifier: MIT
 *
 * cli_text: what --help and --version print.
 */
#ifndef GAMUT_CLI_TEXT_H
#define GAMUT_CLI_TEXT_H

#include <stdbool.h>

struct cli_option;
struct cli_tool;
struct err;
struct out;

/* From the tool's table and that of the options it shares with others; both end
 * with a NULL help. */
void cli_text_help(struct out *out, const struct cli_tool *tool, const struct cli_option *common,
                   struct err *e);

/* `all`: also how it was built. */
void cli_text_version(struct out *out, const struct cli_tool *tool, bool all, struct err *e);

#endif
