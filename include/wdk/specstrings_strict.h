/* specstrings_strict.h: nothing beyond specstrings.h here. */
#include <specstrings.h>
