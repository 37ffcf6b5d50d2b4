/*
 * ntstrsafe.h: string functions that know the size of their destination. Cb counts bytes, Cch
 * characters.
 *
 * On Windows these are inline or in a static library; here they are imports under their documented
 * names. All of them end the destination with a zero and return STATUS_BUFFER_OVERFLOW when they
 * had to cut, STATUS_INVALID_PARAMETER for a size of zero or beyond NTSTRSAFE_MAX_CCH.
 */

#ifndef _NTSTRSAFE_H_INCLUDED_
#define _NTSTRSAFE_H_INCLUDED_

#include <ntdef.h>
#include <ntstatus.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NTSTRSAFE_MAX_CCH                2147483647
#define NTSTRSAFE_MAX_LENGTH             (NTSTRSAFE_MAX_CCH - 1)
#define NTSTRSAFE_UNICODE_STRING_MAX_CCH (0xffff / sizeof(WCHAR))

#define STRSAFE_FILL_BEHIND_NULL       0x00000200
#define STRSAFE_IGNORE_NULLS           0x00000100
#define STRSAFE_FILL_ON_FAILURE        0x00000400
#define STRSAFE_NULL_ON_FAILURE        0x00000800
#define STRSAFE_NO_TRUNCATION          0x00001000
#define STRSAFE_ZERO_LENGTH_ON_FAILURE STRSAFE_NULL_ON_FAILURE

typedef PSTR NTSTRSAFE_PSTR;
typedef PWSTR NTSTRSAFE_PWSTR;
typedef PCSTR NTSTRSAFE_PCSTR;
typedef PCWSTR NTSTRSAFE_PCWSTR;

#define __NTSTRSAFE(count, suffix, text, const_text)                                               \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##Copy##suffix(text destination, SIZE_T size,          \
                                                           const_text source);                     \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##CopyEx##suffix(text destination, SIZE_T size,        \
                                                             const_text source, text *end,         \
                                                             SIZE_T *remaining, ULONG flags);      \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##CopyN##suffix(text destination, SIZE_T size,         \
                                                            const_text source, SIZE_T to_copy);    \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##Cat##suffix(text destination, SIZE_T size,           \
                                                          const_text source);                      \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##CatN##suffix(text destination, SIZE_T size,          \
                                                           const_text source, SIZE_T to_append);   \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##Printf##suffix(text destination, SIZE_T size,        \
                                                             const_text format, ...);              \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##VPrintf##suffix(text destination, SIZE_T size,       \
                                                              const_text format, NT_VA_LIST list); \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##PrintfEx##suffix(                                    \
        text destination, SIZE_T size, text *end, SIZE_T *remaining, ULONG flags,                  \
        const_text format, ...);                                                                   \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##VPrintfEx##suffix(                                   \
        text destination, SIZE_T size, text *end, SIZE_T *remaining, ULONG flags,                  \
        const_text format, NT_VA_LIST list);                                                       \
    NTSYSAPI NTSTATUS NTAPI RtlString##count##Length##suffix(const_text source, SIZE_T limit,      \
                                                             SIZE_T *length);

__NTSTRSAFE(Cb, A, PSTR, PCSTR)
__NTSTRSAFE(Cb, W, PWSTR, PCWSTR)
__NTSTRSAFE(Cch, A, PSTR, PCSTR)
__NTSTRSAFE(Cch, W, PWSTR, PCWSTR)
#undef __NTSTRSAFE

NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, PCWSTR Format,
                                               ...);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringVPrintf(PUNICODE_STRING DestinationString, PCWSTR Format,
                                                NT_VA_LIST list);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringInit(PUNICODE_STRING DestinationString, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopy(PUNICODE_STRING DestinationString,
                                             PCUNICODE_STRING SourceString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString,
                                                   PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCat(PUNICODE_STRING DestinationString,
                                            PCUNICODE_STRING SourceString);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, PCWSTR Source);
NTSYSAPI NTSTATUS NTAPI RtlUnicodeStringValidate(PCUNICODE_STRING SourceString);

#ifdef UNICODE
#define RtlStringCbCopy    RtlStringCbCopyW
#define RtlStringCchCopy   RtlStringCchCopyW
#define RtlStringCbPrintf  RtlStringCbPrintfW
#define RtlStringCchPrintf RtlStringCchPrintfW
#endif

#ifdef __cplusplus
}
#endif

#endif /* _NTSTRSAFE_H_INCLUDED_ */
