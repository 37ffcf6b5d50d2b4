/* Physical memory: one file in memory, seen directly at a fixed address, handed out by frames.
 *
 * A free frame is a set bit. Above the bits lie summaries, 64 to 1, that say which words have any,
 * so that the next free frame after any place is found in a few steps whatever the size:
 *
 *      level 2      1 word  per 262144 frames
 *      level 1      1 bit   per word below
 *      level 0      1 bit   per frame
 *
 * Scattered frames come from the lower three quarters while there are any, which keeps long free
 * ranges for contiguous blocks. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fill.h"

#define LEVEL_COUNT       4
#define RAM_REST_FRAMES   512u
#define RUN_FRAMES_MAX    64u                 /* in a row, of large requests */
#define RUN_FRAMES_MIN    8u                  /* of small ones */
#define HOLE_BEGIN_MAX    (UINT64_C(3) << 30) /* the hole is for BARs with 32-bit addresses */
#define HOLE_END          (UINT64_C(4) << 30)
#define HIGH_BYTES_MIN    (UINT64_C(512) << 20) /* with less, none of it lies high */
#define NO_FRAME          UINT64_MAX
#define AT_ONCE_PAGES_MAX 4096u /* of a view whose pages are fetched when it is made */

static struct {
    int fd;
    uint64_t bytes, end; /* end: first physical address above RAM */
    uint64_t hole_begin; /* where RAM goes on at HOLE_END, if there is so much */
    uint64_t limit;      /* nothing from here on is handed out */
    uint64_t frame_end;
    uint64_t scatter_begin, scatter_end; /* frames that are preferred for scattered pages */
    bool high_seen;                      /* VARY_HIGH_MEMORY has been counted */
    uint64_t free_count;
    uint64_t *levels[LEVEL_COUNT];
    uint64_t word_counts[LEVEL_COUNT];
    uint8_t *expected; /* a bit per frame: ram_expect() was told of it */
    struct window views;
} ram = {.fd = -1};

/* ---- The free map ------------------------------------------------------------------------ */

static bool frame_free(uint64_t frame)
{
    return ram.levels[0][frame / 64] >> (frame % 64) & 1;
}

static void mark(uint64_t frame, bool is_free)
{
    uint64_t place = frame;

    for (int level = 0; level < LEVEL_COUNT; level++) {
        uint64_t *word = &ram.levels[level][place / 64];
        uint64_t before = *word;
        *word =
            is_free ? before | UINT64_C(1) << place % 64 : before & ~(UINT64_C(1) << place % 64);
        /* The summary changes only when the word becomes or ceases to be empty. */
        if ((before == 0) == (*word == 0)) {
            break;
        }
        place /= 64;
    }
    ram.free_count += is_free ? 1 : UINT64_MAX;
}

/* The first free frame at or above start, or NO_FRAME. */
static uint64_t next_free(uint64_t start)
{
    uint64_t place = start;
    int level = 0;

    /* Up until a word has a bit at or behind the place, then down along first bits. */
    for (;;) {
        uint64_t word;
        if (level == LEVEL_COUNT || place / 64 >= ram.word_counts[level]) {
            return NO_FRAME;
        }
        word = ram.levels[level][place / 64] & ~UINT64_C(0) << place % 64;
        if (word) {
            place = place / 64 * 64 + (uint64_t)__builtin_ctzll(word);
            break;
        }
        place = place / 64 + 1;
        level++;
    }
    while (level-- > 0) {
        place = place * 64 + (uint64_t)__builtin_ctzll(ram.levels[level][place]);
    }
    return place;
}

static bool is_ram_frame(uint64_t frame)
{
    uint64_t physical = frame << MACHINE_PAGE_SHIFT;

    return frame < ram.frame_end && !(physical >= ram.hole_begin && physical < HOLE_END);
}

/* ---- Life -------------------------------------------------------------------------------- */

static bool free_map_create(void)
{
    uint64_t count = ram.frame_end;

    for (int level = 0; level < LEVEL_COUNT; level++) {
        count = (count + 63) / 64;
        ram.word_counts[level] = count;
        ram.levels[level] = calloc(count, sizeof(uint64_t));
        if (!ram.levels[level]) {
            return false;
        }
    }
    ram.expected = calloc(ram.frame_end / 8 + 1, 1);
    return ram.expected != NULL;
}

