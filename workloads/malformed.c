/* Submissions by virtual address that the software GPU's driver has to refuse. Since WDDM 2.5 it
 * may do so before they are queued, if they have private data: the client is told, and nothing else
 * happens [VALID-006]. In SubmitCommandVirtual it costs who sent one its device; the fence counts
 * as complete, and the driver is asked for it when nobody else has work [SUBV-002, SUBV-003]. See
 * results.h. */
#include "results.h"

#include <string.h>

#include "queue_client.h"

#define COMMAND_BYTES 4096u
#define BLOCK_BYTES   0x1000u
#define DATA_MAX      64
#define PATIENCE_NS   UINT64_C(200000000)
#define STEP_NS       UINT64_C(1000000)

static const struct malformed {
    const char *what;
    unsigned size_change, address_change; /* in bytes */
    unsigned data_bytes;                  /* 0: as it should be */
    bool no_data;
    uint32_t data_change; /* of the first word */
} malformed[] = {
    {.what = "private data that begin with another number", .data_change = 0x40},
    {.what = "private data that are cut", .data_bytes = 4},
    {.what = "private data that are longer than the driver knows", .data_bytes = DATA_MAX / 2},
    {.what = "a length that is no number of words", .size_change = 1},
    {.what = "an address between two words", .address_change = 2},
    {.what = "a length that is no number of words, without private data",
     .size_change = 1,
     .no_data = true},
    {.what = "an address between two words, without private data",
     .address_change = 2,
     .no_data = true},
};

#define KINDS (sizeof malformed / sizeof *malformed)

struct sender {
    struct addressed client;
    struct memory_block commands, block;
    bool validated; /* the driver has refused it before it was queued */
};

static bool fill(struct sender *sender, uint32_t pattern)
{
    struct command_writer writer;

    writer_begin(&writer, &sender->client, &sender->commands);
    writer_fill(&writer, sender->block.address, BLOCK_BYTES, pattern);
    return writer_end(&writer);
}

/* The commands are those of the last fill. */
static NTSTATUS send(const struct sender *sender, const struct malformed *kind)
{
    const struct softgpu_umd_submit good = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                            .version = SOFTGPU_UMD_VERSION};
    uint32_t data[DATA_MAX / sizeof(uint32_t)] = {0};

    memcpy(data, &good, sizeof good);
    data[0] ^= kind->data_change;
    const D3DKMT_SUBMITCOMMAND submit = {
        .Commands = sender->commands.address + kind->address_change,
        .CommandLength = (UINT)sizeof(struct softgpu_command_fill) + kind->size_change,
        .BroadcastContextCount = 1,
        .BroadcastContext = {sender->client.context},
        .pPrivateDriverData = kind->no_data ? NULL : data,
        .PrivateDriverDataSize = kind->no_data      ? 0
                                 : kind->data_bytes ? kind->data_bytes
                                                    : (UINT)sizeof good,
    };

    return D3DKMTSubmitCommand(&submit);
}

static bool is_lost(struct sender *sender)
{
    return gpu_state(&sender->client.gpu) != D3DKMT_DEVICEEXECUTION_ACTIVE;
}

/* A driver that validates has refused it, and the device does what comes next. */
static bool is_validated(struct sender *sender, const struct malformed *kind, NTSTATUS status)
{
    const struct drydock_workload_host *host = sender->client.gpu.host;

    if (kind->no_data) {
        host->fail(host, "D3DKMTSubmitCommand of %s failed: %s", kind->what,
                   host->status_name(host, status));
        return false;
    }
    sender->client.gpu.may_be_lost = false;
    sender->validated = true;
    host->count(host, "virtual.validated", 1);
    return fill(sender, 3) && addressed_wait(&sender->client);
}

/* More of its work is queued when the bad one comes. Nothing comes behind: a later fence that is
 * complete would say nothing of the refused one. */
