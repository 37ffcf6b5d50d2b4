/* Results of preemption: a command buffer that is broken off again and again, by patch lists and by
 * virtual addresses. What it does can be done once alone: each step keeps what the one before left,
 * and moves a long block by a little within itself, so that a step, or a part of one, that ran
 * twice shows. The long move comes first: a buffer may be broken off within its first command, too.
 * See results.h. */
#include "results.h"

#include <string.h>

#include "addressed.h"
#include "softgpu_client.h"

#define STEPS        8
#define STEP_BYTES   64
#define KEPT_BYTES   4096u     /* in which each step has STEP_BYTES */
#define MOVED_BYTES  0x180000u /* more than a slice of a copy: it can be broken off within */
#define MOVED_WORDS  (MOVED_BYTES / 4)
#define SHIFT_BYTES  256u
#define SHIFT_WORDS  (SHIFT_BYTES / 4)
#define URGENT       6
#define URGENT_NS    130000 /* about the time of a step; the first is broken off in its middle */
#define PRIORITY     7
#define NEVER_WROTE  0xEEEEEEEEu
#define COMMAND_ROOM 0x4000u

/* ---- What is right ------------------------------------------------------------------------- */

/* How a wrong result came about is plain if it is one of work that was done again. */
struct judgement {
    const struct drydock_workload_host *host;
    const char *how; /* commands come to the driver */
    bool preempted;  /* that was meant to be; other work may break it off, too */
};

static bool judge_kept(const struct judgement *judgement, const uint8_t *kept)
{
    const struct drydock_workload_host *host = judgement->host;

    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t step;
        memcpy(&step, kept + (size_t)i * STEP_BYTES, sizeof step);
        bool again = step > i && step <= STEPS;
        if (step != i && (again || judgement->preempted)) {
            host->breaks(host, "SUBMIT-045",
                         "a command buffer of %u steps, %s, that was preempted: step %u %s", STEPS,
                         judgement->how, i,
                         step == NEVER_WROTE ? "never ran"
                         : again             ? "ran again after a later one"
                                             : "ran out of turn");
            return false;
        }
        if (step != i) {
            host->fail(host, "the GPU's result is wrong: step %u of %u", i, STEPS);
            return false;
        }
    }
    if (judgement->preempted) {
        host->holds(host, "SUBMIT-045");
    }
    return true;
}

/* Word i held i, and what shows there now came from so much further on. */
static bool judge_moved(const struct judgement *judgement, const uint32_t *words)
{
    const struct drydock_workload_host *host = judgement->host;

    for (uint32_t i = 0; i < MOVED_WORDS; i++) {
        uint32_t from_end = (MOVED_WORDS - 1 - i) / SHIFT_WORDS; /* the end stays where it is */
        uint32_t moves = from_end < STEPS ? from_end : STEPS, by = words[i] - i;
        if (by == moves * SHIFT_WORDS) {
            continue;
        }
        bool again =
            by > moves * SHIFT_WORDS && by <= 2 * STEPS * SHIFT_WORDS && by % SHIFT_WORDS == 0;
        if (again || judgement->preempted) {
            host->breaks(host, "SUBMIT-045",
                         "%u copies of 0x%X bytes by 0x%X within a buffer, %s, that were "
                         "preempted: at offset 0x%X is what was at 0x%X, as after %u of them. What "
                         "a copy had done when it was stopped must not be done twice: it goes on "
                         "there, also if it is the first command",
                         STEPS, MOVED_BYTES, SHIFT_BYTES, judgement->how, i * 4, words[i] * 4,
                         by / SHIFT_WORDS);
        } else {
            host->fail(host, "the GPU's copies within a buffer are wrong at offset 0x%X", i * 4);
        }
        return false;
    }
    return true;
}

static void number_words(uint32_t *words)
{
    for (uint32_t i = 0; i < MOVED_WORDS; i++) {
        words[i] = i;
    }
}

static void fill_words(uint8_t *bytes, uint32_t pattern)
{
    for (size_t at = 0; at < KEPT_BYTES; at += sizeof pattern) {
        memcpy(bytes + at, &pattern, sizeof pattern);
    }
}

/* ---- By patch lists ------------------------------------------------------------------------ */

enum { COUNTER, KEPT, BUFFERS };

struct patched {
    struct gpu gpu, urgent;
    struct surface buffers[BUFFERS], moved, other;
};

static bool clear(struct gpu *gpu, const struct surface *buffer, uint32_t pattern)
{
    uint8_t *bytes = gpu_lock(gpu, buffer, false);

    if (bytes) {
        fill_words(bytes, pattern);
        gpu_unlock(gpu, buffer);
    }
    return bytes != NULL;
}

