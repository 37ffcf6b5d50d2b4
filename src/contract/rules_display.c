/* Rules of outputs, monitors and VidPNs. What a driver does to a VidPN in between, dxgk judges. */
#include "contract/internal.h"

#include <string.h>

/* ---- Children ------------------------------------------------------------------------------- */

static bool is_empty(const DXGK_CHILD_DESCRIPTOR *child)
{
    static const DXGK_CHILD_DESCRIPTOR none;

    return memcmp(child, &none, sizeof none) == 0;
}

/* One element more than there are children was handed over. */
static bool children_are_described(struct contract_call *call)
{
    const struct contract_children *children = call->extra;
    ULONG count = (ULONG)(children->size_bytes / sizeof *children->first);

    if (count < 2) {
        return contract_no_case(call);
    }
    for (ULONG i = 0; i < count - 1; i++) {
        if (is_empty(&children->first[i])) {
            return contract_say(call, "each of the children that StartDevice counted described",
                                "NumberOfChildren is %u, and element %u of the array is empty",
                                (unsigned)(count - 1), (unsigned)i);
        }
        for (ULONG k = 0; k < i; k++) {
            if (children->first[k].ChildUid == children->first[i].ChildUid) {
                return contract_say(call, "a ChildUid of its own for each child",
                                    "elements %u and %u both have ChildUid 0x%X", (unsigned)k,
                                    (unsigned)i, (unsigned)children->first[i].ChildUid);
            }
        }
    }
    return true;
}

static bool asks_for_connection(const struct contract_call *call)
{
    const DXGK_CHILD_STATUS *asked = call->before;
    const struct contract_child *child = contract_child_find(call->tracker, asked->ChildUid);

    return asked->Type == StatusConnection && child && child->can_be_asked;
}

static bool tells_of_a_fixed_one(const struct contract_call *call)
{
    const DXGK_CHILD_STATUS *told = call->arguments;
    const struct contract_child *child = contract_child_find(call->tracker, told->ChildUid);

    return told->Type == StatusConnection && child && child->always_connected;
}

static bool is_connected_still(struct contract_call *call)
{
    const DXGK_CHILD_STATUS *told = call->arguments;

    return told->HotPlug.Connected ||
           contract_say(call, "nothing disconnected from a child that is always connected",
                        "HotPlug.Connected is FALSE for ChildUid 0x%X, whose HpdAwareness is "
                        "HpdAwarenessAlwaysConnected",
                        (unsigned)told->ChildUid);
}

/* The question may fail, as when a device does not answer. Of these none is such a failure. */
static bool says_unknown(NTSTATUS status)
{
    return status == STATUS_INVALID_PARAMETER || status == STATUS_INVALID_PARAMETER_2 ||
           status == STATUS_NOT_SUPPORTED || status == STATUS_NOT_IMPLEMENTED ||
           status == STATUS_INVALID_DEVICE_REQUEST || status == STATUS_NO_SUCH_DEVICE ||
           status == STATUS_NOT_FOUND;
}

