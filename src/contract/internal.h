/* What the files of contract/ share: the generated table and the families' rows. */
#ifndef CONTRACT_INTERNAL_H
#define CONTRACT_INTERNAL_H

#include "contract/contract.h"

extern const struct contract_rule_info contract_rules[CONTRACT_RULE_COUNT];

/* Each family's file defines one of these. */
#define CONTRACT_FAMILIES(FAMILY)                               \
    FAMILY(submit)                                              \
    FAMILY(interrupt)                                           \
    FAMILY(paging)                                              \
    FAMILY(render)                                              \
    FAMILY(present)                                             \
    FAMILY(objects)                                             \
    FAMILY(adapter)                                             \
    FAMILY(recovery)                                            \
    /* The kernel's own duties: what it hands to the driver. */ \
    FAMILY(kernel_call)                                         \
    FAMILY(kernel_submit)                                       \
    FAMILY(kernel_patch)                                        \
    FAMILY(kernel_paging)                                       \
    FAMILY(kernel_render)                                       \
    FAMILY(kernel_present)                                      \
    FAMILY(kernel_objects)                                      \
    FAMILY(kernel_adapter)

#define FAMILY(name) extern const struct contract_family contract_family_##name;
CONTRACT_FAMILIES(FAMILY)
#undef FAMILY

#define FAMILY_OF(rows_array)                                    \
    {                                                            \
        rows_array, sizeof(rows_array) / sizeof((rows_array)[0]) \
    }

#define BEFORE(rule_name, point_name, check_fn)                                    \
    {                                                                              \
        RULE_##rule_name, POINT_##point_name, MOMENT_BEFORE, check_fn, 0, 0, false \
    }
#define AFTER(rule_name, point_name, check_fn)                                    \
    {                                                                             \
        RULE_##rule_name, POINT_##point_name, MOMENT_AFTER, check_fn, 0, 0, false \
    }
/* The breach is a bug check on Windows: it ends the run. */
#define AFTER_STOP(rule_name, point_name, check_fn, code, sub)                         \
    {                                                                                  \
        RULE_##rule_name, POINT_##point_name, MOMENT_AFTER, check_fn, code, sub, false \
    }
#define BEFORE_STOP(rule_name, point_name, check_fn, code, sub)                         \
    {                                                                                   \
        RULE_##rule_name, POINT_##point_name, MOMENT_BEFORE, check_fn, code, sub, false \
    }
/* A duty of the kernel, seen in what it gives the driver. */
#define KERNEL(rule_name, point_name, check_fn)                                   \
    {                                                                             \
        RULE_##rule_name, POINT_##point_name, MOMENT_BEFORE, check_fn, 0, 0, true \
    }
#define KERNEL_AFTER(rule_name, point_name, check_fn)                            \
    {                                                                            \
        RULE_##rule_name, POINT_##point_name, MOMENT_AFTER, check_fn, 0, 0, true \
    }

/* Common checks. */
bool contract_status_in(struct contract_call *call, const NTSTATUS *allowed, unsigned count,
                        const char *expected);
/* Did the driver do it? One code tells by its number of a success and means a refusal. */
static inline bool has_succeeded(const struct contract_call *call)
{
    return NT_SUCCESS(call->status) && call->status != STATUS_GRAPHICS_DRIVER_MISMATCH;
}

/* How far a DDI moved a pointer on; one that went back comes out as more than any buffer holds. */
static inline uint64_t contract_moved(const void *from, const void *to)
{
    return (uint64_t)((uintptr_t)to - (uintptr_t)from);
}

/* The CONTRACT_CANARY_BYTES that the kernel keeps behind every buffer it hands out. */
bool contract_canary_intact(const void *end);

uint64_t contract_hash(const void *bytes, size_t size);

/* Keeps the shadow up to date; runs after the rows of a point, at each moment: rows see what was
 * so before the call, and before its answer. */
void contract_shadow_follow(struct contract_call *call, enum contract_moment moment);
/* The same for what the kernel's own duties need; kernel_shadow.c. */
void contract_kernel_follow(struct contract_call *call, enum contract_moment moment);

#endif
