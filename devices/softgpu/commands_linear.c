/* commands_linear.c: bytes in a row: FILL, COPY, COPY_PAGES, and the aperture's table.
 *
 * Each call does one slice. `progress` counts finished slices, so where a slice lies follows from
 * the command alone and an interrupted copy goes on where it was, in whatever direction. */
#include "internal.h"

#include <string.h>

#define SLICE_PAGES  (SLICE_BYTES / SOFTGPU_PAGE_SIZE)
#define SLICE_PIECES 64
#define SLICE_PTES   4096u

struct slice {
    uint64_t begin, size;
    bool last;
};

/* The slice that progress stands at. False: everything is done already. */
static bool next_slice(const struct command *command, uint64_t total, bool backwards,
                       struct slice *slice)
{
    uint64_t done = (uint64_t)command->progress * SLICE_BYTES;
    if (done >= total)
        return false;
    uint64_t left = total - done;
    slice->size = left < SLICE_BYTES ? left : SLICE_BYTES;
    slice->last = left <= SLICE_BYTES;
    slice->begin = backwards ? left - slice->size : done;
    return true;
}

static enum command_result end_slice(struct command *command, const struct slice *slice)
{
    if (slice->last)
        return COMMAND_DONE;
    command->progress++;
    return COMMAND_CONTINUE;
}

static void charge_copy(struct command *command, bool local, uint64_t size)
{
    struct softgpu *gpu = command->access.gpu;
    command->cost_ns += size / (local ? RATE_COPY_LOCAL : RATE_COPY_SYSTEM);
    gpu->counters.bytes_read += size;
    gpu->counters.bytes_written += size;
}

/* ---- FILL ---- */

enum command_result command_fill(struct command *command)
{
    struct access *access = &command->access;
    struct softgpu_command_fill fill;
    struct slice slice;
    memcpy(&fill, command->words, sizeof(fill));
    uint64_t address = address_of(fill.address), size = pair(fill.size_low, fill.size_high);
    if (!address_check(access, address, size))
        return COMMAND_FAULT;
    if (!next_slice(command, size, false, &slice))
        return COMMAND_DONE;
    bool streams = memory_fill_streams(&access->gpu->late_fills, address, size);
    for (uint64_t done = 0; done < slice.size;) {
        uint64_t mapped_size, at = slice.begin + done;
        uint8_t *to =
            address_map(access, address + at, slice.size - done, ACCESS_WRITE, &mapped_size);
        if (!to)
            return COMMAND_FAULT;
        uint32_t turn = (uint32_t)(at % 4) * 8;
        uint32_t pattern = turn ? fill.pattern >> turn | fill.pattern << (32 - turn) : fill.pattern;
        if (streams)
            memory_fill_streaming(to, pattern, mapped_size);
        else
            memory_fill(to, pattern, mapped_size);
        done += mapped_size;
    }
    command->cost_ns += slice.size / RATE_FILL;
    access->gpu->counters.bytes_written += slice.size;
    return end_slice(command, &slice);
}

/* ---- COPY ---- */

/* How much of a range's end lies in one page; the way back goes page by page. */
static uint64_t last_piece(uint64_t address, uint64_t size)
{
    uint64_t in_page = (address + size - 1) % SOFTGPU_PAGE_SIZE + 1;
    return in_page < size ? in_page : size;
}

/* Pieces of a copy that are still to be done, in their order. */
struct pieces {
    struct memory_piece list[SLICE_PIECES];
    size_t count;
    bool streams; /* past the caches, if they are many bytes */
};

static void flush_pieces(struct pieces *pieces)
{
    memory_copy_pieces(pieces->list, pieces->count, pieces->streams);
    pieces->count = 0;
}

static void add_piece(struct pieces *pieces, uint8_t *to, const uint8_t *from, uint64_t size)
{
    if (to < from + size && from < to + size) {
        flush_pieces(pieces);
        memmove(to, from, size);
        return;
    }
    pieces->list[pieces->count++] = (struct memory_piece){to, from, size};
    if (pieces->count == SLICE_PIECES)
        flush_pieces(pieces);
}

