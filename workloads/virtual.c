/* virtual: work by GPU virtual addresses, for the software GPU's driver where it has them: copies
 * and computations over memory that is mapped here, then there, that comes and goes; in several
 * processes at once, each with addresses of its own. What comes out is compared. Beside it,
 * residency: memory that does not fit together is made resident and let go. */
#include "addressed.h"
#include "results.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 4
#define ROUNDS        6
#define PAGE_BYTES    UINT64_C(4096)
#define BLOCK_BYTES   (64 * PAGE_BYTES)
#define BLOCK_WORDS   ((unsigned)(BLOCK_BYTES / 4))
#define COMMAND_BYTES (4 * PAGE_BYTES)
#define FAR_ADDRESS   (UINT64_C(3) << 30)
#define BLOCK_COUNT   3
#define SITE_KEY      0
#define SITE_PAGE     1
#define SITE_CHURN    2
#define SITE_OFFER    3
#define SITE_HAND     4

/* Blocks that do not fit into video memory together. */
#define CHURN_BLOCKS 12
#define CHURN_ROUNDS 24
#define CHURN_MEMORY 3 / 2 /* of video memory */
#define CHURN_MAX    (UINT64_C(96) << 20)

struct work {
    const struct drydock_workload_host *host;
    struct addressed client;
    struct memory_block commands;
    struct memory_block blocks[BLOCK_COUNT]; /* sources a and b, and what comes of them */
    uint32_t expected[BLOCK_WORDS];
};

static bool churns; /* of the two workloads here, the second runs */

static uint32_t random_word(const struct work *work, uint32_t site)
{
    return (uint32_t)work->host->random(work->host, site);
}

/* ---- Looking ------------------------------------------------------------------------------- */

static bool compare(struct work *work, const struct memory_block *block, const char *what)
{
    const struct drydock_workload_host *host = work->host;
    const uint32_t *words = addressed_lock(&work->client, block);
    unsigned wrong = 0, first = 0;

    for (unsigned i = 0; words && i < BLOCK_WORDS; i++) {
        if (words[i] != work->expected[i]) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        host->fail(host,
                   "%s: %u of %u words are wrong, the first at offset 0x%X: 0x%08X, not 0x%08X",
                   what, wrong, BLOCK_WORDS, first * 4, words[first], work->expected[first]);
    }
    if (words) {
        addressed_unlock(&work->client, block);
        host->count(host, "virtual.words_checked", BLOCK_WORDS);
    }
    return words && !wrong;
}

/* ---- Rounds -------------------------------------------------------------------------------- */

/* Two sources are counted up, and added. */
static bool add_up(struct work *work)
{
    struct memory_block *a = &work->blocks[0], *b = &work->blocks[1], *sum = &work->blocks[2];
    uint32_t key = random_word(work, SITE_KEY), other = random_word(work, SITE_KEY);
    struct command_writer writer;

    writer_begin(&writer, &work->client, &work->commands);
    writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                                      .count = BLOCK_WORDS,
                                                      .scalar = key,
                                                      .result = a->address});
    writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                                      .count = BLOCK_WORDS,
                                                      .scalar = other,
                                                      .result = b->address});
    writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_ADD,
                                                      .count = BLOCK_WORDS,
                                                      .result = sum->address,
                                                      .a = a->address,
                                                      .b = b->address});
    for (uint32_t i = 0; i < BLOCK_WORDS; i++) {
        work->expected[i] = key + other + 2 * i;
    }
    return writer_end(&writer) && addressed_wait(&work->client) &&
           compare(work, sum, "a sum by virtual addresses");
}

/* The result's pages show in another order in a range that was reserved, and are copied from there:
 * what is at a page of the range is what the page of the allocation holds. */
