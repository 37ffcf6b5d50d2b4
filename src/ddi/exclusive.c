/* ddi/exclusive.c: DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess. */
#include "ddi/internal.h"

NTSTATUS ddi_begin_exclusive_access(struct ddi_adapter *adapter)
{
    DXGKARG_BEGINEXCLUSIVEACCESS arguments = {0};
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_BeginExclusiveAccess)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter_with(&call, adapter, POINT_BeginExclusiveAccess, adapter->miniport_context,
                   &arguments, sizeof arguments, 0);
    return ddi_leave(
        &call, DDI_CALL(adapter, BeginExclusiveAccess, (adapter->miniport_context, &arguments)));
}

NTSTATUS ddi_end_exclusive_access(struct ddi_adapter *adapter)
{
    DXGKARG_ENDEXCLUSIVEACCESS arguments = {0};
    struct ddi_call call;

    if (!ddi_has(adapter, POINT_EndExclusiveAccess)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_enter_with(&call, adapter, POINT_EndExclusiveAccess, adapter->miniport_context, &arguments,
                   sizeof arguments, 0);
    return ddi_leave(
        &call, DDI_CALL(adapter, EndExclusiveAccess, (adapter->miniport_context, &arguments)));
}
