/* A client ends, and leaves commands that never end where its last submission had good ones: what
 * is sent once more when its device goes makes the adapter time out. Another client comes while
 * that is under way, and loses nothing. See spoil_client.h. */
#include "spoil_client.h"

#include "addressed.h"
#include "hostile_support.h"

#define ROUNDS      24 /* not each time the driver takes what is sent */
#define BLOCK_BYTES UINT64_C(16384)
#define FLAGS       (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_VRAM_ONLY)
#define PATTERN     0x5A5A1234u
#define SOON_NS     UINT64_C(1000000)
#define LATE_NS     UINT64_C(4000000000) /* a time-out is over by then */

static struct drydock_event *ends;

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "spoil_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

static bool begin(struct addressed *client, struct memory_block *block,
                  struct memory_block *commands)
{
    struct command_writer writer;
    bool there;

    if (!addressed_open(client, host, SOFTGPU_ENGINE_COMPUTE, &there) ||
        !addressed_block(client, BLOCK_BYTES, FLAGS, block) ||
        !addressed_block(client, 4096, SOFTGPU_UMD_VIRTUAL_ONLY, commands)) {
        return false;
    }
    writer_begin(&writer, client, commands);
    writer_fill(&writer, block->address, BLOCK_BYTES, PATTERN);
    return writer_end(&writer) && addressed_wait(client);
}

static void leave_a_hang(void *context)
{
    struct memory_block block, commands;
    struct command_writer writer;
    struct addressed client;

    HOLDS_TRUE(begin(&client, &block, &commands));
    writer_begin(&writer, &client, &commands);
    writer_hang(&writer);
    HOLDS_TRUE(writer_close(&writer));
    host->event_signal(host, ends);
    addressed_close(&client);
}

static void come_meanwhile(void)
{
    struct memory_block block, commands;
    struct addressed client;

    HOLDS_TRUE(begin(&client, &block, &commands));
    host->sleep_until(host, host->now_ns(host) + LATE_NS);
    const uint32_t *words = addressed_lock(&client, &block);
    for (unsigned i = 0; words && i < BLOCK_BYTES / sizeof *words; i++) {
        if (words[i] != PATTERN) {
            host->fail(host, "word %u is %X", i, words[i]);
            break;
        }
    }
    addressed_unlock(&client, &block);
    addressed_close(&client);
}

static void run(const struct drydock_workload_host *given)
{
    hostile_host = given;
    ends = host->event_create(host);
    for (unsigned i = 0; i < ROUNDS && !host->failed(host); i++) {
        struct drydock_process *process = host->start_process(host, "ends", leave_a_hang, NULL);
        HOLDS_TRUE(process && host->event_wait(host, ends, DRYDOCK_NEVER));
        host->sleep_until(host, host->now_ns(host) + SOON_NS);
        come_meanwhile();
        host->join(host, process);
    }
    host->event_destroy(host, ends);
}

const struct drydock_workload spoil_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                              .name = "spoil client",
                                              .description = "who comes when another one ends",
                                              .run = run};
