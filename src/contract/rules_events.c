/* Rules of what the system tells a driver and asks it for besides: events of the computer, requests
 * of the old video port, interfaces, clocks. */
#include "contract/internal.h"
#include "machine/machine.h"

/* ---- Events ---------------------------------------------------------------------------------- */

static const struct contract_event *event(const struct contract_call *call)
{
    return call->arguments;
}

static bool requests_are_defined(struct contract_call *call)
{
    const ULONG flags = *(const ULONG *)call->extra;
    ULONG defined = DXGK_ACPI_POLL_DISPLAY_CHILDREN | DXGK_ACPI_CHANGE_DISPLAY_MODE |
                    DXGK_ACPI_CHANGE_DISPLAY_TOPOLOGY;

    if (event(call)->type == DxgkChainedAcpiEvent) {
        defined |= DXGK_ACPI_CHAIN_NOT_HANDLED;
    }
    return flags == CONTRACT_ACPI_UNTOUCHED || (flags & ~defined) == 0 ||
           contract_say(call, "requests that are defined for the event in AcpiFlags",
                        "AcpiFlags 0x%X, of which 0x%X means nothing for event %u of type %d",
                        (unsigned)flags, (unsigned)(flags & ~defined),
                        (unsigned)event(call)->number, (int)event(call)->type);
}

/* A driver that never writes them asks for nothing, and is known to live; one that writes some has
 * forgotten the others. */
static bool requests_are_written(struct contract_call *call)
{
    bool left = *(const ULONG *)call->extra == CONTRACT_ACPI_UNTOUCHED;
    bool first = !call->tracker->acpi.left;

    if (left && first) {
        call->tracker->acpi.left = true;
        call->tracker->acpi.left_event = event(call)->number;
    }
    bool second = !left && !call->tracker->acpi.written;
    call->tracker->acpi.written |= !left;
    bool tells =
        (left && first && call->tracker->acpi.written) || (second && call->tracker->acpi.left);
    return !tells || contract_say(call, "AcpiFlags written for every event, 0 for no request",
                                  "AcpiFlags were not written for event 0x%X, and are for others",
                                  (unsigned)call->tracker->acpi.left_event);
}

static bool is_acpi_event(ULONG number)
{
    return number == ACPI_NOTIFY_CYCLE_DISPLAY_HOTKEY || number == ACPI_NOTIFY_DOCK_EVENT ||
           number == ACPI_NOTIFY_DEVICE_HOTPLUG || number == ACPI_NOTIFY_PANEL_SWITCH ||
           number == ACPI_NOTIFY_VIDEO_WAKEUP;
}

static bool event_is_in_the_table(struct contract_call *call)
{
    const struct contract_event *told = event(call);
    bool is_power = told->type == DxgkPowerStateEvent;
    bool known = false;

    switch (told->type) {
    case DxgkAcpiEvent:
        known = is_acpi_event(told->number);
        break;
    case DxgkPowerStateEvent:
        known = told->number == PO_CB_AC_STATUS || told->number == PO_CB_LID_SWITCH_STATE;
        break;
    case DxgkDockingEvent:
        known = told->number == ACPI_NOTIFY_DOCK_EVENT;
        break;
    default:
        break;
    }
    return KERNEL_KEEPS(
        call,
        known && is_power == (told->argument != NULL) && (!told->argument || *told->argument <= 1),
        "an event of its type, with the argument that it has", "type %d, event %u, argument %u",
        (int)told->type, (unsigned)told->number, told->argument ? (unsigned)*told->argument : 0);
}

/* ---- Video requests -------------------------------------------------------------------------- */

static const VIDEO_REQUEST_PACKET *packet(const struct contract_call *call)
{
    return call->before;
}

/* The structure that comes back fills the buffer. */
static bool information_is_the_size(struct contract_call *call)
{
    ULONG expected = has_succeeded(call) ? packet(call)->OutputBufferLength : 0;
    ULONG_PTR told = packet(call)->StatusBlock->Information;

    return told == expected ||
           contract_say(call,
                        has_succeeded(call) ? "the size of the whole structure in Information"
                                            : "Information 0 for a request that was not answered",
                        "Information %llu with %s for request 0x%X, whose structure has %u bytes",
                        (unsigned long long)told, status_name(call->status),
                        (unsigned)packet(call)->IoControlCode,
                        (unsigned)packet(call)->OutputBufferLength);
}

