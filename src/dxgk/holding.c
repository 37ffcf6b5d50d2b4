/* What devices have of resources: handles that stand for all that one call made or opened.
 *
 *     made ──> with openings ──destroyed by its handle──> gone with the last of them
 *                   │ the last is destroyed by a list of allocations
 *                   └──> left: its handle is there until somebody destroys it, or the device ends
 *
 * Left ones are the client's alone: the driver has let go of the resource with its last allocation,
 * and nothing can be added to it. So Windows is recorded to answer clients. */
#include "dxgk/resource.h"

#include <stdlib.h>

static void free_holding(struct dxgk_life *life)
{
    struct dxgk_holding *holding = container_of(life, struct dxgk_holding, life);

    CHECK_THAT(holding->opening_count == 0);
    life_put(&holding->resource->life);
    life_put(&holding->device->life);
    free(holding);
}

struct dxgk_holding *dxgk_holding_new(struct dxgk_device *device, struct dxgk_resource *resource)
{
    struct dxgk_holding *holding = calloc(1, sizeof *holding);

    if (!holding) {
        return NULL;
    }
    life_init(&holding->life, DXGK_KIND_HOLDING, free_holding);
    holding->device = device;
    holding->resource = resource;
    life_get(&device->life);
    life_get(&resource->life);
    holding->life.handle = dxgk_handle_new(DXGK_KIND_HOLDING, &holding->life, device->process);
    if (!holding->life.handle) {
        life_put(&holding->life);
        return NULL;
    }
    return holding;
}

void dxgk_holding_end(struct dxgk_holding *holding)
{
    if (holding->life.state == LIFE_LIVING) {
        CHECK_THAT(life_end(&holding->life));
    }
}

static void drop(struct dxgk_holding *holding)
{
    CHECK_THAT(holding->opening_count == 0);
    dxgk_holding_end(holding);
    life_unlink(&holding->life);
    life_put(&holding->life);
}

void dxgk_holding_empty(struct dxgk_holding *holding)
{
    if (holding->life.state == LIFE_LIVING) {
        life_link(&holding->device->left, &holding->life);
    } else {
        drop(holding);
    }
}

bool dxgk_holding_drop_left(struct dxgk_holding *holding)
{
    bool left = holding->opening_count == 0;

    if (left) {
        drop(holding);
    }
    return left;
}

void dxgk_holdings_drop_left(struct dxgk_device *device)
{
    while (!list_empty(&device->left)) {
        drop(container_of(device->left.next, struct dxgk_holding, life.link));
    }
}

UINT dxgk_holding_openings(const struct dxgk_holding *holding, struct dxgk_opening **openings,
                           UINT count_max)
{
    unsigned seen = 0; /* those that end are among them: of many openings the rest is left out */
    UINT count = 0;

    list_for_each (link, &holding->device->openings) {
        struct dxgk_opening *opening = container_of(link, struct dxgk_opening, life.link);
        if (seen == holding->opening_count) {
            break;
        }
        seen += opening->holding == holding;
        if (opening->holding == holding && opening->life.state == LIFE_LIVING &&
            count < count_max) {
            openings[count++] = opening;
        }
    }
    return count;
}
