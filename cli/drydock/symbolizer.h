/* Asks llvm-symbolizer, where it is installed, what addresses of a driver's image are in its
 * sources. */
#ifndef SYMBOLIZER_H
#define SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Printable characters alone; cut where they are longer. */
struct symbolizer_answer {
    char function[128]; /* without its arguments; "?" if it has no name */
    char file[512];     /* as the compiler was given it */
    uint32_t line;
    uint32_t function_line;  /* where the function begins; 0: not known */
    uint64_t function_start; /* as an offset */
    bool unwinds;            /* what destroys a function's objects where an exception leaves it */
};

struct symbolizer_questions {
    const char *driver; /* a path */
    unsigned seconds;   /* that may be spent */
    size_t count;
    void *context;
    uint64_t (*offset)(void *context, size_t index); /* from the image's base on */
    /* Of each that is known, in the order of the questions. */
    void (*answer)(void *context, size_t index, const struct symbolizer_answer *answer);
};

/* False: there is no such tool, or it did not come to the end. */
bool symbolizer_ask(const struct symbolizer_questions *questions);

#endif
