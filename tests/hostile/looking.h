/* looking.h: what hostile drivers look around with. */
#ifndef HOSTILE_LOOKING_H
#define HOSTILE_LOOKING_H

#include <ntddk.h>
#include <string.h>

typedef unsigned long long u64;

/* The word at an address, and whether there is one. */
static inline BOOLEAN peek(u64 address, u64 *value)
{
    BOOLEAN fine = TRUE;

    __try {
        *value = *(volatile u64 *)address;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        fine = FALSE;
    }
    return fine;
}

static inline BOOLEAN poke(u64 address, u64 value)
{
    BOOLEAN fine = TRUE;

    __try {
        *(volatile u64 *)address = value;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        fine = FALSE;
    }
    return fine;
}

/* A value of the driver's key: text, and a number in hexadecimal. */
static inline void read_text(const wchar_t *key, const wchar_t *name, wchar_t into[64])
{
    UNICODE_STRING text = {.Length = 0, .MaximumLength = 63 * sizeof(wchar_t), .Buffer = into};
    RTL_QUERY_REGISTRY_TABLE table[2] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (wchar_t *)name, .EntryContext = &text}};

    RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, key, table, NULL, NULL);
    into[text.Length / 2] = 0;
}

static inline u64 read_number(const wchar_t *key, const wchar_t *name)
{
    wchar_t text[64];
    u64 value = 0;

    read_text(key, name, text);
    for (unsigned i = 0; text[i]; i++) {
        value = value * 16 + (u64)(text[i] >= L'a' ? text[i] - L'a' + 10 : text[i] - L'0');
    }
    return value;
}

#endif
