/* The manager itself: creation, segments, statistics. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fill.h"
#include "base/record.h"
#include "vidmm/internal.h"

uint32_t segment_pages(const struct segment *segment, uint64_t size_bytes)
{
    uint64_t unit = segment->options.flags & VIDMM_SEGMENT_PAGES_64K ? 65536 : VIDMM_PAGE_BYTES;

    return (uint32_t)(align_up(size_bytes, unit) / VIDMM_PAGE_BYTES);
}

/* Of both the smallest common multiple: that is the larger one, mostly. */
uint32_t segment_alignment_pages(const struct segment *segment, uint64_t alignment_bytes)
{
    uint64_t unit = segment->options.flags & VIDMM_SEGMENT_PAGES_64K ? 65536 : VIDMM_PAGE_BYTES;
    uint64_t odd = alignment_bytes ? alignment_bytes : 1;

    while (odd % 2 == 0 && unit % 2 == 0) {
        odd /= 2;
        unit /= 2;
    }
    uint64_t pages = (alignment_bytes ? alignment_bytes : 1) * unit / VIDMM_PAGE_BYTES;
    return pages > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)pages;
}

static NTSTATUS segment_init(struct segment *segment, unsigned id,
                             const struct vidmm_segment_options *options)
{
    uint64_t size = align_down(options->size_bytes, VIDMM_PAGE_BYTES), end;

    segment->options = *options;
    segment->id = id;
    list_init(&segment->residents);
    if (size == 0 || add_overflows_u64(options->base_address, size, &end)) {
        return STATUS_INVALID_PARAMETER;
    }
    segment->options.size_bytes = size;
    if (options->commit_limit_bytes == 0 || options->commit_limit_bytes > size) {
        segment->options.commit_limit_bytes = size;
    }
    return range_init(&segment->ranges, size / VIDMM_PAGE_BYTES);
}

static NTSTATUS dummy_init(struct vidmm *vidmm)
{
    const struct ram_request request = {.page_count = 1};
    NTSTATUS status = ram_alloc_frames(&request, &vidmm->dummy_frame);

    if (NT_SUCCESS(status)) {
        memset(ram_at(vidmm->dummy_frame << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE), 0,
               MACHINE_PAGE_SIZE);
    }
    return status;
}

static bool config_valid(const struct vidmm_config *config)
{
    return config->backend && config->segment_count <= VIDMM_SEGMENT_COUNT_MAX &&
           (config->segment_count == 0 || config->segments) &&
           config->transfer_bytes_max % VIDMM_PAGE_BYTES == 0;
}

NTSTATUS vidmm_create(const struct vidmm_config *config, struct vidmm **out)
{
    if (!config_valid(config)) {
        return STATUS_INVALID_PARAMETER;
    }
    struct vidmm *vidmm = calloc(1, sizeof(*vidmm));
    if (!vidmm) {
        return STATUS_NO_MEMORY;
    }
    vidmm->backend = *config->backend;
    vidmm->config = *config;
    if (vary_happens(VARY_FILL_PATTERN, 1)) {
        vidmm->config.fill_pattern = 1 + (uint32_t)vary_below(VARY_FILL_PATTERN, UINT32_MAX);
    }
    vidmm->config.backend = &vidmm->backend;
    vidmm->config.segments = NULL;
    vidmm->config.mmu = NULL;
    vidmm->config.device_mmu_bytes = NULL;
    vidmm->policy = config->policy ? config->policy : &vidmm_policy_etr;
    mutex_init(&vidmm->lock, LOCK_RANK_VIDMM);
    struct list *const heads[] = {&vidmm->allocations, &vidmm->accounts,    &vidmm->uses,
                                  &vidmm->pools,       &vidmm->queued,      &vidmm->running,
                                  &vidmm->revoked,     &vidmm->spare,       &vidmm->spaces,
                                  &vidmm->queues,      &vidmm->dead_tables, &vidmm->kept_views};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        list_init(heads[i]);
    }

    NTSTATUS status = STATUS_NO_MEMORY;
    vidmm->segments = calloc(config->segment_count + 1u, sizeof(*vidmm->segments));
    if (vidmm->segments) {
        status = dummy_init(vidmm);
    }
    for (unsigned i = 0; NT_SUCCESS(status) && i < config->segment_count; i++) {
        status = segment_init(&vidmm->segments[i], i + 1, &config->segments[i]);
        vidmm->segment_count++;
    }
    if (NT_SUCCESS(status)) {
        status = mmu_init(&vidmm->mmu, vidmm, config->mmu);
    }
    if (NT_SUCCESS(status)) {
        status = device_mmus_init(vidmm, config);
    }
    if (!NT_SUCCESS(status)) {
        vidmm_destroy(vidmm);
        return status;
    }
    *out = vidmm;
    return STATUS_SUCCESS;
}

