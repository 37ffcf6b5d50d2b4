/* nt/rtl_string.c: counted strings. Lengths are in bytes; a buffer need not end with a zero.
 *
 * The ANSI code page is UTF-8 (text.c). Upper and lower case know ASCII, Latin-1, Greek and
 * Cyrillic: enough for file, key and device names; a full table would be a guess about which one.
 */
#include "nt/internal.h"

#include <string.h>

#define STRING_TAG       POOL_TAG('S', 't', 'r', 'g')
#define STRING_BYTES_MAX 0xFFFEu

/* ---- Case ------------------------------------------------------------------------------------ */

WCHAR text_upcase(WCHAR c)
{
    if (c >= 'a' && c <= 'z') {
        return (WCHAR)(c - 32);
    }
    if (c < 0x80) {
        return c;
    }
    if ((c >= 0xE0 && c <= 0xFE && c != 0xF7) || (c >= 0x3B1 && c <= 0x3C9 && c != 0x3C2) ||
        (c >= 0x430 && c <= 0x44F)) {
        return (WCHAR)(c - 32);
    }
    if (c == 0xFF) {
        return 0x178;
    }
    return c >= 0x450 && c <= 0x45F ? (WCHAR)(c - 80) : c;
}

static WCHAR downcase(WCHAR c)
{
    if (c >= 'A' && c <= 'Z') {
        return (WCHAR)(c + 32);
    }
    if (c < 0x80) {
        return c;
    }
    if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9 && c != 0x3A2) ||
        (c >= 0x410 && c <= 0x42F)) {
        return (WCHAR)(c + 32);
    }
    if (c == 0x178) {
        return 0xFF;
    }
    return c >= 0x400 && c <= 0x40F ? (WCHAR)(c + 80) : c;
}

static CHAR upper(CHAR c)
{
    return c >= 'a' && c <= 'z' ? (CHAR)(c - 32) : c;
}

WCHAR NTAPI RtlUpcaseUnicodeChar(WCHAR SourceCharacter)
{
    NT_EXPORT_ENTER(RtlUpcaseUnicodeChar);
    return text_upcase(SourceCharacter);
}

WCHAR NTAPI RtlDowncaseUnicodeChar(WCHAR SourceCharacter)
{
    NT_EXPORT_ENTER(RtlDowncaseUnicodeChar);
    return downcase(SourceCharacter);
}

CHAR NTAPI RtlUpperChar(CHAR Character)
{
    NT_EXPORT_ENTER(RtlUpperChar);
    return upper(Character);
}

/* ---- Making and copying ---------------------------------------------------------------------- */

static size_t wide_length(const WCHAR *text)
{
    size_t length = 0;

    while (text[length]) {
        length++;
    }
    return length;
}

VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING DestinationString, PCWSTR SourceString)
{
    size_t bytes = SourceString ? wide_length(SourceString) * sizeof(WCHAR) : 0;

    NT_EXPORT_ENTER(RtlInitUnicodeString);
    if (bytes > STRING_BYTES_MAX - sizeof(WCHAR)) {
        bytes = STRING_BYTES_MAX - sizeof(WCHAR);
    }
    DestinationString->Buffer = (PWCH)SourceString;
    DestinationString->Length = (USHORT)bytes;
    DestinationString->MaximumLength = SourceString ? (USHORT)(bytes + sizeof(WCHAR)) : 0;
}

NTSTATUS NTAPI RtlInitUnicodeStringEx(PUNICODE_STRING DestinationString, PCWSTR SourceString)
{
    NT_EXPORT_ENTER(RtlInitUnicodeStringEx);
    if (SourceString &&
        wide_length(SourceString) * sizeof(WCHAR) > STRING_BYTES_MAX - sizeof(WCHAR)) {
        return STATUS_NAME_TOO_LONG;
    }
    RtlInitUnicodeString(DestinationString, SourceString);
    return STATUS_SUCCESS;
}

static void init_ansi(PSTRING string, PCSZ text)
{
    size_t length = text ? strlen(text) : 0;

    if (length > STRING_BYTES_MAX - 1) {
        length = STRING_BYTES_MAX - 1;
    }
    string->Buffer = (PCHAR)text;
    string->Length = (USHORT)length;
    string->MaximumLength = text ? (USHORT)(length + 1) : 0;
}

VOID NTAPI RtlInitAnsiString(PANSI_STRING DestinationString, PCSZ SourceString)
{
    NT_EXPORT_ENTER(RtlInitAnsiString);
    init_ansi(DestinationString, SourceString);
}

