/* Zero-terminated strings of either kind of character: the includer says which, and what each
 * function is called. No guard: included once by string.c and once by wide.c. */
#include "wdkrt.h"

size_t LENGTH(const CHARACTER *text);
size_t LENGTH_N(const CHARACTER *text, size_t count);
int COMPARE(const CHARACTER *a, const CHARACTER *b);
int COMPARE_N(const CHARACTER *a, const CHARACTER *b, size_t count);
int COMPARE_FOLDED(const CHARACTER *a, const CHARACTER *b);
int COMPARE_FOLDED_N(const CHARACTER *a, const CHARACTER *b, size_t count);
CHARACTER *COPY(CHARACTER *to, const CHARACTER *from);
CHARACTER *COPY_N(CHARACTER *to, const CHARACTER *from, size_t count);
CHARACTER *APPEND(CHARACTER *to, const CHARACTER *from);
CHARACTER *APPEND_N(CHARACTER *to, const CHARACTER *from, size_t count);
const CHARACTER *FIND(const CHARACTER *text, CHARACTER_ARGUMENT c);
const CHARACTER *FIND_LAST(const CHARACTER *text, CHARACTER_ARGUMENT c);
const CHARACTER *FIND_TEXT(const CHARACTER *text, const CHARACTER *wanted);
int COPY_SAFE(CHARACTER *to, size_t room, const CHARACTER *from);
int APPEND_SAFE(CHARACTER *to, size_t room, const CHARACTER *from);

static CHARACTER fold(CHARACTER c)
{
    return c >= 'A' && c <= 'Z' ? (CHARACTER)(c + ('a' - 'A')) : c;
}

static int difference(CHARACTER_BITS a, CHARACTER_BITS b)
{
    return a == b ? 0 : a < b ? -1 : 1;
}

size_t LENGTH(const CHARACTER *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

size_t LENGTH_N(const CHARACTER *text, size_t count)
{
    size_t length = 0;

    while (length < count && text[length]) {
        length++;
    }
    return length;
}

int COMPARE(const CHARACTER *a, const CHARACTER *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return difference((CHARACTER_BITS)*a, (CHARACTER_BITS)*b);
}

int COMPARE_N(const CHARACTER *a, const CHARACTER *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i] != b[i] || !a[i]) {
            return difference((CHARACTER_BITS)a[i], (CHARACTER_BITS)b[i]);
        }
    }
    return 0;
}

/* Letters of ASCII only, as in the kernel's locale-free versions. */
int COMPARE_FOLDED(const CHARACTER *a, const CHARACTER *b)
{
    while (*a && fold(*a) == fold(*b)) {
        a++;
        b++;
    }
    return difference((CHARACTER_BITS)fold(*a), (CHARACTER_BITS)fold(*b));
}

int COMPARE_FOLDED_N(const CHARACTER *a, const CHARACTER *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fold(a[i]) != fold(b[i]) || !a[i]) {
            return difference((CHARACTER_BITS)fold(a[i]), (CHARACTER_BITS)fold(b[i]));
        }
    }
    return 0;
}

CHARACTER *COPY(CHARACTER *to, const CHARACTER *from)
{
    memmove(to, from, (LENGTH(from) + 1) * sizeof(*from));
    return to;
}

CHARACTER *COPY_N(CHARACTER *to, const CHARACTER *from, size_t count)
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

CHARACTER *APPEND(CHARACTER *to, const CHARACTER *from)
{
    COPY(to + LENGTH(to), from);
    return to;
}

CHARACTER *APPEND_N(CHARACTER *to, const CHARACTER *from, size_t count)
{
    size_t at = LENGTH(to), length = LENGTH_N(from, count);

    memcpy(to + at, from, length * sizeof(*from));
    to[at + length] = 0;
    return to;
}

const CHARACTER *FIND(const CHARACTER *text, CHARACTER_ARGUMENT c)
{
    for (;; text++) {
        if (*text == (CHARACTER)c) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

const CHARACTER *FIND_LAST(const CHARACTER *text, CHARACTER_ARGUMENT c)
{
    const CHARACTER *last = NULL;

    for (;; text++) {
        if (*text == (CHARACTER)c) {
            last = text;
        }
        if (!*text) {
            return last;
        }
    }
}

const CHARACTER *FIND_TEXT(const CHARACTER *text, const CHARACTER *wanted)
{
    size_t length = LENGTH(wanted);

    for (;; text++) {
        if (COMPARE_N(text, wanted, length) == 0) {
            return text;
        }
        if (!*text) {
            return NULL;
        }
    }
}

int COPY_SAFE(CHARACTER *to, size_t room, const CHARACTER *from)
{
    if (!to || room == 0) {
        return ERROR_INVALID;
    }
    if (!from || LENGTH_N(from, room) == room) {
        to[0] = 0;
        return from ? ERROR_RANGE : ERROR_INVALID;
    }
    COPY(to, from);
    return 0;
}

int APPEND_SAFE(CHARACTER *to, size_t room, const CHARACTER *from)
{
    size_t length;

    if (!to || room == 0 || !from) {
        return ERROR_INVALID;
    }
    length = LENGTH_N(to, room);
    if (length == room || LENGTH_N(from, room - length) == room - length) {
        to[0] = 0;
        return ERROR_RANGE;
    }
    COPY(to + length, from);
    return 0;
}
