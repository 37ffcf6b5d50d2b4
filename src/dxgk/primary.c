/* The primary that all processes share, the surface of the system that a source shows; and formats
 * of the driver's own, in which a source is scanned. */
#include "dxgk/internal.h"
#include "dxgk/share.h"
#include "dxgk/work.h"

static struct dxgk_resource *resource_in(const struct dxgk_device *device,
                                         const struct dxgk_allocation *allocation)
{
    list_for_each (link, &device->openings) {
        struct dxgk_life *life = container_of(link, struct dxgk_life, link);
        const struct dxgk_opening *opening = container_of(life, struct dxgk_opening, life);

        if (opening->allocation == allocation && opening->holding) {
            return opening->holding->resource;
        }
    }
    return NULL;
}

D3DKMT_HANDLE dxgk_source_shared_primary(struct dxgk_adapter *adapter, unsigned index)
{
    const struct dxgk_allocation *shown =
        index < adapter->source_count ? adapter->sources[index].shown : NULL;

    if (!shown || !shown->standard || !shown->primary) {
        return 0; /* nothing, or a client's own surface */
    }
    list_for_each (link, &adapter->devices) {
        struct dxgk_life *life = container_of(link, struct dxgk_life, link);
        struct dxgk_resource *resource =
            resource_in(container_of(life, struct dxgk_device, life), shown);

        if (resource) {
            return dxgk_resource_share(resource);
        }
    }
    return 0; /* whoever made it has destroyed it, and it is shown still */
}

/* With the change in hand: no other picture comes meanwhile. */
static NTSTATUS set_format(struct dxgk_source *source, UINT attribute)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    do {
        const DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT arguments = {
            .VidPnSourceId = source->index,
            .PrimaryAllocation = source->shown ? source->shown->driver_handle : NULL,
            .PrivateDriverFormatAttribute = attribute,
        };
        status = ddi_set_display_private_driver_format(&adapter->ddi, adapter->ddi.miniport_context,
                                                       &arguments, 0);
    } while (dxgk_tries_again(status, &attempt));
    return status;
}

NTSTATUS dxgk_source_set_private_format(struct dxgk_adapter *adapter, unsigned index,
                                        UINT attribute)
{
    if (!ddi_has(&adapter->ddi, POINT_SetDisplayPrivateDriverFormat)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (index >= adapter->source_count || !adapter->sources[index].active) {
        return STATUS_INVALID_PARAMETER;
    }
    dxgk_source_begin_change(&adapter->sources[index]);
    NTSTATUS status = set_format(&adapter->sources[index], attribute);
    dxgk_source_end_change(&adapter->sources[index]);
    return status;
}

/* ---- Another one ----------------------------------------------------------------------------- */

static bool can_be_flipped_to(const struct dxgk_source *source,
                              const struct dxgk_allocation *allocation)
{
    return allocation != source->shown && allocation->primary && allocation->standard &&
           allocation->source == source->index && dxgk_source_fits(source, allocation) &&
           allocation->owner && !allocation->owner->lost &&
           dxgk_device_first_context(allocation->owner);
}

struct dxgk_allocation *dxgk_source_next_primary(const struct dxgk_source *source)
{
    const struct dxgk_allocation *shown = source->shown;
    struct dxgk_allocation *found = NULL;

    if (!shown->owner || !source->adapter->caps.FlipCaps.FlipOnVSyncMmIo) {
        return NULL; /* a flip by commands is a client's */
    }
    list_for_each (link, &shown->owner->allocations) {
        struct dxgk_allocation *allocation = container_of(link, struct dxgk_allocation, owner_link);
        found = can_be_flipped_to(source, allocation) ? allocation : found;
    }
    return found;
}
