/*
 * ntdef.h: the basic types and macros of every Windows kernel source.
 *
 * Two targets share these headers. On Windows (_WIN32) `long` has 32 bits and NTAPI is the only
 * convention there is. On the host LONG is an `int`, and whatever a driver calls or is called by
 * carries NTAPI, the Windows x64 convention. 64-bit types are those of size_t and uint64_t on the
 * host, so that host code needs no casts between the two worlds.
 */

#ifndef _NTDEF_
#define _NTDEF_

#include <stdarg.h>
#include <stddef.h>

#include <guiddef.h>
#include <specstrings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- conventions and decorations ---- */

#ifdef _WIN32
#define NTAPI              __stdcall
#define FASTCALL           __fastcall
#define DECLSPEC_IMPORT    __declspec(dllimport)
#define DECLSPEC_EXPORT    __declspec(dllexport)
#define DECLSPEC_NORETURN  __declspec(noreturn)
#define DECLSPEC_NOINLINE  __declspec(noinline)
#define DECLSPEC_SELECTANY __declspec(selectany)
#define FORCEINLINE        static __forceinline
#define APIENTRY           __stdcall
#define WINAPI             __stdcall
#define CALLBACK           __stdcall
#else
#define NTAPI    __attribute__((ms_abi))
#define FASTCALL __attribute__((ms_abi))
#define DECLSPEC_IMPORT
#define DECLSPEC_EXPORT
#define DECLSPEC_NORETURN  __attribute__((noreturn))
#define DECLSPEC_NOINLINE  __attribute__((noinline))
#define DECLSPEC_SELECTANY __attribute__((weak))
#define FORCEINLINE        static inline __attribute__((always_inline, unused))
#define APIENTRY
#define WINAPI
#define CALLBACK
#endif

#ifndef NTSYSAPI
#define NTSYSAPI DECLSPEC_IMPORT
#endif
#ifndef NTKERNELAPI
#define NTKERNELAPI DECLSPEC_IMPORT
#endif
#ifndef NTHALAPI
#define NTHALAPI DECLSPEC_IMPORT
#endif
#define NTSYSCALLAPI NTSYSAPI

#define DECLSPEC_ALIGN(n)   __attribute__((aligned(n)))
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
#define UNALIGNED
#define CFORCEINLINE FORCEINLINE
#define DECLSPEC_DEPRECATED_DDK
#define NOP_FUNCTION ((void)0)
#define RESTRICTED_POINTER
#define _ANONYMOUS_STRUCT
#define _ANONYMOUS_UNION
#define DUMMYSTRUCTNAME
#define DUMMYUNIONNAME
#define DUMMYUNIONNAME2
#define MAXULONG_PTR (~((ULONG_PTR)0))

#ifdef __cplusplus
#define EXTERN_C       extern "C"
#define EXTERN_C_START extern "C" {
#define EXTERN_C_END   }
#else
#define EXTERN_C extern
#define EXTERN_C_START
#define EXTERN_C_END
#endif

#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef INOUT
#define INOUT
#endif
#ifndef OPTIONAL
#define OPTIONAL
#endif
#ifndef CONST
#define CONST const
#endif
#ifndef VOID
#define VOID void
#endif
#ifndef FALSE
#define FALSE 0
#endif
#ifndef TRUE
#define TRUE 1
#endif

/* ---- integers ---- */

typedef char CHAR, *PCHAR, *PSZ, CCHAR, *PCCHAR, *LPSTR, *PSTR, *PNZCH;
typedef const char *LPCSTR, *PCSTR, *PCSZ, *PCNZCH;
typedef unsigned char UCHAR, *PUCHAR, BYTE, *PBYTE;
typedef short SHORT, *PSHORT, CSHORT;
typedef unsigned short USHORT, *PUSHORT, WORD, *PWORD;
typedef int INT, *PINT, BOOL, *PBOOL;
typedef unsigned int UINT, *PUINT;
#ifdef _WIN32
typedef long LONG, *PLONG;
typedef unsigned long ULONG, *PULONG, DWORD, *PDWORD;
typedef long long LONGLONG, *PLONGLONG;
typedef unsigned long long ULONGLONG, *PULONGLONG;
#else
typedef int LONG, *PLONG;
typedef unsigned int ULONG, *PULONG, DWORD, *PDWORD;
typedef __INT64_TYPE__ LONGLONG, *PLONGLONG;
typedef __UINT64_TYPE__ ULONGLONG, *PULONGLONG;
#endif
typedef unsigned char BOOLEAN, *PBOOLEAN;
typedef float FLOAT, *PFLOAT;
typedef double DOUBLE;
typedef void *PVOID, *LPVOID, *HANDLE, **PHANDLE;
typedef const void *LPCVOID;

