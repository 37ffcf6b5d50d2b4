/* nt/crt_secure.c: the C functions that are told the size of their buffer, in both widths.
 *
 * What does not fit is an error and leaves an empty text; only where the caller asks for as much as
 * fits (_TRUNCATE) is it cut. No routine is called for bad arguments: the kernel's library has
 * none. */
#include "nt/crt.h"

#include <string.h>

/* A text of either width. */
struct text {
    void *at;
    bool wide;
};

static WCHAR unit(const struct text *text, SIZE_T index)
{
    return text->wide ? ((const WCHAR *)text->at)[index] : ((const uint8_t *)text->at)[index];
}

static void set_unit(const struct text *text, SIZE_T index, WCHAR value)
{
    if (text->wide) {
        ((WCHAR *)text->at)[index] = value;
    } else {
        ((uint8_t *)text->at)[index] = (uint8_t)value;
    }
}

static SIZE_T length_of(const struct text *text, SIZE_T limit)
{
    SIZE_T length = 0;

    while (length < limit && unit(text, length)) {
        length++;
    }
    return length;
}

/* ---- Copying --------------------------------------------------------------------------------- */

/* Where a copy goes: a buffer of size units, behind the text in it or in its place. */
struct target {
    struct text text;
    SIZE_T size;
    bool append;
};

static int put(const struct target *target, const void *from, SIZE_T count)
{
    struct text source = {.at = (void *)(uintptr_t)from, .wide = target->text.wide};
    SIZE_T at = 0, length, room;
    int result = 0;

    if (!target->text.at || target->size == 0) {
        return target->size == 0 && !target->text.at && count == 0 ? 0 : CRT_EINVAL;
    }
    if (target->append) {
        at = length_of(&target->text, target->size);
    }
    room = target->size - at;
    if (room == 0 || (!from && count != 0)) {
        set_unit(&target->text, 0, 0);
        return CRT_EINVAL;
    }
    length = from ? length_of(&source, count < room ? count : room) : 0;
    if (length == room) {
        if (count != CRT_TRUNCATE) {
            set_unit(&target->text, 0, 0);
            return CRT_ERANGE;
        }
        length--;
        result = CRT_CUT;
    }
    for (SIZE_T i = 0; i < length; i++) {
        set_unit(&target->text, at + i, unit(&source, i));
    }
    set_unit(&target->text, at + length, 0);
    return result;
}

/* A count that no text reaches, and that is not CRT_TRUNCATE. */
#define WHOLE (SIZE_MAX - 1)

EXPORTED(int, strcpy_s, char *to, SIZE_T size, const char *from)
{
    NT_EXPORT_ENTER(strcpy_s);
    return put(&(struct target){{to, false}, size, false}, from, WHOLE);
}

EXPORTED(int, strncpy_s, char *to, SIZE_T size, const char *from, SIZE_T count)
{
    NT_EXPORT_ENTER(strncpy_s);
    return put(&(struct target){{to, false}, size, false}, from, count);
}

EXPORTED(int, strcat_s, char *to, SIZE_T size, const char *from)
{
    NT_EXPORT_ENTER(strcat_s);
    return put(&(struct target){{to, false}, size, true}, from, WHOLE);
}

EXPORTED(int, strncat_s, char *to, SIZE_T size, const char *from, SIZE_T count)
{
    NT_EXPORT_ENTER(strncat_s);
    return put(&(struct target){{to, false}, size, true}, from, count);
}

EXPORTED(int, wcscpy_s, WCHAR *to, SIZE_T size, const WCHAR *from)
{
    NT_EXPORT_ENTER(wcscpy_s);
    return put(&(struct target){{to, true}, size, false}, from, WHOLE);
}

EXPORTED(int, wcsncpy_s, WCHAR *to, SIZE_T size, const WCHAR *from, SIZE_T count)
{
    NT_EXPORT_ENTER(wcsncpy_s);
    return put(&(struct target){{to, true}, size, false}, from, count);
}

EXPORTED(int, wcscat_s, WCHAR *to, SIZE_T size, const WCHAR *from)
{
    NT_EXPORT_ENTER(wcscat_s);
    return put(&(struct target){{to, true}, size, true}, from, WHOLE);
}

EXPORTED(int, wcsncat_s, WCHAR *to, SIZE_T size, const WCHAR *from, SIZE_T count)
{
    NT_EXPORT_ENTER(wcsncat_s);
    return put(&(struct target){{to, true}, size, true}, from, count);
}

/* ---- Cutting into words ---------------------------------------------------------------------- */

static bool is_in(const struct text *set, WCHAR c)
{
    for (SIZE_T i = 0; unit(set, i); i++) {
        if (unit(set, i) == c) {
            return true;
        }
    }
    return false;
}

/* The next word, ended by a zero; *place is where the search goes on. */
static void *next_word(void *text, const void *delimiters, void **place, bool wide)
{
    struct text set = {.at = (void *)(uintptr_t)delimiters, .wide = wide}, rest = {.wide = wide};
    SIZE_T begin = 0, end;

    if (!place || !delimiters || (!text && !*place)) {
        return NULL;
    }
    rest.at = text ? text : *place;
    while (unit(&rest, begin) && is_in(&set, unit(&rest, begin))) {
        begin++;
    }
    end = begin;
    while (unit(&rest, end) && !is_in(&set, unit(&rest, end))) {
        end++;
    }
    text = (char *)rest.at + begin * (wide ? sizeof(WCHAR) : 1);
    if (unit(&rest, end)) {
        set_unit(&rest, end++, 0);
    }
    *place = (char *)rest.at + end * (wide ? sizeof(WCHAR) : 1);
    return begin == end ? NULL : text;
}

