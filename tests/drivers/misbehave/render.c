/* render.c: wrong answers to Render. */
#include "misbehave.h"

/* One reference behind the end of what was produced. */
static NTSTATUS NTAPI patch_offset_behind_the_end(const HANDLE context, DXGKARG_RENDER *render)
{
    D3DDDI_PATCHLOCATIONLIST *first = render->pPatchLocationListOut;
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    if (render->pPatchLocationListOut != first && misbehave_once()) {
        render->pPatchLocationListOut[-1].PatchOffset = 0x8000;
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(RENDER_018, IN_DDI(Render), patch_offset_behind_the_end, SCENE_PLAIN),
};

MISBEHAVIOURS(render);