/* RAM is a multiple of 64 frames in both its pieces. Frame 0 stays ours: address 0 is nobody's. */
static void free_map_fill(void)
{
    for (uint64_t word = 0; word < ram.frame_end / 64; word++) {
        if (is_ram_frame(word * 64)) {
            ram.levels[0][word] = ~UINT64_C(0);
            ram.free_count += 64;
        }
    }
    for (int level = 1; level < LEVEL_COUNT; level++) {
        for (uint64_t below = 0; below < ram.word_counts[level - 1]; below++) {
            ram.levels[level][below / 64] |= (uint64_t)(ram.levels[level - 1][below] != 0)
                                             << below % 64;
        }
    }
    mark(0, false);
}

static bool map_all(void)
{
    uint64_t low = ram_low_bytes();

    if (!address_reserve(ADDRESS_RAM, ram.end, "the memory of the machine")) {
        return false;
    }
    if (mmap((void *)(uintptr_t)ADDRESS_RAM, low, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             ram.fd, 0) == MAP_FAILED) {
        return false;
    }
    return ram.bytes == low ||
           mmap((void *)(uintptr_t)(ADDRESS_RAM + HOLE_END), ram.bytes - low,
                PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ram.fd, (off_t)low) != MAP_FAILED;
}

/* Three quarters of RAM, or of that above the hole. */
static void prefer_scattered(bool high)
{
    uint64_t from = high ? HOLE_END >> MACHINE_PAGE_SHIFT : 0;

    ram.scatter_begin = from;
    ram.scatter_end = from + (ram.frame_end - from) / 4 * 3;
}

bool ram_create(uint64_t bytes)
{
    ram.bytes = bytes;
    bool high = vary_on(VARY_HIGH_MEMORY) && bytes >= HIGH_BYTES_MIN;
    ram.hole_begin = high ? align_up(bytes / 2, 64 * MACHINE_PAGE_SIZE) : HOLE_BEGIN_MAX;
    ram.end = bytes <= ram.hole_begin ? bytes : bytes + (HOLE_END - ram.hole_begin);
    ram.limit = ram.end;
    ram.frame_end = ram.end >> MACHINE_PAGE_SHIFT;
    prefer_scattered(high);
    ram.free_count = 0;
    if (!free_map_create()) {
        goto err;
    }
    ram.fd = memfd_create("drydock-ram", MFD_CLOEXEC);
    if (ram.fd < 0 || ftruncate(ram.fd, (off_t)bytes) != 0 || !map_all() ||
        !window_open(&ram.views, ADDRESS_VIEWS, "views of memory")) {
        goto err;
    }
    free_map_fill();
    return true;

err:
    ram_destroy();
    return false;
}

void ram_destroy(void)
{
    adopted_forget_all();
    window_close(&ram.views);
    if (ram.fd >= 0) {
        munmap((void *)(uintptr_t)ADDRESS_RAM, ram.end);
        close(ram.fd);
    }
    for (int level = 0; level < LEVEL_COUNT; level++) {
        free(ram.levels[level]);
    }
    free(ram.expected);
    memset(&ram, 0, sizeof(ram));
    ram.fd = -1;
}

uint64_t ram_bytes(void)
{
    return ram.bytes;
}

uint64_t ram_low_bytes(void)
{
    return ram.bytes < ram.hole_begin ? ram.bytes : ram.hole_begin;
}

uint64_t ram_free_bytes(void)
{
    return ram.free_count << MACHINE_PAGE_SHIFT;
}

uint64_t ram_end(void)
{
    return ram.end;
}

void ram_limit(uint64_t highest)
{
    if (highest < ram.end - 1) {
        ram.limit = highest + 1;
        prefer_scattered(false);
    }
}

/* ---- Handing out ------------------------------------------------------------------------- */

struct frame_range {
    uint64_t begin, end;
};

static bool range_of(const struct ram_request *request, struct frame_range *range)
{
    uint64_t end = ram.limit;
    uint64_t high = request->high == 0 || request->high >= end ? end - 1 : request->high;

    range->begin =
        align_up(request->low < end ? request->low : end, MACHINE_PAGE_SIZE) >> MACHINE_PAGE_SHIFT;
    range->end = (high + 1) >> MACHINE_PAGE_SHIFT;
    return range->begin < range->end;
}

/* So many in a row at most, when so many are left: whatever the size, a request comes in many
 * pieces, and a large one not in so many that maps of it cost more than its use. */
static size_t longest_run(size_t count)
{
    size_t longest = count / 16;

    longest = longest < RUN_FRAMES_MAX ? longest : RUN_FRAMES_MAX;
    return longest > RUN_FRAMES_MIN ? longest : RUN_FRAMES_MIN;
}

