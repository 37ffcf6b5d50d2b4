/* Handles: a table of all clients' objects, one of their memory, one of what other processes may
 * open, and what drivers ask of the first.
 *
 * Handles look as those of Windows do: the low six bits are 0, or 2 in the last table; those of
 * memory, which are others there, have 1; above them is the place of the entry, from 1; and the two
 * top bits, 1 to 3, say which of the objects that had the entry is meant: an older one's handle is
 * dead. Each process has a range of places for itself, so that what others make leaves no gaps in
 * its numbers, and yet none is two objects' at a time: drivers ask for a handle without its
 * process. Entries are reused oldest first. An entry has no reference to its object, whose end
 * takes it along; those of adapters have one each. */
#include "dxgk/context_memory.h"
#include "dxgk/internal.h"

#include <stdlib.h>
#include <string.h>

#define HANDLE_PLACE_SHIFT      6
#define HANDLE_PLACE_MASK       0xFFFFFFu
#define HANDLE_GENERATION_SHIFT 30
#define HANDLE_GENERATIONS      3u
#define HANDLE_SECTION          1u
#define HANDLE_EVERYBODYS       2u
#define HANDLE_TABLES           3u
#define HANDLES_GROW            256u

/* Of places: those of processes, and behind them the one of what is nobody's. */
#define RANGE_SHIFT   15 /* more than a process may have of objects and workers */
#define RANGE_PLACES  (1u << RANGE_SHIFT)
#define RANGE_NOBODYS 448u
#define RANGE_COUNT   (RANGE_NOBODYS + 1)
#define NOBODYS_MAX   (1u << 20)

/* Bounds of a process, so that none takes the table or the host's memory; ours. Scarcer is what the
 * driver knows as one who works, or what has buffers of its own. */
#define PROCESS_OBJECTS_MAX 16384u
#define PROCESS_WORKERS_MAX 1024u

struct entry {
    enum dxgk_handle_kind kind;
    uint8_t generation; /* 0: nobody had it yet */
    bool shown; /* to clients; the driver may ask about an object that is being made or ended */
    uint32_t next_free;
    struct dxgk_life *life;
    struct dxgk_process *owner; /* NULL: what other processes may open, and the system's */
};

struct range {
    struct entry *entries;
    uint32_t count, used;
    uint32_t first_free, last_free; /* index + 1; 0: none */
};

struct table {
    struct range ranges[RANGE_COUNT];
    uint32_t low_bits; /* of its handles */
};

static struct table tables[HANDLE_TABLES] = {
    [HANDLE_SECTION] = {.low_bits = HANDLE_SECTION},
    [HANDLE_EVERYBODYS] = {.low_bits = HANDLE_EVERYBODYS},
};

static bool taken[RANGE_NOBODYS];
static uint32_t next_range;

_Static_assert(RANGE_NOBODYS *RANGE_PLACES + NOBODYS_MAX <= HANDLE_PLACE_MASK, "places have bits");
_Static_assert(PROCESS_OBJECTS_MAX + PROCESS_WORKERS_MAX <= RANGE_PLACES, "a range has room");

static bool grow(struct table *table, struct range *range)
{
    bool nobodys = range == &table->ranges[RANGE_NOBODYS];
    uint32_t count = range->count + HANDLES_GROW;

    if (count > (nobodys ? NOBODYS_MAX : RANGE_PLACES)) {
        return false;
    }
    struct entry *entries = realloc(range->entries, count * sizeof *entries);
    if (!entries) {
        return false;
    }
    memset(entries + range->count, 0, HANDLES_GROW * sizeof *entries);
    range->entries = entries;
    for (uint32_t i = range->count; i < count; i++) {
        entries[i].next_free = i + 1 < count ? i + 2 : 0;
    }
    range->first_free = range->count + 1;
    range->last_free = count;
    range->count = count;
    return true;
}

