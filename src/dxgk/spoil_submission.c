/* Submissions by virtual address as a client sends them that is broken: the private data of its
 * last good one, spoiled. A driver sees them in ValidateSubmitCommand, if it has that, and in
 * SubmitCommandVirtual, where what is malformed is refused with STATUS_INVALID_PARAMETER
 * [SUBV-001, VALID-005].
 *
 *   context: made with ─┐
 *   submission: sent ───┴─> device: struct dxgk_sent ──its client is done with it──> context, made
 *                                         with the same; the same commands, with spoiled data
 *
 * Whatever becomes of them, the device ends, and nobody else has one, or is given one meanwhile: no
 * work of others is lost. */
#include "dxgk/spoil.h"
#include "dxgk/submission.h"
#include "dxgk/virtual.h"

#include <stdlib.h>
#include <string.h>

#define END_NS (10 * NS_PER_S) /* a time-out is over by then */

/* Of the computer, not of an adapter. */
static unsigned making; /* devices */
static bool spoiling;
static struct wait_queue spoilt = {.waiters = {&spoilt.waiters, &spoilt.waiters}};

void dxgk_sent_device_begins(void)
{
    while (spoiling) {
        wait_queue_wait(&spoilt, MACHINE_NEVER);
    }
    making++;
}

void dxgk_sent_device_made(void)
{
    making--;
}

/* What a client of the device sent last. */
struct dxgk_sent {
    unsigned node;
    D3DGPU_VIRTUAL_ADDRESS commands;
    UINT command_bytes;
    struct dxgk_private made_with, data;
};

static bool keep(struct dxgk_private *kept, const void *data, UINT size)
{
    void *bytes = size > 0 ? malloc(size) : NULL;

    if (size > 0 && !bytes) {
        return false;
    }
    if (size > 0) {
        memcpy(bytes, data, size);
    }
    free(kept->bytes);
    *kept = (struct dxgk_private){bytes, size};
    return true;
}

void dxgk_sent_made(struct dxgk_context *context, const struct dxgk_context_request *request)
{
    if (vary_on(VARY_BAD_PRIVATE_DATA) && request->virtual_addresses) {
        (void)keep(&context->blocks.made_with, request->private_data, request->private_size);
    }
}

void dxgk_sent_keep(const struct dxgk_virtual_request *request)
{
    const struct dxgk_context *context = request->contexts[0];
    struct dxgk_sent **sent = &context->device->residency.sent;

    if (!vary_on(VARY_BAD_PRIVATE_DATA) || request->private_size == 0 ||
        (!*sent && !(*sent = calloc(1, sizeof **sent)))) {
        return;
    }
    (*sent)->node = context->node;
    (*sent)->commands = request->commands;
    (*sent)->command_bytes = request->size_bytes;
    (void)keep(&(*sent)->made_with, context->blocks.made_with.bytes,
               context->blocks.made_with.size);
    (void)keep(&(*sent)->data, request->private_data, request->private_size);
}

static void free_sent(struct dxgk_sent *sent)
{
    if (sent) {
        free(sent->made_with.bytes);
        free(sent->data.bytes);
        free(sent);
    }
}

void dxgk_sent_free(struct dxgk_device *device)
{
    free_sent(device->residency.sent);
    device->residency.sent = NULL;
}

static void *spoil(const struct dxgk_private *good, UINT *size)
{
    static void *(*const ways[])(const void *data, UINT *size) = {dxgk_spoiled, dxgk_halved,
                                                                  dxgk_word_changed};

    *size = good->size;
    return ways[vary_below(VARY_BAD_PRIVATE_DATA, sizeof ways / sizeof ways[0])](good->bytes, size);
}

/* A client that ends may have freed its commands before. */
static bool has_commands(const struct dxgk_context *context, const struct dxgk_sent *sent)
{
    const struct dxgk_device *device = context->device;
    struct vidmm_translation at;

    if (!device->adapter->mmu.pages || !device->process) {
        return true; /* addresses are those of the processor */
    }
    vidmm_space_translate(&device->process->space.memory, sent->commands, &at);
    return at.mapped && at.allocation;
}

static void send_spoiled(struct dxgk_context *context, const struct dxgk_sent *sent)
{
    struct dxgk_virtual_request request = {.contexts = &context,
                                           .context_count = 1,
                                           .commands = sent->commands,
                                           .size_bytes = sent->command_bytes,
                                           .spoiled = true};
    void *data = spoil(&sent->data, &request.private_size);

    request.private_data = data;
    /* More than the context has room for the kernel refuses. */
    if (has_commands(context, sent) &&
        request.private_size <= context->info.DmaBufferPrivateDataSize &&
        NT_SUCCESS(dxgk_submit_virtual(&request))) {
        record_count("submissions.spoiled", 1);
        (void)dxgk_context_wait_idle(context, machine_now_ns() + END_NS);
    }
    nt_memory_free(data);
}

/* Work of others would be lost where a reset follows; of those that end nobody asks for it. */
static bool is_alone(const struct dxgk_device *device)
{
    const struct dxgk_adapter *adapter = device->adapter;
    bool alone = true;

    for_each_life(life, &adapter->devices)
    {
        const struct dxgk_device *other = container_of(life, struct dxgk_device, life);
        if (other != device && other != adapter->system_device && life_enter(life)) {
            alone = false;
            life_leave(life);
        }
    }
    return alone && making == 0 && !spoiling && adapter->state == DXGK_ADAPTER_RUNNING &&
           adapter->presence == DXGK_THERE && !adapter->asleep;
}

void dxgk_sent_spoil(struct dxgk_device *device)
{
    struct dxgk_sent *sent = device->residency.sent;
    struct dxgk_context *context;

    if (!sent || device->lost || !is_alone(device) || !life_enter(&device->life)) {
        return;
    }
    device->residency.sent = NULL;
    spoiling = true;
    const struct dxgk_context_request request = {.node = sent->node,
                                                 .private_data = sent->made_with.bytes,
                                                 .private_size = sent->made_with.size,
                                                 .virtual_addresses = true};
    if (vary_happens(VARY_BAD_PRIVATE_DATA, 1) &&
        NT_SUCCESS(dxgk_context_make(device, &request, false, &context))) {
        send_spoiled(context, sent);
        NTSTATUS status = dxgk_context_destroy(context);
        CHECK_THAT(NT_SUCCESS(status)); /* nobody else knows of it */
    }
    spoiling = false;
    wait_queue_wake(&spoilt, UINT_MAX);
    life_leave(&device->life);
    free_sent(sent);
}
