/* Commands as a client sends them that is broken, or wants to break something: the good ones cut,
 * changed or lengthened, with lists that name too little, or bytes that mean nothing at all. Render
 * is where a driver looks at them [RENDER-001, RENDER-002]. What it makes of them is cancelled and
 * never runs: a GPU may do with nonsense what it likes. */
#include "dxgk/work.h"

#include <string.h>

#define BYTES_MAX    (256u << 10) /* longer commands are sent as they are */
#define NOISE_MAX    4096
#define CHANGES_MAX  3
#define LISTED_MAX   4
#define ECHO_MAX     512
#define ECHO_SPOILED 4
#define LEARNED_SENT 6

/* In memory that ends with its page, before one that nobody may touch: a client's buffer does. */
struct spoiled_commands {
    struct dxgk_context *context;
    uint64_t frames[BYTES_MAX / MACHINE_PAGE_SIZE];
    size_t page_count;
    uint8_t *view, *bytes;
    struct dxgk_commands commands;
    UINT slot; /* of the list, and what stood there, if it is left out */
    struct dxgk_opening *left_out;
};

static UINT below(uint64_t bound)
{
    return (UINT)vary_below(VARY_BAD_COMMANDS, bound);
}

static bool make_room(struct spoiled_commands *spoiled, UINT size)
{
    spoiled->page_count = size / MACHINE_PAGE_SIZE + 2;
    const struct ram_request request = {.page_count = spoiled->page_count};

    if (spoiled->page_count > sizeof spoiled->frames / sizeof *spoiled->frames ||
        !NT_SUCCESS(ram_alloc_frames(&request, spoiled->frames))) {
        return false;
    }
    spoiled->view = ram_map_frames(spoiled->frames, spoiled->page_count, true);
    if (!spoiled->view) {
        ram_free_frames(spoiled->frames, spoiled->page_count);
        return false;
    }
    memset(spoiled->view, 0, spoiled->page_count * MACHINE_PAGE_SIZE);
    spoiled->bytes = spoiled->view + spoiled->page_count * MACHINE_PAGE_SIZE - align_up(size, 8);
    spoiled->commands.bytes = spoiled->bytes;
    spoiled->commands.size = size;
    return true;
}

static void drop_room(struct spoiled_commands *spoiled)
{
    ram_unmap_frames(spoiled->view, spoiled->page_count);
    ram_free_frames(spoiled->frames, spoiled->page_count);
}

static void fill_with_noise(struct spoiled_commands *spoiled, UINT from)
{
    for (UINT i = from; i < spoiled->commands.size && i < from + NOISE_MAX; i++) {
        spoiled->bytes[i] = (uint8_t)below(256);
    }
}

/* ---- The bytes ------------------------------------------------------------------------------- */

/* Words are where drivers keep lengths, indexes, offsets and opcodes; often two share one. */
static uint32_t changed_word(const struct spoiled_commands *spoiled, uint32_t word, UINT words_left)
{
    const uint32_t values[] = {
        0,
        UINT32_MAX,
        INT32_MAX,
        1u << 31,
        word + 1,
        word - 1,
        word ^ 1u << below(32),
        word & 0xFFFF0000u,
        word | 0x0000FFFFu,
        word & 0x0000FFFFu,
        word | 0xFFFF0000u,
        (word & 0xFFFF0000u) | (words_left & 0xFFFFu),
        (word & 0xFFFF0000u) | ((words_left + 1) & 0xFFFFu),
        words_left * 4,
        spoiled->commands.allocation_count,
        below(UINT64_C(1) << 32),
    };

    return values[below(sizeof values / sizeof *values)];
}

static void change_word(struct spoiled_commands *spoiled)
{
    UINT words = spoiled->commands.size / 4;
    /* The first word is what the others hang on; it is changed as often as all of them. */
    UINT at = words == 0 || below(2) == 0 ? 0 : below(words);
    uint32_t word;

    if (words > 0) {
        memcpy(&word, spoiled->bytes + at * 4, sizeof word);
        word = changed_word(spoiled, word, words - at);
        memcpy(spoiled->bytes + at * 4, &word, sizeof word);
    }
}

/* What is left ends where the good commands ended: before the page that nobody may touch. */
static void cut(struct spoiled_commands *spoiled)
{
    UINT size = below(spoiled->commands.size + 1u);
    UINT ends = (UINT)align_up(spoiled->commands.size, 8) - (UINT)align_up(size, 8);

    memmove(spoiled->bytes + ends, spoiled->bytes, size);
    spoiled->bytes += ends;
    spoiled->commands.bytes = spoiled->bytes;
    spoiled->commands.size = size;
}

/* ---- The lists ------------------------------------------------------------------------------- */