/* The owner's; NULL: as many processes have one as may. They take turns: a handle that a driver
 * kept of a process that ended stays dead for long. */
static struct range *range_of(struct table *table, struct dxgk_process *owner)
{
    uint32_t tried = 0, number;

    if (!owner) {
        return &table->ranges[RANGE_NOBODYS];
    }
    if (owner->handle_range) {
        return &table->ranges[owner->handle_range - 1];
    }
    while (tried < RANGE_NOBODYS && taken[(next_range + tried) % RANGE_NOBODYS]) {
        tried++;
    }
    if (tried == RANGE_NOBODYS) {
        return NULL;
    }
    number = (next_range + tried) % RANGE_NOBODYS;
    next_range = (number + 1) % RANGE_NOBODYS;
    taken[number] = true;
    owner->handle_range = number + 1;
    return &table->ranges[number];
}

static struct table *table_of(enum dxgk_handle_kind kind)
{
    switch (kind) {
    case DXGK_KIND_SHARED:
    case DXGK_KIND_SHARED_SYNC:
    case DXGK_KIND_SHARED_KEYED:
        return &tables[HANDLE_EVERYBODYS];
    case DXGK_KIND_SECTION:
        return &tables[HANDLE_SECTION];
    default:
        return &tables[0];
    }
}

static D3DKMT_HANDLE handle_of(const struct table *table, const struct range *range,
                               const struct entry *entry)
{
    uint32_t place = (uint32_t)(range - table->ranges) << RANGE_SHIFT;

    place += (uint32_t)(entry - range->entries) + 1;
    return (uint32_t)entry->generation << HANDLE_GENERATION_SHIFT | place << HANDLE_PLACE_SHIFT |
           table->low_bits;
}

/* What the process has of such objects. */
static uint32_t *count_of(struct dxgk_process *process, enum dxgk_handle_kind kind, uint32_t *most)
{
    bool works = kind == DXGK_KIND_DEVICE || kind == DXGK_KIND_CONTEXT ||
                 kind == DXGK_KIND_HW_CONTEXT || kind == DXGK_KIND_HW_QUEUE ||
                 kind == DXGK_KIND_PAGING_QUEUE || kind == DXGK_KIND_DOORBELL ||
                 kind == DXGK_KIND_OVERLAY || kind == DXGK_KIND_TRIMMING;

    *most = works ? PROCESS_WORKERS_MAX : PROCESS_OBJECTS_MAX;
    return works ? &process->worker_count : &process->object_count;
}

/* False: it has as many as it may have. */
static bool count_one(struct dxgk_process *process, enum dxgk_handle_kind kind)
{
    uint32_t most, *count = count_of(process, kind, &most);

    if (*count >= most) {
        record_count("client.bounds", 1);
        return false;
    }
    (*count)++;
    return true;
}

static void count_one_less(struct dxgk_process *process, enum dxgk_handle_kind kind)
{
    uint32_t most, *count = count_of(process, kind, &most);

    CHECK_THAT(*count > 0);
    (*count)--;
}

D3DKMT_HANDLE dxgk_handle_new(enum dxgk_handle_kind kind, struct dxgk_life *life,
                              struct dxgk_process *owner)
{
    struct table *table = table_of(kind);
    struct range *range = range_of(table, owner);

    CHECK_THAT(kind != DXGK_KIND_FREE && life);
    if (!range || (range->first_free == 0 && !grow(table, range)) ||
        (owner && !count_one(owner, kind))) {
        return 0;
    }
    struct entry *entry = &range->entries[range->first_free - 1];
    CHECK_THAT(entry->kind == DXGK_KIND_FREE);
    range->first_free = entry->next_free;
    if (range->first_free == 0) {
        range->last_free = 0;
    }
    *entry = (struct entry){
        .kind = kind,
        .life = life,
        .owner = owner,
        .generation = (uint8_t)(entry->generation % HANDLE_GENERATIONS + 1),
    };
    range->used++;
    return handle_of(table, range, entry);
}

