/* loading.h: libraries that a user plugs in, on their way into the process. */
#ifndef LOADING_H
#define LOADING_H

#include "drydock.h"

#define LOADING_NAME_MAX 4096

/* Until loading_end(): what fails is the library, and the process ends with its name and
 * EXIT_PLUGIN_FAULT. Nothing, of what is built in (no slash in its name). */
void loading_begin(const char *path);
void loading_end(void);
/* The symbol of a library, which a process of its own tries first; or NULL with a sentence in
 * error. Between these two. */
const void *loading_symbol(const char *option, const char *path, const char *symbol, char *error,
                           size_t error_size);
/* Says where the libraries lie that were loaded so far. */
void loading_tell(struct host_options *host);

#endif