/* Of the context's list; the openings stay entered. */
static void spoil_allocations(struct spoiled_commands *spoiled)
{
    struct dxgk_context *context = spoiled->context;
    UINT count = spoiled->commands.allocation_count;

    if (count == 0) {
        return;
    }
    spoiled->slot = below(count);
    switch (below(3)) {
    case 0:
        spoiled->commands.allocation_count = spoiled->slot;
        break;
    case 1:
        spoiled->left_out = context->allocation_openings[spoiled->slot];
        context->allocation_openings[spoiled->slot] = NULL;
        context->allocation_list[spoiled->slot] = (DXGK_ALLOCATIONLIST){0}; /* an unused slot */
        break;
    default:
        context->allocation_list[spoiled->slot].WriteOperation = 0;
        break;
    }
}

static void restore_allocations(struct spoiled_commands *spoiled)
{
    if (spoiled->left_out) {
        spoiled->context->allocation_openings[spoiled->slot] = spoiled->left_out;
    }
}

/* What a client aims at: an address behind its allocation, where another's begins [RENDER-018]. */
static void reach_beyond(struct spoiled_commands *spoiled)
{
    D3DDDI_PATCHLOCATIONLIST *element =
        &spoiled->context->patch_in[below(spoiled->commands.patch_count)];
    struct dxgk_opening *opening =
        element->AllocationIndex < spoiled->commands.allocation_count
            ? spoiled->context->allocation_openings[element->AllocationIndex]
            : NULL;

    if (opening) {
        uint64_t size = opening->allocation->memory.size_bytes;
        const UINT offsets[] = {(UINT)(size + MACHINE_PAGE_SIZE), 1u << 31,
                                UINT32_MAX - (UINT)MACHINE_PAGE_SIZE + 1};
        element->AllocationOffset = offsets[below(3)];
    }
}

static void spoil_patches(struct spoiled_commands *spoiled)
{
    UINT count = spoiled->commands.patch_count;
    UINT *words = (UINT *)(void *)spoiled->context->patch_in;
    UINT word_count = count * (UINT)(sizeof(D3DDDI_PATCHLOCATIONLIST) / sizeof *words);

    if (count == 0 || below(3) == 0) {
        spoiled->commands.patch_count = count ? below(count) : 0;
    } else if (below(3) == 0) {
        reach_beyond(spoiled);
    } else {
        UINT at = below(word_count);
        words[at] = changed_word(spoiled, words[at], spoiled->commands.size);
    }
}

/* ---- A client's commands --------------------------------------------------------------------- */

static void spoil(struct spoiled_commands *spoiled)
{
    switch (below(9)) {
    case 0:
        cut(spoiled);
        break;
    case 1:
        fill_with_noise(spoiled, below(spoiled->commands.size + 1u));
        break;
    case 2:
        spoil_allocations(spoiled);
        break;
    case 3:
        spoil_patches(spoiled);
        break;
    case 4: /* as they are: they may go away while they are read */
        break;
    default:
        for (UINT i = below(CHANGES_MAX) + 1; i > 0; i--) {
            change_word(spoiled);
        }
        break;
    }
}

/* All of the commands, or what stands behind one of their words: a page begins there. */
static void take_away(struct spoiled_commands *spoiled)
{
    UINT size = spoiled->commands.size, words = size / 4;
    UINT kept = words > 1 && below(4) > 0 ? (1 + below(words - 1)) * 4 : 0;
    size_t begin = (size_t)(spoiled->bytes - spoiled->view);

    if (kept > 0) {
        size_t earlier = (begin + kept) % MACHINE_PAGE_SIZE;
        memmove(spoiled->bytes - earlier, spoiled->bytes, size);
        spoiled->bytes -= earlier;
        begin -= earlier;
        spoiled->commands.bytes = spoiled->bytes;
        ram_view_name(spoiled->view, "a client's command buffer", begin, size);
    }
    ram_view_take(spoiled->view, (begin + kept) / MACHINE_PAGE_SIZE);
}

/* The driver may catch what it finds there, and says STATUS_INVALID_USER_BUFFER. */
static void run(struct spoiled_commands *spoiled)
{
    bool gone = spoiled->context->device->adapter->ddi.driver->catches_faults &&
                spoiled->commands.size > 0 && below(8) == 0;
    uint64_t produced;

    ram_view_name(spoiled->view, "a client's command buffer",
                  (size_t)(spoiled->bytes - spoiled->view), spoiled->commands.size);
    if (gone) {
        take_away(spoiled);
    }
    dxgk_render_try(spoiled->context, &spoiled->commands, &produced);
    if (gone) {
        ram_view_open(spoiled->view);
    }
    restore_allocations(spoiled);
}

