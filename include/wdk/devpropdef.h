/* devpropdef.h: keys and types of device properties. */

#ifndef _DEVPROPDEF_H_
#define _DEVPROPDEF_H_

#include <ntdef.h>

typedef ULONG DEVPROPTYPE, *PDEVPROPTYPE;
typedef GUID DEVPROPGUID, *PDEVPROPGUID;
typedef ULONG DEVPROPID, *PDEVPROPID;

typedef struct _DEVPROPKEY {
    DEVPROPGUID fmtid;
    DEVPROPID pid;
} DEVPROPKEY, *PDEVPROPKEY;

#define DEVPROPID_FIRST_USABLE 2

#define DEVPROP_TYPEMOD_ARRAY    0x00001000
#define DEVPROP_TYPEMOD_LIST     0x00002000
#define DEVPROP_TYPE_EMPTY       0x00000000
#define DEVPROP_TYPE_NULL        0x00000001
#define DEVPROP_TYPE_BYTE        0x00000003
#define DEVPROP_TYPE_INT32       0x00000006
#define DEVPROP_TYPE_UINT32      0x00000007
#define DEVPROP_TYPE_UINT64      0x00000009
#define DEVPROP_TYPE_GUID        0x0000000D
#define DEVPROP_TYPE_BOOLEAN     0x00000011
#define DEVPROP_TYPE_STRING      0x00000012
#define DEVPROP_TYPE_STRING_LIST (DEVPROP_TYPE_STRING | DEVPROP_TYPEMOD_LIST)
#define DEVPROP_TYPE_BINARY      (DEVPROP_TYPE_BYTE | DEVPROP_TYPEMOD_ARRAY)

#define DEVPROP_TRUE  ((CHAR)-1)
#define DEVPROP_FALSE ((CHAR)0)

#endif /* _DEVPROPDEF_H_ */

/* Below the guard: initguid.h may come after the first inclusion. */
#undef DEFINE_DEVPROPKEY
#ifdef INITGUID
#define DEFINE_DEVPROPKEY(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8, pid) \
    __drydock_guid_extern const DEVPROPKEY name;                                \
    __drydock_guid_any const DEVPROPKEY name = {                                \
        {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}, pid}
#else
#define DEFINE_DEVPROPKEY(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8, pid) \
    __drydock_guid_extern const DEVPROPKEY name
#endif
