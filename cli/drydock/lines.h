/* Which lines of the driver's sources a run reached (--lines). One run a process. */
#ifndef LINES_H
#define LINES_H

#include "drydock.h"

struct loader_cover;

/* Where lines begin, if the user wants to know. False: a sentence is in error. */
bool lines_find(const struct options *options, char *error, size_t error_size);
/* What the process of that part tells; lives as long as the program. NULL: nothing is wanted. */
const struct loader_cover *lines_cover(unsigned part);

/* After the run, first: the file. False: it was said why not. */
bool lines_write(const char *path);
/* For the report: a new reference. */
json_t *lines_value(void);
/* A line of the summary. */
void lines_tell(FILE *to);

#endif