VOID NTAPI RtlInitString(PSTRING DestinationString, PCSZ SourceString)
{
    NT_EXPORT_ENTER(RtlInitString);
    init_ansi(DestinationString, SourceString);
}

VOID NTAPI RtlCopyUnicodeString(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString)
{
    USHORT bytes = SourceString ? SourceString->Length : 0;

    NT_EXPORT_ENTER(RtlCopyUnicodeString);
    if (bytes > DestinationString->MaximumLength) {
        bytes = DestinationString->MaximumLength & ~1u;
    }
    if (bytes) {
        memmove(DestinationString->Buffer, SourceString->Buffer, bytes);
    }
    DestinationString->Length = bytes;
    if (DestinationString->MaximumLength - bytes >= (int)sizeof(WCHAR)) {
        DestinationString->Buffer[bytes / sizeof(WCHAR)] = 0;
    }
}

VOID NTAPI RtlCopyString(PSTRING DestinationString, const STRING *SourceString)
{
    USHORT bytes = SourceString ? SourceString->Length : 0;

    NT_EXPORT_ENTER(RtlCopyString);
    if (bytes > DestinationString->MaximumLength) {
        bytes = DestinationString->MaximumLength;
    }
    if (bytes) {
        memmove(DestinationString->Buffer, SourceString->Buffer, bytes);
    }
    DestinationString->Length = bytes;
}

static NTSTATUS append(PUNICODE_STRING to, const WCHAR *text, size_t bytes)
{
    if (bytes > (size_t)to->MaximumLength || to->Length > to->MaximumLength - bytes) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (bytes) {
        memmove(to->Buffer + to->Length / sizeof(WCHAR), text, bytes);
    }
    to->Length = (USHORT)(to->Length + bytes);
    if (to->MaximumLength - to->Length >= (int)sizeof(WCHAR)) {
        to->Buffer[to->Length / sizeof(WCHAR)] = 0;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source)
{
    NT_EXPORT_ENTER(RtlAppendUnicodeStringToString);
    return append(Destination, Source->Buffer, Source->Length);
}

NTSTATUS NTAPI RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source)
{
    NT_EXPORT_ENTER(RtlAppendUnicodeToString);
    return Source ? append(Destination, Source, wide_length(Source) * sizeof(WCHAR))
                  : STATUS_SUCCESS;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* The first `count` units of both; their difference as a number. */
static LONG compare_wide(const WCHAR *a, const WCHAR *b, size_t count, bool fold)
{
    for (size_t i = 0; i < count; i++) {
        WCHAR x = fold ? text_upcase(a[i]) : a[i], y = fold ? text_upcase(b[i]) : b[i];
        if (x != y) {
            return (LONG)x - (LONG)y;
        }
    }
    return 0;
}

static LONG compare_unicode(PCUNICODE_STRING a, PCUNICODE_STRING b, bool fold)
{
    size_t common = (a->Length < b->Length ? a->Length : b->Length) / sizeof(WCHAR);
    LONG order = compare_wide(a->Buffer, b->Buffer, common, fold);

    return order ? order : (LONG)a->Length - (LONG)b->Length;
}

bool nt_same_name(PCUNICODE_STRING one, PCUNICODE_STRING other)
{
    return compare_unicode(one, other, true) == 0;
}

LONG NTAPI RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                   BOOLEAN CaseInSensitive)
{
    NT_EXPORT_ENTER(RtlCompareUnicodeString);
    return compare_unicode(String1, String2, CaseInSensitive);
}

BOOLEAN NTAPI RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                    BOOLEAN CaseInSensitive)
{
    NT_EXPORT_ENTER(RtlEqualUnicodeString);
    return String1->Length == String2->Length &&
           compare_unicode(String1, String2, CaseInSensitive) == 0;
}

BOOLEAN NTAPI RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                                     BOOLEAN CaseInSensitive)
{
    NT_EXPORT_ENTER(RtlPrefixUnicodeString);
    return String1->Length <= String2->Length &&
           compare_wide(String1->Buffer, String2->Buffer, String1->Length / sizeof(WCHAR),
                        CaseInSensitive) == 0;
}

