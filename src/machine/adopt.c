/* Private memory that becomes RAM where it lies: stacks and driver images have no frames until
 * somebody asks for the physical address of a page of theirs.
 *
 *      private page ── ram_adopt: a frame is taken, filled, and mapped in the page's place ──> RAM
 *           ^────────────── ram_disown: the bytes go back, the frame is free again ──────────────┘
 *
 * The page keeps its address and its bytes, and devices see it from then on. Pages stand in order
 * of their addresses. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct adopted {
    uintptr_t page;
    uint64_t frame;
    bool writable;
};

static struct {
    struct adopted *pages;
    size_t count, capacity;
} adopted;

/* The first adopted page at or above the address. */
static size_t place_of(uintptr_t page)
{
    size_t low = 0, high = adopted.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (adopted.pages[middle].page < page) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool adopted_physical_of(const void *pointer, uint64_t *physical)
{
    uintptr_t page = align_down((uintptr_t)pointer, MACHINE_PAGE_SIZE);
    size_t place = place_of(page);

    if (place == adopted.count || adopted.pages[place].page != page) {
        return false;
    }
    *physical =
        adopted.pages[place].frame << MACHINE_PAGE_SHIFT | (uintptr_t)pointer % MACHINE_PAGE_SIZE;
    return true;
}

void adopted_forget_all(void)
{
    free(adopted.pages);
    memset(&adopted, 0, sizeof(adopted));
}

static bool reserve_place(void)
{
    size_t capacity = adopted.capacity ? adopted.capacity * 2 : 16;
    struct adopted *grown;

    if (adopted.count < adopted.capacity) {
        return true;
    }
    grown = realloc(adopted.pages, capacity * sizeof(*grown));
    if (!grown) {
        return false;
    }
    adopted.pages = grown;
    adopted.capacity = capacity;
    return true;
}

/* A stack's page holds what a sanitizer forbids to read. */
static void copy_page(void *to, const void *from)
{
    size_t size = MACHINE_PAGE_SIZE;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

struct change {
    struct adopted page;
    bool done;
};

static int protection_of(const struct adopted *page)
{
    return PROT_READ | (page->writable ? PROT_WRITE : 0);
}

/* The page may be of the stack of whoever asks: these two run on the executor's. */
static void adopt(void *argument)
{
    struct change *change = argument;
    uint64_t physical = change->page.frame << MACHINE_PAGE_SHIFT, offset, run;
    int fd;

    copy_page(ram_at(physical, MACHINE_PAGE_SIZE), (const void *)change->page.page);
    change->done = ram_backing(physical, &fd, &offset, &run) &&
                   mmap((void *)change->page.page, MACHINE_PAGE_SIZE, protection_of(&change->page),
                        MAP_SHARED | MAP_FIXED, fd, (off_t)offset) != MAP_FAILED;
}

static void disown(void *argument)
{
    struct change *change = argument;
    void *page = (void *)change->page.page;

    change->done = mmap(page, MACHINE_PAGE_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (change->done) {
        copy_page(page, ram_at(change->page.frame << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE));
        change->done = mprotect(page, MACHINE_PAGE_SIZE, protection_of(&change->page)) == 0;
    }
}

bool ram_adopt(const void *address, bool writable)
{
    /* Not on the stack, which is about to be copied. */
    static struct change change;
    struct ram_request request = {.page_count = 1};
    uint64_t frame;
    size_t place;

    if (!reserve_place() || !NT_SUCCESS(ram_alloc_frames(&request, &frame))) {
        return false;
    }
    change = (struct change){
        .page = {align_down((uintptr_t)address, MACHINE_PAGE_SIZE), frame, writable}};
    place = place_of(change.page.page);
    CHECK_THAT(place == adopted.count || adopted.pages[place].page != change.page.page);
    executor_call(adopt, &change);
    if (!change.done) {
        ram_free_frames(&frame, 1);
        return false;
    }
    memmove(&adopted.pages[place + 1], &adopted.pages[place],
            (adopted.count - place) * sizeof(adopted.pages[0]));
    adopted.pages[place] = change.page;
    adopted.count++;
    return true;
}

void ram_disown(const void *low, size_t size)
{
    static struct change change;
    size_t first = place_of(align_down((uintptr_t)low, MACHINE_PAGE_SIZE));
    size_t end = first;

    for (; end < adopted.count && adopted.pages[end].page - (uintptr_t)low < size; end++) {
        change = (struct change){.page = adopted.pages[end]};
        executor_call(disown, &change);
        CHECK_THAT(change.done);
        ram_free_frames(&change.page.frame, 1);
    }
    if (end > first) { /* there may be no table at all */
        memmove(&adopted.pages[first], &adopted.pages[end],
                (adopted.count - end) * sizeof(adopted.pages[0]));
        adopted.count -= end - first;
    }
}
