/* memory_copy.c: moving and filling bytes as fast as the host can.
 *
 * What decides is whether a line that is to be overwritten must be read first. `rep movsb` avoids
 * that where the processor has fast strings, which pays from about a mebibyte on; a scattered copy
 * is bound by the latency of the first lines of each page, so it fetches the next page ahead and
 * stores past the caches. */
#include "memory_copy.h"

#include <immintrin.h>
#include <string.h>

#define STRING_COPY_MIN   0x100000u /* below, the caches serve both sides */
#define STREAM_TOTAL_MIN  0x8000u
#define STREAM_PIECE_MAX  0x10000u
#define PREFETCH_BYTES    4096u
#define LINE              64u

static void string_copy(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

void memory_copy(void *to, const void *from, size_t size)
{
    if (size >= STRING_COPY_MIN)
        string_copy(to, from, size);
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

void memory_fill(void *to, uint32_t pattern, size_t size)
{
    uint8_t byte = (uint8_t)pattern, *place = to;
    if (pattern == byte * 0x01010101u) {
        memset(to, byte, size);
        return;
    }
    size_t whole = size / 4;
    for (size_t i = 0; i < whole; i++)
        memcpy(place + i * 4, &pattern, 4);
    for (size_t i = whole * 4; i < size; i++)
        place[i] = (uint8_t)(pattern >> (i % 4 * 8));
}

/* ---- Scattered copies ---- */

static void prefetch(const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size && i < PREFETCH_BYTES; i += LINE)
        _mm_prefetch((const char *)from + i, _MM_HINT_T0);
}

__attribute__((target("avx512f"))) static void stream_avx512(uint8_t *to, const uint8_t *from,
                                                             size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        _mm512_stream_si512((__m512i *)(to + i * LINE), _mm512_loadu_si512(from + i * LINE));
}

__attribute__((target("avx2"))) static void stream_avx2(uint8_t *to, const uint8_t *from,
                                                        size_t lines)
{
    for (size_t i = 0; i < lines * 2; i++)
        _mm256_stream_si256((__m256i *)(to + i * 32),
                            _mm256_loadu_si256((const __m256i *)(from + i * 32)));
}

static void stream_sse2(uint8_t *to, const uint8_t *from, size_t lines)
{
    for (size_t i = 0; i < lines * 4; i++)
        _mm_stream_si128((__m128i *)(to + i * 16),
                         _mm_loadu_si128((const __m128i *)(from + i * 16)));
}

typedef void stream_fn(uint8_t *to, const uint8_t *from, size_t lines);

static stream_fn *stream_choose(void)
{
    if (__builtin_cpu_supports("avx512f"))
        return stream_avx512;
    return __builtin_cpu_supports("avx2") ? stream_avx2 : stream_sse2;
}

/* The destination's first bytes up to a line, and what is left after the last line, go as usual. */
static void copy_streaming(stream_fn *stream, const struct memory_piece *piece)
{
    size_t head = -(uintptr_t)piece->to % LINE;
    if (head > piece->size)
        head = piece->size;
    size_t lines = (piece->size - head) / LINE, tail = head + lines * LINE;
    memcpy(piece->to, piece->from, head);
    stream(piece->to + head, piece->from + head, lines);
    memcpy(piece->to + tail, piece->from + tail, piece->size - tail);
}

void memory_copy_pieces(const struct memory_piece *pieces, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += pieces[i].size;
    stream_fn *stream = total >= STREAM_TOTAL_MIN ? stream_choose() : NULL;
    for (size_t i = 0; i < count; i++) {
        if (!stream || pieces[i].size > STREAM_PIECE_MAX) {
            memory_copy(pieces[i].to, pieces[i].from, pieces[i].size);
            continue;
        }
        if (i + 1 < count)
            prefetch(pieces[i + 1].from, pieces[i + 1].size);
        copy_streaming(stream, &pieces[i]);
    }
    if (stream)
        _mm_sfence();
}
