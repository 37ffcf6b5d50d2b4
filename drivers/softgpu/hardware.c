/* hardware.c: registers, and setting up and shutting down the device.
 *
 * Memory that the device uses for itself:
 *
 *   video memory   | aperture table | cursors | scratch | host table | segment 1 | ... segment n |
 *                  0                                                 ^ reserved_bytes
 *                  and behind the scratch page the table of the windows, if they are used
 *   system memory  one ring for each engine; the event page with fences and preemption blocks
 *
 * The reserved part stands at the beginning, so that no allocation has the address zero. */
#include "softgpu.h"

#define RESERVED_GRANULE 0x10000u
#define HOST_PART        4  /* of BAR 0 is the CPU host aperture: its end */
#define RANGE_PART       16 /* of BAR 0 are swizzling ranges: its end, too */

/* ---- Registers. A device that was pulled out is not touched (PNP-008). ------------------------
 */

ULONG softgpu_read(const struct softgpu_adapter *adapter, ULONG offset)
{
    if (adapter->gone || adapter->registers == NULL) {
        return 0;
    }
    return READ_REGISTER_ULONG((volatile ULONG *)(volatile void *)(adapter->registers + offset));
}

void softgpu_write(const struct softgpu_adapter *adapter, ULONG offset, ULONG value)
{
    if (adapter->gone || adapter->registers == NULL) {
        return;
    }
    WRITE_REGISTER_ULONG((volatile ULONG *)(volatile void *)(adapter->registers + offset), value);
}

void softgpu_write_pair(const struct softgpu_adapter *adapter, ULONG offset, ULONGLONG value)
{
    softgpu_write(adapter, offset, (ULONG)value);
    softgpu_write(adapter, offset + 4, (ULONG)(value >> 32));
}

ULONGLONG softgpu_read_pair(const struct softgpu_adapter *adapter, ULONG offset)
{
    ULONGLONG low = softgpu_read(adapter, offset);

    return low | (ULONGLONG)softgpu_read(adapter, offset + 4) << 32;
}

void softgpu_synchronize(struct softgpu_adapter *adapter, PKSYNCHRONIZE_ROUTINE routine,
                         void *argument)
{
    BOOLEAN result;
    NTSTATUS status;

    /* All interrupts of the device come as message 0: INTERRUPT_MESSAGES stays zero. */
    status = adapter->dxgk.DxgkCbSynchronizeExecution(adapter->dxgk.DeviceHandle, routine, argument,
                                                      0, &result);
    if (!NT_SUCCESS(status)) {
        /* No interrupt is connected, so there is nobody to keep out. */
        (void)routine(argument);
    }
}

/* ---- Layout ---------------------------------------------------------------------------------- */

ULONG softgpu_aperture_segment(const struct softgpu_adapter *adapter)
{
    return adapter->settings.vram_segments + 1;
}

ULONG softgpu_agp_segment(const struct softgpu_adapter *adapter)
{
    return adapter->agp_bytes != 0 ? softgpu_aperture_segment(adapter) + 1 : 0;
}

ULONG softgpu_segment_count(const struct softgpu_adapter *adapter)
{
    return softgpu_aperture_segment(adapter) + (adapter->agp_bytes != 0);
}

void softgpu_vram_segment(const struct softgpu_adapter *adapter, ULONG segment, ULONGLONG *base,
                          ULONGLONG *size)
{
    ULONG count = adapter->settings.vram_segments; /* 0 with IoMmu: then nobody asks */
    ULONG bytes = adapter->vram_bytes - adapter->reserved_bytes - adapter->range_bytes;
    ULONG share = bytes / (count != 0 ? count : 1);

    share -= share % RESERVED_GRANULE;
    *base = SOFTGPU_VRAM_BASE + adapter->reserved_bytes + (ULONGLONG)(segment - 1) * share;
    *size = share;
}

ULONGLONG softgpu_segment_address(const struct softgpu_adapter *adapter, ULONG segment,
                                  ULONGLONG offset)
{
    ULONGLONG base, size;

    if (segment == 0) {
        return SOFTGPU_SYSTEM_BASE + offset;
    }
    if (segment == softgpu_aperture_segment(adapter)) {
        return SOFTGPU_APERTURE_BASE + offset;
    }
    if (segment == softgpu_agp_segment(adapter)) {
        return adapter->agp_base + offset;
    }
    softgpu_vram_segment(adapter, segment, &base, &size);
    return base + offset;
}

ULONG softgpu_node_count(const struct softgpu_adapter *adapter)
{
    return adapter->settings.multi_engine_aware ? SOFTGPU_ENGINE_COUNT : 1;
}

