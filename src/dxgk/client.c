/* What the client face asks about clients' objects. */
#include "dxgk/internal.h"

struct pci_slot *dxgk_adapter_slot(const struct dxgk_adapter *adapter)
{
    return adapter->ddi.slot;
}

struct dxgk_adapter *dxgk_device_adapter(const struct dxgk_device *device)
{
    return device->adapter;
}

struct dxgk_process *dxgk_device_process(const struct dxgk_device *device)
{
    return device->process;
}

struct dxgk_device *dxgk_context_device(const struct dxgk_context *context)
{
    return context->device;
}

struct dxgk_context *dxgk_device_first_context(const struct dxgk_device *device)
{
    list_for_each (link, &device->contexts) {
        struct dxgk_life *life = container_of(link, struct dxgk_life, link);
        if (life->kind == DXGK_KIND_CONTEXT && life->state == LIFE_LIVING) {
            return container_of(life, struct dxgk_context, life);
        }
    }
    return NULL;
}

struct dxgk_life *dxgk_context_get(struct dxgk_context *context)
{
    life_get(&context->life);
    return &context->life;
}

struct dxgk_life *dxgk_opening_get(struct dxgk_opening *opening)
{
    life_get(&opening->life);
    return &opening->life;
}

struct dxgk_device *dxgk_opening_device(const struct dxgk_opening *opening)
{
    return opening->device;
}

struct dxgk_holding *dxgk_opening_holding(const struct dxgk_opening *opening)
{
    return opening->holding;
}

struct dxgk_device *dxgk_holding_device(const struct dxgk_holding *holding)
{
    return holding->device;
}

struct dxgk_resource *dxgk_holding_resource(const struct dxgk_holding *holding)
{
    return holding->resource;
}

bool dxgk_life_is_marked(const struct dxgk_life *life)
{
    const void *object = life;
    const struct dxgk_device *device = NULL;

    switch (life->kind) {
    case DXGK_KIND_DEVICE:
        device = object;
        break;
    case DXGK_KIND_CONTEXT:
    case DXGK_KIND_HW_CONTEXT:
    case DXGK_KIND_HW_QUEUE:
        device = ((const struct dxgk_context *)object)->device;
        break;
    case DXGK_KIND_OPENING:
        device = ((const struct dxgk_opening *)object)->device;
        break;
    case DXGK_KIND_SYNC:
        device = ((const struct dxgk_sync *)object)->device;
        break;
    case DXGK_KIND_PAGING_QUEUE:
        device = ((const struct dxgk_paging_queue *)object)->device;
        break;
    default:
        break;
    }
    return device && device->marked;
}

const void *dxgk_opening_private(const struct dxgk_opening *opening, UINT *size)
{
    *size = opening->allocation->private_size;
    return opening->allocation->private_data;
}

/* The driver tells once; a picture does not change. */
static NTSTATUS describe(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct dxgk_adapter *adapter = allocation->adapter;
    struct dxgk_attempt attempt;
    DXGKARG_DESCRIBEALLOCATION arguments;
    NTSTATUS status;

    if (!adapter->full_graphics) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    attempt = dxgk_first_attempt(false);
    do {
        arguments = (DXGKARG_DESCRIBEALLOCATION){.hAllocation = allocation->driver_handle};
        status = ddi_describe_allocation(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         allocation->object);
    } while (dxgk_tries_again(status, &attempt));
    life_leave(&opening->life);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (arguments.Width == 0 || arguments.Height == 0) {
        return STATUS_INVALID_PARAMETER; /* no picture */
    }
    allocation->width = arguments.Width;
    allocation->height = arguments.Height;
    return STATUS_SUCCESS;
}

static bool is_seen_sideways(const struct dxgk_allocation *allocation)
{
    const struct dxgk_adapter *adapter = allocation->adapter;
    D3DDDI_ROTATION rotation = allocation->primary && allocation->source < adapter->source_count
                                   ? adapter->sources[allocation->source].rotation
                                   : D3DDDI_ROTATION_IDENTITY;

    return rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
}

NTSTATUS dxgk_opening_extent(struct dxgk_opening *opening, bool turned, UINT *width, UINT *height)
{
    struct dxgk_allocation *allocation = opening->allocation;
    NTSTATUS status = allocation->width == 0 ? describe(opening) : STATUS_SUCCESS;
    bool sideways = turned && is_seen_sideways(allocation);

    if (NT_SUCCESS(status)) {
        *width = sideways ? allocation->height : allocation->width;
        *height = sideways ? allocation->width : allocation->height;
    }
    return status;
}

bool dxgk_opening_source(const struct dxgk_opening *opening, UINT *source)
{
    *source = opening->allocation->source;
    return opening->allocation->primary;
}

struct dxgk_adapter *dxgk_sync_adapter(const struct dxgk_sync *sync)
{
    return sync->core->adapter;
}

NTSTATUS dxgk_adapter_query_private(struct dxgk_adapter *adapter, void *private_data,
                                    UINT private_size)
{
    return dxgk_query_adapter(adapter, DXGKQAITYPE_UMDRIVERPRIVATE, NULL, 0, private_data,
                              private_size);
}