/* Copies the beginning of *size bytes, as much as is one piece on both sides: at once, or with
 * others. */
static bool copy_piece(struct access *access, uint64_t to_address, uint64_t from_address,
                       uint64_t *size, struct pieces *pieces)
{
    uint64_t to_size, from_size;
    const uint8_t *from = address_map(access, from_address, *size, ACCESS_READ, &from_size);
    uint8_t *to = from ? address_map(access, to_address, from_size, ACCESS_WRITE, &to_size) : NULL;
    if (!to)
        return false;
    if (pieces)
        add_piece(pieces, to, from, to_size);
    else
        memory_move(to, from, to_size);
    *size = to_size;
    return true;
}

static bool copy_forwards(struct access *access, uint64_t to, uint64_t from, uint64_t size,
                          bool streaming)
{
    struct pieces pieces;
    bool copied = true;
    pieces.count = 0;
    pieces.streams = true;
    while (size && copied) {
        uint64_t piece = size;
        copied = copy_piece(access, to, from, &piece, streaming ? &pieces : NULL);
        to += piece;
        from += piece;
        size -= piece;
    }
    flush_pieces(&pieces);
    return copied;
}

static bool copy_backwards(struct access *access, uint64_t to, uint64_t from, uint64_t size)
{
    uint8_t *to_whole = address_map_whole(access, to, size, ACCESS_WRITE);
    const uint8_t *from_whole = address_map_whole(access, from, size, ACCESS_READ);
    if (to_whole && from_whole) {
        memmove(to_whole, from_whole, size);
        return true;
    }
    while (size) {
        uint64_t piece = last_piece(to, size), from_piece = last_piece(from, size);
        if (from_piece < piece)
            piece = from_piece;
        size -= piece;
        if (!copy_piece(access, to + size, from + size, &piece, NULL))
            return false;
    }
    return true;
}

enum command_result command_copy(struct command *command)
{
    struct access *access = &command->access;
    struct softgpu_command_copy copy;
    struct slice slice;
    memcpy(&copy, command->words, sizeof(copy));
    uint64_t to = address_of(copy.destination), from = address_of(copy.source);
    uint64_t size = pair(copy.size_low, copy.size_high);
    if (copy.flags)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, 0);
    if (!address_check(access, to, size) || !address_check(access, from, size))
        return COMMAND_FAULT;
    bool backwards = to > from && to - from < size;
    if (!next_slice(command, size, backwards, &slice))
        return COMMAND_DONE;
    to += slice.begin;
    from += slice.begin;
    if (backwards ? !copy_backwards(access, to, from, slice.size)
                  : !copy_forwards(access, to, from, slice.size, size >= MEMORY_STREAM_COPY_MIN))
        return COMMAND_FAULT;
    bool local = address_is_local(access, to) && address_is_local(access, from);
    charge_copy(command, local, slice.size);
    return end_slice(command, &slice);
}

/* ---- Lists of pages ---- */

/* Reads entries of a list that follows the command, or lies in memory. */
static bool read_list(struct command *command, bool indirect, uint64_t list_address,
                      size_t fixed_words, uint64_t first, uint32_t count, uint64_t *entries)
{
    if (indirect)
        return address_read(&command->access, list_address + first * 8, entries,
                            (uint64_t)count * 8);
    memcpy(entries, command->words + fixed_words + first * 2, (size_t)count * 8);
    return true;
}

/* Is the list as long as the command says? */
static bool check_list(struct command *command, bool indirect, uint64_t list_address,
                       size_t fixed_words, uint32_t count)
{
    uint64_t inline_words = indirect ? 0 : (uint64_t)count * 2;
    if (command->word_count != fixed_words + inline_words) {
        command_fault(command, SOFTGPU_FAULT_LENGTH, 0);
        return false;
    }
    if (indirect && list_address % 8) {
        command_fault(command, SOFTGPU_FAULT_OPERAND, list_address);
        return false;
    }
    return !indirect || count == 0 ||
           address_check(&command->access, list_address, (uint64_t)count * 8);
}

