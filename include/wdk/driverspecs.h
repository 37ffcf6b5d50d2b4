/* driverspecs.h: annotations that only drivers have: IRQL, driver entry points, resources. Empty, as in sal.h. */

#ifndef DRIVERSPECS_H
#define DRIVERSPECS_H

#include <sal.h>

#define _IRQL_requires_(level)
#define _IRQL_requires_max_(level)
#define _IRQL_requires_min_(level)
#define _IRQL_requires_same_
#define _IRQL_raises_(level)
#define _IRQL_saves_
#define _IRQL_saves_global_(kind, parameter)
#define _IRQL_restores_
#define _IRQL_restores_global_(kind, parameter)
#define _IRQL_always_function_min_(level)
#define _IRQL_always_function_max_(level)
#define _IRQL_uses_cancel_
#define _IRQL_is_cancel_
#define _IRQL_limited_to_(level)
#define _Kernel_clear_do_init_(yes)
#define _Kernel_float_saved_
#define _Kernel_float_restored_
#define _Kernel_float_used_
#define _Kernel_acquires_resource_(kind)
#define _Kernel_releases_resource_(kind)
#define _Kernel_requires_resource_held_(kind)
#define _Kernel_requires_resource_not_held_(kind)
#define _Kernel_entry_always_
#define _Dispatch_type_(type)
#define _IRP_CONTEXT_
#define _Must_inspect_impl_
#define _Flt_CompletionContext_Outptr_
#define __drv_aliasesMem
#define __drv_freesMem(kind)
#define __drv_allocatesMem(kind)
#define __drv_strictType(type, mode)
#define __drv_strictTypeMatch(mode)
#define __drv_functionClass(name)
#define __drv_requiresIRQL(level)
#define __drv_maxIRQL(level)
#define __drv_minIRQL(level)
#define __drv_sameIRQL
#define __drv_raisesIRQL(level)
#define __drv_savesIRQL
#define __drv_restoresIRQL
#define __drv_dispatchType(type)
#define __drv_completionType(type)
#define __drv_preferredFunction(name, why)
#define __drv_when(condition, annotations)
#define __drv_at(target, annotations)
#define __drv_arg(target, annotations)
#define __drv_out(annotations)
#define __drv_in(annotations)
#define __drv_reportError(why)
#define __drv_neverHold(kind)
#define __drv_mustHold(kind)
#define __drv_acquiresResource(kind)
#define __drv_releasesResource(kind)
#define __drv_acquiresExclusiveResource(kind)
#define __drv_releasesExclusiveResource(kind)
#define __drv_inTry
#define __drv_notInTry
#define __drv_interlocked
#define __drv_isObjectPointer
#define __drv_floatSaved
#define __drv_floatRestored
#define __kernel_driver
#define __control_entrypoint(kind)
#define __control_entrypoint_DeviceDriver
#define __prefast_operator_new_throws

/* The display headers' own spelling of the same. */
#define _Function_class_DXGK_(name)
#define _IRQL_requires_DXGK_(level)
#define _IRQL_requires_max_DXGK_(level)
#define _IRQL_requires_min_DXGK_(level)
#define _Field_size_bytes_DXGK_(size)

#endif /* DRIVERSPECS_H */