static struct table *table_with(D3DKMT_HANDLE handle)
{
    uint32_t low_bits = handle & ((1u << HANDLE_PLACE_SHIFT) - 1);

    return &tables[low_bits < HANDLE_TABLES ? low_bits : 0];
}

static struct range *range_with(struct table *table, D3DKMT_HANDLE handle, uint32_t *index)
{
    uint32_t place = handle >> HANDLE_PLACE_SHIFT & HANDLE_PLACE_MASK;
    uint32_t number = place ? (place - 1) >> RANGE_SHIFT : 0;

    number = number < RANGE_NOBODYS ? number : RANGE_NOBODYS;
    *index = place ? place - 1 - (number << RANGE_SHIFT) : UINT32_MAX;
    return &table->ranges[number];
}

static struct entry *find(D3DKMT_HANDLE handle)
{
    struct table *table = table_with(handle);
    uint32_t index;
    struct range *range = range_with(table, handle, &index);

    if (index >= range->count) {
        return NULL;
    }
    struct entry *entry = &range->entries[index];
    return entry->kind != DXGK_KIND_FREE && handle_of(table, range, entry) == handle ? entry : NULL;
}

void dxgk_handle_show(D3DKMT_HANDLE handle)
{
    struct entry *entry = find(handle);

    CHECK_THAT(entry && !entry->shown);
    entry->shown = true;
}

void dxgk_handle_hide(D3DKMT_HANDLE handle)
{
    struct entry *entry = find(handle);

    CHECK_THAT(entry);
    entry->shown = false;
}

struct dxgk_life *dxgk_handle_peek(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                                   const struct dxgk_process *owner)
{
    struct entry *entry = find(handle);

    if (!entry || !entry->shown || entry->kind != kind || (owner && entry->owner != owner)) {
        return NULL;
    }
    return entry->life;
}

struct dxgk_life *dxgk_handle_get(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind,
                                  const struct dxgk_process *owner)
{
    struct dxgk_life *life = dxgk_handle_peek(handle, kind, owner);

    if (life) {
        life_get(life);
    }
    return life;
}

void dxgk_handle_free(D3DKMT_HANDLE handle)
{
    struct entry *entry = find(handle);
    uint32_t index;
    struct range *range = range_with(table_with(handle), handle, &index);

    CHECK_THAT(entry);
    if (entry->owner) {
        count_one_less(entry->owner, entry->kind);
    }
    *entry = (struct entry){.generation = entry->generation};
    if (range->last_free) {
        range->entries[range->last_free - 1].next_free = index + 1;
    } else {
        range->first_free = index + 1;
    }
    range->last_free = index + 1;
    CHECK_THAT(range->used > 0);
    range->used--;
}

uint64_t dxgk_handle_life(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind)
{
    const struct dxgk_life *life = dxgk_handle_peek(handle, kind, NULL);

    return life ? life->number : 0;
}

size_t dxgk_handle_count(void)
{
    size_t used = 0;

    for (unsigned i = 0; i < HANDLE_TABLES * RANGE_COUNT; i++) {
        used += tables[i / RANGE_COUNT].ranges[i % RANGE_COUNT].used;
    }
    return used;
}

/* ---- Handles of adapters --------------------------------------------------------------------- */

