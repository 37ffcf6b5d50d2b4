/* What the client face asks about clients' objects. */
#include "dxgk/internal.h"

void dxgk_process_hold(struct dxgk_process *process, bool exclusive)
{
    while (process->held_exclusively || (exclusive && process->shared_holds > 0)) {
        wait_queue_wait(&process->hold_changed, MACHINE_NEVER);
    }
    process->held_exclusively = exclusive;
    process->shared_holds += !exclusive;
}

void dxgk_process_release(struct dxgk_process *process, bool exclusive)
{
    process->held_exclusively = false;
    process->shared_holds -= !exclusive;
    if (process->shared_holds == 0) {
        wait_queue_wake(&process->hold_changed, UINT_MAX);
    }
}

struct pci_slot *dxgk_adapter_slot(const struct dxgk_adapter *adapter)
{
    return adapter->ddi.slot;
}

D3DKMT_HANDLE dxgk_adapter_handle_new(struct dxgk_adapter *adapter, struct dxgk_process *process)
{
    return adapter->lost ? 0 : dxgk_handle_new(DXGK_KIND_ADAPTER, adapter, process);
}

D3DKMT_HANDLE dxgk_resource_share(struct dxgk_resource *resource)
{
    if (!resource->shared_handle) {
        resource->shared_handle = dxgk_handle_new(DXGK_KIND_SHARED, resource, NULL);
    }
    return resource->shared_handle;
}

struct dxgk_adapter *dxgk_device_adapter(const struct dxgk_device *device)
{
    return device->adapter;
}

struct dxgk_device *dxgk_context_device(const struct dxgk_context *context)
{
    return context->device;
}

struct dxgk_context *dxgk_device_first_context(const struct dxgk_device *device)
{
    return list_empty(&device->contexts)
               ? NULL
               : container_of(device->contexts.next, struct dxgk_context, link);
}

struct dxgk_device *dxgk_opening_device(const struct dxgk_opening *opening)
{
    return opening->device;
}

struct dxgk_resource *dxgk_opening_resource(const struct dxgk_opening *opening)
{
    return opening->resource;
}

const void *dxgk_opening_private(const struct dxgk_opening *opening, UINT *size)
{
    *size = opening->allocation->private_size;
    return opening->allocation->private_data;
}

NTSTATUS dxgk_opening_extent(struct dxgk_opening *opening, UINT *width, UINT *height)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct dxgk_adapter *adapter = allocation->adapter;

    if (allocation->width == 0) {
        DXGKARG_DESCRIBEALLOCATION arguments = {.hAllocation = allocation->driver_handle};
        NTSTATUS status =
            adapter->full_graphics
                ? ddi_describe_allocation(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                          allocation->object)
                : STATUS_NOT_SUPPORTED;
        if (!NT_SUCCESS(status)) {
            return status;
        }
        if (arguments.Width == 0 || arguments.Height == 0) {
            return STATUS_INVALID_PARAMETER; /* no picture */
        }
        allocation->width = arguments.Width;
        allocation->height = arguments.Height;
    }
    *width = allocation->width;
    *height = allocation->height;
    return STATUS_SUCCESS;
}

bool dxgk_opening_source(const struct dxgk_opening *opening, UINT *source)
{
    *source = opening->allocation->source;
    return opening->allocation->primary;
}

struct dxgk_adapter *dxgk_sync_adapter(const struct dxgk_sync *sync)
{
    return sync->device->adapter;
}

void dxgk_resource_info(const struct dxgk_resource *resource, struct dxgk_resource_info *info)
{
    *info = (struct dxgk_resource_info){
        .allocation_count = resource->allocation_count,
        .private_size = resource->private_size,
        .private_data = resource->private_data,
    };
    for (unsigned i = 0; i < resource->allocation_count; i++) {
        info->total_private_size += resource->allocations[i]->private_size;
    }
}

UINT dxgk_resource_openings(const struct dxgk_resource *resource, const struct dxgk_device *device,
                            struct dxgk_opening **openings, UINT count_max)
{
    UINT count = 0;

    list_for_each (link, &device->openings) {
        struct dxgk_opening *opening = container_of(link, struct dxgk_opening, link);
        if (opening->resource == resource && count < count_max) {
            openings[count++] = opening;
        }
    }
    return count;
}

NTSTATUS dxgk_adapter_query_private(struct dxgk_adapter *adapter, void *private_data,
                                    UINT private_size)
{
    const DXGKARG_QUERYADAPTERINFO arguments = {
        .Type = DXGKQAITYPE_UMDRIVERPRIVATE,
        .pOutputData = private_data,
        .OutputDataSize = private_size,
    };

    return ddi_query_adapter_info(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}