typedef signed char INT8, *PINT8;
typedef short INT16, *PINT16;
typedef int INT32, *PINT32;
typedef LONGLONG INT64, *PINT64, LONG64, *PLONG64, DWORDLONG_SIGNED;
typedef unsigned char UINT8, *PUINT8;
typedef unsigned short UINT16, *PUINT16;
typedef unsigned int UINT32, *PUINT32, DWORD32, *PDWORD32, ULONG32, *PULONG32;
typedef int LONG32, *PLONG32;
typedef ULONGLONG UINT64, *PUINT64, ULONG64, *PULONG64, DWORD64, *PDWORD64, DWORDLONG;
typedef LONGLONG INT_PTR, *PINT_PTR, LONG_PTR, *PLONG_PTR, SSIZE_T, *PSSIZE_T;
typedef ULONGLONG UINT_PTR, *PUINT_PTR, ULONG_PTR, *PULONG_PTR, DWORD_PTR, *PDWORD_PTR, SIZE_T,
    *PSIZE_T;
typedef ULONGLONG KAFFINITY, *PKAFFINITY;
typedef LONGLONG USN;

typedef UCHAR KIRQL, *PKIRQL;
typedef CCHAR KPROCESSOR_MODE;
typedef ULONG LOGICAL, *PLOGICAL;
typedef LONG NTSTATUS, *PNTSTATUS;
typedef LONG HRESULT;
typedef ULONG ACCESS_MASK, *PACCESS_MASK;
typedef ULONG LCID, LANGID_ULONG;
typedef LONG KPRIORITY;

#if __SIZEOF_WCHAR_T__ == 2
typedef wchar_t WCHAR;
#else
typedef unsigned short WCHAR;
#endif
typedef WCHAR *PWCHAR, *PWCH, *PWSTR, *LPWSTR, *LPWCH, TCHAR;
typedef const WCHAR *PCWCH, *PCWSTR, *LPCWSTR, *LPCWCH, *PCWCHAR, *LPCWCHAR;
typedef PCWSTR PCUNICODESTR_BUFFER;
typedef PWSTR *PZPWSTR;

/* The argument list that crosses between a driver and the kernel. */
#ifdef _WIN32
typedef va_list NT_VA_LIST;
#else
typedef __builtin_ms_va_list NT_VA_LIST;
#endif

#define MINCHAR      0x80
#define MAXCHAR      0x7f
#define MINSHORT     0x8000
#define MAXSHORT     0x7fff
#define MINLONG      0x80000000
#define MAXLONG      0x7fffffff
#define MAXUCHAR     0xff
#define MAXUSHORT    0xffff
#define MAXULONG     0xffffffff
#define MAXDWORD     0xffffffff
#define MAXLONGLONG  (0x7fffffffffffffffLL)
#define MAXULONGLONG (0xffffffffffffffffULL)
#define MAXSIZE_T    ((SIZE_T) ~((SIZE_T)0))
#define MAXULONG64   ((ULONG64) ~((ULONG64)0))
#define MAXUINT      ((UINT) ~((UINT)0))
#define MAXUINT32    ((UINT32) ~((UINT32)0))
#define MAXUINT64    ((UINT64) ~((UINT64)0))

/* ---- 64-bit values in two halves ---- */