static bool rearrange(struct work *work)
{
    struct memory_block *sum = &work->blocks[2], *copy = &work->blocks[0];
    unsigned pages = BLOCK_BYTES / PAGE_BYTES,
             turn = 1 + random_word(work, SITE_PAGE) % (pages - 1);
    uint32_t words_turned = turn * (unsigned)(PAGE_BYTES / 4);
    struct command_writer writer;
    uint32_t *before;
    uint64_t range, address;

    if (!addressed_reserve(&work->client, BLOCK_BYTES, &range)) {
        return false;
    }
    /* The end first, then the begin. */
    const struct mapping_request end = {sum, range, turn, pages - turn, false};
    const struct mapping_request begin = {sum, range + (pages - turn) * PAGE_BYTES, 0, turn, false};
    bool good = addressed_map(&work->client, &end, &address) &&
                addressed_map(&work->client, &begin, &address);
    if (good) {
        writer_begin(&writer, &work->client, &work->commands);
        writer_copy(&writer, copy->address, range, BLOCK_BYTES);
        good = writer_end(&writer) && addressed_wait(&work->client);
    }
    before = good ? malloc(sizeof work->expected) : NULL;
    if (before) {
        memcpy(before, work->expected, sizeof work->expected);
        for (unsigned i = 0; i < BLOCK_WORDS; i++) {
            work->expected[i] = before[(i + words_turned) % BLOCK_WORDS];
        }
    }
    good = before && compare(work, copy, "a copy of pages in another order");
    free(before);
    return addressed_free(&work->client, range, BLOCK_BYTES) && good;
}

#define TABLE_REACH (UINT64_C(2) << 20) /* what the entries of one table show, mostly */

/* The first half of a range shows pages, and in the same call the second half what the first shows
 * then, not what it showed when the call came [CPTE-003]. The first lies half in one table and half
 * in the next, so that entries of both are copied into one; and it is done twice, the second time
 * with the tables there, which show other pages. */
static bool show_twice(struct work *work, uint32_t key)
{
    struct memory_block *sum = &work->blocks[2], *copy = &work->blocks[0];
    enum { PAGES = BLOCK_BYTES / PAGE_BYTES / 2, WORDS = PAGE_BYTES / 4 };
    struct twice_request request = {sum, 0, random_word(work, SITE_PAGE) % PAGES, PAGES}, before;
    const uint32_t from = key + (uint32_t)request.page_first * WORDS;
    const uint64_t bytes = 2 * TABLE_REACH + BLOCK_BYTES;
    struct command_writer writer;
    uint64_t range;

    if (!addressed_reserve(&work->client, bytes, &range)) {
        return false;
    }
    request.range = (range / TABLE_REACH + 2) * TABLE_REACH - PAGES / 2 * PAGE_BYTES;
    before = request;
    before.page_first = (request.page_first + 1) % PAGES;
    for (uint32_t word = 0; word < PAGES * WORDS; word++) {
        work->expected[word] = work->expected[PAGES * WORDS + word] = from + word;
    }
    bool good = addressed_update_twice(&work->client, &before) && addressed_wait(&work->client) &&
                addressed_update_twice(&work->client, &request) && addressed_wait(&work->client);
    if (good) {
        writer_begin(&writer, &work->client, &work->commands);
        writer_copy(&writer, copy->address, request.range, BLOCK_BYTES);
        good = writer_end(&writer) && addressed_wait(&work->client) &&
               compare(work, copy, "a copy of pages that one update mapped, and showed again");
    }
    return addressed_free(&work->client, range, bytes) && good;
}

/* Each page of a range shows another one, behind the work before, and that work is not waited for
 * by the CPU; then half of them show what the block's own addresses show. */
static bool scatter(struct work *work)
{
    struct memory_block *sum = &work->blocks[2], *copy = &work->blocks[0];
    enum { PAGES = BLOCK_BYTES / PAGE_BYTES, WORDS = PAGE_BYTES / 4 };
    uint32_t key = random_word(work, SITE_KEY);
    struct command_writer writer;
    unsigned pages[PAGES], again = random_word(work, SITE_PAGE) % (PAGES / 2);
    uint64_t range;

    if (!addressed_reserve(&work->client, BLOCK_BYTES, &range)) {
        return false;
    }
    writer_begin(&writer, &work->client, &work->commands);
    writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                                      .count = BLOCK_WORDS,
                                                      .scalar = key,
                                                      .result = sum->address});
    bool good = writer_end(&writer);
    for (unsigned i = 0; i < PAGES; i++) {
        pages[i] = random_word(work, SITE_PAGE) % PAGES;
        for (uint32_t word = 0; word < WORDS; word++) {
            uint32_t page = i < PAGES / 2 ? again + i : pages[i];
            work->expected[i * WORDS + word] = key + page * WORDS + word;
        }
    }
    good = good && addressed_update(&work->client, sum, range, pages, PAGES) &&
           addressed_show_again(&work->client, sum->address + again * PAGE_BYTES, range,
                                BLOCK_BYTES / 2) &&
           addressed_wait(&work->client);
    if (good) {
        writer_begin(&writer, &work->client, &work->commands);
        writer_copy(&writer, copy->address, range, BLOCK_BYTES);
        good = writer_end(&writer) && addressed_wait(&work->client) &&
               compare(work, copy, "a copy of pages that were mapped by an update");
    }
    return addressed_free(&work->client, range, BLOCK_BYTES) && good && show_twice(work, key);
}

