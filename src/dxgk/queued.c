/* How many Presents of a device wait or run. */
#include "dxgk/queued.h"
#include "dxgk/work.h"

#define LIMIT_DEFAULT 3

/* A packet of a call that has returned, and the first of those that are left of it. */
static bool counts(const struct dxgk_packet *packet, const struct dxgk_device *device)
{
    const struct dxgk_context *context = packet->context;

    if (context->device != device || packet->present == 0 || packet->present == context->present) {
        return false;
    }
    list_for_each (link, &device->adapter->packets) {
        const struct dxgk_packet *other = container_of(link, struct dxgk_packet, live_link);
        if (other->context->device == device && other->present == packet->present) {
            return other == packet;
        }
    }
    return false;
}

static bool is_full(const struct dxgk_device *device)
{
    UINT count = device->queued.calls;

    if (device->queued.limit == 0) {
        return false;
    }
    list_for_each (link, &device->adapter->packets) {
        if (count >= device->queued.limit) {
            break;
        }
        count += counts(container_of(link, struct dxgk_packet, live_link), device);
    }
    return count >= device->queued.limit;
}

void dxgk_queued_begin(struct dxgk_device *device)
{
    bool waited = is_full(device);

    while (is_full(device)) {
        wait_queue_wait(&device->adapter->idle_changed, MACHINE_NEVER);
    }
    device->queued.calls++;
    if (waited) {
        record_count("present.held_back", 1);
    }
}

void dxgk_queued_end(struct dxgk_device *device)
{
    CHECK_THAT(device->queued.calls > 0);
    device->queued.calls--;
    if (device->queued.limit) {
        wait_queue_wake(&device->adapter->idle_changed, UINT_MAX);
    }
}

void dxgk_queued_enter(struct dxgk_context *context)
{
    context->present = ++context->device->queued.last;
}

void dxgk_queued_leave(struct dxgk_context *context)
{
    context->present = 0;
}

void dxgk_device_limit_presents(struct dxgk_device *device, UINT limit)
{
    device->queued.limit = limit ? limit : LIMIT_DEFAULT;
    wait_queue_wake(&device->adapter->idle_changed, UINT_MAX);
}

UINT dxgk_device_present_limit(const struct dxgk_device *device)
{
    return device->queued.limit ? device->queued.limit : LIMIT_DEFAULT;
}

bool dxgk_device_presents_wait(const struct dxgk_device *device)
{
    return is_full(device);
}
