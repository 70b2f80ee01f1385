/* SPDX-License-Identifier: MIT */
#include "core/num.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"

static int
refuse_u64(const char *s, uint64_t lo, uint64_t hi, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%s' is not a whole number from %" PRIu64 " to %" PRIu64, s, lo,
                   hi);
}

int
num_parse_u64(const char *s, uint64_t lo, uint64_t hi, uint64_t *out, struct err *e)
{
    char *end;
    if (!isdigit((unsigned char)s[0]))
        return refuse_u64(s, lo, hi, e);
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (errno != 0 || *end != '\0' || v < lo || v > hi)
        return refuse_u64(s, lo, hi, e);
    *out = v;
    return 0;
}

/* True if all of `s` is a decimal number.  strtod would also accept blanks, hexadecimal,
 * "nan" and "infinity". */
static int
is_decimal(const char *s)
{
    size_t n = strspn(s, "0123456789.eE+-");
    return n > 0 && s[n] == '\0' && s[strcspn(s, "0123456789")] != '\0';
}

int
num_parse_f64(const char *s, double lo, double hi, double *out, struct err *e)
{
    char *end;
    double v = is_decimal(s) ? strtod(s, &end) : NAN;
    if (isnan(v) || *end != '\0' || !isfinite(v))
        return err_set(e, ERR_USAGE, "'%s' is not a number", s);
    if (v < lo || v > hi) {
        char a[NUM_TEXT_MAX], b[NUM_TEXT_MAX];
        return err_set(e, ERR_USAGE, "'%s' is not in the range %s to %s", s, num_text(lo, a),
                       num_text(hi, b));
    }
    *out = v;
    return 0;
}

int
num_parse_f64_inf(const char *s, double *out, struct err *e)
{
    if (strcmp(s, "inf") == 0 || strcmp(s, "-inf") == 0) {
        *out = s[0] == '-' ? -INFINITY : INFINITY;
        return 0;
    }
    return num_parse_f64(s, -HUGE_VAL, HUGE_VAL, out, e);
}

const char *
num_text(double x, char buf[NUM_TEXT_MAX])
{
    if (isnan(x))
        return strcpy(buf, "nan");
    if (isinf(x))
        return strcpy(buf, x < 0 ? "-inf" : "inf");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, NUM_TEXT_MAX, "%.*g", digits, x);
        if (strtod(buf, NULL) == x)
            break;
    }
    return buf;
}
