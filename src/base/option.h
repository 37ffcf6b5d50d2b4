/* Reads what a user says to a plug-in, "key=value,key=value", by the plug-in's table. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "drydock/option.h"

#define OPTION_TEXT_MAX 1024

struct option_values {
    struct drydock_value values[DRYDOCK_OPTIONS_MAX];
    char text[OPTION_TEXT_MAX]; /* what texts point into */
};

/* table may be NULL: no options; text may be NULL or empty. False: a sentence is in error. */
bool option_values_read(struct option_values *out, const struct drydock_option *table,
                        const char *text, char *error, size_t error_size);

#endif