/* Takes up to count free frames in a row, from a random place of the range on. */
static size_t take_run(const struct frame_range *range, uint64_t *frames, size_t count)
{
    uint64_t width = range->end - range->begin;
    size_t longest = longest_run(count);
    /* One number gives both the place and the length. */
    uint64_t number = machine_random_below(RANDOM_SITE_FRAMES, width * longest);
    size_t wanted = 1 + number % longest;
    size_t taken = 0;
    uint64_t frame = next_free(range->begin + number / longest);

    if (frame >= range->end) {
        frame = next_free(range->begin);
    }
    for (; frame < range->end && taken < count && taken < wanted && frame_free(frame); frame++) {
        mark(frame, false);
        frames[taken++] = frame;
    }
    return taken;
}

static size_t take_scattered(const struct frame_range *range, uint64_t *frames, size_t count)
{
    size_t taken = 0;

    while (taken < count) {
        size_t run = take_run(range, frames + taken, count - taken);
        if (run == 0) {
            break;
        }
        taken += run;
    }
    return taken;
}

/* Once: it holds from then on. */
static void count_high_memory(size_t taken)
{
    if (taken > 0 && ram.scatter_begin > 0 && !ram.high_seen) {
        ram.high_seen = true;
        vary_happened(VARY_HIGH_MEMORY);
    }
}

/* What a driver takes leaves the system enough to go on, and to say what happened. */
static bool is_there(const struct ram_request *request)
{
    uint64_t rest = request->leaves_rest ? RAM_REST_FRAMES : 0;

    return request->page_count <= ram.free_count && rest <= ram.free_count - request->page_count;
}