static bool connection_is_told(struct contract_call *call)
{
    const DXGK_CHILD_STATUS *asked = call->before;

    return !says_unknown(call->status) ||
           contract_say(call, "the connection of a child that QueryChildRelations listed",
                        "%s for ChildUid 0x%X", status_name(call->status),
                        (unsigned)asked->ChildUid);
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

#define BLOCK_BYTES 128u

static const DXGK_DEVICE_DESCRIPTOR *asked(const struct contract_call *call)
{
    return call->before;
}

/* A driver may say that it returned less. */
static ULONG answered_bytes(const struct contract_call *call)
{
    ULONG length = ((const DXGK_DEVICE_DESCRIPTOR *)call->arguments)->DescriptorLength;

    return length < asked(call)->DescriptorLength ? length : asked(call)->DescriptorLength;
}

static const struct contract_child *child_of(const struct contract_call *call)
{
    return contract_child_find(call->tracker, *(const ULONG *)call->extra);
}

static bool is_monitor(const struct contract_call *call)
{
    const struct contract_child *child = child_of(call);

    return child && child->has_connector;
}

/* What a driver says of a monitor that was pulled out a moment ago is not written. */
static bool is_monitor_there(const struct contract_call *call)
{
    return is_monitor(call) && !child_of(call)->pulled_out;
}

static bool gives_monitor_bytes(const struct contract_call *call)
{
    return is_monitor(call) && has_succeeded(call);
}

static bool gives_first_block(const struct contract_call *call)
{
    return gives_monitor_bytes(call) && asked(call)->DescriptorOffset == 0 &&
           asked(call)->DescriptorLength >= BLOCK_BYTES;
}

static bool begins_behind_the_last_block(const struct contract_call *call)
{
    const struct contract_child *child = child_of(call);

    return child && child->descriptor_bytes &&
           asked(call)->DescriptorOffset >= child->descriptor_bytes;
}

static bool there_is_no_more(struct contract_call *call)
{
    /* The status of a monitor that has none says too much of one that gave it. */
    return (!has_succeeded(call) && call->status != STATUS_MONITOR_NO_DESCRIPTOR) ||
           contract_say(call, "STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA behind the last block",
                        "%s at offset %u of a descriptor of %u bytes", status_name(call->status),
                        (unsigned)asked(call)->DescriptorOffset,
                        (unsigned)child_of(call)->descriptor_bytes);
}

/* Byte `at` of the answer; `is` is none of the monitor's. */
static bool say_wrong_byte(struct contract_call *call, ULONG at, unsigned is)
{
    const DXGK_DEVICE_DESCRIPTOR *request = asked(call);
    const struct contract_child *child = child_of(call);
    ULONG position = request->DescriptorOffset + at;

    if (position >= child->descriptor_bytes) {
        return contract_say(call,
                            "DescriptorLength cut to what is left behind DescriptorOffset, and no "
                            "byte from past the end of the descriptor",
                            "asked for %u bytes at offset %u of a descriptor of %u bytes, the "
                            "driver wrote 0x%02X for byte %u, past its end",
                            (unsigned)request->DescriptorLength,
                            (unsigned)request->DescriptorOffset, (unsigned)child->descriptor_bytes,
                            is, (unsigned)position);
    }
    return contract_say(call, "the monitor's bytes from DescriptorOffset on",
                        "asked for %u bytes at offset %u, the driver gave 0x%02X for byte %u, "
                        "which was 0x%02X in the whole block, and no other monitor was told of "
                        "since%s",
                        (unsigned)request->DescriptorLength, (unsigned)request->DescriptorOffset,
                        is, (unsigned)position, child->descriptor[position],
                        is == child->descriptor[at] ? ": the descriptor from its beginning" : "");
}

/* What the driver did not write still has the filling of the buffer. */
static bool portions_agree(struct contract_call *call)
{
    const DXGK_DEVICE_DESCRIPTOR *request = asked(call);
    const uint8_t *bytes = request->DescriptorBuffer;
    const struct contract_child *child = child_of(call);

    if (!child->descriptor_bytes) {
        return contract_no_case(call); /* the first answer is what the others are held against */
    }
    for (ULONG i = 0; i < answered_bytes(call); i++) {
        ULONG position = request->DescriptorOffset + i;
        bool right = position < child->descriptor_bytes
                         ? bytes[i] == child->descriptor[position]
                         : bytes[i] == CONTRACT_DESCRIPTOR_FILL || bytes[i] == 0;
        if (position >= child->descriptor_known && position < child->descriptor_bytes) {
            continue;
        }
        if (!right) {
            return say_wrong_byte(call, i, bytes[i]);
        }
    }
    return true;
}

static bool is_an_edid(struct contract_call *call)
{
    static const uint8_t header[] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};
    const uint8_t *bytes = asked(call)->DescriptorBuffer;
    unsigned sum = 0;

    if (memcmp(bytes, header, sizeof header) != 0) {
        return contract_say(call, "an EDID block: it begins with 00 FF FF FF FF FF FF 00",
                            "the first block begins with %02X %02X %02X %02X %02X %02X %02X %02X",
                            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
                            bytes[7]);
    }
    for (unsigned i = 0; i < BLOCK_BYTES; i++) {
        sum += bytes[i];
    }
    return sum % 256 == 0 ||
           contract_say(call, "an EDID block: the sum of its 128 bytes is 0",
                        "the checksum of the first block is wrong: the sum of its bytes is 0x%02X",
                        sum % 256);
}

/* ---- Container ids --------------------------------------------------------------------------- */

static bool is_same_id(const GUID *left, const GUID *right)
{
    return memcmp(left, right, sizeof *left) == 0;
}

static bool container_is_the_monitors(struct contract_call *call)
{
    static const GUID none;
    const GUID *given = &((const DXGK_CHILD_CONTAINER_ID *)call->arguments)->ContainerId;
    const struct contract_child *child = child_of(call);
    uint64_t monitor = child ? contract_monitor_hash(child) : 0;

    if (is_same_id(given, &none)) {
        return contract_say(call, "an identifier of the monitor in ContainerId",
                            "STATUS_SUCCESS with an empty ContainerId");
    }
    if (monitor && child->contained_hash == monitor && !is_same_id(given, &child->container)) {
        return contract_say(call, "the same ContainerId for the same monitor",
                            "ChildUid 0x%X had another ContainerId when it was asked before, with "
                            "the same descriptor",
                            (unsigned)child->uid);
    }
    return true;
}

