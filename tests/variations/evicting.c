/* A client that does without its memory, and wants it again: whether it leaves meanwhile is the
 * kernel's choice [VARY_EVICTED_AT_ONCE]. */
#include "addressed.h"
#include "vary_work.h"

#define BLOCK_BYTES 0x40000u
#define ROUNDS      8u

static bool look(struct addressed *client, const struct memory_block *block, uint32_t number)
{
    const uint32_t *words = addressed_lock(client, block);
    unsigned wrong = 0;

    for (unsigned i = 0; words && i < BLOCK_BYTES / sizeof *words; i++) {
        wrong += words[i] != number + i;
    }
    if (words) {
        addressed_unlock(client, block);
    }
    if (wrong) {
        client->gpu.host->fail(client->gpu.host, "%u words are wrong", wrong);
    }
    return words && !wrong;
}

static bool write(struct addressed *client, const struct memory_block *block, uint32_t number)
{
    uint32_t *words = addressed_lock(client, block);

    for (unsigned i = 0; words && i < BLOCK_BYTES / sizeof *words; i++) {
        words[i] = number + i;
    }
    if (words) {
        addressed_unlock(client, block);
    }
    return words;
}

static void run(const struct drydock_workload_host *host)
{
    struct addressed client;
    struct memory_block block;
    bool there;

    if (!addressed_open(&client, host, 0, &there)) {
        return;
    }
    bool good = addressed_block(&client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &block);
    for (unsigned i = 0; i < ROUNDS && good; i++) {
        good = write(&client, &block, i) && addressed_evict(&client, &block, 1) &&
               look(&client, &block, i) && addressed_reside(&client, &block, 1) &&
               look(&client, &block, i);
    }
    addressed_close(&client);
}

const struct drydock_workload evicting_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "evicting",
    .description = "memory that is evicted and made resident again",
    .run = run,
};
