/* misbehave: the reference driver, with one thing done wrong.
 *
 * A *misbehaviour* is a row: the rule that it breaks, the DDI or callback that it stands in front
 * of, and the function that stands there. The function calls the real one and spoils one thing:
 *
 *     kernel ──> DDI of the row ──> softgpu ──> callback of the row ──> kernel
 *
 * The value Misbehave of the service key chooses a row: a REG_DWORD its number (from 1), a REG_SZ
 * its rule ("SUBMIT-003": the first row for it) or its name. Without it, or with a value that names
 * no row, the driver is the reference driver. tests/contract/ runs every row and expects its rule,
 * and that rule alone, to be reported; of a row that breaks no rule it expects silence. */
#ifndef MISBEHAVE_H
#define MISBEHAVE_H

#include "../../../drivers/softgpu/softgpu.h"
#include "scene.h"

enum misbehaviour_kind { MISBEHAVES_IN_DDI, MISBEHAVES_IN_CALLBACK };

struct misbehaviour {
    const char *rule; /* "SUBMIT_003" */
    const char *name; /* of the function */
    enum misbehaviour_kind kind;
    ULONG slot;  /* offset in DRIVER_INITIALIZATION_DATA or DXGKRNL_INTERFACE */
    ULONG width; /* 1; exists so that a function of another type does not compile */
    PVOID hook;
    ULONG scene; /* what the test has to do to make it happen: enum scene */
    void (*beside)(PDRIVER_INITIALIZATION_DATA table); /* puts functions elsewhere, too; or NULL */
};

/* Places for BREAKS_RULE: a DDI of the driver, or a callback, what the driver tells the kernel. */
#define IN_DDI(name)      MISBEHAVES_IN_DDI, DRIVER_INITIALIZATION_DATA, DxgkDdi##name
#define IN_CALLBACK(name) MISBEHAVES_IN_CALLBACK, DXGKRNL_INTERFACE, DxgkCb##name

#define BREAKS_RULE(rule_id, place, function, row_scene) \
    MISBEHAVIOUR_ROW(#rule_id, function, row_scene, place)
/* What takes more than one DDI. */
#define BREAKS_RULE_BESIDE(rule_id, place, function, row_scene, beside) \
    MISBEHAVIOUR_BESIDE(#rule_id, function, row_scene, beside, place)
#define BREAKS_NO_RULE_BESIDE(place, function, row_scene, beside) \
    MISBEHAVIOUR_BESIDE(HARMLESS, function, row_scene, beside, place)
/* What looks wrong, and what the contract does not forbid: nothing may be reported. */
#define BREAKS_NO_RULE(place, function, row_scene) \
    MISBEHAVIOUR_ROW(HARMLESS, function, row_scene, place)
/* What no rule speaks of, and is found all the same: the finding's name. */
#define IS_FOUND(finding, place, function, row_scene) \
    MISBEHAVIOUR_ROW(finding, function, row_scene, place)
#define HARMLESS "no rule"
#define MISBEHAVIOUR_ROW(rule_text, function, row_scene, ...) \
    MISBEHAVIOUR_FIELDS(rule_text, function, row_scene, NULL, __VA_ARGS__)
#define MISBEHAVIOUR_BESIDE(...) MISBEHAVIOUR_FIELDS(__VA_ARGS__)
#define MISBEHAVIOUR_FIELDS(rule_text, function, row_scene, beside, row_kind, type, member) \
    {                                                                                       \
        rule_text, #function, row_kind, (ULONG)FIELD_OFFSET(type, member),                  \
            sizeof(char[__builtin_types_compatible_p(__typeof__(&(function)),               \
                                                     __typeof__(((type *)0)->member))       \
                            ? 1                                                             \
                            : -1]),                                                         \
            (PVOID)(ULONG_PTR) & (function), row_scene, beside                              \
    }

struct misbehaviour_family {
    const struct misbehaviour *rows;
    ULONG count;
};

/* Another driver of this kind has families of its own. */
#ifndef MISBEHAVIOUR_FAMILIES
#define MISBEHAVIOUR_FAMILIES(FAMILY) \
    FAMILY(submit)                    \
    FAMILY(preempt)                   \
    FAMILY(paging)                    \
    FAMILY(tables)                    \
    FAMILY(queues)                    \
    FAMILY(render)                    \
    FAMILY(gdi)                       \
    FAMILY(present)                   \
    FAMILY(interrupt)                 \
    FAMILY(objects)                   \
    FAMILY(adapter)                   \
    FAMILY(iommu_memory)              \
    FAMILY(recovery)                  \
    FAMILY(power)                     \
    FAMILY(display)                   \
    FAMILY(scaled)                    \
    FAMILY(clones)                    \
    FAMILY(planes)                    \
    FAMILY(overlays)                  \
    FAMILY(flips)                     \
    FAMILY(monitors)                  \
    FAMILY(outputs)                   \
    FAMILY(events)                    \
    FAMILY(exclusive)                 \
    FAMILY(features)                  \
    FAMILY(fences)                    \
    FAMILY(doorbells)                 \
    FAMILY(addresses)                 \
    FAMILY(host)
#endif

#define FAMILY(name) extern const struct misbehaviour_family misbehaviours_##name;
MISBEHAVIOUR_FAMILIES(FAMILY)
#undef FAMILY

#define MISBEHAVIOURS(name) \
    const struct misbehaviour_family misbehaviours_##name = {rows, RTL_NUMBER_OF(rows)}

/* What the reference driver registered, and what the kernel gave it. */
extern DRIVER_INITIALIZATION_DATA misbehave_driver;
extern DXGKRNL_INTERFACE misbehave_kernel;

/* Tells the kernel about a fence that it was told about already: harmless by itself. */
void misbehave_repeat_report(ULONG node);
/* The same at device level, from below. */
void misbehave_repeat_report_synchronised(ULONG node);

/* TRUE at its first call in the life of the image: most misbehaviours happen once. */
BOOLEAN misbehave_once(void);
/* TRUE at the call of that number, counted from 1. */
BOOLEAN misbehave_at(ULONG number);

/* What the tests read from the module. */
const struct misbehaviour *misbehave_row(ULONG number); /* from 1; NULL behind the last */

#endif
