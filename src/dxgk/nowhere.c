/* Commands of a client that are, or go, where that has nothing in memory.
 *
 * What faults then may be the client's doing or the driver's, which gives the device another
 * address than the kernel said, or tells another's fault as this one's. The client's it is where it
 * says that address itself: in the bytes of its commands. So is a write that nobody says; what is
 * read may be commands that the driver has the device look for in a wrong place. */
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <string.h>

#define LOOKED_AT_MAX (UINT64_C(64) << 10) /* of commands; longer ones say nothing behind that */

/* Its process has nothing in memory at one of these addresses. */
static bool are_nowhere(const struct dxgk_packet *packet, uint64_t begin, uint64_t size)
{
    struct vidmm_space *space = &packet->context->device->process->space.memory;
    struct vidmm_translation at;

    vidmm_space_translate(space, begin, &at);
    while (at.mapped && (!at.allocation || at.resident) && at.bytes < size) {
        begin += at.bytes;
        size -= at.bytes;
        vidmm_space_translate(space, begin, &at);
    }
    return !at.mapped || (at.allocation && !at.resident);
}

/* Its commands are where its client says, and as that wrote them. */
static bool is_clients_own(const struct dxgk_packet *packet)
{
    const struct dxgk_mmu *mmu = &packet->adapter->mmu;

    return (packet->road == &dxgk_road_virtual || packet->road == &dxgk_road_hwqueue) &&
           (!mmu->shared || mmu->gives) && !packet->submission.spoiled;
}

/* What it maps there later comes too late. */
void dxgk_submission_look_where(struct dxgk_packet *packet)
{
    packet->submission.nowhere =
        packet->submission.size > 0 && is_clients_own(packet) &&
        are_nowhere(packet, packet->submission.address, packet->submission.size);
}

bool dxgk_submission_is_nowhere(const struct dxgk_packet *packet)
{
    return (packet->road == &dxgk_road_virtual || packet->road == &dxgk_road_hwqueue) &&
           packet->submission.nowhere;
}

/* ---- What its commands say ------------------------------------------------------------------- */

/* The bytes from there on, within a page, behind the GPU's back; NULL: they are not known. */
static const uint8_t *bytes_at(const struct dxgk_packet *packet, uint64_t address, size_t size)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct dxgk_space *space = &packet->context->device->process->space;
    struct contract_shown shown;

    contract_page_shown(adapter->ddi.tracker, space->driver_handle, address >> MACHINE_PAGE_SHIFT,
                        &shown);
    if (!shown.known || !shown.valid || shown.zero) {
        return NULL;
    }
    uint64_t at = (shown.page << MACHINE_PAGE_SHIFT) + address % MACHINE_PAGE_SIZE;
    const struct vidmm_segment_options *segment = vidmm_segment(adapter->vidmm, shown.segment);
    if (shown.segment == 0) {
        return ram_at(at, size);
    }
    return segment && range_fits(at, size, segment->size_bytes)
               ? dxgk_vidmm_backend.segment_bytes(adapter->vidmm, shown.segment, at, size)
               : NULL;
}

static bool is_on_page(uint64_t low, uint64_t high, uint64_t page)
{
    return (high << 32 | low) >> MACHINE_PAGE_SHIFT == page;
}

/* Two words beside each other, either of which may be the lower half. */
static bool say_page(const uint8_t *bytes, size_t size, uint64_t page)
{
    uint32_t words[2];

    for (size_t i = 0; i + sizeof words <= size; i += sizeof words[0]) {
        memcpy(words, bytes + i, sizeof words);
        if (is_on_page(words[0], words[1], page) || is_on_page(words[1], words[0], page)) {
            return true;
        }
    }
    return false;
}

/* Some of an address may lie on the next page: nobody puts it together. */
static bool names(const struct dxgk_packet *packet, uint64_t address)
{
    uint64_t begin = packet->submission.address, size = packet->submission.size;
    uint64_t end = begin + (size < LOOKED_AT_MAX ? size : LOOKED_AT_MAX);

    while (begin < end) {
        uint64_t next = align_down(begin, MACHINE_PAGE_SIZE) + MACHINE_PAGE_SIZE;
        size_t part = (size_t)((next < end ? next : end) - begin);
        const uint8_t *bytes = bytes_at(packet, begin, part);
        if (bytes && say_page(bytes, part, address >> MACHINE_PAGE_SHIFT)) {
            return true;
        }
        begin += part;
    }
    return false;
}

/* Another process's commands on the same node say it: the driver told of the wrong one. */
static bool others_name(const struct dxgk_packet *packet, uint64_t address)
{
    const struct dxgk_process *own = packet->context->device->process;

    list_for_each (link, &packet->adapter->packets) {
        const struct dxgk_packet *other = container_of(link, struct dxgk_packet, live_link);
        if (other->road == packet->road && other->vidsch.submitted &&
            other->context->node == packet->context->node && other->context->device->process &&
            other->context->device->process != own && names(other, address)) {
            return true;
        }
    }
    return false;
}

/* Progress fences are written where the driver says, if the device writes them by itself. */
static bool writes_alone(const struct dxgk_packet *packet)
{
    return packet->road == &dxgk_road_virtual ||
           !packet->adapter->engines[packet->context->node].fence_release;
}

bool dxgk_submission_goes_nowhere(const struct dxgk_packet *packet, const struct dxgk_fault *fault)
{
    bool elsewhere = fault->halved != 0 || (fault->used != 0 && fault->used != fault->pasid);

    return is_clients_own(packet) && fault->address != 0 && !elsewhere &&
           !fault->error_is_devices && are_nowhere(packet, fault->address, 1) &&
           (names(packet, fault->address) ||
            (fault->write && writes_alone(packet) && !others_name(packet, fault->address)));
}