/* The pages of BAR 0 that show others: all that VidMm knows of, or those of swizzling ranges. */
static ULONG host_pages(struct softgpu_adapter *adapter)
{
    const struct softgpu_settings *settings = &adapter->settings;

    adapter->range_bytes = 0;
    if (!(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_HOST)) {
        return 0;
    }
    if (settings->ranges != 0 && settings->swizzled) {
        adapter->range_bytes = (ULONG)ROUND_TO_PAGES(adapter->vram_bytes / RANGE_PART);
        return adapter->range_bytes >> SOFTGPU_PAGE_SHIFT;
    }
    return settings->host_aperture ? adapter->vram_bytes / HOST_PART >> SOFTGPU_PAGE_SHIFT : 0;
}

static NTSTATUS lay_out_vram(struct softgpu_adapter *adapter)
{
    ULONGLONG vram = softgpu_read_pair(adapter, SOFTGPU_REG_VRAM_SIZE);
    ULONGLONG aperture = softgpu_read_pair(adapter, SOFTGPU_REG_APERTURE_SIZE);
    ULONG offset, i;

    if (vram < adapter->vram_bytes) {
        adapter->vram_bytes = (ULONG)vram;
    }
    adapter->aperture_pages = (ULONG)(aperture >> SOFTGPU_PAGE_SHIFT);
    if ((aperture >> SOFTGPU_PAGE_SHIFT) > adapter->vram_bytes / 4 / sizeof(ULONGLONG)) {
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    }

    offset = adapter->aperture_pages * (ULONG)sizeof(ULONGLONG);
    offset = (ULONG)ROUND_TO_PAGES(offset);
    for (i = 0; i < SOFTGPU_OUTPUT_MAX; i++) {
        adapter->output[i].cursor_offset = offset;
        offset += SOFTGPU_CURSOR_BYTES;
    }
    adapter->scratch_address = SOFTGPU_VRAM_BASE + offset;
    offset += SOFTGPU_PAGE_SIZE;
    adapter->host_pages = host_pages(adapter);
    adapter->host_table_offset = offset;
    offset += (ULONG)ROUND_TO_PAGES(adapter->host_pages * sizeof(ULONGLONG));
    adapter->window_offset = offset;
    offset += softgpu_window_pages(adapter) * (ULONG)sizeof(ULONGLONG);
    adapter->reserved_bytes = (offset + RESERVED_GRANULE - 1) & ~(RESERVED_GRANULE - 1);
    if (adapter->reserved_bytes > adapter->vram_bytes / 2) {
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    }
    return STATUS_SUCCESS;
}

/* ---- System memory --------------------------------------------------------------------------- */

static void *allocate_contiguous(SIZE_T bytes, ULONGLONG *gpu_address)
{
    PHYSICAL_ADDRESS highest;
    void *memory;

    highest.QuadPart = (LONGLONG)(SOFTGPU_SYSTEM_SIZE - 1);
    memory = MmAllocateContiguousMemory(bytes, highest);
    if (memory != NULL) {
        RtlZeroMemory(memory, bytes);
        *gpu_address = SOFTGPU_SYSTEM_BASE + (ULONGLONG)MmGetPhysicalAddress(memory).QuadPart;
    }
    return memory;
}

static void free_memory(struct softgpu_adapter *adapter)
{
    ULONG node;

    if (adapter->engines != NULL) {
        for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
            if (adapter->engines[node].ring != NULL) {
                MmFreeContiguousMemory(adapter->engines[node].ring);
            }
        }
        ExFreePoolWithTag(adapter->engines, SOFTGPU_TAG_ADAPTER);
        adapter->engines = NULL;
    }
    if (adapter->host_table != NULL) {
        ExFreePoolWithTag(adapter->host_table, SOFTGPU_TAG_ADAPTER);
        adapter->host_table = NULL;
    }
    if (adapter->hw != NULL) {
        ExFreePoolWithTag(adapter->hw, SOFTGPU_TAG_ADAPTER);
        adapter->hw = NULL;
    }
    if (adapter->spaces != NULL) {
        ExFreePoolWithTag(adapter->spaces, SOFTGPU_TAG_ADAPTER);
        adapter->spaces = NULL;
    }
    if (adapter->events != NULL) {
        MmFreeContiguousMemory(adapter->events);
        adapter->events = NULL;
    }
}

