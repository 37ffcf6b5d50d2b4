/* memory_copy.c: moving and filling bytes as fast as the host can.
 *
 * What decides is whether a line that is to be overwritten must be read first. `rep movsb` and
 * `rep stosq` avoid that for large blocks and leave the result in the caches; streaming stores
 * avoid it always and leave the caches alone. A scattered copy is bound by the latency of the first
 * lines of each page, so it fetches the next page ahead and streams. */
#include "memory_copy.h"

#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#define STRING_COPY_MIN  0x100000u /* below, memcpy is as fast */
#define STRING_FILL_MIN  1024u     /* below, starting the instruction costs more */
#define STREAM_TOTAL_MIN 0x8000u   /* of a scattered copy */
#define STREAM_PIECE_MAX 0x10000u
#define PREFETCH_BYTES   4096u
#define LINE             64u
#define BLOCK_PAGE       4096u
#define BLOCK            (4 * BLOCK_PAGE)
#define BLOCK_PART       256u

#define STREAM_FILL_MIN 0x10000u

/* Of more bytes a core's own caches do not keep both what was and what comes. A slice of the copy
 * engine is as long, so that nobody asks twice of a fill in slices. */
#define STREAM_FILL_LARGE  0x100000u
#define STREAM_PAGES_LARGE 0x80000u

void memory_copy(void *to, const void *from, size_t size)
{
    if (size >= STRING_COPY_MIN)
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    else
        memcpy(to, from, size);
}

void memory_move(void *to, const void *from, size_t size)
{
    uintptr_t a = (uintptr_t)to, b = (uintptr_t)from;
    if (a + size <= b || b + size <= a)
        memory_copy(to, from, size);
    else
        memmove(to, from, size);
}

/* ---- Fills ---- */

static bool is_one_byte(uint32_t pattern)
{
    return pattern == (pattern & 0xFF) * 0x01010101u;
}

/* The pattern as it continues after `bytes` bytes. */
static uint32_t turn(uint32_t pattern, size_t bytes)
{
    unsigned bits = (unsigned)(bytes % 4) * 8;
    return bits ? pattern >> bits | pattern << (32 - bits) : pattern;
}

static void fill_bytes(uint8_t *to, uint32_t pattern, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(pattern >> (i % 4 * 8));
}

static void fill_vectors(uint8_t *to, uint32_t pattern, size_t size)
{
    const __m128i value = _mm_set1_epi32((int)pattern);
    size_t done = 0;
    for (; done + 64 <= size; done += 64) {
        _mm_storeu_si128((void *)(to + done), value);
        _mm_storeu_si128((void *)(to + done + 16), value);
        _mm_storeu_si128((void *)(to + done + 32), value);
        _mm_storeu_si128((void *)(to + done + 48), value);
    }
    for (; done + 16 <= size; done += 16)
        _mm_storeu_si128((void *)(to + done), value);
    fill_bytes(to + done, pattern, size - done);
}

static void fill_string(uint8_t *to, uint32_t pattern, size_t size)
{
    size_t head = -(uintptr_t)to % LINE, count = (size - head) / 8, tail = head + count * 8;
    fill_vectors(to, pattern, head);
    pattern = turn(pattern, head);
    uint64_t two = (uint64_t)pattern << 32 | pattern;
    void *place = to + head;
    __asm__ volatile("rep stosq" : "+D"(place), "+c"(count) : "a"(two) : "memory");
    fill_bytes(to + tail, pattern, size - tail);
}

void memory_fill(void *to, uint32_t pattern, size_t size)
{
    if (is_one_byte(pattern))
        memset(to, (int)(pattern & 0xFF), size);
    else if (size >= STRING_FILL_MIN)
        fill_string(to, pattern, size);
    else
        fill_vectors(to, pattern, size);
}

/* ---- What streams ---- */

static bool was_there_lately(struct memory_late *late, uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < MEMORY_LATE_PLACES; i++) {
        if (late->address[i] == address && late->size[i] == size)
            return true;
    }
    late->address[late->next] = address;
    late->size[late->next] = size;
    late->next = (late->next + 1) % MEMORY_LATE_PLACES;
    return false;
}

bool memory_fill_streams(struct memory_late *late, uint64_t address, uint64_t size)
{
    return size >= STREAM_FILL_MIN &&
           (size > STREAM_FILL_LARGE || !was_there_lately(late, address, size));
}

bool memory_pages_stream(struct memory_late *late, uint64_t address, uint64_t size)
{
    return size >= STREAM_PAGES_LARGE || !was_there_lately(late, address, size);
}

/* ---- Streams ---- */

struct stream_form {
    void (*copy)(uint8_t *to, const uint8_t *from, size_t lines, size_t ahead);
    void (*fill)(uint8_t *to, uint32_t pattern, size_t lines);
};

