/* drydock/option.h: the options of plug-ins.
 *
 * A device model or a workload says in a table which options it takes. The user writes
 * "--device ./mine.so,lanes=4,mode=fast"; Drydock reads that, refuses what the table does not know
 * or what is out of bounds with one sentence, and hands over one value for each row of the table,
 * in the table's order. */
#ifndef DRYDOCK_OPTION_H
#define DRYDOCK_OPTION_H

#include <stdint.h>

#define DRYDOCK_OPTIONS_MAX 16 /* rows of a table */

/* One row; a row with key NULL ends the table. */
struct drydock_option {
    const char *key;  /* "lanes" */
    const char *help; /* a few words */
    /* A number from low to high, `initial` if it is not given. high 0: a text. */
    uint64_t initial, low, high;
};

/* What the user said, or what the table says that he did. */
struct drydock_value {
    uint64_t number;
    const char *text; /* of a text; NULL if it was not given */
};

#endif