static NTSTATUS allocate_memory(struct softgpu_adapter *adapter)
{
    ULONG node;

    adapter->engines =
        ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(struct softgpu_engine) * SOFTGPU_ENGINE_COUNT,
                        SOFTGPU_TAG_ADAPTER);
    adapter->events = allocate_contiguous(PAGE_SIZE, &adapter->events_address);
    if (adapter->engines == NULL || adapter->events == NULL) {
        free_memory(adapter);
        return STATUS_NO_MEMORY;
    }
    if (softgpu_has_addresses(&adapter->settings)) {
        adapter->spaces =
            ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(struct softgpu_space) * SOFTGPU_SPACE_COUNT,
                            SOFTGPU_TAG_ADAPTER);
        if (adapter->spaces == NULL) {
            free_memory(adapter);
            return STATUS_NO_MEMORY;
        }
    }
    if (adapter->settings.hw_scheduling) {
        adapter->hw =
            ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*adapter->hw), SOFTGPU_TAG_ADAPTER);
        if (adapter->hw == NULL) {
            free_memory(adapter);
            return STATUS_NO_MEMORY;
        }
        KeInitializeMutex(&adapter->hw->bells.mutex, 0);
    }
    if (adapter->host_pages != 0) {
        adapter->host_table = ExAllocatePool2(
            POOL_FLAG_NON_PAGED, sizeof(ULONGLONG) * adapter->host_pages, SOFTGPU_TAG_ADAPTER);
        if (adapter->host_table == NULL) {
            free_memory(adapter);
            return STATUS_NO_MEMORY;
        }
    }
    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        struct softgpu_engine *engine = &adapter->engines[node];

        engine->ring =
            allocate_contiguous(SOFTGPU_RING_PACKETS * SOFTGPU_PACKET_SIZE, &engine->ring_address);
        if (engine->ring == NULL) {
            free_memory(adapter);
            return STATUS_NO_MEMORY;
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Engines --------------------------------------------------------------------------------- */

static ULONG granularity(const struct softgpu_adapter *adapter)
{
    switch (adapter->settings.preemption_granularity) {
    case 0:
        return SOFTGPU_CONTROL_GRANULARITY_PACKET;
    case 1:
        return SOFTGPU_CONTROL_GRANULARITY_COMMAND;
    default:
        return SOFTGPU_CONTROL_GRANULARITY_SLICE;
    }
}

/* Gives an engine an empty ring and lets it run. What was in the ring is forgotten. */
void softgpu_engine_setup(struct softgpu_adapter *adapter, ULONG node)
{
    struct softgpu_engine *engine = &adapter->engines[node];
    ULONG head;

    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_CONTROL), 0);
    softgpu_write_pair(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_BASE),
                       engine->ring_address);
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_SIZE),
                  SOFTGPU_RING_PACKETS);
    softgpu_write_pair(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_FENCE_ADDRESS),
                       adapter->events_address + FIELD_OFFSET(struct softgpu_event_page, fence) +
                           node * sizeof(ULONGLONG));
    softgpu_write_pair(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_PREEMPT_ADDRESS),
                       adapter->events_address + FIELD_OFFSET(struct softgpu_event_page, preempt) +
                           node * sizeof(struct softgpu_preempt_block));

    /* Setting the ring up empties it: the device starts where its head stands. */
    head = softgpu_read(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_HEAD));
    engine->tail = head % SOFTGPU_RING_PACKETS;
    engine->context_id = 0;
    engine->status_valid = FALSE;
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RING_TAIL), engine->tail);
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_CONTROL),
                  SOFTGPU_CONTROL_ENABLE | granularity(adapter));
    softgpu_queues_begin(adapter, node);
}

/* ---- Start, stop, and what lies between ------------------------------------------------------ */

static BOOLEAN NTAPI disable_interrupts(PVOID argument)
{
    softgpu_set_interrupts(argument, 0, ~0u);
    return TRUE;
}

static BOOLEAN NTAPI enable_interrupts(PVOID argument)
{
    struct softgpu_adapter *adapter = argument;
    ULONG node, i, set = SOFTGPU_INTERRUPT_HOTPLUG;

    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        set |= SOFTGPU_INTERRUPT_FENCE(node) | SOFTGPU_INTERRUPT_PREEMPTED(node) |
               SOFTGPU_INTERRUPT_FAULT(node);
    }
    set |= softgpu_queue_interrupts(adapter) | softgpu_fence_interrupts(adapter);
    for (i = 0; adapter->vsync_wanted && i < adapter->output_count; i++) {
        set |= SOFTGPU_INTERRUPT_VSYNC(i);
    }
    softgpu_set_interrupts(adapter, set, 0);
    return TRUE;
}

