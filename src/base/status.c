/* Names of status codes. The table is made at build time from include/wdk/ntstatus.h. */
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct status_entry {
    uint32_t code;
    const char *name;
};

static const struct status_entry entries[] = {
/* Sorted by code; of several names for one code the first in the header. */
#include "base/status_names.inc"
};

const char *status_name(NTSTATUS status)
{
    static char unknown[16];
    uint32_t code = (uint32_t)status;
    size_t low = 0;
    size_t high = sizeof(entries) / sizeof(entries[0]);

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[middle].code == code) {
            return entries[middle].name;
        }
        if (entries[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    snprintf(unknown, sizeof(unknown), "0x%08X", code);
    return unknown;
}
