/* nt/rtl_strsafe.c: string functions that know the size of their destination.
 *
 * One engine works on units of either width; the documented names, by bytes (Cb) and by characters
 * (Cch), are generated at the end. A destination is always ended with a zero. */
#include "nt/internal.h"

#include <ntstrsafe.h>
#include <string.h>

struct text {
    void *units;
    bool wide;
    size_t capacity; /* in units, with the zero */
};

static uint32_t unit_at(const void *units, bool wide, size_t index)
{
    return wide ? ((const WCHAR *)units)[index] : ((const uint8_t *)units)[index];
}

static void unit_put(const struct text *text, size_t index, uint32_t unit)
{
    if (text->wide) {
        ((WCHAR *)text->units)[index] = (WCHAR)unit;
    } else {
        ((uint8_t *)text->units)[index] = (uint8_t)unit;
    }
}

static bool capacity_is_valid(const struct text *text)
{
    return text->capacity > 0 && text->capacity <= NTSTRSAFE_MAX_CCH;
}

/* Writes at most `limit` units of source from `at` on. *end is where the zero is. */
static NTSTATUS put(const struct text *text, size_t at, const void *source, size_t limit,
                    size_t *end)
{
    size_t i = 0;

    for (; i < limit && unit_at(source, text->wide, i); i++) {
        if (at + i + 1 >= text->capacity) {
            unit_put(text, text->capacity - 1, 0);
            *end = text->capacity - 1;
            return STATUS_BUFFER_OVERFLOW;
        }
        unit_put(text, at + i, unit_at(source, text->wide, i));
    }
    unit_put(text, at + i, 0);
    *end = at + i;
    return STATUS_SUCCESS;
}

static NTSTATUS copy(const struct text *text, const void *source, size_t limit, size_t *end)
{
    *end = 0;
    return capacity_is_valid(text) ? put(text, 0, source, limit, end) : STATUS_INVALID_PARAMETER;
}

