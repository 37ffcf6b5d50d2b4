/* The end of a run that is our own fault. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/record.h"

void check_failed(const char *file, int line, const char *function, const char *what)
{
    fprintf(stderr, "drydock: internal error: %s:%d: %s: %s\n", file, line, function, what);
    record_set_outcome(RUN_OUTCOME_OWN_FAULT, "%s:%d: %s: %s does not hold", file, line, function,
                       what);
    abort();
}
