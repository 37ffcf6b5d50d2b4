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

#define FOR_ONE_OUTPUT(name, ddi, type)                                       \
    static NTSTATUS NTAPI name(const HANDLE handle, const type *arguments)    \
    {                                                                         \
        struct softgpu_adapter *adapter = handle;                             \
        ULONG output = 0;                                                     \
        ULONG count = hide_clone(adapter, arguments->VidPnSourceId, &output); \
        NTSTATUS status = misbehave_driver.DxgkDdi##ddi(handle, arguments);   \
        if (count > 1) {                                                      \
            adapter->output[output].source = arguments->VidPnSourceId;        \
        }                                                                     \
        return status;                                                        \
    }

FOR_ONE_OUTPUT(flip_of_one_output, SetVidPnSourceAddress, DXGKARG_SETVIDPNSOURCEADDRESS)
FOR_ONE_OUTPUT(one_output_is_shown, SetVidPnSourceVisibility, DXGKARG_SETVIDPNSOURCEVISIBILITY)
FOR_ONE_OUTPUT(one_output_is_pointed_on, SetPointerPosition, DXGKARG_SETPOINTERPOSITION)

static const struct misbehaviour rows[] = {
    BREAKS_RULE(FLIP_012, IN_DDI(SetVidPnSourceAddress), flip_of_one_output, SCENE_REPLUG),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), one_output_is_shown, SCENE_REPLUG),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), one_output_is_pointed_on, SCENE_REPLUG),
};

MISBEHAVIOURS(clones);