static NTSTATUS measure(const void *units, bool wide, size_t capacity, size_t *length)
{
    size_t i = 0;

    if (!units || capacity == 0 || capacity > NTSTRSAFE_MAX_CCH) {
        return STATUS_INVALID_PARAMETER;
    }
    while (i < capacity && unit_at(units, wide, i)) {
        i++;
    }
    *length = i;
    return i < capacity ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS concatenate(const struct text *text, const void *source, size_t limit)
{
    size_t at, end;
    NTSTATUS status = measure(text->units, text->wide, text->capacity, &at);

    return NT_SUCCESS(status) ? put(text, at, source, limit, &end) : status;
}

static NTSTATUS print(const struct text *text, const void *format, NT_VA_LIST arguments,
                      size_t *end)
{
    struct format_sink sink = {.out = text->units, .wide = text->wide};

    *end = 0;
    if (!capacity_is_valid(text)) {
        return STATUS_INVALID_PARAMETER;
    }
    sink.capacity = text->capacity - 1;
    format_run(&sink, format, arguments);
    *end = sink.count < text->capacity ? sink.count : text->capacity - 1;
    unit_put(text, *end, 0);
    return sink.count < text->capacity ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

/* What the Ex functions may do with the rest of the destination; the fill byte is in the low
 * bits. */
static void apply_flags(const struct text *text, size_t *end, ULONG flags, bool failed)
{
    size_t unit = text->wide ? sizeof(WCHAR) : 1;
    uint8_t *bytes = text->units;

    if (failed && flags & STRSAFE_FILL_ON_FAILURE) {
        memset(bytes, (int)(flags & 0xFF), text->capacity * unit);
        *end = (flags & 0xFF) ? text->capacity - 1 : 0;
        unit_put(text, *end, 0);
    } else if (failed && flags & (STRSAFE_NULL_ON_FAILURE | STRSAFE_NO_TRUNCATION)) {
        unit_put(text, 0, 0);
        *end = 0;
    } else if (!failed && flags & STRSAFE_FILL_BEHIND_NULL) {
        memset(bytes + (*end + 1) * unit, (int)(flags & 0xFF), (text->capacity - *end - 1) * unit);
    }
}

/* Tells the end and the rest in the caller's measure (bytes_per_size: 1 for Cch). */
static void tell_end(const struct text *text, size_t end, void **end_out, SIZE_T *remaining,
                     size_t bytes_per_size)
{
    size_t unit = text->wide ? sizeof(WCHAR) : 1;

    if (end_out) {
        *end_out = (char *)text->units + end * unit;
    }
    if (remaining) {
        *remaining = (text->capacity - end) * bytes_per_size;
    }
}

static NTSTATUS copy_ex(const struct text *text, const void *source, void **end_out,
                        SIZE_T *remaining, ULONG flags, size_t bytes_per_size)
{
    size_t end;
    NTSTATUS status;

    if (!source && flags & STRSAFE_IGNORE_NULLS) {
        source = L"";
    }
    status = copy(text, source, SIZE_MAX, &end);
    if (status == STATUS_INVALID_PARAMETER) {
        return status;
    }
    apply_flags(text, &end, flags, !NT_SUCCESS(status));
    tell_end(text, end, end_out, remaining, bytes_per_size);
    return status;
}

static NTSTATUS print_ex(const struct text *text, void **end_out, SIZE_T *remaining, ULONG flags,
                         const void *format, NT_VA_LIST arguments, size_t bytes_per_size)
{
    size_t end;
    NTSTATUS status = print(text, format, arguments, &end);

    if (status == STATUS_INVALID_PARAMETER) {
        return status;
    }
    apply_flags(text, &end, flags, !NT_SUCCESS(status));
    tell_end(text, end, end_out, remaining, bytes_per_size);
    return status;
}

/* ---- The documented names -------------------------------------------------------------------- */

/* unit: bytes a size counts for Cb, 1 for Cch. */
#define FUNCTIONS(count, suffix, chars, const_chars, is_wide, unit)                                \
    NTSTATUS NTAPI RtlString##count##Copy##suffix(chars destination, SIZE_T size,                  \
                                                  const_chars source)                              \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        size_t end;                                                                                \
        NT_EXPORT_ENTER(RtlString##count##Copy##suffix);                                           \
        return copy(&text, source, SIZE_MAX, &end);                                                \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##CopyEx##suffix(chars destination, SIZE_T size,                \
                                                    const_chars source, chars *end,                \
                                                    SIZE_T *remaining, ULONG flags)                \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_EXPORT_ENTER(RtlString##count##CopyEx##suffix);                                         \
        return copy_ex(&text, source, (void **)end, remaining, flags, unit);                       \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##CopyN##suffix(chars destination, SIZE_T size,                 \
                                                   const_chars source, SIZE_T to_copy)             \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        size_t end;                                                                                \
        NT_EXPORT_ENTER(RtlString##count##CopyN##suffix);                                          \
        return copy(&text, source, to_copy / (unit), &end);                                        \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##Cat##suffix(chars destination, SIZE_T size,                   \
                                                 const_chars source)                               \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_EXPORT_ENTER(RtlString##count##Cat##suffix);                                            \
        return concatenate(&text, source, SIZE_MAX);                                               \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##CatN##suffix(chars destination, SIZE_T size,                  \
                                                  const_chars source, SIZE_T to_append)            \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_EXPORT_ENTER(RtlString##count##CatN##suffix);                                           \
        return concatenate(&text, source, to_append / (unit));                                     \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##VPrintf##suffix(chars destination, SIZE_T size,               \
                                                     const_chars format, NT_VA_LIST list)          \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        size_t end;                                                                                \
        NT_EXPORT_ENTER(RtlString##count##VPrintf##suffix);                                        \
        return print(&text, format, list, &end);                                                   \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##Printf##suffix(chars destination, SIZE_T size,                \
                                                    const_chars format, ...)                       \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_VA_LIST list;                                                                           \
        NTSTATUS status;                                                                           \
        size_t end;                                                                                \
        NT_EXPORT_ENTER(RtlString##count##Printf##suffix);                                         \
        __builtin_ms_va_start(list, format);                                                       \
        status = print(&text, format, list, &end);                                                 \
        __builtin_ms_va_end(list);                                                                 \
        return status;                                                                             \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##VPrintfEx##suffix(chars destination, SIZE_T size, chars *end, \
                                                       SIZE_T *remaining, ULONG flags,             \
                                                       const_chars format, NT_VA_LIST list)        \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_EXPORT_ENTER(RtlString##count##VPrintfEx##suffix);                                      \
        return print_ex(&text, (void **)end, remaining, flags, format, list, unit);                \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##PrintfEx##suffix(chars destination, SIZE_T size, chars *end,  \
                                                      SIZE_T *remaining, ULONG flags,              \
                                                      const_chars format, ...)                     \
    {                                                                                              \
        struct text text = {destination, is_wide, size / (unit)};                                  \
        NT_VA_LIST list;                                                                           \
        NTSTATUS status;                                                                           \
        NT_EXPORT_ENTER(RtlString##count##PrintfEx##suffix);                                       \
        __builtin_ms_va_start(list, format);                                                       \
        status = print_ex(&text, (void **)end, remaining, flags, format, list, unit);              \
        __builtin_ms_va_end(list);                                                                 \
        return status;                                                                             \
    }                                                                                              \
    NTSTATUS NTAPI RtlString##count##Length##suffix(const_chars source, SIZE_T limit,              \
                                                    SIZE_T *length)                                \
    {                                                                                              \
        size_t units;                                                                              \
        NTSTATUS status;                                                                           \
        NT_EXPORT_ENTER(RtlString##count##Length##suffix);                                         \
        status = measure(source, is_wide, limit / (unit), &units);                                 \
        if (length) {                                                                              \
            *length = NT_SUCCESS(status) ? units * (unit) : 0;                                     \
        }                                                                                          \
        return status;                                                                             \
    }

FUNCTIONS(Cb, A, PSTR, PCSTR, false, 1)
FUNCTIONS(Cb, W, PWSTR, PCWSTR, true, sizeof(WCHAR))
FUNCTIONS(Cch, A, PSTR, PCSTR, false, 1)
FUNCTIONS(Cch, W, PWSTR, PCWSTR, true, 1)

/* ---- The same for UNICODE_STRINGs ------------------------------------------------------------ */

static bool string_is_valid(PCUNICODE_STRING string)
{
    return !string ||
           (string->Length % sizeof(WCHAR) == 0 && string->MaximumLength % sizeof(WCHAR) == 0 &&
            string->Length <= string->MaximumLength &&
            (string->Buffer || string->MaximumLength == 0));
}

NTSTATUS NTAPI RtlUnicodeStringValidate(PCUNICODE_STRING SourceString)
{
    NT_EXPORT_ENTER(RtlUnicodeStringValidate);
    return string_is_valid(SourceString) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS print_string(PUNICODE_STRING string, const WCHAR *format, NT_VA_LIST arguments)
{
    struct format_sink sink = {.out = string->Buffer, .wide = true};

    if (!string_is_valid(string)) {
        return STATUS_INVALID_PARAMETER;
    }
    sink.capacity = string->MaximumLength / sizeof(WCHAR);
    format_run(&sink, format, arguments);
    string->Length =
        (USHORT)((sink.count < sink.capacity ? sink.count : sink.capacity) * sizeof(WCHAR));
    return sink.count <= sink.capacity ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

NTSTATUS NTAPI RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, PCWSTR Format,
                                       NT_VA_LIST list)
{
    NT_EXPORT_ENTER(RtlUnicodeStringVPrintf);
    return print_string(DestinationString, Format, list);
}

NTSTATUS NTAPI RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, PCWSTR Format, ...)
{
    NT_VA_LIST list;
    NTSTATUS status;

    NT_EXPORT_ENTER(RtlUnicodeStringPrintf);
    __builtin_ms_va_start(list, Format);
    status = print_string(DestinationString, Format, list);
    __builtin_ms_va_end(list);
    return status;
}

NTSTATUS NTAPI RtlUnicodeStringInit(PUNICODE_STRING DestinationString, PCWSTR Source)
{
    size_t length = 0;

    NT_EXPORT_ENTER(RtlUnicodeStringInit);
    *DestinationString = (UNICODE_STRING){0};
    if (!Source) {
        return STATUS_SUCCESS;
    }
    if (!NT_SUCCESS(measure(Source, true, NTSTRSAFE_UNICODE_STRING_MAX_CCH, &length))) {
        return STATUS_INVALID_PARAMETER;
    }
    DestinationString->Buffer = (PWCH)Source;
    DestinationString->Length = (USHORT)(length * sizeof(WCHAR));
    DestinationString->MaximumLength = (USHORT)((length + 1) * sizeof(WCHAR));
    return STATUS_SUCCESS;
}

/* Source units from `at` bytes on; what does not fit is cut. */
static NTSTATUS put_string(PUNICODE_STRING string, USHORT at, const WCHAR *source, size_t bytes)
{
    size_t room = string->MaximumLength - (size_t)at;
    size_t moved = bytes < room ? bytes : room;

    if (moved) {
        memmove((char *)string->Buffer + at, source, moved);
    }
    string->Length = (USHORT)(at + moved);
    return moved == bytes ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW;
}

static size_t bytes_of(const WCHAR *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length * sizeof(WCHAR);
}

NTSTATUS NTAPI RtlUnicodeStringCopy(PUNICODE_STRING DestinationString,
                                    PCUNICODE_STRING SourceString)
{
    NT_EXPORT_ENTER(RtlUnicodeStringCopy);
    if (!string_is_valid(DestinationString) || !string_is_valid(SourceString)) {
        return STATUS_INVALID_PARAMETER;
    }
    return put_string(DestinationString, 0, SourceString->Buffer, SourceString->Length);
}

NTSTATUS NTAPI RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, PCWSTR Source)
{
    NT_EXPORT_ENTER(RtlUnicodeStringCopyString);
    return string_is_valid(DestinationString)
               ? put_string(DestinationString, 0, Source, bytes_of(Source))
               : STATUS_INVALID_PARAMETER;
}

NTSTATUS NTAPI RtlUnicodeStringCat(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString)
{
    NT_EXPORT_ENTER(RtlUnicodeStringCat);
    if (!string_is_valid(DestinationString) || !string_is_valid(SourceString)) {
        return STATUS_INVALID_PARAMETER;
    }
    return put_string(DestinationString, DestinationString->Length, SourceString->Buffer,
                      SourceString->Length);
}

NTSTATUS NTAPI RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, PCWSTR Source)
{
    NT_EXPORT_ENTER(RtlUnicodeStringCatString);
    return string_is_valid(DestinationString)
               ? put_string(DestinationString, DestinationString->Length, Source, bytes_of(Source))
               : STATUS_INVALID_PARAMETER;
}