/* ---- Interfaces ------------------------------------------------------------------------------ */

/* One of the two questions. */
static bool is_made_up(const struct contract_call *call)
{
    return !contract_is_feature_query(call);
}

static bool unknown_is_not_supported(struct contract_call *call)
{
    return !has_succeeded(call) ||
           contract_say(call, "STATUS_NOT_SUPPORTED for an interface that the driver does not have",
                        "%s for an InterfaceType that was made up for the question",
                        status_name(call->status));
}

/* ---- Clocks ---------------------------------------------------------------------------------- */

static bool clock_was_told(const struct contract_call *call)
{
    return has_succeeded(call) && !track_clock_rests(call->tracker, *(const UINT *)call->extra);
}

static bool clocks_go_on(struct contract_call *call)
{
    const DXGKARG_CALIBRATEGPUCLOCK *told = call->arguments;
    UINT ordinal = *(const UINT *)call->extra;
    const struct contract_clock *last = &call->tracker->clocks[ordinal];

    if (told->GpuFrequency == 0) {
        return contract_say(call, "the frequency of the GPU's counter",
                            "GpuFrequency is 0 for node %u", ordinal);
    }
    if (last->known && (int64_t)(told->GpuClockCounter - last->gpu) < 0) {
        return contract_say(
            call, "a counter that does not go back", "GpuClockCounter %llu for node %u, after %llu",
            (unsigned long long)told->GpuClockCounter, ordinal, (unsigned long long)last->gpu);
    }
    return !last->known || (int64_t)(told->CpuClockCounter - last->cpu) >= 0 ||
           contract_say(call, "a counter that does not go back",
                        "CpuClockCounter %llu for node %u, after %llu",
                        (unsigned long long)told->CpuClockCounter, ordinal,
                        (unsigned long long)last->cpu);
}

#define CLOCK_ROOM_NS NS_PER_MS         /* for a fast one, besides a factor of two */
#define CLOCK_SPAN_NS (100 * NS_PER_US) /* between the calls; of less, nothing slow is said */

#define CLOCK_NEAR_NS (100 * NS_PER_MS) /* of more it may have stood, as where nothing works */

/* Of the device's own counter, as one that is read in its registers is: the time that passed by it,
 * and by the two calls. A counter is far off where its frequency is given in another unit. */
static bool frequency_fits(struct contract_call *call)
{
    const DXGKARG_CALIBRATEGPUCLOCK *told = call->arguments;
    UINT ordinal = *(const UINT *)call->extra;
    const struct contract_clock *last = &call->tracker->clocks[ordinal];
    uint64_t counted = told->GpuClockCounter - last->gpu;

    if (!last->known || call->register_accesses == 0 || told->GpuFrequency == 0 ||
        told->GpuFrequency != last->frequency || (int64_t)counted < 0 ||
        told->GpuClockCounter == UINT64_MAX || call->began_ns - last->ended_ns > CLOCK_NEAR_NS) {
        return contract_no_case(call);
    }
    uint64_t at_most_ns = machine_now_ns() - last->began_ns;
    uint64_t at_least_ns = call->began_ns - last->ended_ns;
    unsigned __int128 by_gpu_ns = (unsigned __int128)counted * NS_PER_S / told->GpuFrequency;
    bool fast = by_gpu_ns > 2 * at_most_ns + CLOCK_ROOM_NS;
    bool slow =
        at_least_ns >= CLOCK_SPAN_NS && 2 * by_gpu_ns < at_least_ns && !vary_on(VARY_STILL_DEVICE);

    return !(fast || slow) ||
           contract_say(call, "GpuFrequency as often as GpuClockCounter counts in a second",
                        "GpuFrequency %llu for node %u, whose GpuClockCounter went on by %llu in "
                        "%llu us",
                        (unsigned long long)told->GpuFrequency, ordinal,
                        (unsigned long long)counted, (unsigned long long)(at_most_ns / NS_PER_US));
}