static void send_spoiled(struct dxgk_context *context, const struct dxgk_commands *good)
{
    struct spoiled_commands spoiled = {.context = context, .commands = *good};
    size_t list_bytes = good->allocation_count * sizeof *context->allocation_list;
    size_t patch_bytes = good->patch_count * sizeof *context->patch_in;
    /* Now and then a client asks for a buffer that is larger than the driver's. */
    UINT longer = below(4) == 0 ? context->info.DmaBufferSize + below(MACHINE_PAGE_SIZE) : 0;
    UINT size = longer > good->size ? longer : good->size;
    uint8_t *copy = nt_memory_alloc(list_bytes + patch_bytes + 1, 0);

    if (copy && size < BYTES_MAX && make_room(&spoiled, size)) {
        memcpy(copy, context->allocation_list, list_bytes);
        memcpy(copy + list_bytes, context->patch_in, patch_bytes);
        memcpy(spoiled.bytes, good->bytes, good->size);
        spoil(&spoiled);
        run(&spoiled);
        drop_room(&spoiled);
        memcpy(context->allocation_list, copy, list_bytes);
        memcpy(context->patch_in, copy + list_bytes, patch_bytes);
    }
    nt_memory_free(copy);
}

/* ---- Commands that change while they are read ------------------------------------------------ */

struct outcome {
    NTSTATUS status;
    uint64_t produced;
};

static struct outcome try(struct spoiled_commands *spoiled)
{
    struct outcome outcome;

    outcome.status = dxgk_render_try(spoiled->context, &spoiled->commands, &outcome.produced);
    return outcome;
}

/* What a driver does with what it refuses is its own affair. */
static bool same(struct outcome a, struct outcome b)
{
    return NT_SUCCESS(a.status) == NT_SUCCESS(b.status) &&
           (!NT_SUCCESS(a.status) || a.produced == b.produced);
}

static struct outcome try_with(struct spoiled_commands *spoiled, UINT at, uint32_t word)
{
    memcpy(spoiled->bytes + at, &word, sizeof word);
    return try(spoiled);
}

static struct outcome try_changing(struct spoiled_commands *spoiled, UINT at, uint32_t word,
                                   bool *changed)
{
    size_t before = (size_t)(spoiled->bytes - spoiled->view);
    struct outcome outcome = {.status = STATUS_UNSUCCESSFUL};

    *changed = false;
    if (ram_view_change(spoiled->view, spoiled->page_count * MACHINE_PAGE_SIZE, before + at,
                        word)) {
        /* In which order the driver's code reads, its compiler has decided. */
        ddi_be_quiet(true);
        outcome = try(spoiled);
        ddi_be_quiet(false);
        *changed = ram_view_change_end();
    }
    return outcome;
}

/* Read once, a word has its old value or its new one, and what comes of the commands is what comes
 * of either. Something else was checked in one reading and taken from another. Before and after it
 * is made sure that the same commands have the same outcome: a driver may have its own reasons. */
static void change_while_read(struct spoiled_commands *spoiled)
{
    UINT words = spoiled->commands.size / 4, at = below(2) == 0 ? 0 : below(words) * 4;
    uint32_t old, new;
    bool changed;

    memcpy(&old, spoiled->bytes + at, sizeof old);
    new = changed_word(spoiled, old, words - at / 4);
    struct outcome of_old = try(spoiled), of_new = try_with(spoiled, at, new);
    if (new == old || !same(of_old, try_with(spoiled, at, old)) || !NT_SUCCESS(of_old.status)) {
        return;
    }
    struct outcome of_both = try_changing(spoiled, at, new, &changed);
    if (!changed || !NT_SUCCESS(of_both.status) || same(of_both, of_old) || same(of_both, of_new)) {
        return;
    }
    /* What memory the system finds for it may be another, once in many: it is so each time. */
    if (same(of_new, try_with(spoiled, at, new)) && same(of_old, try_with(spoiled, at, old)) &&
        same(of_both, try_changing(spoiled, at, new, &changed)) && changed) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(RENDER_002),
                                       .object = spoiled->context->object},
            "the commands that were inspected are the ones that go to the hardware",
            "the word at offset 0x%X of the command buffer, 0x%08X, was changed to 0x%08X by the "
            "client after it was read once; what Render made of that it makes neither of the one "
            "nor of the other: the word is read twice, and only one reading is checked",
            at, old, new);
    }
}

