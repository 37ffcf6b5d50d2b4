/*
 * wdm.h: the kernel services of the Windows driver model, as far as a display, render or compute
 * miniport uses them.
 *
 *   wdm/atomic.h    interlocked operations, barriers      wdm/io_types.h  codes, access rights,
 * power states wdm/list.h      linked lists                          wdm/resource.h  resources of a
 * device, PCI wdm/ke.h        IRQL, locks, waits, DPCs, timers       wdm/io.h        driver and
 * device objects, requests wdm/ex.h        pool, look-aside lists, work items     wdm/zw.h
 * registry, files, objects, processes, power wdm/mm.h        MDLs, I/O space, contiguous memory
 * wdm/hal.h       registers, ports, buses, DMA wdm/rtl.h       memory, strings, bitmaps, debugging
 * wdm/etw.h       event tracing                       wdm/pofx.h      power of components
 * wdm/table.h     generic tables
 *
 * Everything the kernel exports is declared with NTKERNELAPI (or NTSYSAPI, NTHALAPI) and NTAPI
 * under its documented name: on the Windows target an import, on the host the function itself. What
 * Windows has inline is inline here too, except for what only the host can answer (IRQL, registers,
 * time).
 */

#ifndef _WDMDDK_
#define _WDMDDK_

#include <bugcodes.h>
#include <ntdef.h>
#include <ntstatus.h>
#ifdef _WIN32
#include <excpt.h>
#include <intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#include <wdm/atomic.h>
#include <wdm/etw.h>
#include <wdm/ex.h>
#include <wdm/hal.h>
#include <wdm/io.h>
#include <wdm/io_types.h>
#include <wdm/ke.h>
#include <wdm/list.h>
#include <wdm/mm.h>
#include <wdm/pofx.h>
#include <wdm/resource.h>
#include <wdm/rtl.h>
#include <wdm/table.h>
#include <wdm/zw.h>

/*
 * Exported variables. A driver reads the object that the import points at; so on the Windows target
 * the name is the slot of the import table itself, whatever kind of entry the import library has.
 */
#ifdef _WIN32
#define __WDM_VARIABLE(type, name) extern type *__imp_##name
#define IoFileObjectType           __imp_IoFileObjectType
#define IoDeviceObjectType         __imp_IoDeviceObjectType
#define IoDriverObjectType         __imp_IoDriverObjectType
#define PsThreadType               __imp_PsThreadType
#define PsProcessType              __imp_PsProcessType
#define ExEventObjectType          __imp_ExEventObjectType
#define ExSemaphoreObjectType      __imp_ExSemaphoreObjectType
#define MmSectionObjectType        __imp_MmSectionObjectType
#define NtBuildNumber              __imp_NtBuildNumber
#define KdDebuggerNotPresent       __imp_KdDebuggerNotPresent
#define KdDebuggerEnabled          __imp_KdDebuggerEnabled
#else
#define __WDM_VARIABLE(type, name) extern type *name
#endif
__WDM_VARIABLE(POBJECT_TYPE, IoFileObjectType);
__WDM_VARIABLE(POBJECT_TYPE, IoDeviceObjectType);
__WDM_VARIABLE(POBJECT_TYPE, IoDriverObjectType);
__WDM_VARIABLE(POBJECT_TYPE, PsThreadType);
__WDM_VARIABLE(POBJECT_TYPE, PsProcessType);
__WDM_VARIABLE(POBJECT_TYPE, ExEventObjectType);
__WDM_VARIABLE(POBJECT_TYPE, ExSemaphoreObjectType);
__WDM_VARIABLE(POBJECT_TYPE, MmSectionObjectType);
__WDM_VARIABLE(ULONG, NtBuildNumber);
__WDM_VARIABLE(BOOLEAN, KdDebuggerNotPresent);
__WDM_VARIABLE(BOOLEAN, KdDebuggerEnabled);
#undef __WDM_VARIABLE
/* These are read as values. */
#ifdef _WIN32
#define __WDM_VALUE(type, name) extern type *__imp_##name
#else
#define __WDM_VALUE(type, name) extern type *__imp_##name __asm__(#name)
#endif
__WDM_VALUE(PVOID, MmHighestUserAddress);
__WDM_VALUE(PVOID, MmSystemRangeStart);
__WDM_VALUE(ULONG_PTR, MmUserProbeAddress);
#undef __WDM_VALUE
#define MmHighestUserAddress    (*__imp_MmHighestUserAddress)
#define MmSystemRangeStart      (*__imp_MmSystemRangeStart)
#define MmUserProbeAddress      (*__imp_MmUserProbeAddress)
#define MM_HIGHEST_USER_ADDRESS MmHighestUserAddress
#define MM_SYSTEM_RANGE_START   MmSystemRangeStart
#define MM_USER_PROBE_ADDRESS   MmUserProbeAddress
#define KD_DEBUGGER_ENABLED     (*KdDebuggerEnabled)
#define KD_DEBUGGER_NOT_PRESENT (*KdDebuggerNotPresent)

#ifdef __cplusplus
}
#endif

/* Drivers expect these; on the host they would break the system's own headers. */
#if defined(_WIN32) && !defined(NOMINMAX)
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif

#endif /* _WDMDDK_ */
