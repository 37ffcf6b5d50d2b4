/* clones.c: a source that is shown on two outputs. */
#include "misbehave.h"

/* The loops over outputs end with the first one that shows the source: what they do is done while
 * the last one shows another. */
static ULONG hide_clone(struct softgpu_adapter *adapter, ULONG source, ULONG *output)
{
    ULONG i, count = 0;

    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source == source) {
            *output = i;
            count++;
        }
    }
    if (count > 1) {
        adapter->output[*output].source = SOFTGPU_OUTPUT_MAX;
    }
    return count;
}

static NTSTATUS NTAPI flip_of_one_output(const HANDLE handle,
                                         const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct softgpu_adapter *adapter = handle;
    ULONG output = 0, count = hide_clone(adapter, arguments->VidPnSourceId, &output);
    NTSTATUS status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(handle, arguments);

    if (count > 1) {
        adapter->output[output].source = arguments->VidPnSourceId;
    }
    return status;
}

static NTSTATUS NTAPI one_output_is_shown(const HANDLE handle,
                                          const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    struct softgpu_adapter *adapter = handle;
    ULONG output = 0, count = hide_clone(adapter, arguments->VidPnSourceId, &output);
    NTSTATUS status = misbehave_driver.DxgkDdiSetVidPnSourceVisibility(handle, arguments);

    if (count > 1) {
        adapter->output[output].source = arguments->VidPnSourceId;
    }
    return status;
}

static NTSTATUS NTAPI one_output_is_pointed_on(const HANDLE handle,
                                               const DXGKARG_SETPOINTERPOSITION *arguments)
{
    struct softgpu_adapter *adapter = handle;
    ULONG output = 0, count = hide_clone(adapter, arguments->VidPnSourceId, &output);
    NTSTATUS status = misbehave_driver.DxgkDdiSetPointerPosition(handle, arguments);

    if (count > 1) {
        adapter->output[output].source = arguments->VidPnSourceId;
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(FLIP_012, IN_DDI(SetVidPnSourceAddress), flip_of_one_output, SCENE_REPLUG),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), one_output_is_shown, SCENE_REPLUG),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), one_output_is_pointed_on, SCENE_REPLUG),
};

MISBEHAVIOURS(clones);
