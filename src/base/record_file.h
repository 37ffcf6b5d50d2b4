/* base/record_file.h: a record in a file, for whoever compares two runs. */
#ifndef BASE_RECORD_FILE_H
#define BASE_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/record.h"

/* Writes all but the blobs. False: errno says why. */
bool record_save(struct record *record, FILE *file);
/* A record for readers, or NULL: a sentence that names the file is in error. Everything in it is as
 * hostile as in one that a driver wrote. */
struct record *record_load(const char *path, char *error, size_t error_size);

#endif