static bool send_among_others(struct sender *sender, const struct malformed *kind)
{
    const struct drydock_workload_host *host = sender->client.gpu.host;

    bool good = fill(sender, 1) && addressed_wait(&sender->client) && fill(sender, 2);
    if (!good) {
        return false;
    }
    sender->client.gpu.may_be_lost = true;
    NTSTATUS status = send(sender, kind);
    if (status < 0 && !is_lost(sender)) {
        return is_validated(sender, kind, status);
    }
    for (uint64_t until_ns = host->now_ns(host) + PATIENCE_NS;
         !is_lost(sender) && host->now_ns(host) < until_ns;) {
        host->sleep_until(host, host->now_ns(host) + STEP_NS);
    }
    if (!is_lost(sender)) {
        host->fail(
            host, "DxgkDdiSubmitCommandVirtual did not refuse %s: the client's device is as before",
            kind->what);
    }
    host->sleep_until(host,
                      host->now_ns(host) + 2 * STEP_NS); /* whoever comes next finds it over */
    return is_lost(sender);
}

static bool run_kind(const struct drydock_workload_host *host, unsigned node,
                     const struct malformed *kind, bool *validated)
{
    struct sender sender = {0};
    bool there;

    if (!addressed_open(&sender.client, host, node, &there)) {
        return false;
    }
    bool good =
        addressed_block(&sender.client, COMMAND_BYTES,
                        SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &sender.commands) &&
        addressed_block(&sender.client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &sender.block) &&
        send_among_others(&sender, kind);
    addressed_close(&sender.client);
    *validated |= sender.validated;
    host->count(host, "virtual.refused", good);
    return good;
}

/* ---- To a hardware queue --------------------------------------------------------------------- */

/* What a driver that validates has to refuse: good commands come with private data that are not;
 * nobody else looks at those. */
static bool refuses_all(struct sender *sender, struct queue_stream *stream)
{
    const struct drydock_workload_host *host = sender->client.gpu.host;
    const struct softgpu_umd_submit good = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                            .version = SOFTGPU_UMD_VERSION};
    uint32_t data[DATA_MAX / sizeof(uint32_t)] = {0};

    for (size_t i = 0; i < KINDS; i++) {
        const struct malformed *kind = &malformed[i];
        if (kind->no_data || kind->size_change || kind->address_change) {
            continue;
        }
        memcpy(data, &good, sizeof good);
        data[0] ^= kind->data_change;
        const D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {
            .hHwQueue = stream->queue,
            .HwQueueProgressFenceId = stream->value + 1,
            .CommandBuffer = sender->commands.address,
            .CommandLength = sizeof(struct softgpu_command_fill),
            .PrivateDriverDataSize = kind->data_bytes ? kind->data_bytes : (UINT)sizeof good,
            .pPrivateDriverData = data,
        };
        if (D3DKMTSubmitCommandToHwQueue(&submit) >= 0) {
            host->fail(host,
                       "DxgkDdiValidateSubmitCommand did not refuse %s, sent to a hardware queue",
                       kind->what);
            return false;
        }
        host->count(host, "virtual.queue_refused", 1);
    }
    return true;
}

static bool run_queue(const struct drydock_workload_host *host, unsigned node)
{
    struct sender sender = {0};
    struct queue_stream stream = {0};
    bool there;

    if (!addressed_open(&sender.client, host, node, &there)) {
        return !there;
    }
    bool good =
        addressed_block(&sender.client, COMMAND_BYTES,
                        SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &sender.commands) &&
        addressed_block(&sender.client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &sender.block) &&
        fill(&sender, 4) && addressed_wait(&sender.client) &&
        stream_open(&stream, &sender.client) && (!stream.queue || refuses_all(&sender, &stream));
    addressed_close(&sender.client);
    return good;
}

bool result_of_malformed_submissions(const struct drydock_workload_host *host, unsigned node)
{
    bool good = true, validated = false;

    for (size_t i = 0; good && i < KINDS; i++) {
        good = run_kind(host, node, &malformed[i], &validated);
    }
    return good && (!validated || run_queue(host, node));
}
