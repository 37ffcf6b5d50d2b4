/* Commands that are submitted once, for two contexts: each of them runs them. See results.h. */
#include "results.h"

#include "addressed.h"

#define BLOCK_BYTES   0x10000u
#define COMMAND_BYTES 4096u
#define WORDS         (BLOCK_BYTES / 4)
#define BEGIN         0x100u
#define ROUNDS        3u

struct both {
    struct addressed client;
    struct memory_block commands, sums, ones;
};

static bool prepare(struct both *both)
{
    struct addressed *client = &both->client;
    struct command_writer writer;

    if (!addressed_block(client, COMMAND_BYTES,
                         SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &both->commands) ||
        !addressed_block(client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &both->sums) ||
        !addressed_block(client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &both->ones)) {
        return false;
    }
    writer_begin(&writer, client, &both->commands);
    writer_fill(&writer, both->sums.address, BLOCK_BYTES, BEGIN);
    writer_fill(&writer, both->ones.address, BLOCK_BYTES, 1);
    return writer_end(&writer) && addressed_wait(client);
}

/* They share a node, so that one runs behind the other. */
static bool add_in_both(struct both *both)
{
    struct addressed *client = &both->client;
    const struct compute_request add = {.kernel = SOFTGPU_KERNEL_ADD,
                                        .count = WORDS,
                                        .result = both->sums.address,
                                        .a = both->sums.address,
                                        .b = both->ones.address};
    struct command_writer writer;
    bool good = addressed_also_begin(client);

    for (unsigned i = 0; good && i < ROUNDS; i++) {
        writer_begin(&writer, client, &both->commands);
        writer_compute(&writer, &add);
        good = writer_end(&writer) && addressed_wait(client);
    }
    addressed_also_end(client);
    return good && addressed_wait(client); /* if the device still lives */
}

static bool judge(struct both *both)
{
    const struct drydock_workload_host *host = both->client.gpu.host;
    const uint32_t *words = addressed_lock(&both->client, &both->sums);
    unsigned i = 0;

    while (words && i < WORDS && words[i] == BEGIN + 2 * ROUNDS) {
        i++;
    }
    if (words && i < WORDS) {
        host->fail(host,
                   "%u additions of 1, each submitted once for two contexts (BroadcastContextCount "
                   "2), made of 0x%X 0x%X at offset 0x%X, not 0x%X",
                   ROUNDS, BEGIN, words[i], i * 4, BEGIN + 2 * ROUNDS);
    }
    if (words) {
        addressed_unlock(&both->client, &both->sums);
    }
    return words && i == WORDS;
}

bool result_of_broadcasts(const struct drydock_workload_host *host, unsigned node)
{
    struct both both = {0};
    bool there;

    if (!addressed_open(&both.client, host, node, &there)) {
        return !there;
    }
    bool good = prepare(&both) && add_in_both(&both) && judge(&both);
    addressed_close(&both.client);
    host->count(host, "virtual.broadcasts", good);
    return good;
}