static bool begin_patched(struct patched *work)
{
    uint32_t *words = gpu_lock(&work->gpu, &work->moved, false);

    if (words) {
        number_words(words);
        gpu_unlock(&work->gpu, &work->moved);
    }
    return words && clear(&work->gpu, &work->buffers[COUNTER], 0) &&
           clear(&work->gpu, &work->buffers[KEPT], NEVER_WROTE);
}

static bool send_steps(struct patched *work)
{
    struct commands commands;

    commands_begin(&commands, &work->gpu);
    for (uint32_t i = 0; i < STEPS; i++) {
        commands_copy(&commands, &work->moved, 0, &work->moved, SHIFT_BYTES,
                      MOVED_BYTES - SHIFT_BYTES);
        commands_copy(&commands, &work->buffers[KEPT], i * STEP_BYTES, &work->buffers[COUNTER], 0,
                      STEP_BYTES);
        commands_fill(&commands, &work->buffers[COUNTER], 0, STEP_BYTES, i + 1);
    }
    return commands_end(&commands);
}

/* Short work of a context that goes before the steps: they are broken off for it. */
static bool interrupt_steps(struct patched *work)
{
    const struct drydock_workload_host *host = work->urgent.host;
    struct commands commands;

    for (unsigned i = 0; i < URGENT; i++) {
        host->sleep_until(host, host->now_ns(host) + URGENT_NS);
        commands_begin(&commands, &work->urgent);
        commands_fill(&commands, &work->other, 0, STEP_BYTES, i);
        if (!commands_end(&commands)) {
            return false;
        }
    }
    return gpu_wait_idle(&work->urgent);
}

static bool judge_patched(struct patched *work, bool preempted)
{
    struct gpu *gpu = &work->gpu;
    const struct judgement judgement = {gpu->host, "by SubmitCommand", preempted};
    const uint8_t *kept = gpu_lock(gpu, &work->buffers[KEPT], true);
    bool good = kept && judge_kept(&judgement, kept);

    if (kept) {
        gpu_unlock(gpu, &work->buffers[KEPT]);
    }
    const uint32_t *words = good ? gpu_lock(gpu, &work->moved, true) : NULL;
    good = words && judge_moved(&judgement, words);
    if (words) {
        gpu_unlock(gpu, &work->moved);
    }
    return good;
}

/* First undisturbed: what is wrong then, no preemption is to blame for. */
static bool repeat_patched(struct patched *work)
{
    bool good = true;

    for (unsigned preempted = 0; good && preempted < 2; preempted++) {
        good = begin_patched(work) && send_steps(work) && (!preempted || interrupt_steps(work)) &&
               gpu_wait_idle(&work->gpu) && judge_patched(work, preempted);
    }
    return good;
}

static bool run_patched(struct patched *work)
{
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {work->urgent.context, PRIORITY};

    bool good = gpu_check(&work->urgent, D3DKMTSetContextSchedulingPriority(&priority),
                          "D3DKMTSetContextSchedulingPriority") &&
                softgpu_buffers(&work->gpu, KEPT_BYTES, 0, work->buffers, BUFFERS) &&
                softgpu_buffer(&work->gpu, MOVED_BYTES, 0, &work->moved) &&
                softgpu_buffer(&work->urgent, KEPT_BYTES, 0, &work->other) && repeat_patched(work);
    gpu_surface_destroy(&work->urgent, &work->other);
    gpu_surface_destroy(&work->gpu, &work->moved);
    for (unsigned i = 0; i < BUFFERS; i++) {
        gpu_surface_destroy(&work->gpu, &work->buffers[i]);
    }
    return good;
}

bool result_of_preemption(const struct drydock_workload_host *host)
{
    struct patched work = {0};
    bool good = false;

    if (!gpu_open(&work.gpu, host, softgpu_copy_node(host))) {
        return false;
    }
    if (gpu_open(&work.urgent, host, softgpu_copy_node(host))) {
        good = run_patched(&work);
        gpu_close(&work.urgent);
    }
    gpu_close(&work.gpu);
    return good;
}

/* ---- By virtual addresses ------------------------------------------------------------------ */

struct by_address {
    struct addressed client, urgent;
    struct memory_block commands, counter, kept, moved;
    struct memory_block urgent_commands, other;
};

static bool make_blocks(struct by_address *work)
{
    struct addressed *client = &work->client, *urgent = &work->urgent;
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY,
                   commands = SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY;

    return addressed_block(client, COMMAND_ROOM, commands, &work->commands) &&
           addressed_block(client, KEPT_BYTES, flags, &work->counter) &&
           addressed_block(client, KEPT_BYTES, flags, &work->kept) &&
           addressed_block(client, MOVED_BYTES, flags, &work->moved) &&
           addressed_block(urgent, COMMAND_ROOM, commands, &work->urgent_commands) &&
           addressed_block(urgent, KEPT_BYTES, flags, &work->other);
}