struct page_copy {
    struct command *command;
    struct access list; /* the list's side is never virtual */
    bool to_list;
    struct pieces pieces;
};

static bool found_fault(struct page_copy *copy, const struct access *access)
{
    copy->command->access.fault = access->fault;
    return false;
}

/* [page_address, +size) of system memory and the same at the other side. */
static bool add_pieces(struct page_copy *copy, uint64_t list_side, uint64_t other, uint64_t size)
{
    struct access *access = &copy->command->access;
    struct access *source = copy->to_list ? access : &copy->list;
    struct access *target = copy->to_list ? &copy->list : access;
    while (size) {
        uint64_t to_size, from_size;
        uint64_t from_address = copy->to_list ? other : list_side;
        uint64_t to_address = copy->to_list ? list_side : other;
        const uint8_t *from = address_map(source, from_address, size, ACCESS_READ, &from_size);
        if (!from)
            return found_fault(copy, source);
        uint8_t *to = address_map(target, to_address, from_size, ACCESS_WRITE, &to_size);
        if (!to)
            return found_fault(copy, target);
        add_piece(&copy->pieces, to, from, to_size);
        list_side += to_size;
        other += to_size;
        size -= to_size;
    }
    return true;
}

/* How many entries from `first` on are neighbours in memory. */
static uint32_t run_length(const uint64_t *frames, uint32_t first, uint32_t count)
{
    uint32_t length = 1;
    while (first + length < count && frames[first + length] == frames[first] + length)
        length++;
    return length;
}

/* `skip`: bytes of the first of the frames that do not belong to the slice. */
static bool copy_frames(struct page_copy *copy, const uint64_t *frames, uint32_t count,
                        uint64_t skip, uint64_t other, uint64_t size)
{
    for (uint32_t i = 0; i < count && size;) {
        uint32_t length = run_length(frames, i, count);
        uint64_t piece = (uint64_t)length * SOFTGPU_PAGE_SIZE - skip;
        if (piece > size)
            piece = size;
        if (frames[i] >= SOFTGPU_SYSTEM_SIZE / SOFTGPU_PAGE_SIZE) {
            command_fault(copy->command, SOFTGPU_FAULT_ADDRESS, frames[i]);
            return false;
        }
        uint64_t list_side = SOFTGPU_SYSTEM_BASE + frames[i] * SOFTGPU_PAGE_SIZE + skip;
        if (!add_pieces(copy, list_side, other, piece))
            return false;
        other += piece;
        size -= piece;
        skip = 0;
        i += length;
    }
    return true;
}

enum command_result command_copy_pages(struct command *command)
{
    const size_t fixed_words = SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_copy_pages);
    struct softgpu_command_copy_pages pages;
    uint64_t frames[SLICE_PAGES + 1];
    struct slice slice;
    memcpy(&pages, command->words, sizeof(pages));
    uint64_t other = address_of(pages.address), size = pair(pages.size_low, pages.size_high);
    uint64_t list_address = address_of(pages.list_address);
    bool indirect = pages.flags & SOFTGPU_PAGES_INDIRECT;
    uint64_t list_bytes = (uint64_t)pages.page_count * SOFTGPU_PAGE_SIZE;
    if ((pages.flags & ~(SOFTGPU_PAGES_TO_LIST | SOFTGPU_PAGES_INDIRECT)) ||
        pages.first_byte >= SOFTGPU_PAGE_SIZE || size > list_bytes ||
        size + pages.first_byte > list_bytes)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, 0);
    if (!check_list(command, indirect, list_address, fixed_words, pages.page_count) ||
        !address_check(&command->access, other, size))
        return COMMAND_FAULT;
    if (!next_slice(command, size, false, &slice))
        return COMMAND_DONE;

    uint64_t begin = pages.first_byte + slice.begin, end = begin + slice.size;
    uint64_t first = begin / SOFTGPU_PAGE_SIZE;
    uint32_t count = (uint32_t)((end + SOFTGPU_PAGE_SIZE - 1) / SOFTGPU_PAGE_SIZE - first);
    if (!read_list(command, indirect, list_address, fixed_words, first, count, frames))
        return COMMAND_FAULT;
    struct page_copy copy;
    copy.command = command;
    copy.list = (struct access){.gpu = command->access.gpu, .privileged = true};
    copy.to_list = pages.flags & SOFTGPU_PAGES_TO_LIST;
    copy.pieces.count = 0;
    copy.pieces.streams = memory_pages_stream(&command->access.gpu->late_copies, other, size);
    bool copied = copy_frames(&copy, frames, count, begin % SOFTGPU_PAGE_SIZE, other + slice.begin,
                              slice.size);
    flush_pieces(&copy.pieces);
    if (!copied)
        return COMMAND_FAULT;
    charge_copy(command, false, slice.size);
    return end_slice(command, &slice);
}