/* `ahead`: how far ahead of itself the copy fetches, or 0. */
__attribute__((target("avx512f"))) static void copy_avx512(uint8_t *to, const uint8_t *from,
                                                           size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines * LINE; i += LINE) {
        if (ahead)
            _mm_prefetch((const char *)((uintptr_t)from + i + ahead), _MM_HINT_T0);
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512(from + i));
    }
}

__attribute__((target("avx512f"))) static void fill_avx512(uint8_t *to, uint32_t pattern,
                                                           size_t lines)
{
    const __m512i value = _mm512_set1_epi32((int)pattern);
    for (size_t i = 0; i < lines * LINE; i += LINE)
        _mm512_stream_si512((void *)(to + i), value);
}

static void copy_sse2(uint8_t *to, const uint8_t *from, size_t lines, size_t ahead)
{
    for (size_t i = 0; i < lines * LINE; i += LINE) {
        if (ahead)
            _mm_prefetch((const char *)((uintptr_t)from + i + ahead), _MM_HINT_T0);
        for (size_t k = i; k < i + LINE; k += 16)
            _mm_stream_si128((void *)(to + k), _mm_loadu_si128((const void *)(from + k)));
    }
}

static void fill_sse2(uint8_t *to, uint32_t pattern, size_t lines)
{
    const __m128i value = _mm_set1_epi32((int)pattern);
    for (size_t i = 0; i < lines * LINE; i += 16)
        _mm_stream_si128((void *)(to + i), value);
}

static const struct stream_form *stream_form(void)
{
    static const struct stream_form avx512 = {copy_avx512, fill_avx512};
    static const struct stream_form sse2 = {copy_sse2, fill_sse2};
    return __builtin_cpu_supports("avx512f") ? &avx512 : &sse2;
}

/* The destination's first bytes up to a line, and what is left after the last line, go as usual. */
static void stream_copy(const struct stream_form *form, uint8_t *to, const uint8_t *from,
                        size_t size, size_t ahead)
{
    size_t head = -(uintptr_t)to % LINE;
    if (head > size)
        head = size;
    size_t lines = (size - head) / LINE, tail = head + lines * LINE;
    memcpy(to, from, head);
    form->copy(to + head, from + head, lines, ahead);
    memcpy(to + tail, from + tail, size - tail);
}

/* Four pages side by side: the memory has more of its banks at work. */
static void stream_blocks(const struct stream_form *form, uint8_t *to, const uint8_t *from,
                          size_t blocks)
{
    for (size_t block = 0; block < blocks; block++) {
        for (size_t at = 0; at < BLOCK_PAGE; at += BLOCK_PART)
            for (size_t page = block * BLOCK; page < (block + 1) * BLOCK; page += BLOCK_PAGE)
                form->copy(to + page + at, from + page + at, BLOCK_PART / LINE, BLOCK_PART);
    }
}

void memory_copy_streaming(void *to, const void *from, size_t size)
{
    const struct stream_form *form = stream_form();
    size_t head = -(uintptr_t)to % LINE;
    if (head > size)
        head = size;
    size_t blocks = (size - head) / BLOCK, done = head + blocks * BLOCK;
    memcpy(to, from, head);
    stream_blocks(form, (uint8_t *)to + head, (const uint8_t *)from + head, blocks);
    stream_copy(form, (uint8_t *)to + done, (const uint8_t *)from + done, size - done,
                PREFETCH_BYTES);
    _mm_sfence();
}

void memory_fill_streaming(void *to, uint32_t pattern, size_t size)
{
    uint8_t *place = to;
    size_t head = -(uintptr_t)place % LINE;
    if (head > size)
        head = size;
    size_t lines = (size - head) / LINE, tail = head + lines * LINE;
    fill_bytes(place, pattern, head);
    stream_form()->fill(place + head, turn(pattern, head), lines);
    fill_bytes(place + tail, turn(pattern, tail), size - tail);
    _mm_sfence();
}

static void prefetch(const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size && i < PREFETCH_BYTES; i += LINE)
        _mm_prefetch((const char *)from + i, _MM_HINT_T0);
}

void memory_copy_pieces(const struct memory_piece *pieces, size_t count, bool stream)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += pieces[i].size;
    if (!stream || total < STREAM_TOTAL_MIN) {
        for (size_t i = 0; i < count; i++)
            memcpy(pieces[i].to, pieces[i].from, pieces[i].size);
        return;
    }
    const struct stream_form *form = stream_form();
    for (size_t i = 0; i < count; i++) {
        size_t size = pieces[i].size;
        if (i + 1 < count)
            prefetch(pieces[i + 1].from, pieces[i + 1].size);
        stream_copy(form, pieces[i].to, pieces[i].from, size,
                    size > STREAM_PIECE_MAX ? PREFETCH_BYTES : 0);
    }
    _mm_sfence();
}
