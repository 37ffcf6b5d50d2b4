/* nt/crt_wide.c: C functions on 16-bit strings, sorting, numbers; see crt.c. */
#include "nt/crt.h"

#include <string.h>

static SIZE_T length_of(const WCHAR *text, SIZE_T limit)
{
    SIZE_T length = 0;

    while (length < limit && text[length]) {
        length++;
    }
    return length;
}

static WCHAR fold(WCHAR c)
{
    return c >= 'A' && c <= 'Z' ? (WCHAR)(c + 32) : c;
}

static int compare(const WCHAR *a, const WCHAR *b, SIZE_T count, bool folded)
{
    for (SIZE_T i = 0; i < count; i++) {
        WCHAR x = folded ? fold(a[i]) : a[i], y = folded ? fold(b[i]) : b[i];
        if (x != y || x == 0) {
            return x < y ? -1 : x > y;
        }
    }
    return 0;
}

EXPORTED(SIZE_T, wcslen, const WCHAR *text)
{
    NT_EXPORT_ENTER(wcslen);
    return length_of(text, SIZE_MAX);
}

EXPORTED(SIZE_T, wcsnlen, const WCHAR *text, SIZE_T limit)
{
    NT_EXPORT_ENTER(wcsnlen);
    return length_of(text, limit);
}

EXPORTED(int, wcscmp, const WCHAR *a, const WCHAR *b)
{
    NT_EXPORT_ENTER(wcscmp);
    return compare(a, b, SIZE_MAX, false);
}

EXPORTED(int, wcsncmp, const WCHAR *a, const WCHAR *b, SIZE_T count)
{
    NT_EXPORT_ENTER(wcsncmp);
    return compare(a, b, count, false);
}

EXPORTED(int, _wcsicmp, const WCHAR *a, const WCHAR *b)
{
    NT_EXPORT_ENTER(_wcsicmp);
    return compare(a, b, SIZE_MAX, true);
}

EXPORTED(int, _wcsnicmp, const WCHAR *a, const WCHAR *b, SIZE_T count)
{
    NT_EXPORT_ENTER(_wcsnicmp);
    return compare(a, b, count, true);
}

EXPORTED(WCHAR *, wcscpy, WCHAR *to, const WCHAR *from)
{
    NT_EXPORT_ENTER(wcscpy);
    return memcpy(to, from, (length_of(from, SIZE_MAX) + 1) * sizeof(WCHAR));
}

EXPORTED(WCHAR *, wcsncpy, WCHAR *to, const WCHAR *from, SIZE_T count)
{
    SIZE_T length = length_of(from, count);

    NT_EXPORT_ENTER(wcsncpy);
    memcpy(to, from, length * sizeof(WCHAR));
    memset(to + length, 0, (count - length) * sizeof(WCHAR));
    return to;
}

static WCHAR *append(WCHAR *to, const WCHAR *from, SIZE_T limit)
{
    SIZE_T at = length_of(to, SIZE_MAX), length = length_of(from, limit);

    memcpy(to + at, from, length * sizeof(WCHAR));
    to[at + length] = 0;
    return to;
}

EXPORTED(WCHAR *, wcscat, WCHAR *to, const WCHAR *from)
{
    NT_EXPORT_ENTER(wcscat);
    return append(to, from, SIZE_MAX);
}

EXPORTED(WCHAR *, wcsncat, WCHAR *to, const WCHAR *from, SIZE_T count)
{
    NT_EXPORT_ENTER(wcsncat);
    return append(to, from, count);
}

EXPORTED(WCHAR *, wcschr, const WCHAR *text, WCHAR c)
{
    NT_EXPORT_ENTER(wcschr);
    for (;; text++) {
        if (*text == c) {
            return (WCHAR *)(uintptr_t)text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

EXPORTED(WCHAR *, wcsrchr, const WCHAR *text, WCHAR c)
{
    const WCHAR *found = NULL;

    NT_EXPORT_ENTER(wcsrchr);
    for (;; text++) {
        if (*text == c) {
            found = text;
        }
        if (!*text) {
            return (WCHAR *)(uintptr_t)found;
        }
    }
}

EXPORTED(WCHAR *, wcsstr, const WCHAR *text, const WCHAR *part)
{
    SIZE_T length = length_of(part, SIZE_MAX);

    NT_EXPORT_ENTER(wcsstr);
    for (;; text++) {
        if (compare(text, part, length, false) == 0) {
            return (WCHAR *)(uintptr_t)text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

/* ---- Sorting and searching: comparison routines have the drivers' convention ----------------- */

typedef int NTAPI compare_routine(const void *a, const void *b);

static void swap(uint8_t *a, uint8_t *b, SIZE_T size)
{
    while (size-- > 0) {
        uint8_t byte = *a;
        *a++ = *b;
        *b++ = byte;
    }
}

static void sift_down(uint8_t *base, SIZE_T at, SIZE_T count, SIZE_T size, compare_routine *routine)
{
    for (;;) {
        SIZE_T child = 2 * at + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && routine(base + child * size, base + (child + 1) * size) < 0) {
            child++;
        }
        if (routine(base + at * size, base + child * size) >= 0) {
            return;
        }
        swap(base + at * size, base + child * size, size);
        at = child;
    }
}

/* Heap sort: no recursion on a small stack, the same order of comparisons in every build. */
EXPORTED(void, qsort, void *base, SIZE_T count, SIZE_T size, compare_routine *routine)
{
    NT_EXPORT_ENTER(qsort);
    for (SIZE_T at = count / 2; at-- > 0;) {
        sift_down(base, at, count, size, routine);
    }
    for (SIZE_T last = count; last-- > 1;) {
        swap(base, (uint8_t *)base + last * size, size);
        sift_down(base, 0, last, size, routine);
    }
}

EXPORTED(void *, bsearch, const void *key, const void *base, SIZE_T count, SIZE_T size,
         compare_routine *routine)
{
    SIZE_T low = 0, high = count;

    NT_EXPORT_ENTER(bsearch);
    while (low < high) {
        SIZE_T middle = low + (high - low) / 2;
        const uint8_t *at = (const uint8_t *)base + middle * size;
        int order = routine(key, at);
        if (order == 0) {
            return (void *)(uintptr_t)at;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

/* The classic generator, one state for all: runs repeat. */
static ULONG random_state = 1;

void crt_start(void)
{
    random_state = 1;
}

EXPORTED(void, srand, unsigned seed)
{
    NT_EXPORT_ENTER(srand);
    random_state = seed;
}

EXPORTED(int, rand, void)
{
    NT_EXPORT_ENTER(rand);
    random_state = random_state * 214013u + 2531011u;
    return (int)(random_state >> 16 & 0x7FFF);
}

EXPORTED(int, abs, int value)
{
    NT_EXPORT_ENTER(abs);
    return value < 0 ? (int)(0u - (unsigned)value) : value;
}
