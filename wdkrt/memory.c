/* Copying, filling and comparing memory. */
#include "wdkrt.h"

size_t RtlCompareMemory(const void *a, const void *b, size_t size);
size_t RtlCompareMemoryUlong(const void *a, size_t size, u32 pattern);
void RtlCopyMemory(void *to, const void *from, size_t size);
void RtlCopyMemoryNonTemporal(void *to, const void *from, size_t size);
void RtlMoveMemory(void *to, const void *from, size_t size);
void RtlFillMemory(void *to, size_t size, u8 value);
void RtlZeroMemory(void *to, size_t size);
const void *memchr(const void *in, int value, size_t size);
int memcpy_s(void *to, size_t room, const void *from, size_t size);
int memmove_s(void *to, size_t room, const void *from, size_t size);

/* Forwards, by the processor's own instruction: fast for large sizes, and it stops exactly at a bad
 * byte. */
static void copy_up(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

/* Backwards in words, for the instruction would need the direction flag turned. */
static void copy_down(u8 *to, const u8 *from, size_t size)
{
    while (size >= sizeof(u64)) {
        u64 word;

        size -= sizeof(u64);
        __builtin_memcpy(&word, from + size, sizeof(word));
        __builtin_memcpy(to + size, &word, sizeof(word));
    }
    while (size > 0) {
        size--;
        to[size] = from[size];
    }
}

static void copy_small(u8 *to, const u8 *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = from[i];
    }
}

void *memcpy(void *to, const void *from, size_t size)
{
    if (size < 32) {
        copy_small(to, from, size);
    } else {
        copy_up(to, from, size);
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    /* Unsigned: also true if `to` lies below `from`. */
    if ((u64)to - (u64)from >= size) {
        return memcpy(to, from, size);
    }
    copy_down(to, from, size);
    return to;
}

void *memset(void *to, int value, size_t size)
{
    void *at = to;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const u8 *left = a, *right = b;

    for (size_t i = 0; i < size; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

const void *memchr(const void *in, int value, size_t size)
{
    const u8 *at = in;

    for (size_t i = 0; i < size; i++) {
        if (at[i] == (u8)value) {
            return at + i;
        }
    }
    return NULL;
}

int memcpy_s(void *to, size_t room, const void *from, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (!to) {
        return ERROR_INVALID;
    }
    if (!from || room < size) {
        memset(to, 0, room);
        return from ? ERROR_RANGE : ERROR_INVALID;
    }
    memcpy(to, from, size);
    return 0;
}

int memmove_s(void *to, size_t room, const void *from, size_t size)
{
    if (size == 0) {
        return 0;
    }
    if (!to || !from) {
        return ERROR_INVALID;
    }
    if (room < size) {
        return ERROR_RANGE;
    }
    memmove(to, from, size);
    return 0;
}

/* How many bytes from the start are equal. */
size_t RtlCompareMemory(const void *a, const void *b, size_t size)
{
    const u8 *left = a, *right = b;
    size_t equal = 0;

    while (equal < size && left[equal] == right[equal]) {
        equal++;
    }
    return equal;
}

size_t RtlCompareMemoryUlong(const void *a, size_t size, u32 pattern)
{
    const u32 *at = a;
    size_t equal = 0;

    while (equal < size / sizeof(*at) && at[equal] == pattern) {
        equal++;
    }
    return equal * sizeof(*at);
}

void RtlCopyMemory(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void RtlCopyMemoryNonTemporal(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

void RtlMoveMemory(void *to, const void *from, size_t size)
{
    memmove(to, from, size);
}

void RtlFillMemory(void *to, size_t size, u8 value)
{
    memset(to, value, size);
}

void RtlZeroMemory(void *to, size_t size)
{
    memset(to, 0, size);
}
