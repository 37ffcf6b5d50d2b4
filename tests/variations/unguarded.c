/* unguarded: the reference driver as a .sys, which may have handlers; of what a client can take
 * away while Render reads it one row guards a part alone. */
#include "../drivers/misbehave/misbehave.h"

/* "Whoever has read the header has the rest." */
static NTSTATUS NTAPI guards_the_header(const HANDLE context, DXGKARG_RENDER *render)
{
    volatile UCHAR last;
    ULONG header;

    if (render->CommandLength < sizeof(header) ||
        !softgpu_copy_from_user(&header, render->pCommand, sizeof(header))) {
        return STATUS_INVALID_USER_BUFFER;
    }
    last = ((const UCHAR *)render->pCommand)[render->CommandLength - 1];
    UNREFERENCED_PARAMETER(last);
    return misbehave_driver.DxgkDdiRender(context, render);
}

static const struct misbehaviour rows[] = {
    IS_FOUND("FAULT", IN_DDI(Render), guards_the_header, 0),
};

MISBEHAVIOURS(unguarded);