static LONG compare_ansi(const STRING *a, const STRING *b, bool fold)
{
    USHORT common = a->Length < b->Length ? a->Length : b->Length;

    for (USHORT i = 0; i < common; i++) {
        UCHAR x = (UCHAR)(fold ? upper(a->Buffer[i]) : a->Buffer[i]);
        UCHAR y = (UCHAR)(fold ? upper(b->Buffer[i]) : b->Buffer[i]);
        if (x != y) {
            return (LONG)x - (LONG)y;
        }
    }
    return (LONG)a->Length - (LONG)b->Length;
}

LONG NTAPI RtlCompareString(const STRING *String1, const STRING *String2, BOOLEAN CaseInSensitive)
{
    NT_EXPORT_ENTER(RtlCompareString);
    return compare_ansi(String1, String2, CaseInSensitive);
}

BOOLEAN NTAPI RtlEqualString(const STRING *String1, const STRING *String2, BOOLEAN CaseInSensitive)
{
    NT_EXPORT_ENTER(RtlEqualString);
    return compare_ansi(String1, String2, CaseInSensitive) == 0;
}

/* ---- Converting ------------------------------------------------------------------------------ */

static size_t wide_bytes_of(const STRING *text)
{
    size_t at = 0, units = 0;
    uint16_t ignored[2];

    while (at < text->Length) {
        units += text_put_utf16(text_next_utf8(text->Buffer, text->Length, &at), ignored);
    }
    return units * sizeof(WCHAR);
}

static size_t ansi_bytes_of(PCUNICODE_STRING text)
{
    size_t at = 0, bytes = 0;
    char ignored[4];

    while (at < text->Length / sizeof(WCHAR)) {
        bytes += text_put_utf8(text_next_utf16(text->Buffer, text->Length / sizeof(WCHAR), &at),
                               ignored);
    }
    return bytes;
}

static void *string_memory(size_t bytes, const struct export_call *call)
{
    struct pool_request request = {.size = bytes,
                                   .tag = STRING_TAG,
                                   .type = POOL_TYPE_PAGED,
                                   .zeroed = true,
                                   .caller = call->caller};

    return nt_exists() ? pool_allocate(&request) : NULL;
}

/* Room for bytes and a terminator, in *buffer or in new memory. */
static NTSTATUS provide(void **buffer, USHORT *length, USHORT *capacity, size_t bytes,
                        size_t terminator, bool allocate, const struct export_call *call)
{
    if (bytes + terminator > STRING_BYTES_MAX) {
        return STATUS_INVALID_PARAMETER_2;
    }
    if (allocate) {
        *buffer = string_memory(bytes + terminator, call);
        if (!*buffer) {
            return STATUS_NO_MEMORY;
        }
        *capacity = (USHORT)(bytes + terminator);
    } else if (*capacity < bytes + terminator) {
        return STATUS_BUFFER_OVERFLOW;
    }
    *length = (USHORT)bytes;
    return STATUS_SUCCESS;
}

static void put_wide(WCHAR *out, const char *text, size_t size)
{
    size_t at = 0;

    while (at < size) {
        out += text_put_utf16(text_next_utf8(text, size, &at), (uint16_t *)out);
    }
}

static void put_ansi(char *out, const WCHAR *text, size_t count)
{
    size_t at = 0;

    while (at < count) {
        char bytes[4];
        size_t length = text_put_utf8(text_next_utf16((const uint16_t *)text, count, &at), bytes);
        memcpy(out, bytes, length);
        out += length;
    }
}

NTSTATUS NTAPI RtlAnsiStringToUnicodeString(PUNICODE_STRING DestinationString,
                                            PCANSI_STRING SourceString,
                                            BOOLEAN AllocateDestinationString)
{
    struct export_call call = NT_EXPORT_CALL(RtlAnsiStringToUnicodeString);
    size_t bytes = wide_bytes_of(SourceString);
    NTSTATUS status = provide((void **)&DestinationString->Buffer, &DestinationString->Length,
                              &DestinationString->MaximumLength, bytes, sizeof(WCHAR),
                              AllocateDestinationString, &call);

    if (NT_SUCCESS(status)) {
        put_wide(DestinationString->Buffer, SourceString->Buffer, SourceString->Length);
        DestinationString->Buffer[bytes / sizeof(WCHAR)] = 0;
    }
    return status;
}