/* Far behind all others: with two levels of tables the root has to grow for it. 0: no addresses are
 * there, or somebody has them. */
static uint64_t far_base(const struct addressed *client)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS range = {
        .hPagingQueue = client->queue, .BaseAddress = FAR_ADDRESS, .Size = BLOCK_BYTES};

    if (!NT_SUCCESS(D3DKMTReserveGpuVirtualAddress(&range))) {
        return 0;
    }
    D3DKMTFreeGpuVirtualAddress(&(D3DKMT_FREEGPUVIRTUALADDRESS){
        .hAdapter = client->gpu.adapter, .BaseAddress = range.VirtualAddress, .Size = BLOCK_BYTES});
    return FAR_ADDRESS;
}

/* One that is seen by address alone, with a word in all its places, which the GPU wrote there. */
static bool make_known(struct work *work, struct memory_block *block, uint32_t word)
{
    const struct mapping_request whole = {
        block, far_base(&work->client), 0, BLOCK_BYTES / PAGE_BYTES, true, true};
    struct command_writer writer;

    if (!addressed_make(&work->client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY | ADDRESSED_UNSEEN,
                        block) ||
        !addressed_reside(&work->client, block, 1) ||
        !addressed_map(&work->client, &whole, &block->address)) {
        return false;
    }
    writer_begin(&writer, &work->client, &work->commands);
    writer_fill(&writer, block->address, BLOCK_BYTES, word);
    return writer_end(&writer) && addressed_wait(&work->client);
}

/* True: the copy has the new word. What the other has comes of who remembers. */
static bool compare_known(struct work *work, uint32_t word, uint32_t old, uint64_t address)
{
    const uint32_t *words = addressed_lock(&work->client, &work->blocks[0]);
    bool stale = words && words[0] == old;

    if (words) {
        addressed_unlock(&work->client, &work->blocks[0]);
    }
    if (stale) {
        work->host->fail(
            work->host,
            "address 0x%llX was freed and shows another allocation since, and an "
            "engine reads there what the former one held: what engines remember ends "
            "with FLUSH_TLB where the driver has page tables [TLB-002], and with "
            "NOTIFY_ALLOC, which NotifyIoMmuUnmap of the allocation asks for, where an "
            "IOMMU translates [NALLOC-007]",
            (unsigned long long)address);
        return false;
    }
    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        work->expected[i] = word;
    }
    return words && compare(work, &work->blocks[0], "a copy from an address that was handed on");
}

/* The address of one that goes is the next one's at once. */
static bool hand_on(struct work *work)
{
    struct memory_block old = {0}, next = {0};
    uint32_t old_word = random_word(work, SITE_HAND) | 1, word = old_word + 1;
    struct command_writer writer;
    uint64_t address = 0, shown = 0;
    bool good = make_known(work, &next, word) && make_known(work, &old, old_word);

    if (good) {
        const struct mapping_request again = {&next, old.address, 0, BLOCK_BYTES / PAGE_BYTES,
                                              false, true};
        address = old.address;
        good = addressed_free(&work->client, address, BLOCK_BYTES);
        addressed_destroy(&work->client, &old);
        good = good && addressed_map(&work->client, &again, &shown) && shown == address;
    }
    if (good) {
        writer_begin(&writer, &work->client, &work->commands);
        writer_copy(&writer, work->blocks[0].address, address, BLOCK_BYTES);
        good = writer_end(&writer) && addressed_wait(&work->client) &&
               compare_known(work, word, old_word, address) &&
               addressed_free(&work->client, address, BLOCK_BYTES);
        work->host->count(work->host, "virtual.handed_on", good);
    }
    if (old.allocation) {
        addressed_destroy(&work->client, &old);
    }
    if (next.allocation) {
        addressed_destroy(&work->client, &next);
    }
    return good;
}