/* ---- MAP_APERTURE ---- */

static bool map_pages(struct command *command, const struct softgpu_command_map_aperture *map,
                      uint64_t first, uint32_t count)
{
    const size_t fixed_words = SOFTGPU_COMMAND_WORDS_OF(*map);
    uint64_t frames[256], address = address_of(map->list_address);
    uint64_t flags = SOFTGPU_PTE_VALID;
    if (map->flags & SOFTGPU_MAP_READ_ONLY)
        flags |= SOFTGPU_PTE_READ_ONLY;
    bool listed = !(map->flags & (SOFTGPU_MAP_REPEAT | SOFTGPU_MAP_INVALID));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t in_block = i % 256, left = count - i;
        if (listed && in_block == 0 &&
            !read_list(command, map->flags & SOFTGPU_MAP_INDIRECT, address, fixed_words, first + i,
                       left < 256 ? left : 256, frames))
            return false;
        uint64_t page = listed ? frames[in_block] << SOFTGPU_PAGE_SHIFT : address;
        uint64_t entry =
            map->flags & SOFTGPU_MAP_INVALID ? 0 : (page & SOFTGPU_PTE_ADDRESS_MASK) | flags;
        if (!address_set_aperture(command->access.gpu, map->first_page + first + i, entry)) {
            command_fault(command, SOFTGPU_FAULT_OPERAND, map->first_page + first + i);
            return false;
        }
    }
    return true;
}

enum command_result command_map_aperture(struct command *command)
{
    const size_t fixed_words = SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_map_aperture);
    const uint32_t without_list = SOFTGPU_MAP_REPEAT | SOFTGPU_MAP_INVALID;
    struct softgpu_command_map_aperture map;
    memcpy(&map, command->words, sizeof(map));
    uint32_t source = map.flags & (SOFTGPU_MAP_INDIRECT | without_list);
    uint32_t known = SOFTGPU_MAP_INDIRECT | without_list | SOFTGPU_MAP_READ_ONLY;
    uint64_t pages = command->access.gpu->aperture_size / SOFTGPU_PAGE_SIZE;
    if ((map.flags & ~known) || (source & (source - 1)) ||
        (uint64_t)map.first_page + map.page_count > pages)
        return command_fault(command, SOFTGPU_FAULT_OPERAND, map.first_page);
    if (!check_list(command, map.flags & SOFTGPU_MAP_INDIRECT, address_of(map.list_address),
                    fixed_words, map.flags & without_list ? 0 : map.page_count))
        return COMMAND_FAULT;

    uint64_t first = (uint64_t)command->progress * SLICE_PTES;
    if (first >= map.page_count)
        return COMMAND_DONE;
    uint64_t left = map.page_count - first;
    uint32_t count = left < SLICE_PTES ? (uint32_t)left : SLICE_PTES;
    if (!map_pages(command, &map, first, count))
        return COMMAND_FAULT;
    command->cost_ns += count;
    command->access.gpu->counters.bytes_written += (uint64_t)count * 8;
    if (left <= SLICE_PTES)
        return COMMAND_DONE;
    command->progress++;
    return COMMAND_CONTINUE;
}