static bool changes_while_read(struct dxgk_context *context, const struct dxgk_commands *good)
{
    struct spoiled_commands spoiled = {.context = context, .commands = *good};

    if (good->size < 4 || good->size >= BYTES_MAX || below(4) != 0 ||
        !make_room(&spoiled, good->size)) {
        return false;
    }
    memcpy(spoiled.bytes, good->bytes, good->size);
    contract_count(RULE_RENDER_002);
    change_while_read(&spoiled);
    drop_room(&spoiled);
    return true;
}

void dxgk_render_spoiled(struct dxgk_context *context, const struct dxgk_commands *good)
{
    if (!changes_while_read(context, good)) {
        send_spoiled(context, good);
    }
}

/* ---- Of a client that knows no commands ------------------------------------------------------ */

/* The largest is the first: commands that name that one alone find room in it. */
static void put_largest_first(struct dxgk_context *context, UINT count)
{
    struct dxgk_opening **openings = context->allocation_openings;
    UINT largest = 0;

    for (UINT i = 1; i < count; i++) {
        largest = openings[i]->allocation->memory.size_bytes >
                          openings[largest]->allocation->memory.size_bytes
                      ? i
                      : largest;
    }
    if (largest > 0) {
        struct dxgk_opening *opening = openings[largest];
        DXGK_ALLOCATIONLIST element = context->allocation_list[largest];
        openings[largest] = openings[0];
        context->allocation_list[largest] = context->allocation_list[0];
        openings[0] = opening;
        context->allocation_list[0] = element;
    }
}

/* Whatever the device has open, as one that reads and writes it. The openings are entered. */
static UINT list_some(struct dxgk_context *context)
{
    UINT count = 0;

    for_each_life(life, &context->device->openings)
    {
        struct dxgk_opening *opening = container_of(life, struct dxgk_opening, life);
        if (count < LISTED_MAX && count < context->info.AllocationListSize &&
            dxgk_opening_is_listed(opening) && life_enter(life)) {
            context->allocation_openings[count] = opening;
            context->allocation_list[count] = (DXGK_ALLOCATIONLIST){
                .hDeviceSpecificAllocation = opening->driver_handle, .WriteOperation = 1};
            dxgk_allocation_list_place(&context->allocation_list[count++], opening->allocation);
        }
    }
    put_largest_first(context, count);
    return count;
}

/* Commands that the driver wrote itself. False: it has written none that it takes from a client. */
static bool send_echo(struct dxgk_context *context, UINT listed)
{
    uint8_t *bytes = nt_memory_alloc(ECHO_MAX, 0);
    struct dxgk_commands good = {.bytes = bytes, .allocation_count = listed};
    uint64_t produced = 0;

    good.size = bytes && listed > 0 ? dxgk_echo_take(bytes, ECHO_MAX) : 0;
    bool taken =
        good.size > 0 && NT_SUCCESS(dxgk_render_try(context, &good, &produced)) && produced != 0;
    if (taken) {
        record_count("render.echoes", 1);
        dxgk_render_repeated(context, &good);
        for (UINT i = 0; i < ECHO_SPOILED; i++) {
            dxgk_render_spoiled(context, &good);
        }
    }
    nt_memory_free(bytes);
    return taken;
}

/* Commands of which it is known with what the driver compares them. False: none. */
static bool send_learned(struct dxgk_context *context, UINT listed)
{
    bool any = false;

    for (unsigned i = 0; i < LEARNED_SENT; i++) {
        struct dxgk_commands commands = {.allocation_count = listed};
        void *bytes = dxgk_echo_learned(context, listed, &commands.size);
        uint64_t produced;
        if (bytes) {
            commands.bytes = bytes;
            (void)dxgk_render_try(context, &commands, &produced);
            nt_memory_free(bytes);
            any = true;
        }
    }
    return any;
}

void dxgk_render_noise(struct dxgk_context *context)
{
    struct spoiled_commands spoiled = {.context = context};
    UINT largest =
        context->info.DmaBufferSize < BYTES_MAX ? context->info.DmaBufferSize : BYTES_MAX;

    if (!ddi_has(&context->device->adapter->ddi, POINT_Render) || context->device->lost ||
        context->virtual_addresses || !dxgk_passes_begin(context)) {
        return;
    }
    UINT listed = list_some(context);
    unsigned which = below(3);
    /* What nobody could learn leaves its share to the echoes. */
    if ((which == 1 && send_learned(context, listed)) ||
        (which < 2 && send_echo(context, listed))) {
        dxgk_passes_end(context, listed);
        return;
    }
    if (make_room(&spoiled, below(largest) & ~3u)) {
        spoiled.commands.allocation_count = listed;
        if (below(2) == 0) {
            fill_with_noise(&spoiled, 0);
        }
        spoil(&spoiled);
        run(&spoiled);
        drop_room(&spoiled);
    }
    dxgk_passes_end(context, listed);
}