NTSTATUS NTAPI RtlUnicodeStringToAnsiString(PANSI_STRING DestinationString,
                                            PCUNICODE_STRING SourceString,
                                            BOOLEAN AllocateDestinationString)
{
    struct export_call call = NT_EXPORT_CALL(RtlUnicodeStringToAnsiString);
    size_t bytes = ansi_bytes_of(SourceString);
    NTSTATUS status =
        provide((void **)&DestinationString->Buffer, &DestinationString->Length,
                &DestinationString->MaximumLength, bytes, 1, AllocateDestinationString, &call);

    if (NT_SUCCESS(status)) {
        put_ansi(DestinationString->Buffer, SourceString->Buffer,
                 SourceString->Length / sizeof(WCHAR));
        DestinationString->Buffer[bytes] = 0;
    }
    return status;
}

NTSTATUS NTAPI RtlUpcaseUnicodeString(PUNICODE_STRING DestinationString,
                                      PCUNICODE_STRING SourceString,
                                      BOOLEAN AllocateDestinationString)
{
    struct export_call call = NT_EXPORT_CALL(RtlUpcaseUnicodeString);
    NTSTATUS status = provide((void **)&DestinationString->Buffer, &DestinationString->Length,
                              &DestinationString->MaximumLength, SourceString->Length, 0,
                              AllocateDestinationString, &call);

    for (size_t i = 0; NT_SUCCESS(status) && i < SourceString->Length / sizeof(WCHAR); i++) {
        DestinationString->Buffer[i] = text_upcase(SourceString->Buffer[i]);
    }
    return status;
}

ULONG NTAPI RtlxAnsiStringToUnicodeSize(PCANSI_STRING AnsiString)
{
    NT_EXPORT_ENTER(RtlxAnsiStringToUnicodeSize);
    return (ULONG)(wide_bytes_of(AnsiString) + sizeof(WCHAR));
}

ULONG NTAPI RtlxUnicodeStringToAnsiSize(PCUNICODE_STRING UnicodeString)
{
    NT_EXPORT_ENTER(RtlxUnicodeStringToAnsiSize);
    return (ULONG)(ansi_bytes_of(UnicodeString) + 1);
}

NTSTATUS NTAPI RtlMultiByteToUnicodeN(PWCH UnicodeString, ULONG MaxBytesInUnicodeString,
                                      PULONG BytesInUnicodeString, const CHAR *MultiByteString,
                                      ULONG BytesInMultiByteString)
{
    size_t at = 0, count = 0, limit = MaxBytesInUnicodeString / sizeof(WCHAR);

    NT_EXPORT_ENTER(RtlMultiByteToUnicodeN);
    while (at < BytesInMultiByteString) {
        uint16_t units[2];
        size_t n =
            text_put_utf16(text_next_utf8(MultiByteString, BytesInMultiByteString, &at), units);
        if (n > limit - count) {
            break;
        }
        memcpy(UnicodeString + count, units, n * sizeof(WCHAR));
        count += n;
    }
    if (BytesInUnicodeString) {
        *BytesInUnicodeString = (ULONG)(count * sizeof(WCHAR));
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlUnicodeToMultiByteN(PCHAR MultiByteString, ULONG MaxBytesInMultiByteString,
                                      PULONG BytesInMultiByteString, PCWCH UnicodeString,
                                      ULONG BytesInUnicodeString)
{
    size_t at = 0, used = 0;

    NT_EXPORT_ENTER(RtlUnicodeToMultiByteN);
    while (at < BytesInUnicodeString / sizeof(WCHAR)) {
        char bytes[4];
        size_t n = text_put_utf8(text_next_utf16((const uint16_t *)UnicodeString,
                                                 BytesInUnicodeString / sizeof(WCHAR), &at),
                                 bytes);
        if (n > MaxBytesInMultiByteString - used) {
            break;
        }
        memcpy(MultiByteString + used, bytes, n);
        used += n;
    }
    if (BytesInMultiByteString) {
        *BytesInMultiByteString = (ULONG)used;
    }
    return STATUS_SUCCESS;
}

VOID NTAPI RtlFreeUnicodeString(PUNICODE_STRING UnicodeString)
{
    struct export_call call = NT_EXPORT_CALL(RtlFreeUnicodeString);

    if (UnicodeString->Buffer) {
        pool_free(UnicodeString->Buffer, 0, &call);
        *UnicodeString = (UNICODE_STRING){0};
    }
}

VOID NTAPI RtlFreeAnsiString(PANSI_STRING AnsiString)
{
    struct export_call call = NT_EXPORT_CALL(RtlFreeAnsiString);

    if (AnsiString->Buffer) {
        pool_free(AnsiString->Buffer, 0, &call);
        *AnsiString = (ANSI_STRING){0};
    }
}