/* Each has a reference: a process may open an adapter as often as it likes. */
NTSTATUS dxgk_adapter_handle_new(struct dxgk_adapter *adapter, struct dxgk_process *process,
                                 D3DKMT_HANDLE *out)
{
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    *out = dxgk_handle_new(DXGK_KIND_ADAPTER, &adapter->life, process);
    if (!*out) {
        return STATUS_NO_MEMORY;
    }
    life_get(&adapter->life);
    dxgk_handle_show(*out);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_adapter_handle_close(D3DKMT_HANDLE handle, const struct dxgk_process *process)
{
    struct dxgk_life *adapter = dxgk_handle_peek(handle, DXGK_KIND_ADAPTER, process);

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    dxgk_handle_free(handle);
    life_put(adapter);
    return STATUS_SUCCESS;
}

/* Whoever has the range next begins with its first place, whatever was made here before. */
static void close_in(struct table *table, struct range *range, const struct dxgk_process *owner)
{
    for (uint32_t i = 0; i < range->count; i++) {
        struct entry *entry = &range->entries[i];
        if (entry->kind == DXGK_KIND_ADAPTER) {
            struct dxgk_life *adapter = entry->life;
            CHECK_THAT(entry->owner == owner);
            dxgk_handle_free(handle_of(table, range, entry));
            life_put(adapter);
        }
        CHECK_THAT(entry->kind == DXGK_KIND_FREE);
    }
    free(range->entries);
    *range = (struct range){.entries = NULL};
}

void dxgk_handles_close(struct dxgk_process *owner)
{
    for (unsigned i = 0; owner->handle_range && i < HANDLE_TABLES; i++) {
        close_in(&tables[i], &tables[i].ranges[owner->handle_range - 1], owner);
    }
    if (owner->handle_range) {
        taken[owner->handle_range - 1] = false;
        owner->handle_range = 0;
    }
}

/* ---- What drivers ask ---------------------------------------------------------------------- */

static void *of_kind(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind)
{
    struct entry *entry = find(handle);

    return entry && entry->kind == kind ? entry->life : NULL;
}

struct dxgk_life *dxgk_handle_of_driver(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind)
{
    return of_kind(handle, kind);
}

void *dxgk_cb_get_handle_data(const DXGKARGCB_GETHANDLEDATA *data)
{
    if (data->Type == DXGK_HANDLE_RESOURCE) {
        struct dxgk_holding *holding = of_kind(data->hObject, DXGK_KIND_HOLDING);
        return holding && holding->opening_count > 0 ? holding->resource->driver_handle : NULL;
    }
    if (data->Type != DXGK_HANDLE_ALLOCATION) {
        return NULL;
    }
    struct dxgk_opening *opening = of_kind(data->hObject, DXGK_KIND_OPENING);
    if (!opening) {
        return NULL;
    }
    return data->Flags.DeviceSpecific ? opening->driver_handle : opening->allocation->driver_handle;
}

D3DKMT_HANDLE dxgk_cb_get_handle_parent(D3DKMT_HANDLE handle)
{
    struct dxgk_opening *opening = of_kind(handle, DXGK_KIND_OPENING);

    return opening && opening->holding ? opening->holding->life.handle : 0;
}

D3DKMT_HANDLE dxgk_cb_enum_handle_children(const DXGKARGCB_ENUMHANDLECHILDREN *data)
{
    struct dxgk_holding *holding = of_kind(data->hObject, DXGK_KIND_HOLDING);
    UINT index = 0;

    if (!holding) {
        return 0;
    }
    list_for_each (link, &holding->device->openings) {
        struct dxgk_opening *opening = container_of(link, struct dxgk_opening, life.link);
        if (opening->holding == holding && index++ == data->Index) {
            return opening->life.handle;
        }
    }
    return 0;
}

/* ---- Handles of objects ---------------------------------------------------------------------- */

D3DKMT_HANDLE dxgk_device_handle(const struct dxgk_device *device)
{
    return device->life.handle;
}

D3DKMT_HANDLE dxgk_context_handle(const struct dxgk_context *context)
{
    return context->life.handle;
}

D3DKMT_HANDLE dxgk_opening_handle(const struct dxgk_opening *opening)
{
    return opening->life.handle;
}

D3DKMT_HANDLE dxgk_holding_handle(const struct dxgk_holding *holding)
{
    return holding->life.handle;
}

D3DKMT_HANDLE dxgk_sync_handle(const struct dxgk_sync *sync)
{
    return sync->life.handle;
}
