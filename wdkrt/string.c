/* Zero-terminated strings of bytes. */
#include "wdkrt.h"

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t count);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
int _stricmp(const char *a, const char *b);
int _strnicmp(const char *a, const char *b, size_t count);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t count);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t count);
const char *strchr(const char *text, int c);
const char *strrchr(const char *text, int c);
const char *strstr(const char *text, const char *wanted);
int strcpy_s(char *to, size_t room, const char *from);
int strcat_s(char *to, size_t room, const char *from);

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static int difference(u8 a, u8 b)
{
    return a == b ? 0 : a < b ? -1 : 1;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

size_t strnlen(const char *text, size_t count)
{
    size_t length = 0;

    while (length < count && text[length]) {
        length++;
    }
    return length;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return difference((u8)*a, (u8)*b);
}

int strncmp(const char *a, const char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i] || !a[i]) {
            return difference((u8)a[i], (u8)b[i]);
        }
    }
    return 0;
}

/* Letters of ASCII only, as in the kernel's locale-free versions. */
int _stricmp(const char *a, const char *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return difference((u8)fold(*a), (u8)fold(*b));
}

int _strnicmp(const char *a, const char *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fold(a[i]) != fold(b[i]) || !a[i]) {
            return difference((u8)fold(a[i]), (u8)fold(b[i]));
        }
    }
    return 0;
}

char *strcpy(char *to, const char *from)
{
    memmove(to, from, (strlen(from) + 1) * sizeof(*from));
    return to;
}

char *strncpy(char *to, const char *from, size_t count)
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

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t count)
{
    size_t at = strlen(to), length = strnlen(from, count);

    memcpy(to + at, from, length * sizeof(*from));
    to[at + length] = 0;
    return to;
}

const char *strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

const char *strrchr(const char *text, int c)
{
    const char *last = NULL;

    for (;; text++) {
        if (*text == (char)c) {
            last = text;
        }
        if (!*text) {
            return last;
        }
    }
}

const char *strstr(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);

    for (;; text++) {
        if (strncmp(text, wanted, length) == 0) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

int strcpy_s(char *to, size_t room, const char *from)
{
    if (!to || room == 0) {
        return ERROR_INVALID;
    }
    if (!from || strnlen(from, room) == room) {
        to[0] = 0;
        return from ? ERROR_RANGE : ERROR_INVALID;
    }
    strcpy(to, from);
    return 0;
}

int strcat_s(char *to, size_t room, const char *from)
{
    size_t length;

    if (!to || room == 0 || !from) {
        return ERROR_INVALID;
    }
    length = strnlen(to, room);
    if (length == room || strnlen(from, room - length) == room - length) {
        to[0] = 0;
        return ERROR_RANGE;
    }
    strcpy(to + length, from);
    return 0;
}
