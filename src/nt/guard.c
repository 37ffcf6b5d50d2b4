/* nt/guard.c: what a routine of the driver must give back as it was, and the words for what it did
 * not. The call itself is nt_guard, in guard.S. */
#include "nt/internal.h"

#include <stdio.h>
#include <string.h>

enum {
    GENERAL_COUNT = 8,
    VECTOR_COUNT = 10,
    FLAG_DIRECTION = 0x400,
    FLAG_ALIGNMENT = 0x40000,
};

/* As guard.S lays it out. Of the last three only what differs from before the call. */
struct guard_state {
    uint64_t general[GENERAL_COUNT];
    _Alignas(16) uint64_t vectors[VECTOR_COUNT][2];
    uint64_t flags;
    uint32_t mxcsr, x87;
};

_Static_assert(offsetof(struct guard_state, vectors) == 64, "as in guard.S");
_Static_assert(offsetof(struct guard_state, flags) == 224, "as in guard.S");
_Static_assert(offsetof(struct guard_state, mxcsr) == 232, "as in guard.S");
_Static_assert(offsetof(struct guard_state, x87) == 236, "as in guard.S");

extern const struct guard_state guard_known __attribute__((visibility("hidden")));
void guard_tell(const struct nt_driver_call *call, const struct guard_state *found)
    __attribute__((visibility("hidden"), used));

/* What a routine finds in the registers that are not its own: numbers that no address can be. */
#define KNOWN(n) (0xB0A7D0C4u * 0x100000000u + (n))
#define KNOWN_VECTOR(n)     \
    {                       \
        KNOWN(n), ~KNOWN(n) \
    }

const struct guard_state guard_known = {
    .general = {KNOWN(0), KNOWN(1), KNOWN(2), KNOWN(3), KNOWN(4), KNOWN(5), KNOWN(6), KNOWN(7)},
    .vectors = {KNOWN_VECTOR(8), KNOWN_VECTOR(9), KNOWN_VECTOR(10), KNOWN_VECTOR(11),
                KNOWN_VECTOR(12), KNOWN_VECTOR(13), KNOWN_VECTOR(14), KNOWN_VECTOR(15),
                KNOWN_VECTOR(16), KNOWN_VECTOR(17)},
};

static void add_name(char *text, size_t size, const char *name)
{
    size_t length = strlen(text);

    snprintf(text + length, size - length, "%s%s", length ? ", " : "", name);
}

void guard_tell(const struct nt_driver_call *call, const struct guard_state *found)
{
    static const char *const general[GENERAL_COUNT] = {"rbx", "rbp", "rsi", "rdi",
                                                       "r12", "r13", "r14", "r15"};
    static const char *const vectors[VECTOR_COUNT] = {"xmm6",  "xmm7",  "xmm8",  "xmm9",  "xmm10",
                                                      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"};
    char names[NT_GUARD_NAMES_MAX] = "";

    for (unsigned i = 0; i < GENERAL_COUNT; i++) {
        if (found->general[i] != guard_known.general[i]) {
            add_name(names, sizeof(names), general[i]);
        }
    }
    for (unsigned i = 0; i < VECTOR_COUNT; i++) {
        if (memcmp(found->vectors[i], guard_known.vectors[i], sizeof(found->vectors[i])) != 0) {
            add_name(names, sizeof(names), vectors[i]);
        }
    }
    if (found->flags & FLAG_DIRECTION) {
        add_name(names, sizeof(names), "the direction flag");
    }
    if (found->flags & FLAG_ALIGNMENT) {
        add_name(names, sizeof(names), "the alignment check flag");
    }
    if (found->mxcsr) {
        add_name(names, sizeof(names), "the control bits of MXCSR");
    }
    if (found->x87) {
        add_name(names, sizeof(names), "the x87 control word");
    }
    if (nt_hooks.registers) {
        nt_hooks.registers(nt_hooks.ctx, call->what, names, call->routine);
    }
}
