/* present.c */
#include "misbehave.h"

static NTSTATUS NTAPI wrong(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    return misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CAPS_001, DDI(QueryAdapterInfo), wrong, SCENE_REFUSED),
};

MISBEHAVIOURS(present);