/* Whatever clock it is, it is one that can be compared with time stamps of commands. */
static bool cpu_counter_counts(struct contract_call *call)
{
    const DXGKARG_CALIBRATEGPUCLOCK *told = call->arguments;
    UINT ordinal = *(const UINT *)call->extra;
    const struct contract_clock *last = &call->tracker->clocks[ordinal];

    if (!last->known || call->began_ns - last->ended_ns < CLOCK_SPAN_NS) {
        return contract_no_case(call);
    }
    return told->CpuClockCounter != last->cpu ||
           contract_say(call,
                        "the CPU's counter of this moment, as KeQueryPerformanceCounter tells",
                        "CpuClockCounter %llu for node %u, as %llu us before",
                        (unsigned long long)told->CpuClockCounter, ordinal,
                        (unsigned long long)((call->began_ns - last->ended_ns) / NS_PER_US));
}

/* ---- Time stamps ----------------------------------------------------------------------------- */

static bool stamps_fit(struct contract_call *call)
{
    const DXGKARG_FORMATHISTORYBUFFER *told = call->arguments, *asked = call->before;
    UINT bits = told->Precision.PrecisionBits;
    uint64_t stamp_bytes = bits > 32 ? 8 : 4;

    if (bits < 32 || bits > 64) {
        return contract_say(call, "32 to 64 in Precision, of what was written",
                            "Precision.PrecisionBits %u beside %u time stamps", bits,
                            told->NumTimestamps);
    }
    return told->NumTimestamps * stamp_bytes <= asked->FormattedBufferSize ||
           contract_say(call, "no more time stamps than the buffer has room for",
                        "NumTimestamps %u, of %u bits each, where FormattedBufferSize is %u bytes",
                        told->NumTimestamps, (unsigned)stamp_bytes * 8, asked->FormattedBufferSize);
}

/* "0 if all are formatted", and else where to go on. There may be no room for what comes next. */
static bool offset_goes_on(struct contract_call *call)
{
    const DXGKARG_FORMATHISTORYBUFFER *told = call->arguments, *asked = call->before;

    return told->Offset == 0 || told->Offset > asked->Offset ||
           (told->Offset == asked->Offset && told->NumTimestamps == 0) ||
           contract_say(call, "0 in Offset behind the last time stamp, else where to go on",
                        "Offset %u, as the call began at %u, with NumTimestamps %u", told->Offset,
                        asked->Offset, told->NumTimestamps);
}

static const struct contract_row rows[] = {
    AFTER(ACPI_001, NotifyAcpiEvent, requests_are_defined, WHEN(has_succeeded)),
    AFTER(ACPI_001, NotifyAcpiEvent, requests_are_written, WHEN(has_succeeded)),
    AFTER(VIDEO_001, DispatchIoRequest, information_is_the_size),
    AFTER(VIDEO_001, DispatchIoRequest,
          UNTOUCHED_BEHIND(VIDEO_REQUEST_PACKET, OutputBuffer, OutputBufferLength, 1)),
    AFTER(QIF_001, QueryInterface, unknown_is_not_supported, WHEN(is_made_up)),
    AFTER(QIF_001, QueryInterface, STATUS_IN(STATUS_NOT_SUPPORTED, STATUS_SUCCESS),
          WHEN(is_made_up), ADVISES),
    AFTER(CLOCK_001, CalibrateGpuClock, clocks_go_on, WHEN(clock_was_told)),
    AFTER(CLOCK_001, CalibrateGpuClock, frequency_fits, WHEN(clock_was_told),
          LEAVES_OUT("a counter that is not in the device's registers, and less than a factor of "
                     "two")),
    AFTER(CLOCK_001, CalibrateGpuClock, cpu_counter_counts, WHEN(clock_was_told)),
    AFTER(HIST_001, FormatHistoryBuffer, stamps_fit, WHEN(has_succeeded)),
    AFTER(HIST_001, FormatHistoryBuffer, offset_goes_on, WHEN(has_succeeded)),
    KERNEL(ACPI_002, NotifyAcpiEvent, event_is_in_the_table),
};

const struct contract_family contract_family_events = FAMILY_OF(rows);
