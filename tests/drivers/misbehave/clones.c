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

/* "A clone is as large as its source." */
static NTSTATUS NTAPI clone_is_not_scaled(const HANDLE handle,
                                          const DXGKARG_COMMITVIDPN *const commit)
{
    struct softgpu_adapter *adapter = handle;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(handle, commit);
    ULONG i;

    for (i = 0; NT_SUCCESS(status) && i < adapter->output_count; i++) {
        struct softgpu_scaler *scaler = &adapter->output[i].scaler;

        if (scaler->source_size != 0 &&
            adapter->output[i].source == commit->AffectedVidPnSourceId) {
            scaler->window_position = 0;
            scaler->window_size = scaler->source_size;
            softgpu_scaler_program(adapter, i);
        }
    }
    return status;
}

/* The commit sets up the paths that it finds; an output that has lost its path goes on. */
static NTSTATUS NTAPI lost_path_stays(const HANDLE handle, const DXGKARG_COMMITVIDPN *const commit)
{
    struct softgpu_adapter *adapter = handle;
    const ULONG source = commit->AffectedVidPnSourceId;
    struct softgpu_output before[SOFTGPU_OUTPUT_MAX];
    ULONG i, shown = 0;
    NTSTATUS status;

    RtlCopyMemory(before, adapter->output, sizeof(before));
    status = misbehave_driver.DxgkDdiCommitVidPn(handle, commit);
    for (i = 0; i < adapter->output_count; i++) {
        shown += adapter->output[i].source == source;
    }
    for (i = 0; NT_SUCCESS(status) && shown == 1 && i < adapter->output_count; i++) {
        if (before[i].source == source && adapter->output[i].source != source) {
            adapter->output[i] = before[i];
            softgpu_output_program(adapter, i);
        }
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(FLIP_012, IN_DDI(SetVidPnSourceAddress), flip_of_one_output, SCENE_REPLUG),
    BREAKS_RULE(SHOW_013, IN_DDI(CommitVidPn), clone_is_not_scaled, SCENE_CLONES),
    BREAKS_RULE(FLIP_012, IN_DDI(SetVidPnSourceAddress), flip_of_one_output, SCENE_CLONES),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), one_output_is_shown, SCENE_REPLUG),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), one_output_is_pointed_on, SCENE_REPLUG),
    BREAKS_RULE(VIDPN_011, IN_DDI(CommitVidPn), lost_path_stays, SCENE_REPLUG),
};

MISBEHAVIOURS(clones);