/* Out of the list and in again: the same bytes at the same address. */
static bool come_and_go(struct work *work)
{
    struct memory_block *copy = &work->blocks[0];

    return addressed_evict(&work->client, copy, 1) && addressed_reside(&work->client, copy, 1) &&
           compare(work, copy, "memory that left and came back");
}

/* To the other kind of memory and back, behind work that writes to it: the same bytes at the same
 * address. */
static bool move_house(struct work *work)
{
    struct addressed *client = &work->client;
    struct memory_block *block = &work->blocks[2], *copy = &work->blocks[0];
    struct command_writer writer;
    uint32_t sets[3] = {0};
    bool there = true;

    if (!addressed_segments(client, &sets[1], &sets[0])) {
        return false;
    }
    sets[2] = sets[0] | sets[1];
    for (unsigned i = 0; i < 3 && there; i++) {
        uint32_t key = random_word(work, SITE_KEY);
        if (sets[i] == 0) {
            continue; /* all memory is the system's */
        }
        writer_begin(&writer, client, &work->commands);
        writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                                          .count = BLOCK_WORDS,
                                                          .scalar = key,
                                                          .result = block->address});
        if (!writer_end(&writer) || !addressed_move(client, block, sets[i], &there) ||
            !addressed_wait(client)) {
            return false;
        }
        for (unsigned k = 0; k < BLOCK_WORDS; k++) {
            work->expected[k] = key + k;
        }
        writer_begin(&writer, client, &work->commands);
        writer_copy(&writer, copy->address, block->address, BLOCK_BYTES);
        if (!writer_end(&writer) || !addressed_wait(client) ||
            !compare(work, copy, "memory that was told to be elsewhere")) {
            return false;
        }
        work->host->count(work->host, "virtual.moved", there);
    }
    return true;
}

static bool fill_again(struct work *work, const struct memory_block *block, uint32_t pattern)
{
    struct command_writer writer;

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        work->expected[i] = pattern;
    }
    writer_begin(&writer, &work->client, &work->commands);
    writer_fill(&writer, block->address, BLOCK_BYTES, pattern);
    return writer_end(&writer) && addressed_wait(&work->client);
}

/* What is offered holds what it held when it is reclaimed, or is said to be lost; the GPU can write
 * to it again either way. Sometimes the process gives it up meanwhile. */
static bool lend(struct work *work)
{
    uint32_t pattern = random_word(work, SITE_OFFER);
    struct memory_block *block = &work->blocks[pattern % 2]; /* in both kinds of memory */
    struct addressed *client = &work->client;
    bool gives_up = pattern / 2 % 2 != 0, kept = true;

    if (!fill_again(work, block, pattern) || !addressed_offer(client, block) ||
        (gives_up && !addressed_trim(client, BLOCK_BYTES)) ||
        !addressed_reclaim(client, block, &kept)) {
        return false;
    }
    work->host->count(work->host, kept ? "virtual.reclaimed" : "virtual.discarded", 1);
    return (kept || fill_again(work, block, ~pattern)) &&
           compare(work, block, "memory that was offered and reclaimed");
}

/* What a range of zeros shows is copied. */
static bool copy_zeros(struct work *work)
{
    struct memory_block *copy = &work->blocks[0];
    struct command_writer writer;
    uint64_t range;
    bool there;

    if (!addressed_reserve_zeros(&work->client, BLOCK_BYTES, &range, &there)) {
        return false;
    }
    if (!there) {
        return true;
    }
    writer_begin(&writer, &work->client, &work->commands);
    writer_fill(&writer, copy->address, BLOCK_BYTES, 0x5A5A5A5A);
    writer_copy(&writer, copy->address, range, BLOCK_BYTES);
    memset(work->expected, 0, sizeof work->expected);
    bool good = writer_end(&writer) && addressed_wait(&work->client) &&
                compare(work, copy, "a copy of a range that reads as zeros");
    return addressed_free(&work->client, range, BLOCK_BYTES) && good;
}

/* ---- More than there is -------------------------------------------------------------------- */

struct churned {
    struct memory_block block;
    uint32_t pattern; /* the GPU filled it with; 0: not yet */
    unsigned turn;    /* of its last use; 0: it may be anywhere */
    bool busy;        /* just now it must stay */
};

