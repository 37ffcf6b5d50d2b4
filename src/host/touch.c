/* Faults of memory that has an owner and bounds: pool, contiguous memory, what the kernel handed to
 * the driver and took back. Each names the thing, where it was touched, and by whom. Whoever made
 * the touch, the pointer is the driver's. */
#include "host/internal.h"

#include <stdio.h>

#define BY_MAX (3 * LOADER_TEXT_MAX + 32)

static const char *verb_of(const struct loader_fault *fault)
{
    static const char *const verbs[] = {"touched", "read", "written", "executed"};

    return verbs[fault->access];
}

static void by_whom(const struct loader_fault *fault, char text[BY_MAX])
{
    if (fault->kind == LOADER_FAULT_HOST_CALL) {
        snprintf(text, BY_MAX, "in %s called from %s%s%s", fault->host_function, fault->caller,
                 fault->callers[0] ? ", " : "", fault->callers);
    } else {
        snprintf(text, BY_MAX, "at %s%s%s", fault->where, fault->callers[0] ? ", called " : "",
                 fault->callers);
    }
}

/* A block of the driver's; of_pool is " of paged pool" where the kind of pool is what matters. */
static void pool_block_text(const struct nt_pool_block *block, const char *of_pool,
                            char text[HOST_BLOCK_MAX])
{
    char tag[5], where[LOADER_TEXT_MAX];

    nt_pool_tag_text(block->tag, tag);
    loader_location_text(block->from.caller, where, sizeof where);
    snprintf(text, HOST_BLOCK_MAX, "block '%s' of %zu bytes%s, allocated at %s", tag, block->size,
             of_pool, where);
}

void host_block_text(const struct nt_pool_block *block, char text[HOST_BLOCK_MAX])
{
    char where[LOADER_TEXT_MAX];

    loader_location_text(block->from.caller, where, sizeof where);
    if (!block->kind) {
        pool_block_text(block, "", text);
    } else if (block->handed) {
        /* Where in Drydock it was allocated is of no use to anybody. */
        snprintf(text, HOST_BLOCK_MAX, "%s (%zu bytes that the kernel handed to the driver)",
                 block->kind, block->size);
    } else {
        snprintf(text, HOST_BLOCK_MAX, "%zu bytes of %s, allocated at %s", block->size, block->kind,
                 where);
    }
}

/* ---- What the kernel handed to the driver ---------------------------------------------------- */

/* A touch as it is told: of what, by whom, and how far from its begin. */
struct told {
    const struct loader_fault *fault;
    const char *what;
    int64_t offset;
    const char *by;
};

static void fault_arguments(const struct loader_fault *fault, uint64_t arguments[4])
{
    arguments[0] = fault->access_address;
    arguments[1] = fault->access == LOADER_ACCESS_WRITE;
    arguments[2] = (uintptr_t)fault->address;
    arguments[3] = 0;
}

/* Written: the breach of the rule that speaks of it in the call that runs, or of the one about all
 * calls. Read: nobody promises what is there, nor that anything is. (Compiled code may begin the
 * assignment of a bit field so: what the processor did is told, not what was meant.) */
static void handed_left(const struct told *told)
{
    const struct loader_fault *fault = told->fault;
    struct contract_finding finding = {
        .rule = CONTRACT_JUDGES(GEN_009), .ddi = host_point_name(), .fatal = true};
    const char *side = told->offset < 0 ? "before its begin" : "past its end", *member;
    char actual[RECORD_TEXT_MAX];
    uint64_t arguments[4];

    if (fault->access != LOADER_ACCESS_WRITE) {
        fault_arguments(fault, arguments);
        host_finding("FAULT", "memory used inside the bounds it was given with", true, 0x50,
                     arguments, "%s was %s %s at offset %lld, %s", told->what, verb_of(fault), side,
                     (long long)told->offset, told->by);
        return;
    }
    (void)ddi_write_behind((const void *)fault->access_address, &finding, &member);
    snprintf(actual, sizeof actual, "%s was written %s at offset %lld, %s", told->what, side,
             (long long)told->offset, told->by);
    host_breach(&finding, "writes inside of what the call gave", actual);
}

static void handed_late(const struct told *told, const char *when)
{
    uint64_t arguments[4];

    fault_arguments(told->fault, arguments);
    host_finding("FAULT", "memory used while it is the driver's", true, 0x50, arguments,
                 "%s was %s at offset %lld %s, %s", told->what, verb_of(told->fault),
                 (long long)told->offset, when, told->by);
}