#define MAKER_AT    8u /* in the first block: manufacturer and product */
#define MAKER_BYTES 4u

/* The two halves of one large monitor say that they are of one make. */
static bool are_of_one_make(const struct contract_child *left, const struct contract_child *right)
{
    return memcmp(left->descriptor + MAKER_AT, right->descriptor + MAKER_AT, MAKER_BYTES) == 0;
}

static bool shares_with_none(struct contract_call *call, bool of_one_make)
{
    const GUID *given = &((const DXGK_CHILD_CONTAINER_ID *)call->arguments)->ContainerId;
    const struct contract_child *child = child_of(call);
    uint64_t monitor = child ? contract_monitor_hash(child) : 0;

    for (unsigned i = 0; monitor && i < call->tracker->listed_children; i++) {
        const struct contract_child *other = &call->tracker->children[i];
        if (other != child && other->contained_hash && other->contained_hash != monitor &&
            is_same_id(given, &other->container) && are_of_one_make(child, other) == of_one_make) {
            return contract_say(call, "a ContainerId of its own for each monitor",
                                "ChildUid 0x%X and ChildUid 0x%X have one ContainerId, and "
                                "monitors with different descriptors%s",
                                (unsigned)child->uid, (unsigned)other->uid,
                                of_one_make ? " of one product: right if they are the parts of one "
                                              "that has two inputs"
                                            : "");
        }
    }
    return true;
}

static bool container_is_no_others(struct contract_call *call)
{
    return shares_with_none(call, false);
}

static bool container_is_no_twins(struct contract_call *call)
{
    return shares_with_none(call, true);
}

static bool accepts_default(const struct contract_call *call)
{
    return call->status == STATUS_MONITOR_NO_DESCRIPTOR;
}

static bool default_is_kept(struct contract_call *call)
{
    return memcmp(call->arguments, call->before, sizeof(DXGK_CHILD_CONTAINER_ID)) == 0 ||
           contract_say(call, "the structure left as it was by a driver that accepts the default",
                        "STATUS_MONITOR_NO_DESCRIPTOR, and the structure was changed");
}

/* ---- VidPNs --------------------------------------------------------------------------------- */

static const DXGKARG_ISSUPPORTEDVIDPN *question(const struct contract_call *call)
{
    return call->arguments;
}

static bool asks_about_nothing(const struct contract_call *call)
{
    return ((const DXGKARG_ISSUPPORTEDVIDPN *)call->before)->hDesiredVidPn == NULL;
}

static bool no_is_no_error(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS || asks_about_nothing(call) /* below */ ||
           call->status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY ||
           call->status == STATUS_NO_MEMORY || call->status == STATUS_INSUFFICIENT_RESOURCES ||
           contract_say(call,
                        "STATUS_SUCCESS, with FALSE in IsVidPnSupported for a VidPN that is not "
                        "supported",
                        "IsSupportedVidPn answered %s", status_name(call->status));
}

static bool nothing_is_supported(struct contract_call *call)
{
    return (call->status == STATUS_SUCCESS && question(call)->IsVidPnSupported) ||
           contract_say(call, "IsVidPnSupported TRUE when hDesiredVidPn is 0",
                        "IsSupportedVidPn without a VidPN answered %s with IsVidPnSupported %u",
                        status_name(call->status), question(call)->IsVidPnSupported);
}

static bool topology_is_wrong(const struct contract_call *call)
{
    return call->status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
}

static bool wrong_topology_is_not_supported(struct contract_call *call)
{
    return !question(call)->IsVidPnSupported ||
           contract_say(call, "IsVidPnSupported FALSE with this status", "TRUE with %s",
                        status_name(call->status));
}

static bool is_success_or_error(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS || !NT_SUCCESS(call->status) ||
           contract_say(call, "STATUS_SUCCESS or an error",
                        "%s, which is an answer of the VidPN interfaces",
                        status_name(call->status));
}

static bool tells_of_a_connection(const struct contract_call *call)
{
    const DXGK_CHILD_STATUS *status = call->arguments;

    return has_succeeded(call) && status->Type == StatusConnection;
}

/* ---- Vertical syncs, on and off -------------------------------------------------------------- */

static const char *state_name(DXGK_CRTC_VSYNC_STATE state)
{
    return state == DXGK_VSYNC_ENABLE               ? "DXGK_VSYNC_ENABLE"
           : state == DXGK_VSYNC_DISABLE_KEEP_PHASE ? "DXGK_VSYNC_DISABLE_KEEP_PHASE"
                                                    : "DXGK_VSYNC_DISABLE_NO_PHASE";
}