struct churn {
    struct work *work;
    struct churned all[CHURN_BLOCKS];
    unsigned turn;
    unsigned turn_before; /* the last time that it was told to let go what it does not need */
    void *trims;
};

/* Whatever has not been used for longest may go, if that was before the turn. False: nothing is
 * there any more. */
static bool let_one_go(struct churn *churn, unsigned before)
{
    struct churned *oldest = NULL;

    for (unsigned i = 0; i < CHURN_BLOCKS; i++) {
        struct churned *one = &churn->all[i];
        if (one->turn && one->turn <= before && !one->busy &&
            (!oldest || one->turn < oldest->turn)) {
            oldest = one;
        }
    }
    if (!oldest) {
        return false;
    }
    oldest->turn = 0; /* before others run: nobody lets it go twice */
    churn->work->host->count(churn->work->host, "virtual.evicted", 1);
    return addressed_evict(&churn->work->client, &oldest->block, 1);
}

/* As much as it is told, if it has that; and from time to time what it has not used since. */
static void APIENTRY trim(D3DKMT_TRIMNOTIFICATION *notice)
{
    struct churn *churn = notice->Context;
    uint64_t size_bytes = churn->all[0].block.size_bytes, gone = 0;

    churn->work->host->count(churn->work->host, "virtual.trims", 1);
    while (gone < notice->NumBytesToTrim && let_one_go(churn, churn->turn)) {
        gone += size_bytes;
    }
    while (notice->Flags.PeriodicTrim && let_one_go(churn, churn->turn_before)) {
        ;
    }
    churn->turn_before = churn->turn;
}

static bool hear_of_trims(struct churn *churn)
{
    struct addressed *client = &churn->work->client;
    const struct drydock_workload_host *host = churn->work->host;
    D3DKMT_REGISTERTRIMNOTIFICATION arguments = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high},
        .hDevice = client->gpu.device,
        .Callback = trim,
        .Context = churn,
    };
    bool good = gpu_check(&client->gpu, D3DKMTRegisterTrimNotification(&arguments),
                          "D3DKMTRegisterTrimNotification");

    churn->trims = arguments.Handle;
    return good;
}

static void hear_no_more(struct churn *churn)
{
    if (churn->trims) {
        gpu_check(&churn->work->client.gpu,
                  D3DKMTUnregisterTrimNotification(&(D3DKMT_UNREGISTERTRIMNOTIFICATION){
                      .Handle = churn->trims, .Callback = trim}),
                  "D3DKMTUnregisterTrimNotification");
    }
}

static bool have_it(struct churn *churn, struct churned *one)
{
    struct addressed *client = &churn->work->client;
    uint64_t trim_bytes;
    bool resident = one->turn != 0;

    one->busy = true;
    while (!resident) {
        if (!addressed_try_reside(client, &one->block, &resident, &trim_bytes)) {
            return false;
        }
        if (!resident && (trim_bytes == 0 || !let_one_go(churn, churn->turn))) {
            client->gpu.host->fail(
                client->gpu.host,
                "D3DKMTMakeResident of %llu bytes has no room, though the client "
                "holds nothing else (%llu bytes too many)",
                (unsigned long long)one->block.size_bytes, (unsigned long long)trim_bytes);
            return false;
        }
    }
    one->turn = ++churn->turn;
    return true;
}

/* What it held, wherever it was since, is there; then it holds something else. */
static bool use_it(struct churn *churn, struct churned *one)
{
    struct work *work = churn->work;
    struct addressed *client = &work->client;
    struct memory_block *result = &work->blocks[2];
    unsigned words = (unsigned)(one->block.size_bytes / 4);
    struct command_writer writer;
    uint32_t before = one->pattern;

    one->pattern = random_word(work, SITE_CHURN) | 1;
    writer_begin(&writer, client, &work->commands);
    writer_compute(&writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_SUM,
                                                      .count = words,
                                                      .result = result->address,
                                                      .a = one->block.address});
    writer_fill(&writer, one->block.address, one->block.size_bytes, one->pattern);
    if (!writer_end(&writer) || !addressed_wait(client)) {
        return false;
    }
    const uint32_t *sum = addressed_lock(client, result);
    if (sum && before && *sum != before * words) {
        work->host->fail(work->host,
                         "memory that was made to come and go holds other words: their sum is "
                         "0x%08X, not 0x%08X",
                         *sum, before * words);
    }
    addressed_unlock(client, result);
    work->host->count(work->host, "virtual.churned", 1);
    return sum && !work->host->failed(work->host);
}

