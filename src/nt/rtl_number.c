/* nt/rtl_number.c: numbers and GUIDs as strings. */
#include "nt/internal.h"

#include <stdio.h>
#include <string.h>

static int digit_of(uint32_t c)
{
    if (c >= '0' && c <= '9') {
        return (int)(c - '0');
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (int)(c - 'a') + 10 : -1;
}

/* Reads what the characters begin with; at is called with an index below count. Base 0: by prefix
 * 0x, 0o, 0b, else decimal. */
static NTSTATUS to_number(uint32_t (*at)(const void *text, size_t index), const void *text,
                          size_t count, ULONG base, ULONG *value)
{
    bool negative = false;
    size_t i = 0;
    ULONG result = 0;

    if (base != 0 && base != 2 && base != 8 && base != 10 && base != 16) {
        return STATUS_INVALID_PARAMETER;
    }
    while (i < count && at(text, i) <= ' ') {
        i++;
    }
    if (i < count && (at(text, i) == '-' || at(text, i) == '+')) {
        negative = at(text, i++) == '-';
    }
    if (base == 0) {
        base = 10;
        if (i + 1 < count && at(text, i) == '0') {
            uint32_t letter = at(text, i + 1) | 0x20;
            base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
            i += base == 10 ? 0 : 2;
        }
    }
    for (; i < count; i++) {
        int digit = digit_of(at(text, i));
        if (digit < 0 || (ULONG)digit >= base) {
            break;
        }
        result = result * base + (ULONG)digit;
    }
    *value = negative ? 0 - result : result;
    return STATUS_SUCCESS;
}

static uint32_t wide_at(const void *text, size_t index)
{
    return ((const WCHAR *)text)[index];
}

static uint32_t narrow_at(const void *text, size_t index)
{
    return ((const uint8_t *)text)[index];
}

NTSTATUS NTAPI RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value)
{
    NT_EXPORT_ENTER(RtlUnicodeStringToInteger);
    return to_number(wide_at, String->Buffer, String->Length / sizeof(WCHAR), Base, Value);
}

NTSTATUS NTAPI RtlCharToInteger(PCSZ String, ULONG Base, PULONG Value)
{
    NT_EXPORT_ENTER(RtlCharToInteger);
    return to_number(narrow_at, String, strlen(String), Base, Value);
}

static NTSTATUS from_number(ULONGLONG value, ULONG base, PUNICODE_STRING string)
{
    char digits[65], *at = digits + sizeof(digits);
    size_t count;

    base = base ? base : 10;
    if (base != 2 && base != 8 && base != 10 && base != 16) {
        return STATUS_INVALID_PARAMETER;
    }
    do {
        *--at = "0123456789ABCDEF"[value % base];
        value /= base;
    } while (value);
    count = (size_t)(digits + sizeof(digits) - at);
    if (count * sizeof(WCHAR) > string->MaximumLength) {
        return STATUS_BUFFER_OVERFLOW;
    }
    for (size_t i = 0; i < count; i++) {
        string->Buffer[i] = (WCHAR)at[i];
    }
    string->Length = (USHORT)(count * sizeof(WCHAR));
    if (string->MaximumLength - string->Length >= (int)sizeof(WCHAR)) {
        string->Buffer[count] = 0;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String)
{
    NT_EXPORT_ENTER(RtlIntegerToUnicodeString);
    return from_number(Value, Base, String);
}

NTSTATUS NTAPI RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String)
{
    NT_EXPORT_ENTER(RtlInt64ToUnicodeString);
    return from_number(Value, Base, String);
}

/* ---- GUIDs: {01234567-89AB-CDEF-0123-456789ABCDEF} ------------------------------------------- */

#define GUID_LENGTH 38

NTSTATUS NTAPI RtlStringFromGUID(const GUID *Guid, PUNICODE_STRING GuidString)
{
    struct export_call call = NT_EXPORT_CALL(RtlStringFromGUID);
    struct pool_request request = {.size = (GUID_LENGTH + 1) * sizeof(WCHAR),
                                   .tag = POOL_TAG('S', 't', 'r', 'g'),
                                   .type = POOL_TYPE_PAGED,
                                   .zeroed = true,
                                   .caller = call.caller};
    char text[GUID_LENGTH + 1];
    WCHAR *wide = pool_allocate(&request);

    if (!wide) {
        return STATUS_NO_MEMORY;
    }
    snprintf(text, sizeof(text), "{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}", Guid->Data1,
             Guid->Data2, Guid->Data3, Guid->Data4[0], Guid->Data4[1], Guid->Data4[2],
             Guid->Data4[3], Guid->Data4[4], Guid->Data4[5], Guid->Data4[6], Guid->Data4[7]);
    for (unsigned i = 0; i < GUID_LENGTH; i++) {
        wide[i] = (WCHAR)text[i];
    }
    GuidString->Buffer = wide;
    GuidString->Length = GUID_LENGTH * sizeof(WCHAR);
    GuidString->MaximumLength = (USHORT)request.size;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID *Guid)
{
    static const char shape[] = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
    uint8_t bytes[16] = {0};
    unsigned digits = 0;

    NT_EXPORT_ENTER(RtlGUIDFromString);
    if (GuidString->Length < GUID_LENGTH * sizeof(WCHAR)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (unsigned i = 0; i < GUID_LENGTH; i++) {
        WCHAR c = GuidString->Buffer[i];
        int digit = digit_of(c);
        if (shape[i] != 'x') {
            if (c != (WCHAR)shape[i]) {
                return STATUS_INVALID_PARAMETER;
            }
            continue;
        }
        if (digit < 0) {
            return STATUS_INVALID_PARAMETER;
        }
        bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | digit);
        digits++;
    }
    Guid->Data1 = (ULONG)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    Guid->Data2 = (USHORT)(bytes[4] << 8 | bytes[5]);
    Guid->Data3 = (USHORT)(bytes[6] << 8 | bytes[7]);
    memcpy(Guid->Data4, bytes + 8, 8);
    return STATUS_SUCCESS;
}
