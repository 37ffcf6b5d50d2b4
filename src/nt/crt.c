/* nt/crt.c: the C functions that the Windows kernel exports.
 *
 * Drivers built by drydock-cc have most of them linked in; images from elsewhere import them. The
 * symbols are crt_..., for the plain names are the host's own library with another convention. */
#include "nt/crt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---------------------------------------------------------------------------------- */

EXPORTED(void *, memcpy, void *to, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(memcpy);
    return memmove(to, from, size); /* Windows' memcpy bears overlap */
}

EXPORTED(void *, memmove, void *to, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(memmove);
    return memmove(to, from, size);
}

EXPORTED(void *, memset, void *to, int value, SIZE_T size)
{
    NT_EXPORT_ENTER(memset);
    return memset(to, value, size);
}

EXPORTED(int, memcmp, const void *a, const void *b, SIZE_T size)
{
    NT_EXPORT_ENTER(memcmp);
    return memcmp(a, b, size);
}

EXPORTED(void *, memchr, const void *memory, int value, SIZE_T size)
{
    NT_EXPORT_ENTER(memchr);
    return (void *)(uintptr_t)memchr(memory, value, size);
}

static int copy_s(void *to, SIZE_T room, const void *from, SIZE_T size)
{
    if (size == 0) {
        return 0;
    }
    if (!to || !from) {
        return CRT_EINVAL;
    }
    if (size > room) {
        memset(to, 0, room);
        return CRT_ERANGE;
    }
    memmove(to, from, size);
    return 0;
}

EXPORTED(int, memcpy_s, void *to, SIZE_T room, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(memcpy_s);
    return copy_s(to, room, from, size);
}

EXPORTED(int, memmove_s, void *to, SIZE_T room, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(memmove_s);
    return copy_s(to, room, from, size);
}

/* ---- Narrow strings -------------------------------------------------------------------------- */

EXPORTED(SIZE_T, strlen, const char *text)
{
    NT_EXPORT_ENTER(strlen);
    return strlen(text);
}

EXPORTED(SIZE_T, strnlen, const char *text, SIZE_T limit)
{
    NT_EXPORT_ENTER(strnlen);
    return strnlen(text, limit);
}

EXPORTED(int, strcmp, const char *a, const char *b)
{
    NT_EXPORT_ENTER(strcmp);
    return strcmp(a, b);
}

EXPORTED(int, strncmp, const char *a, const char *b, SIZE_T count)
{
    NT_EXPORT_ENTER(strncmp);
    return strncmp(a, b, count);
}

