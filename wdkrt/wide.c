/* Zero-terminated strings of 16-bit characters. */
#include "wdkrt.h"

size_t wcslen(const wchar_t *text);
size_t wcsnlen(const wchar_t *text, size_t count);
int wcscmp(const wchar_t *a, const wchar_t *b);
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count);
int _wcsicmp(const wchar_t *a, const wchar_t *b);
int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count);
wchar_t *wcscpy(wchar_t *to, const wchar_t *from);
wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t count);
wchar_t *wcscat(wchar_t *to, const wchar_t *from);
wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t count);
const wchar_t *wcschr(const wchar_t *text, wchar_t c);
const wchar_t *wcsrchr(const wchar_t *text, wchar_t c);
const wchar_t *wcswcs(const wchar_t *text, const wchar_t *wanted);
int wcscpy_s(wchar_t *to, size_t room, const wchar_t *from);
int wcscat_s(wchar_t *to, size_t room, const wchar_t *from);

static wchar_t fold(wchar_t c)
{
    return c >= 'A' && c <= 'Z' ? (wchar_t)(c + ('a' - 'A')) : c;
}

static int difference(u16 a, u16 b)
{
    return a == b ? 0 : a < b ? -1 : 1;
}

size_t wcslen(const wchar_t *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

size_t wcsnlen(const wchar_t *text, size_t count)
{
    size_t length = 0;

    while (length < count && text[length]) {
        length++;
    }
    return length;
}

int wcscmp(const wchar_t *a, const wchar_t *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return difference((u16)*a, (u16)*b);
}

int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i] || !a[i]) {
            return difference((u16)a[i], (u16)b[i]);
        }
    }
    return 0;
}

/* Letters of ASCII only, as in the kernel's locale-free versions. */
int _wcsicmp(const wchar_t *a, const wchar_t *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return difference((u16)fold(*a), (u16)fold(*b));
}

int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fold(a[i]) != fold(b[i]) || !a[i]) {
            return difference((u16)fold(a[i]), (u16)fold(b[i]));
        }
    }
    return 0;
}

wchar_t *wcscpy(wchar_t *to, const wchar_t *from)
{
    memmove(to, from, (wcslen(from) + 1) * sizeof(*from));
    return to;
}

wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t count)
{
    size_t i = 0;

    for (; i < count && from[i]; i++) {
        to[i] = from[i];
    }
    for (; i < count; i++) {
        to[i] = 0;
    }
    return to;
}

wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    wcscpy(to + wcslen(to), from);
    return to;
}

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t count)
{
    size_t at = wcslen(to), length = wcsnlen(from, count);

    memcpy(to + at, from, length * sizeof(*from));
    to[at + length] = 0;
    return to;
}

const wchar_t *wcschr(const wchar_t *text, wchar_t c)
{
    for (;; text++) {
        if (*text == (wchar_t)c) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

const wchar_t *wcsrchr(const wchar_t *text, wchar_t c)
{
    const wchar_t *last = NULL;

    for (;; text++) {
        if (*text == (wchar_t)c) {
            last = text;
        }
        if (!*text) {
            return last;
        }
    }
}

const wchar_t *wcswcs(const wchar_t *text, const wchar_t *wanted)
{
    size_t length = wcslen(wanted);

    for (;; text++) {
        if (wcsncmp(text, wanted, length) == 0) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

int wcscpy_s(wchar_t *to, size_t room, const wchar_t *from)
{
    if (!to || room == 0) {
        return ERROR_INVALID;
    }
    if (!from || wcsnlen(from, room) == room) {
        to[0] = 0;
        return from ? ERROR_RANGE : ERROR_INVALID;
    }
    wcscpy(to, from);
    return 0;
}

int wcscat_s(wchar_t *to, size_t room, const wchar_t *from)
{
    size_t length;

    if (!to || room == 0 || !from) {
        return ERROR_INVALID;
    }
    length = wcsnlen(to, room);
    if (length == room || wcsnlen(from, room - length) == room - length) {
        to[0] = 0;
        return ERROR_RANGE;
    }
    wcscpy(to + length, from);
    return 0;
}
