/* wdmsec.h: device objects that say who may open them. On Windows a static library has the functions;
 * here they are imports under their documented names. */

#ifndef _WDMSEC_H_
#define _WDMSEC_H_

#include <wdm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of many equal definitions, as that of an identifier is. */
#define __WDMSEC_STRING(name, text)                                                             \
    extern const UNICODE_STRING name;                                                           \
    DECLSPEC_SELECTANY const UNICODE_STRING name = {sizeof(text) - sizeof(WCHAR), sizeof(text), \
                                                    (PWSTR)text}

__WDMSEC_STRING(SDDL_DEVOBJ_KERNEL_ONLY, L"D:P");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL, L"D:P(A;;GA;;;SY)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_ALL, L"D:P(A;;GA;;;SY)(A;;GA;;;BA)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_RX, L"D:P(A;;GA;;;SY)(A;;GRGX;;;BA)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_RWX_WORLD_R,
                L"D:P(A;;GA;;;SY)(A;;GRGWGX;;;BA)(A;;GR;;;WD)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_RWX_WORLD_R_RES_R,
                L"D:P(A;;GA;;;SY)(A;;GRGWGX;;;BA)(A;;GR;;;WD)(A;;GR;;;RC)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_RWX_WORLD_RW_RES_R,
                L"D:P(A;;GA;;;SY)(A;;GRGWGX;;;BA)(A;;GRGW;;;WD)(A;;GR;;;RC)");
__WDMSEC_STRING(SDDL_DEVOBJ_SYS_ALL_ADM_RWX_WORLD_RWX_RES_RWX,
                L"D:P(A;;GA;;;SY)(A;;GRGWGX;;;BA)(A;;GRGWGX;;;WD)(A;;GRGWGX;;;RC)");
#define SDDL_DEVOBJ_INF_SUPPLIED SDDL_DEVOBJ_KERNEL_ONLY
#undef __WDMSEC_STRING

NTKERNELAPI NTSTATUS NTAPI WdmlibIoCreateDeviceSecure(
    PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize, PUNICODE_STRING DeviceName,
    DEVICE_TYPE DeviceType, ULONG DeviceCharacteristics, BOOLEAN Exclusive,
    PCUNICODE_STRING DefaultSDDLString, LPCGUID DeviceClassGuid, PDEVICE_OBJECT *DeviceObject);
NTKERNELAPI NTSTATUS NTAPI WdmlibIoValidateDeviceIoControlAccess(PIRP Irp, ULONG RequiredAccess);
#define IoCreateDeviceSecure            WdmlibIoCreateDeviceSecure
#define IoValidateDeviceIoControlAccess WdmlibIoValidateDeviceIoControlAccess
#define WdmlibRtlInitUnicodeStringEx    RtlInitUnicodeStringEx

#ifdef __cplusplus
}
#endif

#endif /* _WDMSEC_H_ */
