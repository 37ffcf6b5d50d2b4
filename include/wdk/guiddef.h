/*
 * guiddef.h: the GUID type, and DEFINE_GUID. A file that includes initguid.h first gets definitions
 * (of which the linker keeps one); any other gets declarations.
 */

#ifndef _GUIDDEF_H_
#define _GUIDDEF_H_

#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct _GUID {
#ifdef _WIN32
    unsigned long Data1;
#else
    unsigned int Data1;
#endif
    unsigned short Data2;
    unsigned short Data3;
    unsigned char Data4[8];
} GUID;
#endif

typedef GUID *LPGUID;
typedef const GUID *LPCGUID;
typedef GUID IID, *LPIID;
typedef GUID CLSID, *LPCLSID;
typedef GUID FMTID, *LPFMTID;

#ifndef __drydock_guid_extern
#ifdef __cplusplus
#define __drydock_guid_extern extern "C"
#else
#define __drydock_guid_extern extern
#endif
#endif

#endif /* _GUIDDEF_H_ */

/* Below the guard: initguid.h may come after the first inclusion. */
#undef DEFINE_GUID
#ifdef INITGUID
/* One of many equal definitions: each object format has its own word for it. */
#undef __drydock_guid_any
#ifdef _WIN32
#define __drydock_guid_any __declspec(selectany)
#else
#define __drydock_guid_any __attribute__((weak))
#endif
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
    __drydock_guid_extern const GUID name;                           \
    __drydock_guid_any const GUID name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#else
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
    __drydock_guid_extern const GUID name
#endif

#ifndef IsEqualGUID
#ifdef __cplusplus
#define IsEqualGUID(a, b) (!__builtin_memcmp(&(a), &(b), sizeof(GUID)))
#else
#define IsEqualGUID(a, b) (!__builtin_memcmp((a), (b), sizeof(GUID)))
#endif
#define InlineIsEqualGUID(a, b) IsEqualGUID(a, b)
#define IsEqualIID(a, b)        IsEqualGUID(a, b)
#endif
#ifdef __cplusplus
#ifndef __drydock_refguid
#define __drydock_refguid
#define REFGUID  const GUID &
#define REFIID   const IID &
#define REFCLSID const IID &
#endif
#else
#ifndef __drydock_refguid
#define __drydock_refguid
#define REFGUID  const GUID *
#define REFIID   const IID *
#define REFCLSID const IID *
#endif
#endif
