/* Rules of the notices of vertical syncs: whose they are, and which address they tell. */
#include "contract/internal.h"
#include "contract/part.h"

static const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool is_vsync(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC;
}

static bool is_vsync_of_flips(const struct contract_call *call)
{
    return is_vsync(call) && call->tracker->caps.FlipCaps.FlipOnVSyncMmIo;
}

/* The page wants the address of every driver; one with flips by command ran for years without. */
static bool is_vsync_of_commands(const struct contract_call *call)
{
    return is_vsync(call) && !call->tracker->caps.FlipCaps.FlipOnVSyncMmIo;
}

static bool is_vsync_with_mask(const struct contract_call *call)
{
    return is_vsync(call) && notice_of(call)->Flags.ValidPhysicalAdapterMask;
}

static const struct contract_source *source_at(const struct contract_call *call, unsigned index)
{
    return index < call->tracker->source_count && index < CONTRACT_SOURCES_MAX
               ? &call->tracker->sources[index]
               : NULL;
}

/* Which source a target shows is not said at the door: an address of any will do. */
static bool was_given(const struct contract_call *call, uint64_t address)
{
    const struct contract_source *source;

    for (unsigned i = 0; (source = source_at(call, i)) != NULL; i++) {
        for (unsigned k = 0; k < source->address_count && k < CONTRACT_ADDRESSES_MAX; k++) {
            if (source->addresses[k] == address) {
                return true;
            }
        }
        if (contract_shows_or_waits(source, address)) {
            return true; /* a long queue waits: its first were given before those */
        }
    }
    return false;
}

/* A target whose source may be one that was given no address, ever or since CommitVidPn, shows what
 * its driver likes; one that once told an address that was given shows another source. */
static bool must_show_what_was_given(const struct contract_call *call)
{
    const struct contract_child *child =
        contract_child_find(call->tracker, notice_of(call)->CrtcVsync.VidPnTargetId);
    const struct contract_source *source;
    bool any = false, all = true;

    for (unsigned i = 0; (source = source_at(call, i)) != NULL; i++) {
        any |= source->address_count > 0;
        all &= (source->address_count > 0 && !source->renewed) || !source->committed;
    }
    return any && (all || (child && child->told_given));
}

static bool vsync_shows_what_was_asked(struct contract_call *call)
{
    uint64_t address = (uint64_t)notice_of(call)->CrtcVsync.PhysicalAddress.QuadPart;

    struct contract_child *child =
        contract_child_find(call->tracker, notice_of(call)->CrtcVsync.VidPnTargetId);
    bool given = was_given(call, address);
    char part[PART_TEXT_MAX];

    if (child && given && !contract_any_is_renewed(call->tracker)) {
        child->told_given = true;
    }
    if (address == 0 /* a breach of its own [INT-010] */ || !must_show_what_was_given(call)) {
        return contract_no_case(call);
    }
    return given ||
           contract_say(call, "an address that SetVidPnSourceAddress gave",
                        "the display shows 0x%llX, which it was never given%s%s",
                        (unsigned long long)address,
                        contract_part_of_given(call->tracker, address, part) ? ", and " : "", part);
}

/* Surfaces take turns, so that an old address was given, too. */
static bool vsync_has_the_address_in_force(struct contract_call *call)
{
    uint64_t address = (uint64_t)notice_of(call)->CrtcVsync.PhysicalAddress.QuadPart;
    const struct contract_source *source, *last = NULL;

    for (unsigned i = 0; (source = source_at(call, i)) != NULL; i++) {
        last = source->committed ? source : last;
        if (source->committed && contract_may_show(source, address)) {
            return true;
        }
    }
    return !last || !was_given(call, address) || /* never given: FLIP-004 */
           contract_say(call, "the primary address in force",
                        "the notice tells 0x%llX, an address of an earlier flip; 0x%llX is shown",
                        (unsigned long long)address, (unsigned long long)last->shown);
}

/* Notices that came late may tell the old one twice; not a third time. */
static bool flip_takes_effect(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = notice_of(call);
    uint64_t address = (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
    const struct contract_source *source;

    for (unsigned i = 0; (source = source_at(call, i)) != NULL; i++) {
        bool waits = source->pending_count > 0 && source->waited >= CONTRACT_LATE_VSYNCS &&
                     source->waited_target == data->CrtcVsync.VidPnTargetId;
        bool flips = false;
        for (unsigned k = 0; k < source->pending_count; k++) {
            flips |= source->pending[k] == address;
        }
        if (waits && !flips && source->shown_known && address == source->shown) {
            return contract_say(call, "a flip shown after at most two vertical syncs",
                                "0x%llX is still shown, %u vertical syncs after the flip to 0x%llX",
                                (unsigned long long)address, source->waited + 1,
                                (unsigned long long)source->pending[0]);
        }
    }
    return true;
}

/* How many sources there are StartDevice tells when it returns, and nothing was shown by then. */
static bool starts_yet(const struct contract_call *call)
{
    return call->tracker->state != CONTRACT_DEVICE_STARTED;
}

/* Zero is an address like any other: it is wrong where every source was given another one, since
 * its last mode was set: a device that forgot the one before, in a sleep, has none until then. */
static bool vsync_has_an_address(struct contract_call *call)
{
    const struct contract_source *source;

    if (notice_of(call)->CrtcVsync.PhysicalAddress.QuadPart != 0 || was_given(call, 0)) {
        return true;
    }
    if (starts_yet(call)) {
        return contract_no_case(call);
    }
    for (unsigned i = 0; (source = source_at(call, i)) != NULL; i++) {
        if (source->address_count == 0 || source->renewed) {
            return contract_no_case(call);
        }
    }
    return contract_say(call, "the address that is shown", "CrtcVsync.PhysicalAddress is 0");
}

static bool vsync_of_a_display(struct contract_call *call)
{
    if (call->tracker->source_count > 0 || starts_yet(call)) {
        return contract_no_case(call);
    }
    return contract_say(call, "no vertical sync of an adapter without outputs",
                        "CRTC_VSYNC from a render-only adapter");
}

#define NOTICE DXGKARGCB_NOTIFY_INTERRUPT_DATA

static const struct contract_row rows[] = {
    BEFORE(INT_011, CbNotifyInterrupt, vsync_of_a_display, WHEN(is_vsync), STOPS(0x119, 7)),
    BEFORE(INT_010, CbNotifyInterrupt, vsync_has_an_address, WHEN(is_vsync_of_flips)),
    BEFORE(INT_010, CbNotifyInterrupt, vsync_has_an_address, WHEN(is_vsync_of_commands), ADVISES),
    BEFORE(INT_010, CbNotifyInterrupt, vsync_has_the_address_in_force, WHEN(is_vsync)),
    BEFORE(FLIP_004, CbNotifyInterrupt, vsync_shows_what_was_asked, WHEN(is_vsync)),
    BEFORE(FLIP_004, CbNotifyInterrupt, flip_takes_effect, WHEN(is_vsync_of_flips)),
    BEFORE(INT_012, CbNotifyInterrupt, FIELD_NOT_ZERO(NOTICE, CrtcVsync.PhysicalAdapterMask),
           WHEN(is_vsync_with_mask), SAYS("Flags.ValidPhysicalAdapterMask is set"),
           LEAVES_OUT("linked adapters, of which a mask of 0 stops the system: there are none")),
};

const struct contract_family contract_family_vsync = FAMILY_OF(rows);