NTSTATUS ram_alloc_frames(const struct ram_request *request, uint64_t *frames)
{
    struct frame_range range, preferred;
    size_t taken = 0;

    if (request->page_count == 0 || !range_of(request, &range)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!is_there(request)) {
        return STATUS_NO_MEMORY;
    }
    preferred.begin = range.begin > ram.scatter_begin ? range.begin : ram.scatter_begin;
    preferred.end = range.end < ram.scatter_end ? range.end : ram.scatter_end;
    if (preferred.begin < preferred.end) {
        taken = take_scattered(&preferred, frames, request->page_count);
        count_high_memory(taken);
    }
    taken += take_scattered(&range, frames + taken, request->page_count - taken);
    if (taken < request->page_count) {
        for (size_t i = 0; i < taken; i++) {
            mark(frames[i], true);
        }
        return STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

/* The first frame at or above start where a block may begin by alignment and boundary. */
static uint64_t fit_place(const struct ram_request *request, uint64_t start)
{
    uint64_t alignment =
        request->alignment > MACHINE_PAGE_SIZE ? request->alignment : MACHINE_PAGE_SIZE;
    uint64_t boundary = request->boundary;
    uint64_t physical = align_up(start << MACHINE_PAGE_SHIFT, alignment);
    uint64_t size = (uint64_t)request->page_count << MACHINE_PAGE_SHIFT;

    if (boundary && physical / boundary != (physical + size - 1) / boundary) {
        physical = align_up((physical / boundary + 1) * boundary, alignment);
    }
    return physical >> MACHINE_PAGE_SHIFT;
}

static uint64_t find_block(const struct ram_request *request, uint64_t begin, uint64_t end)
{
    uint64_t place = begin;

    for (;;) {
        uint64_t frame = next_free(place);
        uint64_t last;
        if (frame == NO_FRAME) {
            return NO_FRAME;
        }
        place = fit_place(request, frame);
        if (!range_fits(place, request->page_count, end)) {
            return NO_FRAME;
        }
        last = place;
        while (last < place + request->page_count && frame_free(last)) {
            last++;
        }
        if (last == place + request->page_count) {
            return place;
        }
        place = last + 1;
    }
}

static bool power_of_two_or_zero(uint64_t value)
{
    return (value & (value - 1)) == 0;
}

NTSTATUS ram_alloc_contiguous(const struct ram_request *request, uint64_t *frame)
{
    struct frame_range range;
    uint64_t found = NO_FRAME;

    if (request->page_count == 0 || !range_of(request, &range) ||
        !power_of_two_or_zero(request->alignment) || !power_of_two_or_zero(request->boundary) ||
        (request->boundary && request->boundary < MACHINE_PAGE_SIZE)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!is_there(request) ||
        (request->boundary && request->page_count > request->boundary >> MACHINE_PAGE_SHIFT)) {
        return STATUS_NO_MEMORY;
    }
    if (range.end > ram.scatter_end) {
        found = find_block(request, range.begin > ram.scatter_end ? range.begin : ram.scatter_end,
                           range.end);
    }
    if (found == NO_FRAME) {
        found = find_block(request, range.begin, range.end);
    }
    if (found == NO_FRAME) {
        return STATUS_NO_MEMORY;
    }
    for (uint64_t i = 0; i < request->page_count; i++) {
        mark(found + i, false);
    }
    *frame = found;
    return STATUS_SUCCESS;
}

static void free_one(uint64_t frame)
{
    CHECK_THAT(frame != 0 && is_ram_frame(frame));
    CHECK_THAT(!frame_free(frame)); /* freed twice */
    mark(frame, true);
}

void ram_free_frames(const uint64_t *frames, size_t page_count)
{
    for (size_t i = 0; i < page_count; i++) {
        free_one(frames[i]);
    }
}

void ram_free_contiguous(uint64_t frame, size_t page_count)
{
    for (size_t i = 0; i < page_count; i++) {
        free_one(frame + i);
    }
}

/* ---- Looking at it ----------------------------------------------------------------------- */

void *ram_at(uint64_t physical, size_t size)
{
    uint64_t limit =
        physical < ram.hole_begin && ram.end > ram.hole_begin ? ram.hole_begin : ram.end;

    if (!range_fits(physical, size, limit) || size == 0 ||
        (physical >= ram.hole_begin && physical < HOLE_END)) {
        return NULL;
    }
    return (void *)(uintptr_t)(ADDRESS_RAM + physical);
}

static bool expect_one(uint64_t frame)
{
    uint8_t bit = (uint8_t)(1u << frame % 8);
    bool is_new = frame < ram.frame_end && !(ram.expected[frame / 8] & bit);

    if (is_new) {
        ram.expected[frame / 8] |= bit;
    }
    return is_new;
}

void ram_expect(const uint64_t *frames, size_t page_count)
{
    size_t first = 0;

    while (first < page_count) {
        bool any = expect_one(frames[first]);
        size_t count = 1;
        while (first + count < page_count && frames[first + count] == frames[first] + count) {
            any |= expect_one(frames[first + count++]);
        }
        void *view =
            any ? ram_at(frames[first] << MACHINE_PAGE_SHIFT, count << MACHINE_PAGE_SHIFT) : NULL;
        if (view) {
            address_expect(view, count << MACHINE_PAGE_SHIFT);
        }
        first += count;
    }
}

void *bus_memory_at(uint64_t physical, size_t size)
{
    struct bar_hit hit;
    void *view = ram_at(physical, size);

    if (view || size == 0) {
        return view;
    }
    return pci_find_bar(physical, size, &hit) && !hit.registers ? pci_bar_view(&hit, size) : NULL;
}

bool bus_has_memory_at(uint64_t physical, uint64_t size)
{
    struct bar_hit hit;

    return ram_at(physical, size) || (pci_find_bar(physical, size, &hit) && !hit.registers &&
                                      pci_bar_can_be_viewed(&hit, size));
}

bool ram_backing(uint64_t physical, int *fd, uint64_t *offset, uint64_t *run)
{
    if (!ram_at(physical, MACHINE_PAGE_SIZE)) {
        return false;
    }
    *fd = ram.fd;
    *offset = physical < ram.hole_begin ? physical : physical - (HOLE_END - ram.hole_begin);
    *run = (physical < ram.hole_begin && ram.end > ram.hole_begin ? ram.hole_begin : ram.end) -
           physical;
    return true;
}

/* ---- Views ------------------------------------------------------------------------------- */

bool view_map_physical(struct view *view, size_t first, uint64_t physical, size_t count,
                       bool writable)
{
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    int at_once = count <= AT_ONCE_PAGES_MAX ? MAP_POPULATE : 0;

    while (count > 0) {
        struct bar_hit hit;
        uint64_t offset, run;
        size_t bytes = count << MACHINE_PAGE_SHIFT;
        char *place = (char *)view->base + (first << MACHINE_PAGE_SHIFT);
        int fd;
        int flags = MAP_SHARED | MAP_FIXED;
        if (!ram_backing(physical, &fd, &offset, &run) &&
            !(pci_find_bar(physical, MACHINE_PAGE_SIZE, &hit) && !hit.registers &&
              pci_bar_backing(&hit, bytes, &fd, &offset, &run))) {
            return false;
        }
        bytes = bytes < run ? bytes : run;
        flags |= fd == ram.fd ? at_once : 0;
        if (mmap(place, bytes, protection, flags, fd, (off_t)offset) == MAP_FAILED) {
            return false;
        }
        first += bytes >> MACHINE_PAGE_SHIFT;
        count -= bytes >> MACHINE_PAGE_SHIFT;
        physical += bytes;
    }
    return true;
}

#define SHARED_ALIGNMENT (UINT64_C(64) << 10)

/* What views may take of the areas that the host has for a process, 65530 where nobody says
 * otherwise: whoever asks for more has no memory, and what the judge needs itself is left. */
#define AREAS_MAX ((size_t)48000)

static bool take_areas(struct view *view, size_t most)
{
    size_t count = 2; /* the first run, and what is empty behind the last */

    for (size_t i = 1; i < view->page_count; i++) {
        count += view->frames[i] != view->frames[i - 1] + 1;
    }
    if (ram.views.area_count - view->area_count + count > most) {
        return false;
    }
    ram.views.area_count += count - view->area_count;
    view->area_count = count;
    return true;
}

static bool map_runs(struct view *view, bool writable)
{
    size_t first = 0;

    /* One that is led elsewhere has its place. */
    if (!take_areas(view, view->area_count ? SIZE_MAX : AREAS_MAX)) {
        return false;
    }
    while (first < view->page_count) {
        size_t count = 1;
        while (first + count < view->page_count &&
               view->frames[first + count] == view->frames[first] + count) {
            count++;
        }
        if (view->frames[first] > UINT64_MAX >> MACHINE_PAGE_SHIFT ||
            !view_map_physical(view, first, view->frames[first] << MACHINE_PAGE_SHIFT, count,
                               writable)) {
            return false;
        }
        first += count;
    }
    return true;
}

static void *map_frames(const uint64_t *frames, size_t page_count, bool writable, size_t alignment)
{
    struct view *view = window_add(&ram.views, page_count, alignment);

    if (!view) {
        return NULL;
    }
    view->kind = VIEW_FRAMES;
    view->frames = malloc(page_count * sizeof(*frames));
    if (view->frames) {
        memcpy(view->frames, frames, page_count * sizeof(*frames));
    }
    if (!view->frames || !map_runs(view, writable)) {
        window_remove(&ram.views, view);
        return NULL;
    }
    view->on_bus = writable && !ram_at(frames[0] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
    return (void *)view->base;
}

void *ram_map_frames(const uint64_t *frames, size_t page_count, bool writable)
{
    return map_frames(frames, page_count, writable, MACHINE_PAGE_SIZE);
}

void *ram_map_shared(const uint64_t *frames, size_t page_count)
{
    return map_frames(frames, page_count, true, SHARED_ALIGNMENT);
}

void ram_views_follow(uint64_t physical, uint64_t size)
{
    uint64_t first = physical >> MACHINE_PAGE_SHIFT, count = size >> MACHINE_PAGE_SHIFT;

    for (size_t i = 0; i < ram.views.count; i++) {
        struct view *view = ram.views.views[i];
        for (size_t page = 0; view->on_bus && page < view->page_count; page++) {
            if (view->frames[page] - first < count) {
                CHECK_THAT(view_map_physical(view, page, view->frames[page] << MACHINE_PAGE_SHIFT,
                                             1, true));
            }
        }
    }
}

bool ram_view_lead(void *address, const uint64_t *frames, size_t page_count)
{
    struct view *view = window_find(&ram.views, address);

    CHECK_THAT(view && view->base == (uintptr_t)address && view->page_count == page_count);
    memcpy(view->frames, frames, page_count * sizeof *frames);
    return map_runs(view, true);
}

void ram_unmap_frames(void *address, size_t page_count)
{
    struct view *view = window_find(&ram.views, address);

    CHECK_THAT(view && view->base == (uintptr_t)address && view->page_count == page_count);
    window_remove(&ram.views, view);
}

static struct view *frames_view(void *address)
{
    struct view *view = window_find(&ram.views, address);

    CHECK_THAT(view && view->base == (uintptr_t)address && view->kind == VIEW_FRAMES);
    return view;
}

void ram_view_name(void *view, const char *what, size_t begin, size_t size)
{
    struct view *named = frames_view(view);

    CHECK_THAT(range_fits(begin, size, named->page_count << MACHINE_PAGE_SHIFT));
    named->what = what;
    named->begin = begin;
    named->size = size;
}

static void view_protect(void *address, int protection)
{
    struct view *view = frames_view(address);

    CHECK_THAT(mprotect(address, view->page_count << MACHINE_PAGE_SHIFT, protection) == 0);
    view->shut = protection == PROT_NONE;
    view->taken = false;
}

void ram_view_take(void *address, size_t first_page)
{
    struct view *view = frames_view(address);

    CHECK_THAT(view->what && first_page < view->page_count);
    CHECK_THAT(mprotect((uint8_t *)address + (first_page << MACHINE_PAGE_SHIFT),
                        (view->page_count - first_page) << MACHINE_PAGE_SHIFT, PROT_NONE) == 0);
    view->taken = true;
}

void ram_view_shut(void *view)
{
    view_protect(view, PROT_NONE);
}

void ram_view_open(void *view)
{
    view_protect(view, PROT_READ | PROT_WRITE);
}

void ram_view_open_behind(void *address)
{
    struct view *view = frames_view(address);
    uint8_t *behind = (uint8_t *)address + (view->page_count << MACHINE_PAGE_SHIFT);

    CHECK_THAT(mprotect(behind, MACHINE_PAGE_SIZE, PROT_READ | PROT_WRITE) == 0);
    memset(behind, FILL_REDZONE, MACHINE_PAGE_SIZE);
    CHECK_THAT(mprotect(behind, MACHINE_PAGE_SIZE, PROT_READ) == 0);
    view->behind = true;
}

/* What the view holds: what it was named for, or all of it. */
static struct ram_thing thing_of(const struct view *view, uintptr_t at)
{
    size_t begin = view->what ? view->begin : 0;

    return (struct ram_thing){
        .what = view->what,
        .offset = (int64_t)(at - view->base - begin),
        .size = view->what ? view->size : view->page_count << MACHINE_PAGE_SHIFT,
        .shut = view->shut,
    };
}

/* How far the address is from the thing; UINT64_MAX: too far to be meant for it. */
static uint64_t distance_to(const struct view *view, uintptr_t at)
{
    size_t count = view->page_count + ram_empty_behind(view->page_count);
    uintptr_t empty_end = view->base + (count << MACHINE_PAGE_SHIFT);
    struct ram_thing thing = thing_of(view, at);

    if (at < view->base - MACHINE_PAGE_SIZE || at >= empty_end) {
        return UINT64_MAX;
    }
    return thing.offset < 0                       ? (uint64_t)-thing.offset
           : (uint64_t)thing.offset >= thing.size ? (uint64_t)thing.offset - thing.size + 1
                                                  : 0;
}

bool ram_thing_near(const void *address, struct ram_thing *out)
{
    uintptr_t at = (uintptr_t)address;
    /* The one that the address is in, or behind; and the next one. */
    const struct view *nearest = window_before(&ram.views, at);
    const struct view *next = window_before(&ram.views, at + MACHINE_PAGE_SIZE);

    if (at >= ram.views.end) {
        return false;
    }
    if (next && (!nearest || distance_to(next, at) < distance_to(nearest, at))) {
        nearest = next;
    }
    if (!nearest || distance_to(nearest, at) == UINT64_MAX) {
        return false;
    }
    *out = thing_of(nearest, at);
    return true;
}

const char *ram_taken_at(const void *address, size_t *offset)
{
    struct view *view = window_find(&ram.views, address);

    if (!view || !view->taken) {
        return NULL;
    }
    *offset = (uintptr_t)address - view->base - view->begin;
    return view->what;
}

bool ram_physical_of(const void *pointer, uint64_t *physical)
{
    uintptr_t at = (uintptr_t)pointer;
    struct view *view;

    if (at >= ADDRESS_RAM && at - ADDRESS_RAM < ram.end) {
        *physical = at - ADDRESS_RAM;
        return ram_at(*physical, 1) != NULL;
    }
    view = window_find(&ram.views, pointer);
    if (view) {
        size_t page = (at - view->base) >> MACHINE_PAGE_SHIFT;
        *physical = view->frames[page] << MACHINE_PAGE_SHIFT | (at % MACHINE_PAGE_SIZE);
        return true;
    }
    return pci_physical_of(pointer, physical) || io_physical_of(pointer, physical) ||
           adopted_physical_of(pointer, physical);
}
