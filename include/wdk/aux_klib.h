/* aux_klib.h: the modules that are loaded, and what a bug check was about. On Windows a static library
 * has the functions; here they are imports under their documented names. */

#ifndef _AUX_KLIB_H
#define _AUX_KLIB_H

#include <ntddk.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AUX_KLIB_MODULE_PATH_LEN 256

typedef struct _AUX_MODULE_BASIC_INFO {
    PVOID ImageBase;
} AUX_MODULE_BASIC_INFO, *PAUX_MODULE_BASIC_INFO;

typedef struct _AUX_MODULE_EXTENDED_INFO {
    AUX_MODULE_BASIC_INFO BasicInfo;
    ULONG ImageSize;
    USHORT FileNameOffset;
    UCHAR FullPathName[AUX_KLIB_MODULE_PATH_LEN];
} AUX_MODULE_EXTENDED_INFO, *PAUX_MODULE_EXTENDED_INFO;

typedef struct _KBUGCHECK_DATA {
    ULONG BugCheckDataSize;
    ULONG BugCheckCode;
    ULONG_PTR Parameter1;
    ULONG_PTR Parameter2;
    ULONG_PTR Parameter3;
    ULONG_PTR Parameter4;
} KBUGCHECK_DATA, *PKBUGCHECK_DATA;

NTKERNELAPI NTSTATUS NTAPI AuxKlibInitialize(VOID);
NTKERNELAPI NTSTATUS NTAPI AuxKlibQueryModuleInformation(PULONG BufferSize, ULONG ElementSize,
                                                         PVOID QueryInfo);
NTKERNELAPI NTSTATUS NTAPI AuxKlibGetBugCheckData(PKBUGCHECK_DATA BugCheckData);

#ifdef __cplusplus
}
#endif

#endif /* _AUX_KLIB_H */