static bool is_switched(struct contract_call *call)
{
    const struct contract_switch *asked = call->extra;

    if (asked->type != DXGK_INTERRUPT_CRTC_VSYNC) {
        return call->status == STATUS_NOT_IMPLEMENTED ||
               contract_say(call, "STATUS_NOT_IMPLEMENTED", "%s for type %d",
                            status_name(call->status), (int)asked->type);
    }
    return call->status == STATUS_SUCCESS ||
           contract_say(call, "STATUS_SUCCESS", "%s for DXGK_INTERRUPT_CRTC_VSYNC%s%s",
                        status_name(call->status),
                        call->point == POINT_ControlInterrupt ? "" : ", ",
                        call->point == POINT_ControlInterrupt ? "" : state_name(asked->state));
}

static const struct contract_row rows[] = {
    AFTER(CHILD_001, QueryChildRelations, children_are_described, WHEN(has_succeeded)),
    AFTER(CHILD_002, QueryChildStatus, connection_is_told, WHEN(asks_for_connection)),
    BEFORE(CHILD_011, CbIndicateChildStatus, is_connected_still, WHEN(tells_of_a_fixed_one)),
    AFTER(GEN_010, QueryChildStatus, FILLED(DXGK_CHILD_STATUS, HotPlug.Connected),
          WHEN(tells_of_a_connection)),
    AFTER(GEN_010, GetScanLine, FILLED(DXGKARG_GETSCANLINE, InVerticalBlank), WHEN(has_succeeded)),
    AFTER(GEN_010, IsSupportedVidPn, FILLED(DXGKARG_ISSUPPORTEDVIDPN, IsVidPnSupported),
          WHEN(has_succeeded)),
    AFTER(CHILD_003, QueryDeviceDescriptor,
          STATUS_IN(STATUS_SUCCESS, STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED,
                    STATUS_MONITOR_NO_DESCRIPTOR, STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA,
                    STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES),
          WHEN(is_monitor_there),
          LEAVES_OUT("errors for a monitor that was pulled out and not yet told of")),
    AFTER(CHILD_003, QueryDeviceDescriptor,
          UNTOUCHED_BEHIND(DXGK_DEVICE_DESCRIPTOR, DescriptorBuffer, DescriptorLength, 1)),
    AFTER(CHILD_003, QueryDeviceDescriptor, there_is_no_more, WHEN(begins_behind_the_last_block)),
    AFTER(CHILD_004, QueryDeviceDescriptor, portions_agree, WHEN(gives_monitor_bytes)),
    AFTER(CHILD_005, QueryDeviceDescriptor, is_an_edid, WHEN(gives_first_block)),
    AFTER(CHILD_008, GetChildContainerId, container_is_the_monitors, WHEN(has_succeeded)),
    AFTER(CHILD_008, GetChildContainerId, container_is_no_others, WHEN(has_succeeded)),
    AFTER(CHILD_008, GetChildContainerId, container_is_no_twins, WHEN(has_succeeded), ADVISES),
    AFTER(CHILD_009, GetChildContainerId, default_is_kept, WHEN(accepts_default)),
    AFTER(VIDPN_001, IsSupportedVidPn, no_is_no_error),
    AFTER(VIDPN_001, IsSupportedVidPn, wrong_topology_is_not_supported, WHEN(topology_is_wrong)),
    AFTER(VIDPN_001, IsSupportedVidPn, nothing_is_supported, WHEN(asks_about_nothing)),
    AFTER(VIDPN_009, EnumVidPnCofuncModality, is_success_or_error),
    AFTER(VIDPN_009, CommitVidPn, is_success_or_error, ADVISES),
    AFTER(VIDPN_009, RecommendMonitorModes, is_success_or_error),
    AFTER(INT_024, ControlInterrupt, is_switched),
    AFTER(INT_024, ControlInterrupt2, is_switched),
    AFTER(INT_024, ControlInterrupt3, is_switched),
    AFTER(SHOW_011, SetDisplayPrivateDriverFormat,
          STATUS_IN(STATUS_SUCCESS, STATUS_UNSUCCESSFUL, STATUS_NO_MEMORY)),
    AFTER(VIDPN_014, RecommendVidPnTopology,
          STATUS_NOT_IN(STATUS_GRAPHICS_CANCEL_VIDPN_TOPOLOGY_AUGMENTATION),
          SAYS("no end of an augmentation where a topology is to be made")),
};

const struct contract_family contract_family_display = FAMILY_OF(rows);
