/* Handles: a table of all clients' objects, one of their memory, one of what other processes may
 * open, and what drivers ask of the first.
 *
 * Handles look as those of Windows do: the low six bits are 0, or 2 in the last table; those of
 * memory, which are others there, have 1; above them is the place of the entry, from 1; and the two
 * top bits, 1 to 3, say which of the objects that had the entry is meant: an older one's handle is
 * dead. Entries are reused oldest first. An entry has no reference to its object, whose end takes
 * it along; those of adapters have one each. */
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
#define HANDLES_MAX             (1u << 20)
#define HANDLES_GROW            256u

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

struct table {
    struct entry *entries;
    uint32_t count, used;
    uint32_t first_free, last_free; /* index + 1; 0: none */
    uint32_t low_bits;              /* of its handles */
};

static struct table tables[HANDLE_TABLES] = {
    [HANDLE_SECTION] = {.low_bits = HANDLE_SECTION},
    [HANDLE_EVERYBODYS] = {.low_bits = HANDLE_EVERYBODYS},
};

static bool grow(struct table *table)
{
    uint32_t count = table->count + HANDLES_GROW;

    if (count > HANDLES_MAX) {
        return false;
    }
    struct entry *entries = realloc(table->entries, count * sizeof *entries);
    if (!entries) {
        return false;
    }
    memset(entries + table->count, 0, HANDLES_GROW * sizeof *entries);
    table->entries = entries;
    for (uint32_t i = table->count; i < count; i++) {
        entries[i].next_free = i + 1 < count ? i + 2 : 0;
    }
    table->first_free = table->count + 1;
    table->last_free = count;
    table->count = count;
    return true;
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

static D3DKMT_HANDLE handle_of(const struct table *table, const struct entry *entry)
{
    uint32_t place = (uint32_t)(entry - table->entries) + 1;

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

    CHECK_THAT(kind != DXGK_KIND_FREE && life);
    if ((table->first_free == 0 && !grow(table)) || (owner && !count_one(owner, kind))) {
        return 0;
    }
    struct entry *entry = &table->entries[table->first_free - 1];
    CHECK_THAT(entry->kind == DXGK_KIND_FREE);
    table->first_free = entry->next_free;
    if (table->first_free == 0) {
        table->last_free = 0;
    }
    *entry = (struct entry){
        .kind = kind,
        .life = life,
        .owner = owner,
        .generation = (uint8_t)(entry->generation % HANDLE_GENERATIONS + 1),
    };
    table->used++;
    return handle_of(table, entry);
}

static struct table *table_with(D3DKMT_HANDLE handle)
{
    uint32_t low_bits = handle & ((1u << HANDLE_PLACE_SHIFT) - 1);

    return &tables[low_bits < HANDLE_TABLES ? low_bits : 0];
}

static struct entry *find(D3DKMT_HANDLE handle)
{
    const struct table *table = table_with(handle);
    uint32_t place = handle >> HANDLE_PLACE_SHIFT & HANDLE_PLACE_MASK;

    if (place == 0 || place > table->count) {
        return NULL;
    }
    struct entry *entry = &table->entries[place - 1];
    return entry->kind != DXGK_KIND_FREE && handle_of(table, entry) == handle ? entry : NULL;
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
    struct table *table = table_with(handle);
    struct entry *entry = find(handle);

    CHECK_THAT(entry);
    uint32_t place = (uint32_t)(entry - table->entries) + 1;
    if (entry->owner) {
        count_one_less(entry->owner, entry->kind);
    }
    *entry = (struct entry){.generation = entry->generation};
    if (table->last_free) {
        table->entries[table->last_free - 1].next_free = place;
    } else {
        table->first_free = place;
    }
    table->last_free = place;
    CHECK_THAT(table->used > 0);
    table->used--;
}

uint64_t dxgk_handle_life(D3DKMT_HANDLE handle, enum dxgk_handle_kind kind)
{
    const struct dxgk_life *life = dxgk_handle_peek(handle, kind, NULL);

    return life ? life->number : 0;
}

size_t dxgk_handle_count(void)
{
    size_t used = 0;

    for (unsigned i = 0; i < HANDLE_TABLES; i++) {
        used += tables[i].used;
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

static void close_in(struct table *table, const struct dxgk_process *owner)
{
    for (uint32_t i = 0; i < table->count; i++) {
        struct entry *entry = &table->entries[i];
        if (entry->kind == DXGK_KIND_ADAPTER && entry->owner == owner) {
            struct dxgk_life *adapter = entry->life;
            dxgk_handle_free(handle_of(table, entry));
            life_put(adapter);
        }
        CHECK_THAT(entry->kind == DXGK_KIND_FREE || entry->owner != owner || !owner);
    }
}

void dxgk_handles_close(const struct dxgk_process *owner)
{
    for (unsigned i = 0; i < HANDLE_TABLES; i++) {
        close_in(&tables[i], owner);
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