static int fold(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static int compare_folded(const char *a, const char *b, SIZE_T count)
{
    for (SIZE_T i = 0; i < count; i++) {
        int x = fold((uint8_t)a[i]), y = fold((uint8_t)b[i]);
        if (x != y || x == 0) {
            return x - y;
        }
    }
    return 0;
}

EXPORTED(int, _stricmp, const char *a, const char *b)
{
    NT_EXPORT_ENTER(_stricmp);
    return compare_folded(a, b, SIZE_MAX);
}

EXPORTED(int, _strnicmp, const char *a, const char *b, SIZE_T count)
{
    NT_EXPORT_ENTER(_strnicmp);
    return compare_folded(a, b, count);
}

EXPORTED(char *, strcpy, char *to, const char *from)
{
    NT_EXPORT_ENTER(strcpy);
    return strcpy(to, from);
}

EXPORTED(char *, strncpy, char *to, const char *from, SIZE_T count)
{
    size_t length = strnlen(from, count);

    NT_EXPORT_ENTER(strncpy);
    memcpy(to, from, length);
    memset(to + length, 0, count - length);
    return to;
}

EXPORTED(char *, strcat, char *to, const char *from)
{
    NT_EXPORT_ENTER(strcat);
    return strcat(to, from);
}

EXPORTED(char *, strncat, char *to, const char *from, SIZE_T count)
{
    size_t at = strlen(to), length = strnlen(from, count);

    NT_EXPORT_ENTER(strncat);
    memcpy(to + at, from, length);
    to[at + length] = 0;
    return to;
}

EXPORTED(char *, strchr, const char *text, int c)
{
    NT_EXPORT_ENTER(strchr);
    return (char *)(uintptr_t)strchr(text, c);
}

EXPORTED(char *, strrchr, const char *text, int c)
{
    NT_EXPORT_ENTER(strrchr);
    return (char *)(uintptr_t)strrchr(text, c);
}

EXPORTED(char *, strstr, const char *text, const char *part)
{
    NT_EXPORT_ENTER(strstr);
    return (char *)(uintptr_t)strstr(text, part);
}

EXPORTED(SIZE_T, strspn, const char *text, const char *set)
{
    NT_EXPORT_ENTER(strspn);
    return strspn(text, set);
}

EXPORTED(int, tolower, int c)
{
    NT_EXPORT_ENTER(tolower);
    return fold(c);
}

EXPORTED(int, toupper, int c)
{
    NT_EXPORT_ENTER(toupper);
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

EXPORTED(int, atoi, const char *text)
{
    NT_EXPORT_ENTER(atoi);
    return atoi(text);
}

/* long has 32 bits there. */
EXPORTED(LONG, atol, const char *text)
{
    NT_EXPORT_ENTER(atol);
    return (LONG)atol(text);
}

EXPORTED(LONG, strtol, const char *text, char **end, int base)
{
    long value;

    NT_EXPORT_ENTER(strtol);
    value = strtol(text, end, base);
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (LONG)value;
}

EXPORTED(ULONG, strtoul, const char *text, char **end, int base)
{
    unsigned long value;

    NT_EXPORT_ENTER(strtoul);
    value = strtoul(text, end, base);
    return value > UINT32_MAX ? UINT32_MAX : (ULONG)value;
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* The old functions: -1 if it does not fit, and no zero then. */
static int print_old(void *out, SIZE_T capacity, bool wide, const void *format,
                     NT_VA_LIST arguments)
{
    struct format_sink sink = {.out = out, .capacity = out ? capacity : 0, .wide = wide};

    format_run(&sink, format, arguments);
    if (sink.count < sink.capacity) {
        if (wide) {
            ((WCHAR *)out)[sink.count] = 0;
        } else {
            ((char *)out)[sink.count] = 0;
        }
    }
    return sink.count <= sink.capacity || !out ? (int)sink.count : -1;
}

/* The _s functions: what does not fit leaves an empty text. */
static int print_s(void *out, SIZE_T capacity, bool wide, const void *format, NT_VA_LIST arguments)
{
    int length = print_old(out, capacity, wide, format, arguments);

    if (capacity && (length < 0 || (SIZE_T)length >= capacity)) {
        memset(out, 0, wide ? sizeof(WCHAR) : 1);
        return -1;
    }
    return length;
}

EXPORTED(int, sprintf, char *out, const char *format, ...)
{
    NT_EXPORT_ENTER(sprintf);
    PRINTS(print_old(out, SIZE_MAX, false, format, list));
}

EXPORTED(int, vsprintf, char *out, const char *format, NT_VA_LIST list)
{
    NT_EXPORT_ENTER(vsprintf);
    return print_old(out, SIZE_MAX, false, format, list);
}

EXPORTED(int, _snprintf, char *out, SIZE_T capacity, const char *format, ...)
{
    NT_EXPORT_ENTER(_snprintf);
    PRINTS(print_old(out, capacity, false, format, list));
}

EXPORTED(int, _vsnprintf, char *out, SIZE_T capacity, const char *format, NT_VA_LIST list)
{
    NT_EXPORT_ENTER(_vsnprintf);
    return print_old(out, capacity, false, format, list);
}

EXPORTED(int, sprintf_s, char *out, SIZE_T capacity, const char *format, ...)
{
    NT_EXPORT_ENTER(sprintf_s);
    PRINTS(print_s(out, capacity, false, format, list));
}

EXPORTED(int, vsprintf_s, char *out, SIZE_T capacity, const char *format, NT_VA_LIST list)
{
    NT_EXPORT_ENTER(vsprintf_s);
    return print_s(out, capacity, false, format, list);
}

EXPORTED(int, swprintf, WCHAR *out, const WCHAR *format, ...)
{
    NT_EXPORT_ENTER(swprintf);
    PRINTS(print_old(out, SIZE_MAX / sizeof(WCHAR), true, format, list));
}

EXPORTED(int, _snwprintf, WCHAR *out, SIZE_T capacity, const WCHAR *format, ...)
{
    NT_EXPORT_ENTER(_snwprintf);
    PRINTS(print_old(out, capacity, true, format, list));
}

EXPORTED(int, _vsnwprintf, WCHAR *out, SIZE_T capacity, const WCHAR *format, NT_VA_LIST list)
{
    NT_EXPORT_ENTER(_vsnwprintf);
    return print_old(out, capacity, true, format, list);
}

EXPORTED(int, swprintf_s, WCHAR *out, SIZE_T capacity, const WCHAR *format, ...)
{
    NT_EXPORT_ENTER(swprintf_s);
    PRINTS(print_s(out, capacity, true, format, list));
}

/* ---- The kernel's own names for the same, for images that do not have them inline ------------ */

EXPORTED(void, RtlZeroMemory, void *to, SIZE_T size)
{
    NT_EXPORT_ENTER(RtlZeroMemory);
    memset(to, 0, size);
}

EXPORTED(void, RtlFillMemory, void *to, SIZE_T size, UCHAR value)
{
    NT_EXPORT_ENTER(RtlFillMemory);
    memset(to, value, size);
}

EXPORTED(void, RtlCopyMemory, void *to, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(RtlCopyMemory);
    memmove(to, from, size);
}

EXPORTED(void, RtlMoveMemory, void *to, const void *from, SIZE_T size)
{
    NT_EXPORT_ENTER(RtlMoveMemory);
    memmove(to, from, size);
}