static bool clear_block(struct addressed *client, const struct memory_block *block,
                        uint32_t pattern)
{
    uint8_t *bytes = addressed_lock(client, block);

    if (bytes) {
        fill_words(bytes, pattern);
        addressed_unlock(client, block);
    }
    return bytes != NULL;
}

static bool begin_by_address(struct by_address *work)
{
    uint32_t *words = addressed_lock(&work->client, &work->moved);

    if (words) {
        number_words(words);
        addressed_unlock(&work->client, &work->moved);
    }
    return words && clear_block(&work->client, &work->counter, 0) &&
           clear_block(&work->client, &work->kept, NEVER_WROTE);
}

static bool submit_steps(struct by_address *work)
{
    struct command_writer writer;

    writer_begin(&writer, &work->client, &work->commands);
    for (uint32_t i = 0; i < STEPS; i++) {
        writer_copy(&writer, work->moved.address, work->moved.address + SHIFT_BYTES,
                    MOVED_BYTES - SHIFT_BYTES);
        writer_copy(&writer, work->kept.address + (uint64_t)i * STEP_BYTES, work->counter.address,
                    STEP_BYTES);
        writer_fill(&writer, work->counter.address, STEP_BYTES, i + 1);
    }
    return writer_end(&writer);
}

static bool interrupt_by_address(struct by_address *work)
{
    const struct drydock_workload_host *host = work->urgent.gpu.host;
    struct command_writer writer;

    for (unsigned i = 0; i < URGENT; i++) {
        host->sleep_until(host, host->now_ns(host) + URGENT_NS);
        writer_begin(&writer, &work->urgent, &work->urgent_commands);
        writer_fill(&writer, work->other.address, STEP_BYTES, i);
        if (!writer_end(&writer) || !addressed_wait(&work->urgent)) {
            return false;
        }
    }
    return true;
}

static bool judge_by_address(struct by_address *work, bool preempted)
{
    struct addressed *client = &work->client;
    const struct judgement judgement = {client->gpu.host,
                                        client->sends_no_data
                                            ? "by SubmitCommandVirtual, without private data of "
                                              "the client"
                                            : "by SubmitCommandVirtual",
                                        preempted};
    const uint8_t *kept = addressed_lock(client, &work->kept);
    bool good = kept && judge_kept(&judgement, kept);

    if (kept) {
        addressed_unlock(client, &work->kept);
    }
    const uint32_t *words = good ? addressed_lock(client, &work->moved) : NULL;
    good = words && judge_moved(&judgement, words);
    if (words) {
        addressed_unlock(client, &work->moved);
    }
    return good;
}

/* What ran to its end undisturbed, and faults when it is broken off, did not go on where it was. A
 * reset may take the device of the other client, too. */
static bool wait_for_steps(struct by_address *work, bool preempted)
{
    struct gpu *gpu = &work->client.gpu;

    gpu->may_be_lost = work->urgent.gpu.may_be_lost = preempted;
    bool interrupted = !preempted || interrupt_by_address(work);
    bool good = addressed_wait(&work->client) && interrupted;
    gpu->may_be_lost = work->urgent.gpu.may_be_lost = false;
    if (good || !preempted || gpu->host->failed(gpu->host)) {
        return good;
    }
    if (gpu_state(gpu) == D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT) {
        gpu->host->breaks(gpu->host, "SUBMIT-045",
                          "a command buffer of %u steps, by SubmitCommandVirtual, that was "
                          "preempted faulted; undisturbed it ran to its end",
                          STEPS);
    } else {
        gpu->host->lost(gpu->host,
                        "waiting for submitted commands failed, for its device was lost");
    }
    return false;
}

static bool run_by_address(struct by_address *work)
{
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {work->urgent.context, PRIORITY};
    bool good = gpu_check(&work->urgent.gpu, D3DKMTSetContextSchedulingPriority(&priority),
                          "D3DKMTSetContextSchedulingPriority") &&
                make_blocks(work);

    /* First undisturbed, then with private data, and last without: where the driver keeps the place
     * at which a buffer was broken off is its own affair. */
    for (unsigned round = 0; good && round < 3; round++) {
        work->client.sends_no_data = round == 2;
        good = begin_by_address(work) && submit_steps(work) && wait_for_steps(work, round > 0) &&
               judge_by_address(work, round > 0);
    }
    return good;
}

bool result_of_virtual_preemption(const struct drydock_workload_host *host, unsigned node)
{
    struct by_address work = {0};
    bool there, good = false;

    if (!addressed_open(&work.client, host, node, &there)) {
        return !there;
    }
    if (addressed_open(&work.urgent, host, node, &there)) {
        good = run_by_address(&work);
        addressed_close(&work.urgent);
    }
    addressed_close(&work.client);
    return good;
}
