/* The map of fixed addresses, and windows of views. */
#include "machine/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool address_reserve(uint64_t address, uint64_t size, const char *what)
{
    void *place = mmap((void *)(uintptr_t)address, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (place == (void *)(uintptr_t)address) {
        return true;
    }
    fprintf(stderr, "drydock: cannot place %s at 0x%llx: %s\n", what, (unsigned long long)address,
            place == MAP_FAILED ? strerror(errno) : "the kernel chose another address");
    if (place != MAP_FAILED) {
        munmap(place, size);
    }
    return false;
}

void address_vacate(void *address, size_t size)
{
    void *place = mmap(address, size, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

    CHECK_THAT(place == address);
}

#define EMPTY_PAGES_MAX ((size_t)4096)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

void address_expect(void *address, size_t size)
{
    (void)madvise(address, size, MADV_POPULATE_WRITE);
}

/* ---- Windows ----------------------------------------------------------------------------- */

bool window_open(struct window *window, uint64_t base, const char *what)
{
    memset(window, 0, sizeof(*window));
    if (!address_reserve(base, ADDRESS_WINDOW, what)) {
        return false;
    }
    window->base = window->cursor = (uintptr_t)base;
    window->end = window->base + ADDRESS_WINDOW;
    return true;
}

void window_close(struct window *window)
{
    if (!window->base) {
        return;
    }
    for (size_t i = 0; i < window->count; i++) {
        free(window->views[i]->frames);
        free(window->views[i]->dummy);
        free(window->views[i]);
    }
    free(window->views);
    munmap((void *)window->base, ADDRESS_WINDOW);
    memset(window, 0, sizeof(*window));
}

/* The first view that begins above address. */
static size_t view_above(const struct window *window, uintptr_t address)
{
    size_t low = 0;
    size_t high = window->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (window->views[middle]->base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t ram_empty_behind(size_t page_count)
{
    return 1 + (page_count < EMPTY_PAGES_MAX ? page_count : EMPTY_PAGES_MAX);
}

static uintptr_t view_end(const struct view *view)
{
    return view->base + (view->page_count + ram_empty_behind(view->page_count)) * MACHINE_PAGE_SIZE;
}

/* The first gap of size bytes at or above start; 0: none. *place is its place among the views. */
static uintptr_t gap_find(const struct window *window, uintptr_t start, size_t size, size_t *place)
{
    size_t next = view_above(window, start);
    uintptr_t at = start;

    if (next > 0 && view_end(window->views[next - 1]) > at) {
        at = view_end(window->views[next - 1]);
    }
    while (next < window->count && window->views[next]->base - at < size) {
        at = view_end(window->views[next++]);
    }
    *place = next;
    return at <= window->end && window->end - at >= size ? at : 0;
}

static bool window_reserve_place(struct window *window)
{
    size_t capacity = window->capacity ? window->capacity * 2 : 64;
    struct view **grown;

    if (window->count < window->capacity) {
        return true;
    }
    grown = realloc(window->views, capacity * sizeof(struct view *));
    if (!grown) {
        return false;
    }
    window->views = grown;
    window->capacity = capacity;
    return true;
}

struct view *window_add(struct window *window, size_t page_count, size_t alignment)
{
    size_t slack = alignment - MACHINE_PAGE_SIZE, size, place;
    uintptr_t at;
    struct view *view;

    if (page_count == 0 || page_count >= ADDRESS_WINDOW / MACHINE_PAGE_SIZE ||
        !window_reserve_place(window)) {
        return NULL;
    }
    size = (page_count + ram_empty_behind(page_count)) * MACHINE_PAGE_SIZE + slack;
    at = gap_find(window, window->cursor, size, &place);
    at = at ? at : gap_find(window, window->base, size, &place);
    view = at ? calloc(1, sizeof(*view)) : NULL;
    if (!view) {
        return NULL;
    }
    view->base = align_up(at, alignment);
    view->page_count = page_count;
    memmove(&window->views[place + 1], &window->views[place],
            (window->count - place) * sizeof(struct view *));
    window->views[place] = view;
    window->count++;
    window->cursor = at + size;
    return view;
}

static bool view_holds(const struct view *view, uintptr_t address)
{
    return address >= view->base && address - view->base < view->page_count * MACHINE_PAGE_SIZE;
}

struct view *window_before(const struct window *window, uintptr_t address)
{
    size_t above = view_above(window, address);

    return above > 0 ? window->views[above - 1] : NULL;
}

struct view *window_find(struct window *window, const void *address)
{
    uintptr_t at = (uintptr_t)address;
    size_t above;

    if (at < window->base || at >= window->end) {
        return NULL;
    }
    if (window->last && view_holds(window->last, at)) {
        return window->last;
    }
    above = view_above(window, at);
    if (above == 0 || !view_holds(window->views[above - 1], at)) {
        return NULL;
    }
    window->last = window->views[above - 1];
    return window->last;
}

void window_remove(struct window *window, struct view *view)
{
    size_t place = view_above(window, view->base) - 1;

    CHECK_THAT(place < window->count && window->views[place] == view);
    window->area_count -= view->area_count;
    address_vacate((void *)view->base,
                   (view->page_count + (view->behind ? 1 : 0)) * MACHINE_PAGE_SIZE);
    memmove(&window->views[place], &window->views[place + 1],
            (--window->count - place) * sizeof(struct view *));
    window->last = NULL;
    free(view->frames);
    free(view->dummy);
    free(view);
}