EXPORTED(char *, strtok_s, char *text, const char *delimiters, char **context)
{
    NT_EXPORT_ENTER(strtok_s);
    return next_word(text, delimiters, (void **)context, false);
}

EXPORTED(WCHAR *, wcstok_s, WCHAR *text, const WCHAR *delimiters, WCHAR **context)
{
    NT_EXPORT_ENTER(wcstok_s);
    return next_word(text, delimiters, (void **)context, true);
}

/* ---- Printing -------------------------------------------------------------------------------- */

/* At most count units and a zero. -1 if the text is longer; it is empty then if it was the buffer
 * that is too short, and not the count. */
static int print(const struct target *target, SIZE_T count, const void *format, NT_VA_LIST list)
{
    struct format_sink sink = {.out = target->text.at, .wide = target->text.wide};
    bool cut_by_count = count < target->size || count == CRT_TRUNCATE;

    if (!format || !target->text.at || target->size == 0) {
        return -1;
    }
    sink.capacity = count < target->size ? count : target->size - 1;
    format_run(&sink, format, list);
    if (sink.count <= sink.capacity) {
        set_unit(&target->text, sink.count, 0);
        return (int)sink.count;
    }
    set_unit(&target->text, cut_by_count ? sink.capacity : 0, 0);
    return -1;
}

EXPORTED(int, _snprintf_s, char *out, SIZE_T size, SIZE_T count, const char *format, ...)
{
    NT_EXPORT_ENTER(_snprintf_s);
    PRINTS(print(&(struct target){{out, false}, size, false}, count, format, list));
}

EXPORTED(int, _vsnprintf_s, char *out, SIZE_T size, SIZE_T count, const char *format,
         NT_VA_LIST list)
{
    NT_EXPORT_ENTER(_vsnprintf_s);
    return print(&(struct target){{out, false}, size, false}, count, format, list);
}

EXPORTED(int, _snwprintf_s, WCHAR *out, SIZE_T size, SIZE_T count, const WCHAR *format, ...)
{
    NT_EXPORT_ENTER(_snwprintf_s);
    PRINTS(print(&(struct target){{out, true}, size, false}, count, format, list));
}

EXPORTED(int, _vsnwprintf_s, WCHAR *out, SIZE_T size, SIZE_T count, const WCHAR *format,
         NT_VA_LIST list)
{
    NT_EXPORT_ENTER(_vsnwprintf_s);
    return print(&(struct target){{out, true}, size, false}, count, format, list);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int number(const struct target *target, int value, int radix)
{
    bool negative = radix == 10 && value < 0;
    unsigned rest = negative ? 0u - (unsigned)value : (unsigned)value;
    char digits[34];
    SIZE_T count = 0;

    if (!target->text.at || target->size == 0) {
        return CRT_EINVAL;
    }
    set_unit(&target->text, 0, 0);
    if (radix < 2 || radix > 36) {
        return CRT_EINVAL;
    }
    do {
        digits[count++] = "0123456789abcdefghijklmnopqrstuvwxyz"[rest % (unsigned)radix];
        rest /= (unsigned)radix;
    } while (rest);
    if (negative) {
        digits[count++] = '-';
    }
    if (count >= target->size) {
        return CRT_ERANGE;
    }
    for (SIZE_T i = 0; i < count; i++) {
        set_unit(&target->text, i, (WCHAR)digits[count - 1 - i]);
    }
    set_unit(&target->text, count, 0);
    return 0;
}

EXPORTED(int, _itoa_s, int value, char *out, SIZE_T size, int radix)
{
    NT_EXPORT_ENTER(_itoa_s);
    return number(&(struct target){{out, false}, size, false}, value, radix);
}

EXPORTED(int, _itow_s, int value, WCHAR *out, SIZE_T size, int radix)
{
    NT_EXPORT_ENTER(_itow_s);
    return number(&(struct target){{out, true}, size, false}, value, radix);
}

static unsigned digit_of(WCHAR c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'z' ? c - 'a' + 10
           : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                  : 99;
}

/* The digits at text, at most ULONG_MAX; *end is behind them, or where it was if there are none. */
static ULONG digits_value(const WCHAR *text, unsigned base, const WCHAR **end)
{
    uint64_t value = 0;

    for (; digit_of(*text) < base; *end = ++text) {
        value = value * base + digit_of(*text);
        value = value > UINT32_MAX ? UINT32_MAX : value;
    }
    return (ULONG)value;
}

EXPORTED(ULONG, wcstoul, const WCHAR *text, WCHAR **end, int base)
{
    const WCHAR *at = text, *after = text;
    bool negative;
    ULONG value;

    NT_EXPORT_ENTER(wcstoul);
    while (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
        at++;
    }
    negative = *at == '-';
    at += *at == '-' || *at == '+';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit_of(at[2]) < 16) {
        at += 2;
        base = 16;
    }
    base = base ? base : *at == '0' ? 8 : 10;
    value = base >= 2 && base <= 36 ? digits_value(at, (unsigned)base, &after) : 0;
    if (end) {
        *end = (WCHAR *)(uintptr_t)after;
    }
    return negative && value != UINT32_MAX ? 0u - value : value;
}
