/* base/file.h: files that a user names, read whole. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a regular file of at most limit bytes into memory that the caller frees. False: a sentence
 * that names the file is in error, and *bytes and *size mean nothing. */
bool file_read(const char *path, size_t limit, void **bytes, size_t *size, char *error,
               size_t error_size);

/* The name of a file of this system: a backslash is a letter of it. */
const char *file_base_name(const char *path);

/* The name of a file that debug data tells of, which may have been built on Windows. */
const char *file_source_name(const char *path);

#endif
