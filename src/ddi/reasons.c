/* Why a run did not call a DDI. See reasons.def. */
#include "ddi/ddi.h"

static const char *const reasons[POINT_DDI_COUNT] = {
#define REASON(name, text) [POINT_##name] = "it takes " text,
#define NEVER(name, text)  REASON(name, text)
#include "ddi/reasons.def"
#undef NEVER
#undef REASON
};

const char *ddi_why_not_called(unsigned point)
{
    if (point >= POINT_DDI_COUNT) {
        return NULL;
    }
    return reasons[point] ? reasons[point] : "Drydock does not call it yet";
}
