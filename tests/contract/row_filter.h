/* row_filter.h: one row alone of a program with hundreds, by a pattern on the command line. Rules
 * are written with - in some names and with _ in others: either stands for both. */
#ifndef CONTRACT_ROW_FILTER_H
#define CONTRACT_ROW_FILTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>

/* False: no test has such a name, which it says. */
static inline bool row_filter(const struct CMUnitTest *tests, size_t count, const char *wanted)
{
    static char pattern[256];

    snprintf(pattern, sizeof pattern, "%s", wanted);
    for (char *at = pattern; *at; at++) {
        *at = *at == '-' || *at == '_' ? '?' : *at;
    }
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(pattern, tests[i].name, 0) == 0) {
            cmocka_set_test_filter(pattern);
            return true;
        }
    }
    fprintf(stderr, "no row has a name like %s\n", wanted);
    return false;
}

#endif