void vidmm_destroy(struct vidmm *vidmm)
{
    if (!vidmm) {
        return;
    }
    CHECK_THAT(list_empty(&vidmm->allocations) && list_empty(&vidmm->accounts));
    CHECK_THAT(list_empty(&vidmm->uses) && list_empty(&vidmm->pools));
    CHECK_THAT(list_empty(&vidmm->spaces) && list_empty(&vidmm->queues));
    CHECK_THAT(list_empty(&vidmm->dead_tables));
    CHECK_THAT(list_empty(&vidmm->queued) && list_empty(&vidmm->running) &&
               list_empty(&vidmm->revoked));
    for (struct list *link; (link = list_pop_front(&vidmm->spare)) != NULL;) {
        free(container_of(link, struct vidmm_op, link));
    }
    device_mmus_fini(vidmm);
    free(vidmm->shadow_room.bytes);
    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        range_fini(&vidmm->segments[i].ranges);
    }
    if (vidmm->dummy_frame != 0) {
        ram_free_frames(&vidmm->dummy_frame, 1);
    }
    free(vidmm->segments);
    mutex_fini(&vidmm->lock);
    free(vidmm);
}

void *vidmm_owner(const struct vidmm *vidmm)
{
    return vidmm->config.owner;
}

const struct vidmm_segment_options *vidmm_segment(const struct vidmm *vidmm, unsigned segment)
{
    if (segment == 0 || segment > vidmm->segment_count) {
        return NULL;
    }
    return &vidmm->segments[segment - 1].options;
}

bool vidmm_dummy_intact(const struct vidmm *vidmm)
{
    const uint8_t *bytes = ram_at(vidmm->dummy_frame << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);

    return fill_first_other(bytes, 0, MACHINE_PAGE_SIZE) == MACHINE_PAGE_SIZE;
}

uint64_t vidmm_progress(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    uint64_t progress = vidmm->progress;
    mutex_unlock(&vidmm->lock);
    return progress;
}

uint64_t vidmm_releases(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    uint64_t releases = vidmm->releases;
    mutex_unlock(&vidmm->lock);
    return releases;
}

void released_locked(struct vidmm *vidmm)
{
    vidmm->progress++;
    vidmm->releases++;
}

void vidmm_statistics(struct vidmm *vidmm, struct vidmm_statistics *out)
{
    mutex_lock(&vidmm->lock);
    *out = vidmm->statistics;
    mutex_unlock(&vidmm->lock);
}

/* ---- What is used of segments ---------------------------------------------------------------- */

bool vidmm_segment_use(struct vidmm *vidmm, unsigned id, struct vidmm_segment_use *out)
{
    if (id == 0 || id > vidmm->segment_count) {
        return false;
    }
    const struct segment *segment = &vidmm->segments[id - 1];
    mutex_lock(&vidmm->lock);
    *out = (struct vidmm_segment_use){
        .limit_bytes = segment->options.commit_limit_bytes ? segment->options.commit_limit_bytes
                                                           : segment->options.size_bytes,
        .placed_bytes = segment->committed_bytes,
        .aperture = segment->options.flags & VIDMM_SEGMENT_APERTURE,
    };
    mutex_unlock(&vidmm->lock);
    return true;
}
