/* native.h: what modules, models and clients that mean harm have in common: deeds by the C library
 * alone, and the table in which each finds its own by name. */
#ifndef HOSTILE_NATIVE_H
#define HOSTILE_NATIVE_H

#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct native_deed {
    const char *name;
    void (*run)(void);
};

/* clang-format off */
#define DEED(name) {#name, name}
/* clang-format on */

static inline const struct native_deed *native_find(const struct native_deed *deeds, size_t count,
                                                    const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(deeds[i].name, name) == 0) {
            return &deeds[i];
        }
    }
    return NULL;
}

static inline void native_recurse(volatile char *before)
{
    volatile char room[1024];

    room[0] = *before;
    native_recurse(room);
    room[1] = 0;
}

static inline void recurses(void)
{
    char room = 0;

    native_recurse(&room);
}

static inline void closes_all(void)
{
    for (int i = 0; i < 64; i++) {
        close(i);
    }
}

/* To whom the process speaks of its run, without the secret. */
static inline void writes_words(void)
{
    static char text[4096];

    for (size_t i = 0; i < 8; i++) {
        (void)!write(3, text, 100 * i);
    }
    (void)!write(3, text, sizeof text);
}

#endif
