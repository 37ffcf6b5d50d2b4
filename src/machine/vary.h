/* Variations: what a run does otherwise than a calm one, switched by name and drawn from the seed.
 *
 *     variations.def ── enum variation ── vary_on(), vary_happens() where a choice is made
 *                                              │
 *                                     counted and recorded, each time
 *
 * Whoever has a choice that Windows may make the other way asks here. All are off unless the
 * machine was made with them. A variation draws from randomness of its own: switching one on or
 * off, or adding one, does not shift the numbers that others draw. */
#ifndef MACHINE_VARY_H
#define MACHINE_VARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum variation {
#define VARIATION(id, name, share, sentence) VARY_##id,
#include "machine/variations.def"
#undef VARIATION
    VARY_COUNT
};

struct vary_set {
    bool on[VARY_COUNT];
};

struct vary_info {
    const char *name, *sentence;
    unsigned share; /* in hundredths of varied parts; 0: see variations.def */
};
const struct vary_info *vary_info(enum variation variation);

/* "a,b", "all" or "none". False: *wrong is the word that is no variation, of *wrong_length bytes.
 */
bool vary_set_read(const char *list, struct vary_set *set, const char **wrong,
                   size_t *wrong_length);
/* The names, as vary_set_read() takes them. */
void vary_set_write(const struct vary_set *set, char *list, size_t size);
#define VARY_LIST_MAX 4096 /* room for the names of all */
/* Those of the index-th varied part of a run. Parts come in pairs, in which each variation is on in
 * one of the two if its share is a half; so few parts have them all, and in ever new company.
 * `ours`: the driver shares Drydock's reading of the documents. */
void vary_set_choose(uint64_t seed, unsigned index, bool ours, struct vary_set *set);

/* ---- While the machine runs -------------------------------------------------------------- */

/* Those of the machine; in the open, since most are off whenever they are asked for. */
extern struct vary_set vary_in_force;

static inline bool vary_on(enum variation variation)
{
    return vary_in_force.on[variation];
}

bool vary_draw(enum variation variation, unsigned one_in); /* of one that is on */
/* Draws whether it happens now, once in `one_in` times if it is on; if so it is counted and
 * recorded. */
static inline bool vary_happens(enum variation variation, unsigned one_in)
{
    return vary_on(variation) && vary_draw(variation, one_in);
}
/* For what happens without a draw. */
void vary_happened(enum variation variation);
/* A further number of the variation, in [0, bound). */
uint64_t vary_below(enum variation variation, uint64_t bound);

#endif