typedef union _LARGE_INTEGER {
    struct {
        ULONG LowPart;
        LONG HighPart;
    };
    struct {
        ULONG LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER, *PLARGE_INTEGER;

typedef union _ULARGE_INTEGER {
    struct {
        ULONG LowPart;
        ULONG HighPart;
    };
    struct {
        ULONG LowPart;
        ULONG HighPart;
    } u;
    ULONGLONG QuadPart;
} ULARGE_INTEGER, *PULARGE_INTEGER;

typedef LARGE_INTEGER PHYSICAL_ADDRESS, *PPHYSICAL_ADDRESS;

typedef struct _LUID {
    ULONG LowPart;
    LONG HighPart;
} LUID, *PLUID;

/* ---- lists and strings ---- */

typedef struct _LIST_ENTRY {
    struct _LIST_ENTRY *Flink;
    struct _LIST_ENTRY *Blink;
} LIST_ENTRY, *PLIST_ENTRY;

typedef struct _SINGLE_LIST_ENTRY {
    struct _SINGLE_LIST_ENTRY *Next;
} SINGLE_LIST_ENTRY, *PSINGLE_LIST_ENTRY;

/* Length and MaximumLength are in bytes; Buffer need not be terminated. */
typedef struct _UNICODE_STRING {
    USHORT Length;
    USHORT MaximumLength;
    PWCH Buffer;
} UNICODE_STRING, *PUNICODE_STRING;
typedef const UNICODE_STRING *PCUNICODE_STRING;
#define UNICODE_NULL ((WCHAR)0)

typedef struct _STRING {
    USHORT Length;
    USHORT MaximumLength;
    PCHAR Buffer;
} STRING, *PSTRING, ANSI_STRING, *PANSI_STRING, OEM_STRING, *POEM_STRING, UTF8_STRING,
    *PUTF8_STRING;
typedef const STRING *PCSTRING, *PCANSI_STRING, *PCOEM_STRING;
#define ANSI_NULL ((CHAR)0)

#define ANYSIZE_ARRAY 1 /* of an array that goes on behind its structure */

#define RTL_CONSTANT_STRING(text) {sizeof(text) - sizeof((text)[0]), sizeof(text), (text)}
#define DECLARE_CONST_UNICODE_STRING(name, text) \
    const WCHAR name##_buffer[] = text;          \
    const UNICODE_STRING name = {sizeof(text) - sizeof(WCHAR), sizeof(text), (PWCH)name##_buffer}
#define DECLARE_UNICODE_STRING_SIZE(name, size) \
    WCHAR name##_buffer[size];                  \
    UNICODE_STRING name = {0, (size) * sizeof(WCHAR), name##_buffer}

typedef struct _OBJECT_ATTRIBUTES {
    ULONG Length;
    HANDLE RootDirectory;
    PUNICODE_STRING ObjectName;
    ULONG Attributes;
    PVOID SecurityDescriptor;
    PVOID SecurityQualityOfService;
} OBJECT_ATTRIBUTES, *POBJECT_ATTRIBUTES;
typedef const OBJECT_ATTRIBUTES *PCOBJECT_ATTRIBUTES;

#define OBJ_INHERIT            0x00000002L
#define OBJ_PERMANENT          0x00000010L
#define OBJ_EXCLUSIVE          0x00000020L
#define OBJ_CASE_INSENSITIVE   0x00000040L
#define OBJ_OPENIF             0x00000080L
#define OBJ_OPENLINK           0x00000100L
#define OBJ_KERNEL_HANDLE      0x00000200L
#define OBJ_FORCE_ACCESS_CHECK 0x00000400L
#define OBJ_VALID_ATTRIBUTES   0x00001FF2L

#define InitializeObjectAttributes(p, name, attributes, root, descriptor) \
    do {                                                                  \
        (p)->Length = sizeof(OBJECT_ATTRIBUTES);                          \
        (p)->RootDirectory = (root);                                      \
        (p)->ObjectName = (name);                                         \
        (p)->Attributes = (attributes);                                   \
        (p)->SecurityDescriptor = (descriptor);                           \
        (p)->SecurityQualityOfService = NULL;                             \
    } while (0)
#define RTL_INIT_OBJECT_ATTRIBUTES(name, attributes) \
    {sizeof(OBJECT_ATTRIBUTES), NULL, (name), (attributes), NULL, NULL}

typedef enum _EVENT_TYPE { NotificationEvent, SynchronizationEvent } EVENT_TYPE;
typedef enum _TIMER_TYPE { NotificationTimer, SynchronizationTimer } TIMER_TYPE;
typedef enum _WAIT_TYPE { WaitAll, WaitAny, WaitNotification, WaitDequeue, WaitDpc } WAIT_TYPE;

typedef struct _PROCESSOR_NUMBER {
    USHORT Group;
    UCHAR Number;
    UCHAR Reserved;
} PROCESSOR_NUMBER, *PPROCESSOR_NUMBER;

typedef struct _GROUP_AFFINITY {
    KAFFINITY Mask;
    USHORT Group;
    USHORT Reserved[3];
} GROUP_AFFINITY, *PGROUP_AFFINITY;

/* ---- macros ---- */

#ifndef NT_SUCCESS
#define NT_SUCCESS(status)     (((NTSTATUS)(status)) >= 0)
#endif
#define NT_INFORMATION(status) ((((ULONG)(status)) >> 30) == 1)
#define NT_WARNING(status)     ((((ULONG)(status)) >> 30) == 2)
#define NT_ERROR(status)       ((((ULONG)(status)) >> 30) == 3)

#define FIELD_OFFSET(type, field)   ((LONG) __builtin_offsetof(type, field))
#define UFIELD_OFFSET(type, field)  ((ULONG) __builtin_offsetof(type, field))
#define RTL_FIELD_SIZE(type, field) (sizeof(((type *)0)->field))
#define RTL_SIZEOF_THROUGH_FIELD(type, field) \
    (FIELD_OFFSET(type, field) + RTL_FIELD_SIZE(type, field))
#define CONTAINING_RECORD(address, type, field) \
    ((type *)((PCHAR)(address) - (ULONG_PTR) __builtin_offsetof(type, field)))
#define RTL_NUMBER_OF(array)      (sizeof(array) / sizeof((array)[0]))
#define ARRAYSIZE(array)          RTL_NUMBER_OF(array)
#define _ARRAYSIZE(array)         RTL_NUMBER_OF(array)
#define ARGUMENT_PRESENT(pointer) ((CHAR *)((ULONG_PTR)(pointer)) != (CHAR *)(NULL))
#define RTL_PADDING_BETWEEN_FIELDS(type, a, b) \
    (FIELD_OFFSET(type, b) - FIELD_OFFSET(type, a) - RTL_FIELD_SIZE(type, a))

#ifdef __cplusplus
#define C_ASSERT(condition) static_assert(condition, #condition)
#else
#define C_ASSERT(condition) _Static_assert(condition, #condition)
#endif

#define UNREFERENCED_PARAMETER(p)          ((void)(p))
#define DBG_UNREFERENCED_PARAMETER(p)      ((void)(p))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(v) ((void)(v))
#define DEFAULT_UNREACHABLE \
    default:                \
        __builtin_unreachable()
#define NOTHING

#define LOWORD(value)       ((WORD)((ULONG_PTR)(value) & 0xffff))
#define HIWORD(value)       ((WORD)(((ULONG_PTR)(value) >> 16) & 0xffff))
#define LOBYTE(value)       ((BYTE)((ULONG_PTR)(value) & 0xff))
#define HIBYTE(value)       ((BYTE)(((ULONG_PTR)(value) >> 8) & 0xff))
#define MAKELONG(low, high) ((LONG)(((WORD)(low)) | ((DWORD)((WORD)(high))) << 16))

#define PtrToUlong(p)    ((ULONG)(ULONG_PTR)(p))
#define PtrToLong(p)     ((LONG)(LONG_PTR)(p))
#define PtrToUint(p)     ((UINT)(UINT_PTR)(p))
#define PtrToInt(p)      ((INT)(INT_PTR)(p))
#define UlongToPtr(u)    ((VOID *)(ULONG_PTR)(ULONG)(u))
#define LongToPtr(l)     ((VOID *)(LONG_PTR)(LONG)(l))
#define UintToPtr(u)     ((VOID *)(UINT_PTR)(UINT)(u))
#define ULongToPtr       UlongToPtr
#define UlongToHandle(u) ((HANDLE)(ULONG_PTR)(ULONG)(u))
#define LongToHandle(l)  ((HANDLE)(LONG_PTR)(LONG)(l))
#define HandleToUlong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToULong(h) HandleToUlong(h)
#define HandleToLong(h)  ((LONG)(LONG_PTR)(h))
#define ULongToHandle(u) UlongToHandle(u)

#define Int32x32To64(a, b)           ((LONGLONG)(LONG)(a) * (LONGLONG)(LONG)(b))
#define UInt32x32To64(a, b)          ((ULONGLONG)(ULONG)(a) * (ULONGLONG)(ULONG)(b))
#define Int64ShrlMod32(value, shift) ((ULONGLONG)(value) >> (shift))

#define LANG_NEUTRAL             0x00
#define MAKELANGID(primary, sub) ((((USHORT)(sub)) << 10) | (USHORT)(primary))

#ifdef __cplusplus
/* The operators of a set of flags stay integers: an enumeration of flags needs casts, as without
 * this macro. */
#define DEFINE_ENUM_FLAG_OPERATORS(type)     \
    extern "C++" {                           \
    inline type operator|(type a, type b)    \
    {                                        \
        return (type)((int)a | (int)b);      \
    }                                        \
    inline type &operator|=(type &a, type b) \
    {                                        \
        return a = (type)((int)a | (int)b);  \
    }                                        \
    inline type operator&(type a, type b)    \
    {                                        \
        return (type)((int)a & (int)b);      \
    }                                        \
    inline type &operator&=(type &a, type b) \
    {                                        \
        return a = (type)((int)a & (int)b);  \
    }                                        \
    inline type operator~(type a)            \
    {                                        \
        return (type) ~(int)a;               \
    }                                        \
    inline type operator^(type a, type b)    \
    {                                        \
        return (type)((int)a ^ (int)b);      \
    }                                        \
    inline type &operator^=(type &a, type b) \
    {                                        \
        return a = (type)((int)a ^ (int)b);  \
    }                                        \
    }
#else
#define DEFINE_ENUM_FLAG_OPERATORS(type)
#endif

#ifdef __cplusplus
}
#endif

#endif /* _NTDEF_ */
