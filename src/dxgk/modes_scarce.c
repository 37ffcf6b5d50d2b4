/* Modes and sets that cannot be made: what a driver asks of the VidPN interfaces fails once at each
 * place, in calls that nobody waits for.
 *
 *   count the requests of EnumVidPnCofuncModality on a copy ─> again for each of some of them,
 *   which fails with STATUS_NO_MEMORY; the DDI may fail then, and keeps nothing [VIDPN-005] */
#include "dxgk/vidpn.h"

#define TRIALS_MAX 10

bool vidpn_making_fails(struct dxgk_vidpn *vidpn)
{
    return ++vidpn->makings.asked == vidpn->makings.fails;
}

/* How many requests there were. */
static unsigned try_on_copy(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn,
                            unsigned fails)
{
    struct dxgk_vidpn *copy = vidpn_copy(vidpn, D3DDDI_ID_UNINITIALIZED);
    unsigned asked = 0;

    if (copy) {
        copy->makings.fails = fails;
        (void)dxgk_vidpn_enumerate(adapter, copy, D3DKMDT_EPT_NOPIVOT, NULL);
        asked = copy->makings.asked;
        vidpn_destroy(copy);
    }
    return asked;
}

void dxgk_modes_exam_scarce(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    unsigned count = vary_on(VARY_SCARCE_MODES) ? try_on_copy(adapter, vidpn, 0) : 0;

    for (unsigned i = 0; i < count && i < TRIALS_MAX; i++) {
        unsigned fails = count <= TRIALS_MAX ? i : (unsigned)vary_below(VARY_SCARCE_MODES, count);
        vary_happened(VARY_SCARCE_MODES);
        (void)try_on_copy(adapter, vidpn, fails + 1);
    }
}
