/* With what bytes are compared: the places and values of both sides of each comparison. */
#include "machine/compared.h"

#include <string.h>

#include "machine/internal.h"
#include "machine/step.h"

#define WORD_STEP     0x4F1Bu /* odd: 2^15 words are different ones */
#define WORD_FIRST    0x8A51u
#define WORD_BYTES    2u
#define BY_VALUE_MAX  2048u /* bytes from the begin that are looked through for a value */
#define TAKEN_MAX     4096u
#define POINTERS_FROM (UINT64_C(1) << 32) /* places of memory, which differ from build to build */
#define POINTERS_END  (UINT64_C(1) << 47)

static struct {
    const uint8_t *bytes; /* NULL: nobody looks */
    size_t size;
    const bool *known;
    unsigned count; /* of all; the latest are kept */
    struct compared seen[COMPARED_MAX];
} looked;

void compared_reset(void)
{
    looked.bytes = NULL;
}

void compared_fill(void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint16_t word = (uint16_t)(WORD_FIRST + i / WORD_BYTES * WORD_STEP);
        ((uint8_t *)bytes)[i] = (uint8_t)(word >> 8 * (i % WORD_BYTES));
    }
}

void compared_begin(const void *bytes, size_t size, const bool *known)
{
    looked.bytes = bytes;
    looked.size = size;
    looked.known = known;
    looked.count = 0;
}

unsigned compared_end(struct compared out[COMPARED_MAX])
{
    unsigned count = looked.count < COMPARED_MAX ? looked.count : COMPARED_MAX;

    for (unsigned i = 0; i < count; i++) {
        out[i] = looked.seen[(looked.count - count + i) % COMPARED_MAX];
    }
    looked.bytes = NULL;
    return count;
}

static bool is_known(size_t at, size_t size)
{
    for (size_t i = at; i < at + size; i++) {
        if (looked.known[i]) {
            return true;
        }
    }
    return false;
}

static bool find_word(uint64_t value, size_t size, struct compared *out)
{
    size_t end = looked.size < BY_VALUE_MAX ? looked.size : BY_VALUE_MAX;

    for (size_t at = 0; at + size <= end; at += WORD_BYTES) {
        if (memcmp(looked.bytes + at, &value, size) == 0 && !is_known(at, size)) {
            out->at = (uint32_t)at;
            out->size = (uint8_t)size;
            return true;
        }
    }
    return false;
}

/* The lower end of a range is taken away before what is left is compared. */
static bool find_beyond(uint64_t value, struct compared *out, uint64_t *taken)
{
    size_t end = looked.size < BY_VALUE_MAX ? looked.size : BY_VALUE_MAX;
    uint32_t word;

    for (size_t at = 0; at + sizeof word <= end; at += WORD_BYTES) {
        memcpy(&word, looked.bytes + at, sizeof word);
        uint32_t more = word - (uint32_t)value;
        if (more <= TAKEN_MAX && !is_known(at, sizeof word)) {
            out->at = (uint32_t)at;
            out->size = sizeof word;
            *taken = more;
            return true;
        }
    }
    return false;
}

/* A part of a word may have been widened: a shorter value is one of fewer bytes. */
static bool find_value(uint64_t value, unsigned size, struct compared *out, uint64_t *taken)
{
    *taken = 0;
    if (size >= 4 && value == looked.size) {
        *out = (struct compared){.at = COMPARED_LENGTH, .size = (uint8_t)size};
        return true;
    }
    for (unsigned bytes = size; bytes >= WORD_BYTES; bytes /= 2) {
        if (find_word(value, bytes, out)) {
            return true;
        }
        if (value >> 4 * bytes != 0) { /* more than half of them */
            break;
        }
    }
    return size >= sizeof(uint32_t) && value <= UINT32_MAX && find_beyond(value, out, taken);
}

/* What is in use of the driver's own stack may be read, and the structures that it was lent. */
static bool may_read(const struct step_trap *trap, uint64_t address, unsigned size)
{
    const void *low, *high;

    if (lent_holds((const void *)address)) {
        return lent_holds((const void *)(address + size - 1));
    }
    task_stack_bounds(&low, &high);
    return address >= trap->gpr[4] && address >= (uintptr_t)low && address < (uintptr_t)high &&
           size <= (uintptr_t)high - address && !task_stack_is_shut((const void *)address);
}

static void note(struct compared compared, uint64_t is, uint64_t with)
{
    bool is_pointer = with >= POINTERS_FROM && with < POINTERS_END;

    if (is != with && !is_pointer) {
        compared.with = with;
        looked.seen[looked.count++ % COMPARED_MAX] = compared;
    }
}

/* With what was taken away before: then that is an end, too. */
static bool note_value(uint64_t is, uint64_t with, unsigned size)
{
    struct compared found;
    uint64_t taken;

    if (!find_value(is, size, &found, &taken)) {
        return false;
    }
    if (taken != 0) {
        note(found, is, taken);
        with = (uint32_t)(with + taken);
    }
    note(found, is, with);
    return true;
}

void compared_look(const struct step_trap *trap)
{
    struct comparison comparison;

    if (!looked.bytes || !comparison_decode(trap->place, trap->gpr, &comparison)) {
        return;
    }
    uint64_t first = comparison.first, second = comparison.second;
    if (comparison.in_memory) {
        uint64_t at = comparison.address - (uintptr_t)looked.bytes;
        bool within = at < looked.size && comparison.size <= looked.size - at;
        if (!within && !may_read(trap, comparison.address, comparison.size)) {
            return;
        }
        first = 0;
        memcpy(&first, (const void *)comparison.address, comparison.size);
        if (within) {
            note((struct compared){.at = (uint32_t)at, .size = (uint8_t)comparison.size}, first,
                 second);
            return;
        }
    }
    if (!note_value(first, second, comparison.size)) {
        (void)note_value(second, first, comparison.size);
    }
}