void softgpu_hardware_quiet(struct softgpu_adapter *adapter)
{
    softgpu_synchronize(adapter, disable_interrupts, adapter);
    softgpu_doorbells_keep(adapter);
    /* On return of this write the device neither reads nor writes memory (TDR-003). */
    softgpu_write(adapter, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
}

void softgpu_hardware_resume(struct softgpu_adapter *adapter)
{
    ULONG i;

    softgpu_write_pair(adapter, SOFTGPU_REG_AGP_BASE, adapter->agp_base);
    softgpu_write_pair(adapter, SOFTGPU_REG_AGP_SIZE, adapter->agp_bytes);
    if (softgpu_has_addresses(&adapter->settings)) {
        softgpu_mmu_setup(adapter);
        softgpu_queues_resume(adapter);
    }
    softgpu_host_aperture_resume(adapter);
    softgpu_synchronize(adapter, softgpu_notices_resume, adapter);
    for (i = 0; i < adapter->settings.sources; i++) {
        softgpu_planes_off(&adapter->source[i]); /* the device has forgotten them */
    }
    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_MESSAGES, 0);
    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_STATUS, ~0u);
    softgpu_write_pair(adapter, SOFTGPU_REG_APERTURE_TABLE, 0);
    softgpu_write(adapter, SOFTGPU_REG_APERTURE_CONTROL, SOFTGPU_APERTURE_ENABLE);
    for (i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        softgpu_engine_setup(adapter, i);
    }
    softgpu_windows_setup(adapter);
    for (i = 0; i < adapter->output_count; i++) {
        softgpu_output_program(adapter, i);
    }
    softgpu_synchronize(adapter, enable_interrupts, adapter);
}

NTSTATUS softgpu_hardware_start(struct softgpu_adapter *adapter)
{
    ULONG i;
    NTSTATUS status;

    PAGED_CODE();

    if (softgpu_read(adapter, SOFTGPU_REG_ID) != SOFTGPU_ID_VALUE ||
        softgpu_read(adapter, SOFTGPU_REG_ENGINE_COUNT) < SOFTGPU_ENGINE_COUNT) {
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    }
    if (adapter->settings.gpu_mmu &&
        !(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_MMU)) {
        adapter->settings.gpu_mmu = 0; /* an older revision of the device */
    }
    if (adapter->settings.io_mmu &&
        !(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_PASID)) {
        return STATUS_DEVICE_CONFIGURATION_ERROR; /* the DDIs were filled in for it */
    }
    if (!(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_HOST)) {
        adapter->settings.host_aperture = 0;
    }
    if (!adapter->settings.gpu_mmu ||
        !(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_QUEUES)) {
        adapter->settings.hw_scheduling = 0; /* no node will say that it has any */
    }
    if (!adapter->settings.hw_scheduling ||
        !(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_BELLS)) {
        adapter->settings.user_submission = SOFTGPU_USERS_NONE;
    }
    if (!(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_NOW)) {
        adapter->settings.flip_at_once = 0;
    }
    softgpu_flips_ask(adapter);
    adapter->output_count = softgpu_read(adapter, SOFTGPU_REG_OUTPUT_COUNT);
    if (adapter->output_count > SOFTGPU_OUTPUT_MAX) {
        adapter->output_count = SOFTGPU_OUTPUT_MAX;
    }
    status = lay_out_vram(adapter);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = allocate_memory(adapter);
    if (!NT_SUCCESS(status)) {
        return status;
    }

    RtlZeroMemory(adapter->source, sizeof(adapter->source));
    for (i = 0; i < SOFTGPU_OUTPUT_MAX; i++) {
        adapter->output[i].source = SOFTGPU_INFINITE_TARGET;
    }
    adapter->aperture_table = (volatile ULONGLONG *)(void *)adapter->vram;
    for (i = 0; i < adapter->aperture_pages; i++) {
        adapter->aperture_table[i] = 0;
    }
    softgpu_write(adapter, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    softgpu_hardware_resume(adapter);
    return STATUS_SUCCESS;
}

void softgpu_hardware_stop(struct softgpu_adapter *adapter, BOOLEAN keep_picture)
{
    ULONG node;

    PAGED_CODE();

    if (keep_picture) {
        softgpu_host_aperture_off(adapter);
        softgpu_synchronize(adapter, disable_interrupts, adapter);
        for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
            softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RESET),
                          SOFTGPU_RESET_KEY);
        }
    } else {
        softgpu_hardware_quiet(adapter);
    }
    adapter->vsync_wanted = FALSE;
    free_memory(adapter);
}
