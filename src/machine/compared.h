/* Compared: with what a driver compares bytes that a client gave it. Whoever knows nothing of a
 * driver's own format hears so what the driver expects in it: a mark, a version, a length.
 *
 *     compared_begin(bytes) ── compared_look() at each stepped instruction ── compared_end()
 *
 * A side of a comparison that lies in the bytes is known by its place, and one in a register, or in
 * a copy on the stack, by its value: what nobody knows of yet is filled with compared_fill(), where
 * no two words are alike. */
#ifndef MACHINE_COMPARED_H
#define MACHINE_COMPARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_trap;

#define COMPARED_MAX    64u
#define COMPARED_LENGTH UINT32_MAX /* for `at`: how many bytes there are was compared */

struct compared {
    uint32_t at;   /* where in the bytes */
    uint8_t size;  /* so many of them */
    uint64_t with; /* the other side */
};

/* Up to 64 KiB. */
void compared_fill(void *bytes, size_t size);
/* known: of each byte, whether it is no more that of compared_fill(); lives until the end. */
void compared_begin(const void *bytes, size_t size, const bool *known);
void compared_look(const struct step_trap *trap); /* struct step_request::looks */
/* The latest ones, in order, where the two sides were not alike. */
unsigned compared_end(struct compared out[COMPARED_MAX]);

#endif
