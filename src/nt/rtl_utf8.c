/* nt/rtl_utf8.c: texts from UTF-8 to UTF-16 and back. What stands for no character becomes U+FFFD,
 * and the status says so. */
#include "nt/internal.h"

#include <string.h>

#define REPLACEMENT 0xFFFDu

/* What a conversion has written; without a place it only counts. */
struct conversion {
    void *place;
    size_t capacity, used;
    bool replaced;
};

static bool is_surrogate(uint32_t c)
{
    return c >= 0xD800 && c < 0xE000;
}

/* False: no more room. A character is never cut. */
static bool write_character(struct conversion *to, const void *bytes, size_t size)
{
    if (to->place && size > to->capacity - to->used) {
        return false;
    }
    if (to->place) {
        memcpy((uint8_t *)to->place + to->used, bytes, size);
    }
    to->used += size;
    return true;
}

static NTSTATUS finish(const struct conversion *to, bool complete, ULONG *used)
{
    *used = (ULONG)to->used;
    if (!complete) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    return to->replaced ? STATUS_SOME_NOT_MAPPED : STATUS_SUCCESS;
}

/* The next character; a U+FFFD that is spelled out is one like any other. */
static uint32_t next_of_utf8(struct conversion *to, const char *text, size_t size, size_t *at)
{
    size_t begin = *at;
    uint32_t c = text_next_utf8(text, size, at);

    if (is_surrogate(c) || (c == REPLACEMENT && text[begin] != '\xEF')) {
        to->replaced = true;
        return REPLACEMENT;
    }
    to->replaced |= c == REPLACEMENT && *at - begin != 3;
    return c;
}

NTSTATUS NTAPI RtlUTF8ToUnicodeN(PWSTR UnicodeStringDestination, ULONG UnicodeStringMaxByteCount,
                                 PULONG UnicodeStringActualByteCount, const CHAR *UTF8StringSource,
                                 ULONG UTF8StringByteCount)
{
    struct conversion to = {.place = UnicodeStringDestination,
                            .capacity = UnicodeStringMaxByteCount};
    bool room = true;

    NT_EXPORT_ENTER(RtlUTF8ToUnicodeN);
    if (!UTF8StringSource) {
        return STATUS_INVALID_PARAMETER_4;
    }
    if (!UnicodeStringActualByteCount) {
        return STATUS_INVALID_PARAMETER;
    }
    for (size_t at = 0; room && at < UTF8StringByteCount;) {
        uint16_t units[2];
        size_t count =
            text_put_utf16(next_of_utf8(&to, UTF8StringSource, UTF8StringByteCount, &at), units);
        room = write_character(&to, units, count * sizeof(WCHAR));
    }
    return finish(&to, room, UnicodeStringActualByteCount);
}

NTSTATUS NTAPI RtlUnicodeToUTF8N(PCHAR UTF8StringDestination, ULONG UTF8StringMaxByteCount,
                                 PULONG UTF8StringActualByteCount, PCWCH UnicodeStringSource,
                                 ULONG UnicodeStringByteCount)
{
    struct conversion to = {.place = UTF8StringDestination, .capacity = UTF8StringMaxByteCount};
    size_t count = UnicodeStringByteCount / sizeof(WCHAR);
    bool room = true;

    NT_EXPORT_ENTER(RtlUnicodeToUTF8N);
    if (!UnicodeStringSource) {
        return STATUS_INVALID_PARAMETER_4;
    }
    if (!UTF8StringActualByteCount) {
        return STATUS_INVALID_PARAMETER;
    }
    if (UTF8StringDestination && UnicodeStringByteCount % sizeof(WCHAR)) {
        return STATUS_INVALID_PARAMETER_5;
    }
    for (size_t at = 0; room && at < count;) {
        uint32_t c = text_next_utf16((const uint16_t *)UnicodeStringSource, count, &at);
        char bytes[4];

        if (is_surrogate(c)) {
            to.replaced = true;
            c = REPLACEMENT;
        }
        room = write_character(&to, bytes, text_put_utf8(c, bytes));
    }
    return finish(&to, room, UTF8StringActualByteCount);
}