/* What nobody needs for a while is offered; now and then the process gives it up at once. It is
 * there again when it is wanted, with what it held or with nothing. */
static bool offer_it(struct churn *churn, struct churned *one)
{
    struct addressed *client = &churn->work->client;
    uint32_t choice = random_word(churn->work, SITE_OFFER) % 4;
    bool kept = true;

    if (choice > 1) {
        return true;
    }
    if (!addressed_offer(client, &one->block) ||
        (choice == 0 && !addressed_trim(client, one->block.size_bytes)) ||
        !addressed_reclaim(client, &one->block, &kept)) {
        return false;
    }
    if (choice == 0 && kept) {
        client->gpu.host->fail(client->gpu.host, "memory that was offered and given up by "
                                                 "D3DKMTTrimProcessCommitment is said to be kept");
    }
    one->pattern = kept ? one->pattern : 0;
    churn->work->host->count(churn->work->host, kept ? "virtual.reclaimed" : "virtual.discarded",
                             1);
    return true;
}

static uint64_t video_memory(struct work *work)
{
    D3DKMT_SEGMENTSIZEINFO sizes = {0};
    const D3DKMT_QUERYADAPTERINFO query = {.hAdapter = work->client.gpu.adapter,
                                           .Type = KMTQAITYPE_GETSEGMENTSIZE,
                                           .pPrivateDriverData = &sizes,
                                           .PrivateDriverDataSize = sizeof sizes};

    D3DKMTQueryAdapterInfo(&query);
    return sizes.DedicatedVideoMemorySize;
}

static bool make_churned(struct churn *churn)
{
    struct addressed *client = &churn->work->client;
    uint64_t all = video_memory(churn->work) * CHURN_MEMORY;
    uint64_t size = (all < CHURN_MAX ? all : CHURN_MAX) / CHURN_BLOCKS / BLOCK_BYTES * BLOCK_BYTES;
    bool good = size > 0;

    for (unsigned i = 0; good && i < CHURN_BLOCKS; i++) {
        struct memory_block *block = &churn->all[i].block;
        const struct mapping_request whole = {
            .block = block, .page_count = size / PAGE_BYTES, .write = true, .data = true};
        /* The driver hears of some when they come and go. */
        unsigned flags = i % 2 ? SOFTGPU_UMD_VIRTUAL_ONLY : SOFTGPU_UMD_NOTIFY_RESIDENCY;
        good = addressed_make(client, size, flags | SOFTGPU_UMD_VRAM_ONLY, block) &&
               addressed_map(client, &whole, &block->address);
    }
    return good;
}

static bool run_churn(struct work *work)
{
    struct churn *churn = calloc(1, sizeof *churn);
    bool good = churn != NULL;

    if (good) {
        churn->work = work;
        good = make_churned(churn) && hear_of_trims(churn);
    }
    for (unsigned i = 0; good && i < CHURN_ROUNDS; i++) {
        struct churned *one = &churn->all[random_word(work, SITE_CHURN) % CHURN_BLOCKS];
        good = have_it(churn, one) && use_it(churn, one) && offer_it(churn, one);
        one->busy = false;
    }
    if (churn) {
        hear_no_more(churn);
    }
    for (unsigned i = 0; good && i < CHURN_BLOCKS; i++) {
        addressed_destroy(&work->client, &churn->all[i].block);
    }
    free(churn);
    return good;
}

/* ---- Processes ----------------------------------------------------------------------------- */

static bool set_up(struct work *work)
{
    bool good =
        addressed_block(&work->client, COMMAND_BYTES,
                        SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &work->commands);

    for (unsigned i = 0; good && i < BLOCK_COUNT; i++) {
        /* The driver hears of the first when it comes and goes, of the second before it leaves. */
        unsigned flags = i == 0   ? SOFTGPU_UMD_NOTIFY_RESIDENCY
                         : i == 1 ? SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY |
                                        SOFTGPU_UMD_NOTIFY_EVICTION
                                  : SOFTGPU_UMD_VIRTUAL_ONLY;
        good = addressed_block(&work->client, BLOCK_BYTES, flags, &work->blocks[i]);
    }
    return good;
}

