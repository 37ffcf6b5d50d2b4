/* A clone of a source in stereo: which image a monitor shows that shows one [PRES-044]. */
#include "dxgk/clone_parts.h"
#include "dxgk/internal.h"

/* Which image a monitor shows that shows one, beside one that shows both. */
static void judge_eye(struct cloning *cloning, bool right)
{
    const DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags = {.FlipStereo = 1,
                                                    .FlipStereoPreferRight = right};
    struct dxgk_source *source = cloning->source;
    uint64_t eyes[2], second;

    dxgk_clone_flip_to(cloning, source->shown, &source->pin, flags);
    if (!dxgk_screen_settle(source) || dxgk_clone_is_disturbed(cloning) ||
        !dxgk_target_eye_hash(cloning->adapter, cloning->first, false, &eyes[0]) ||
        !dxgk_target_eye_hash(cloning->adapter, cloning->first, true, &eyes[1]) ||
        eyes[0] == eyes[1] || !dxgk_target_hash(cloning->adapter, cloning->second, &second)) {
        return;
    }
    contract_count(RULE_PRES_044);
    if (second != eyes[right]) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(PRES_044)},
            "on a monitor that shows one image the right one of a stereo primary with "
            "FlipStereoPreferRight, and the left one without",
            "source %u has paths to target %u, which shows stereo, and to target %u, which does "
            "not; after SetVidPnSourceAddress with FlipStereo%s target %u shows %s",
            source->index, cloning->first, cloning->second,
            right ? " and FlipStereoPreferRight" : "", cloning->second,
            second == eyes[!right] ? "the other image" : "neither image");
    }
}

void dxgk_clone_examine_stereo(struct cloning *cloning)
{
    uint64_t unused;

    if (dxgk_adapter_queues_flips(cloning->adapter)) {
        return; /* these flips are none of planes */
    }
    if (cloning->context &&
        !dxgk_target_eye_hash(cloning->adapter, cloning->second, false, &unused)) {
        judge_eye(cloning, true);
        judge_eye(cloning, false);
    }
}
