/* Contexts of a client with private data that are broken, made before the one that it asks for. The
 * driver may take them or not; nothing of it stays. */
#include "dxgk/echo.h"
#include "dxgk/learned.h"
#include "dxgk/spoil.h"
#include "dxgk/work.h"

struct asking {
    struct dxgk_device *device;
    const struct dxgk_context_request *request;
};

/* While a call is inside others may have begun to end it. */
static bool is_ending(const struct dxgk_device *device)
{
    return device->lost || device->life.state != LIFE_LIVING;
}

/* Whoever ends its device ends it, too. */
static void end(struct dxgk_context *made)
{
    life_get(&made->life);
    (void)dxgk_context_destroy(made);
    life_put(&made->life);
}

static bool ask_with(void *context, void *bytes, UINT size)
{
    const struct asking *asking = context;
    struct dxgk_context_request request = *asking->request;
    struct dxgk_context *made;

    request.private_data = bytes;
    request.private_size = size;
    if (is_ending(asking->device)) {
        return false;
    }
    NTSTATUS status = dxgk_context_make(asking->device, &request, false, &made);
    if (!NT_SUCCESS(status)) {
        return false;
    }
    end(made);
    return true;
}

static void create_spoiled(struct asking *asking, void *(*way)(const void *data, UINT *size))
{
    UINT size = asking->request->private_size;
    void *data = way(asking->request->private_data, &size);

    (void)ask_with(asking, data, size);
    nt_memory_free(data);
}

/* ---- Of a client that has none --------------------------------------------------------------- */

static struct dxgk_learned learned;

void dxgk_contexts_forget(void)
{
    learned.tried = false;
}

static const char of_context[] = "a client's private data";

/* As the driver expects them, as far as it compares them. NULL: it compares none. */
static void *make_learned(struct asking *asking, enum variation variation, UINT *size)
{
    if (!learned.tried) {
        dxgk_learn(&learned, &(struct dxgk_learner){.point = POINT_CreateContext,
                                                    .what = of_context,
                                                    .ask = ask_with,
                                                    .context = asking});
        record_count("learned.context", learned.count);
    }
    return dxgk_learned_made(&learned, of_context, variation, size);
}

static void create_learned(struct asking *asking)
{
    UINT size;
    void *bytes = make_learned(asking, VARY_BAD_PRIVATE_DATA, &size);

    if (bytes) {
        (void)ask_with(asking, bytes, size);
        nt_memory_free(bytes);
    }
}

static bool is_smaller(const DXGK_CONTEXTINFO *one, const DXGK_CONTEXTINFO *other)
{
    return one->PatchLocationListSize < other->PatchLocationListSize ||
           one->DmaBufferSize < other->DmaBufferSize;
}

void dxgk_context_beside(struct dxgk_context *context)
{
    struct dxgk_context_request request = {.node = context->node};
    struct asking asking = {context->device, &request};
    struct dxgk_context *made;

    if (context->virtual_addresses || context->gdi || is_ending(context->device)) {
        return;
    }
    void *bytes = make_learned(&asking, VARY_BAD_COMMANDS, &request.private_size);
    request.private_data = bytes;
    if (bytes && !is_ending(context->device) &&
        NT_SUCCESS(dxgk_context_make(context->device, &request, false, &made))) {
        life_get(&made->life); /* whoever ends its device ends it, too */
        if (is_smaller(&made->info, &context->info)) {
            dxgk_echo_repeat_again();
        }
        dxgk_render_noise(made);
        (void)dxgk_context_destroy(made);
        life_put(&made->life);
    }
    nt_memory_free(bytes);
}

void dxgk_context_spoiled(struct dxgk_device *device, const struct dxgk_context_request *request)
{
    struct asking asking = {device, request};

    if (is_ending(device)) {
        return;
    }
    if (!request->gdi && vary_happens(VARY_BAD_PRIVATE_DATA, 2)) {
        create_spoiled(&asking, dxgk_spoiled);
    }
    if (!request->gdi && request->private_size == 0 && vary_happens(VARY_BAD_PRIVATE_DATA, 2)) {
        create_learned(&asking);
    }
    /* Few clients have any, so the commonest mistake is tried each time. */
    if (request->private_size > 1 && vary_happens(VARY_BAD_PRIVATE_DATA, 1)) {
        create_spoiled(&asking, dxgk_halved);
    }
}