static bool is_outside(const struct ram_thing *thing)
{
    return thing->offset < 0 || (uint64_t)thing->offset >= thing->size;
}

static void thing_touch(const struct loader_fault *fault, const struct ram_thing *thing)
{
    char by[BY_MAX], what[96];
    const struct told told = {fault, what, thing->offset, by};

    by_whom(fault, by);
    if (is_outside(thing)) {
        snprintf(what, sizeof what, "%s of %zu bytes", thing->what, thing->size);
        handed_left(&told);
    } else {
        snprintf(what, sizeof what, "%s", thing->what);
        handed_late(&told, "after its last packet had ended and before it was handed out again");
    }
}

/* ---- Pool and contiguous memory -------------------------------------------------------------- */

static void own_touch(const struct told *told, const struct nt_pool_touch *touch)
{
    const char *verb = verb_of(told->fault);
    char freed[NT_ORIGIN_MAX];
    uint64_t arguments[4];

    fault_arguments(told->fault, arguments);
    if (touch->pageable) {
        arguments[2] = arguments[1];
        arguments[1] = irql_current();
        arguments[3] = (uintptr_t)told->fault->address;
        host_finding("IRQL",
                     touch->block.of_client
                         ? "memory of a client, which is pageable, used at or below APC_LEVEL"
                         : "pageable memory used at or below APC_LEVEL",
                     true, 0xD1, arguments, "%s, was %s at IRQL %u %s", told->what, verb,
                     irql_current(), told->by);
    } else if (touch->freed) {
        nt_origin_text(&touch->freed_by, freed, sizeof freed);
        host_finding("POOL", "pool blocks used while they are allocated", true, 0xD5, arguments,
                     "%s, was %s after it was freed at %s, at offset %lld %s", told->what, verb,
                     freed, (long long)told->offset, told->by);
    } else {
        host_finding("POOL", "pool blocks used inside their bounds", true, 0xD6, arguments,
                     "%s, was %s %s at offset %lld %s", told->what, verb,
                     told->offset < 0 ? "before its begin" : "past its end",
                     (long long)told->offset, told->by);
    }
}

static void block_touch(const struct loader_fault *fault, const struct nt_pool_touch *touch)
{
    char block[HOST_BLOCK_MAX], by[BY_MAX];
    const struct told told = {fault, block, touch->offset, by};

    if (touch->pageable && !touch->block.kind) {
        pool_block_text(&touch->block, " of paged pool", block);
    } else {
        host_block_text(&touch->block, block);
    }
    by_whom(fault, by);
    if (!touch->block.handed || touch->pageable) {
        own_touch(&told, touch);
    } else if (touch->freed) {
        handed_late(&told, "after the kernel took it back");
    } else {
        handed_left(&told);
    }
}

/* Memory of a client that a variation took away: a driver has a handler for that. */
static bool taken_touch(const struct loader_fault *fault)
{
    size_t offset;
    const char *what = ram_taken_at((const void *)fault->access_address, &offset);
    const uint64_t arguments[4] = {fault->code, (uintptr_t)fault->address};
    char by[BY_MAX];

    if (!what) {
        return false;
    }
    by_whom(fault, by);
    host_finding("FAULT", "every access to a client's memory is inside __try [RENDER-002]", true,
                 0x7E, arguments,
                 "%s, which a client may take away at any time, was touched at offset %zu outside "
                 "of any __try, %s",
                 what, offset, by);
    return true;
}

/* Registers, or memory of the device, behind the end of its mapping; pages of an MDL, too, and what
 * lies around them. */
static bool mapping_touch(const struct loader_fault *fault)
{
    const void *address = (const void *)fault->access_address;
    char what[NT_MAPPING_TEXT_MAX], by[BY_MAX];
    uint64_t arguments[4];
    bool is_devices = nt_mapping_text(address, what, sizeof what);

    if (!is_devices && !nt_mdl_view_text(address, what, sizeof what)) {
        return false;
    }
    fault_arguments(fault, arguments);
    by_whom(fault, by);
    host_finding("FAULT",
                 is_devices ? "memory of the device used where it is mapped"
                            : "mapped pages used inside their bounds, and while they are mapped",
                 true, 0x50, arguments, "%s, was %s %s", what, verb_of(fault), by);
    return true;
}

/* ---- Whose it is ----------------------------------------------------------------------------- */