static bool go_places(struct work *work)
{
    return rearrange(work) && scatter(work) && hand_on(work) && come_and_go(work) &&
           copy_zeros(work) && move_house(work) && lend(work);
}

/* By the process's own addresses: what the CPU wrote there the GPU finds, and what the GPU wrote
 * the CPU, also when it has left and come back. */
static bool copy_over(struct work *work)
{
    struct memory_block *from = &work->blocks[1], *copy = &work->blocks[0];
    uint32_t *words = (uint32_t *)(uintptr_t)from->address;
    struct command_writer writer;

    for (unsigned i = 0; i < BLOCK_WORDS; i++) {
        words[i] = work->expected[i] = random_word(work, SITE_KEY);
    }
    writer_begin(&writer, &work->client, &work->commands);
    writer_copy(&writer, copy->address, from->address, BLOCK_BYTES);
    if (!writer_end(&writer) || !addressed_wait(&work->client)) {
        return false;
    }
    if (memcmp((const void *)(uintptr_t)copy->address, work->expected, BLOCK_BYTES) != 0) {
        work->host->fail(work->host, "a copy by the CPU's addresses is not there at address 0x%llX",
                         (unsigned long long)copy->address);
        return false;
    }
    return come_and_go(work);
}

static void go_through(struct work *work)
{
    const struct drydock_workload_host *host = work->host;

    work->client.splits = true;
    bool good = set_up(work);
    if (good && churns) {
        run_churn(work);
    }
    for (unsigned i = 0; good && !churns && i < ROUNDS && !host->failed(host); i++) {
        good = add_up(work) && (work->client.shared ? copy_over(work) : go_places(work));
        host->count(host, "virtual.rounds", good);
        host->count(host, "virtual.shared_rounds", good && work->client.shared);
    }
    addressed_close(&work->client);
}

static void second_process(void *argument)
{
    struct work *work = argument;
    bool there;

    if (addressed_open(&work->client, work->host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        go_through(work);
    }
}

static struct work *new_work(const struct drydock_workload_host *host)
{
    struct work *work = calloc(1, sizeof *work);

    if (work) {
        work->host = host;
    } else {
        host->fail(host, "no memory");
    }
    return work;
}

static void run_together(struct work *first)
{
    const struct drydock_workload_host *host = first->host;
    unsigned others = host->process_count > PROCESSES_MAX ? PROCESSES_MAX : host->process_count;
    struct drydock_process *processes[PROCESSES_MAX] = {0};
    struct work *works[PROCESSES_MAX] = {0};

    for (unsigned i = 0; i < others; i++) {
        works[i] = new_work(host);
        processes[i] =
            works[i] ? host->start_process(host, "virtual", second_process, works[i]) : NULL;
    }
    go_through(first);
    for (unsigned i = 0; i < others; i++) {
        if (processes[i]) {
            host->join(host, processes[i]);
        }
        free(works[i]);
    }
}

static void run_either(const struct drydock_workload_host *host, bool second)
{
    struct work *work;
    bool there = false;

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) ||
        gpu_node_count(host) <= SOFTGPU_ENGINE_COMPUTE || !(work = new_work(host))) {
        return;
    }
    churns = second;
    if ((second || (result_of_virtual_null_rendering(host, SOFTGPU_ENGINE_COMPUTE) &&
                    result_of_virtual_preemption(host, SOFTGPU_ENGINE_COMPUTE))) &&
        addressed_open(&work->client, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        run_together(work);
        if (!second && !host->failed(host) && result_of_broadcasts(host, SOFTGPU_ENGINE_COMPUTE) &&
            result_of_properties(host, SOFTGPU_ENGINE_COMPUTE) &&
            result_of_page_faults(host, SOFTGPU_ENGINE_COMPUTE)) {
            result_of_malformed_submissions(host, SOFTGPU_ENGINE_COMPUTE);
        }
    }
    free(work);
}

static void run(const struct drydock_workload_host *host)
{
    run_either(host, false);
}

static void run_residency(const struct drydock_workload_host *host)
{
    run_either(host, true);
}

const struct drydock_workload workload_virtual = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "virtual",
    .description = "work by GPU virtual addresses, mapped here and there, the results compared",
    .run = run,
};

const struct drydock_workload workload_residency = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "residency",
    .description = "more memory by GPU virtual addresses than there is, made resident and let go",
    .run = run_residency,
};