static uint64_t distance(int64_t offset, size_t size)
{
    return offset < 0                 ? (uint64_t)-offset
           : (uint64_t)offset >= size ? (uint64_t)offset - size + 1
                                      : 0;
}

/* Who reads past what a client mapped, or past memory that nobody named, means no neighbour. */
static bool is_nearer_to_nameless(const struct nt_pool_touch *block, const struct ram_thing *thing)
{
    int64_t block_in_view = thing->offset - block->offset;

    return distance(thing->offset, thing->size) < distance(block->offset, block->block.size) &&
           (block_in_view < 0 || (uint64_t)block_in_view >= thing->size);
}

/* What lies in views, next to each other: the nearer one is meant. */
struct owner {
    bool is_block, is_thing;
    struct nt_pool_touch block;
    struct ram_thing thing;
};

static struct owner owner_of(uintptr_t at)
{
    struct owner owner;

    if (lent_near((const void *)at, &owner.thing)) {
        owner.is_block = false;
        owner.is_thing = true;
        return owner;
    }
    owner.is_block = nt_pool_explain((const void *)at, &owner.block);
    owner.is_thing = ram_thing_near((const void *)at, &owner.thing);
    if (owner.is_thing && !owner.thing.what) {
        owner.is_block = owner.is_block && !is_nearer_to_nameless(&owner.block, &owner.thing);
        owner.is_thing = false;
    }
    if (owner.is_thing && !owner.thing.shut && !is_outside(&owner.thing)) {
        owner.is_thing = false; /* it is open there: the fault has another reason */
    }
    if (owner.is_block && owner.is_thing) {
        owner.is_block = distance(owner.block.offset, owner.block.block.size) <
                         distance(owner.thing.offset, owner.thing.size);
        owner.is_thing = !owner.is_block;
    }
    return owner;
}

bool host_touch(const struct loader_fault *fault)
{
    if (fault->access == LOADER_ACCESS_NONE) {
        return false;
    }
    struct owner owner = owner_of(fault->access_address);
    if (owner.is_block) {
        block_touch(fault, &owner.block);
    } else if (owner.is_thing) {
        thing_touch(fault, &owner.thing);
    }
    return owner.is_block || owner.is_thing || taken_touch(fault) || mapping_touch(fault);
}

/* The table of the kernel's routines has a Size, and drivers that were built for newer headers than
 * their version's copy more: on computers something lies there that they do not use. */
bool host_touch_is_admitted(void *ctx, uintptr_t address)
{
    struct owner owner = owner_of(address);
    const struct nt_pool_block *block = &owner.block.block;
    char what[HOST_BLOCK_MAX], note[HOST_BLOCK_MAX + 256];

    (void)ctx;
    if (!owner.is_block || owner.block.freed || owner.block.offset < (int64_t)block->size ||
        (uint64_t)owner.block.offset >= ddi_handed_at_most(block->kind) ||
        !nt_memory_open_behind(block->address)) {
        return false;
    }
    host_block_text(block, what);
    snprintf(note, sizeof note,
             "advice: %s: %s was read past its end at offset %lld; its Size is that of the version "
             "that the driver registered, and behind it lies nothing of the kernel's",
             host_point_name(), what, (long long)owner.block.offset);
    record_note(note);
    record_count("driver.advice", 1);
    return true;
}

/* What no address has: the processor says nothing of one that is not canonical. */
#define NO_ADDRESS  UINTPTR_MAX
#define SHARED_PAGE 0xFFFFF78000000000u /* KUSER_SHARED_DATA */

/* In the upper half, and not in the page of the system that everybody may read, of which less is
 * there than on Windows. */
static bool is_of_upper_half(uintptr_t address)
{
    return address >= (uintptr_t)*__imp_MmSystemRangeStart && address != NO_ADDRESS &&
           address - SHARED_PAGE >= PAGE_SIZE;
}

/* As on Windows, where only what may be a client's memory gives an exception; bug check 0x50: no
 * handler is asked about an address of the system. */
bool host_touch_is_fatal(void *ctx, uintptr_t address)
{
    const void *place = (const void *)address;
    char text[NT_MAPPING_TEXT_MAX];
    struct owner owner = owner_of(address);

    (void)ctx;
    return owner.is_block || owner.is_thing || loader_image_at(place) ||
           is_of_upper_half(address) || nt_mapping_text(place, text, sizeof text) ||
           nt_mdl_view_text(place, text, sizeof text);
}
