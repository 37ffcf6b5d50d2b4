/* An adapter from AddDevice to RemoveDevice.
 *
 * The order of bring-up follows contract/lifecycle section 0: AddDevice, interrupt, StartDevice,
 * caps, segments, nodes, children, engines, system context, display. */
#include "dxgk/context_memory.h"
#include "dxgk/flip_queue.h"
#include "dxgk/gart.h"
#include "dxgk/host_aperture.h"
#include "dxgk/start.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct list adapters = {&adapters, &adapters};

/* ---- Callbacks that are about the adapter itself ------------------------------------------- */

static void describe_interrupt(CM_PARTIAL_RESOURCE_DESCRIPTOR *interrupt,
                               const struct pci_resources *resources, unsigned number)
{
    bool messages = resources->message_count != 0;

    interrupt->Type = CmResourceTypeInterrupt;
    interrupt->ShareDisposition = messages ? CmResourceShareDeviceExclusive : CmResourceShareShared;
    interrupt->Flags = messages ? CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE
                                : CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE;
    interrupt->u.Interrupt.Level = resources->interrupt_irql;
    interrupt->u.Interrupt.Vector = resources->interrupt_vector + number;
    interrupt->u.Interrupt.Affinity = 1;
}

/* The translated resource list that GetDeviceInformation hands out; freed with the adapter. */
static CM_RESOURCE_LIST *make_resource_list(struct pci_slot *slot)
{
    const struct pci_resources *resources = pci_resources(slot);
    unsigned lines = resources->message_count ? 1 : resources->line_count;
    size_t size = sizeof(CM_RESOURCE_LIST) +
                  (DEVICE_BAR_COUNT + lines) * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR);
    CM_RESOURCE_LIST *list = nt_memory_alloc(size, 0);
    if (!list) {
        return NULL;
    }
    list->Count = 1;
    CM_FULL_RESOURCE_DESCRIPTOR *full = &list->List[0];
    full->InterfaceType = resources->platform ? ACPIBus : PCIBus;
    full->BusNumber = resources->platform ? 0 : resources->bus;
    full->PartialResourceList.Version = 1;
    full->PartialResourceList.Revision = 1;
    ULONG count = 0;
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        if (resources->bars[i].size == 0) {
            continue;
        }
        CM_PARTIAL_RESOURCE_DESCRIPTOR *memory =
            &full->PartialResourceList.PartialDescriptors[count++];
        memory->ShareDisposition = CmResourceShareDeviceExclusive;
        if (resources->bars[i].ports) {
            memory->Type = CmResourceTypePort;
            memory->Flags = CM_RESOURCE_PORT_IO;
            memory->u.Port.Start.QuadPart = (LONGLONG)resources->bars[i].base;
            memory->u.Port.Length = (ULONG)resources->bars[i].size;
            continue;
        }
        memory->Type = CmResourceTypeMemory;
        memory->Flags = resources->bars[i].prefetchable ? CM_RESOURCE_MEMORY_PREFETCHABLE : 0;
        memory->u.Memory.Start.QuadPart = (LONGLONG)resources->bars[i].base;
        memory->u.Memory.Length = (ULONG)resources->bars[i].size;
    }
    for (unsigned i = 0; i < lines; i++) {
        describe_interrupt(&full->PartialResourceList.PartialDescriptors[count++], resources, i);
    }
    full->PartialResourceList.Count = count;
    return list;
}

static NTSTATUS get_device_information(struct ddi_adapter *ddi, DXGK_DEVICE_INFO *info)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);

    if (!adapter->resource_list) {
        adapter->resource_list = make_resource_list(ddi->slot);
    }
    if (!adapter->resource_list) {
        return STATUS_NO_MEMORY;
    }
    *info = (DXGK_DEVICE_INFO){
        .MiniportDeviceContext = ddi->miniport_context,
        .PhysicalDeviceObject = adapter->physical_device,
        .DeviceRegistryPath = adapter->registry_path,
        .TranslatedResourceList = adapter->resource_list,
        .SystemMemorySize.QuadPart = (LONGLONG)ram_bytes(),
        .HighestPhysicalAddress.QuadPart = (LONGLONG)ram_end() - 1,
    };
    if (!adapter->features.wddm2) { /* what the device reaches it says later */
        info->AgpApertureBase.QuadPart = (LONGLONG)(gart_bytes() ? GART_BASE : 0);
        info->AgpApertureSize = gart_bytes();
    }
    return STATUS_SUCCESS;
}

/* Without a picture of the firmware's the driver sets its own mode. */
static NTSTATUS acquire_post_display_ownership(struct ddi_adapter *ddi,
                                               DXGK_DISPLAY_INFORMATION *information)
{
    struct dxgk_adapter *adapter = container_of(ddi, struct dxgk_adapter, ddi);

    struct pci_firmware_picture picture;

    *information = (DXGK_DISPLAY_INFORMATION){.TargetId = D3DDDI_ID_UNINITIALIZED};
    adapter->missed_firmware_picture = !pci_firmware_picture(ddi->slot, &picture);
    if (!adapter->missed_firmware_picture) {
        information->Width = picture.width;
        information->Height = picture.height;
        information->Pitch = picture.stride_bytes;
        if (picture.stride_bytes > picture.width * 4 && vary_on(VARY_WIDE_ROWS)) {
            vary_happened(VARY_WIDE_ROWS);
        }
        information->ColorFormat = D3DDDIFMT_X8R8G8B8;
        information->PhysicAddress.QuadPart = (LONGLONG)picture.physical;
    }
    return STATUS_SUCCESS;
}

static const struct ddi_kernel_operations kernel_operations = {
    .notify_interrupt = dxgk_notify_interrupt,
    .notify_dpc = dxgk_notify_dpc,
    .interrupt_lost = dxgk_interrupt_lost,
    .get_device_information = get_device_information,
    .get_handle_data = dxgk_cb_get_handle_data,
    .get_handle_parent = dxgk_cb_get_handle_parent,
    .enum_handle_children = dxgk_cb_enum_handle_children,
    .indicate_child_status = dxgk_indicate_child_status,
    .query_vidpn_interface = dxgk_vidpn_interface,
    .query_monitor_interface = dxgk_monitor_interface,
    .acquire_post_display_ownership = acquire_post_display_ownership,
    .reserve_gpu_virtual_address_range = dxgk_reserve_gpu_virtual_address_range,
    .invalidate_hw_context = dxgk_hwcontext_invalidate,
    .has_hw_queue = dxgk_has_hwqueue,
    .disconnect_doorbell = dxgk_doorbell_disconnected,
    .create_context_allocation = dxgk_context_memory_create,
    .destroy_context_allocation = dxgk_context_memory_destroy,
    .map_context_allocation = dxgk_context_memory_map,
    .update_context_allocation = dxgk_context_memory_update,
    .component_active = dxgk_component_active,
    .component_idle = dxgk_component_idle,
    .component_completed = dxgk_component_completed,
};

/* ---- Bring-up ------------------------------------------------------------------------------ */

static NTSTATUS add_device(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    record_set_stage(RUN_STAGE_ADD);
    if (adapter->options.added) {
        ddi_take_added(&adapter->ddi, adapter->options.added);
        return STATUS_SUCCESS;
    }
    NTSTATUS status = ddi_add_device(&adapter->ddi, adapter->physical_device);
    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text, "DxgkDdiAddDevice failed with %s",
                 status_name(status));
        return status;
    }
    if (!adapter->ddi.miniport_context) {
        dxgk_explain_no_context(adapter, failure);
        return STATUS_NOT_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

/* Where the GPU has addresses of its own it may see pages of system memory that nothing maps for
 * it. The driver names them by the number behind its last segment [ALLOC-007]. */
static unsigned add_system_memory(struct dxgk_adapter *adapter)
{
    unsigned count = adapter->segment_count;

    if (!adapter->mmu.present || count >= VIDMM_SEGMENT_COUNT_MAX) {
        return count;
    }
    adapter->segments[count] = (struct vidmm_segment_options){
        .flags = VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CACHE_COHERENT,
        .size_bytes = ram_bytes(),
        .group = VIDMM_GROUP_NON_LOCAL,
    };
    return count + 1;
}

static NTSTATUS make_engines(struct dxgk_adapter *adapter)
{
    const struct vidmm_config config = {
        .backend = &dxgk_vidmm_backend,
        .owner = adapter,
        .segments = adapter->segments,
        .segment_count = add_system_memory(adapter),
        .mmu = adapter->mmu.present ? &adapter->mmu.options : NULL,
        .device_mmu_bytes = adapter->device_mmus.bytes,
        .device_mmu_count = adapter->device_mmus.count,
        .notices_in_parts = adapter->device_mmus.notices_in_parts,
        .transfer_bytes_max = adapter->options.transfer_bytes_max,
        .keep_views = adapter->options.keep_views,
    };

    sync_domain_init(&adapter->sync_domain);
    NTSTATUS status = vidmm_create(&config, &adapter->vidmm);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    vidmm_shadow_enable(adapter->vidmm, adapter->options.shadow_content);
    status = dxgk_gart_start(adapter);
    if (NT_SUCCESS(status)) {
        status = dxgk_host_aperture_start(adapter);
    }
    return NT_SUCCESS(status) ? dxgk_worker_start(adapter) : status;
}

static void remove_device(struct dxgk_adapter *adapter)
{
    if (!NT_SUCCESS(ddi_remove_device(&adapter->ddi))) {
        record_count("adapter.remove_failures", 1);
    }
}

static void free_adapter(struct dxgk_life *life)
{
    struct dxgk_adapter *adapter = container_of(life, struct dxgk_adapter, life);

    CHECK_THAT(list_empty(&adapter->devices));
    dxgk_components_free(adapter);
    ddi_adapter_fini(&adapter->ddi);
    nt_memory_free(adapter->resource_list);
    nt_memory_free(adapter->registry_path.Buffer);
    free(adapter->children);
    record_object_dead(adapter->object, OBJECT_ADAPTER);
    free(adapter);
}

static bool set_registry_path(struct dxgk_adapter *adapter)
{
    const char *path = nt_device_software_key(adapter->physical_device);
    size_t length = path ? strlen(path) : 0;
    uint16_t *wide = nt_memory_alloc((length + 1) * sizeof *wide, 0);

    if (!wide) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        wide[i] = (unsigned char)path[i];
    }
    adapter->registry_path =
        (UNICODE_STRING){.Length = (USHORT)(length * sizeof *wide),
                         .MaximumLength = (USHORT)((length + 1) * sizeof *wide),
                         .Buffer = (PWCH)wide};
    return true;
}

static struct dxgk_adapter *make_adapter(const struct dxgk_adapter_options *options)
{
    struct dxgk_adapter *adapter = calloc(1, sizeof *adapter);

    if (!adapter) {
        return NULL;
    }
    life_init(&adapter->life, DXGK_KIND_ADAPTER, free_adapter);
    adapter->options = *options;
    adapter->physical_device = options->physical_device;
    adapter->object = record_object_new(OBJECT_ADAPTER, 0);
    list_init(&adapter->devices);
    list_init(&adapter->packets);
    list_init(&adapter->waiting_packets);
    list_init(&adapter->free_packets);
    list_init(&adapter->old_fences);
    list_init(&adapter->natives.all);
    dxgk_periodics_init(adapter);
    list_init(&adapter->paging.free);
    list_init(&adapter->paging.running); /* tables are written before there are buffers */
    wait_queue_init(&adapter->idle_changed);
    ddi_set_kernel(&kernel_operations);
    ddi_adapter_init(&adapter->ddi, options->driver, options->slot, adapter->object);
    return adapter;
}

NTSTATUS dxgk_adapter_start(const struct dxgk_adapter_options *options, struct dxgk_adapter **out,
                            struct dxgk_failure *failure)
{
    struct dxgk_adapter *adapter = make_adapter(options);
    NTSTATUS status;

    *failure = (struct dxgk_failure){.ours = false};
    if (!adapter) {
        return STATUS_NO_MEMORY;
    }
    status = add_device(adapter, failure);
    if (!NT_SUCCESS(status)) {
        goto err_free;
    }
    status = set_registry_path(adapter) ? dxgk_start_device(adapter, failure) : STATUS_NO_MEMORY;
    if (!NT_SUCCESS(status)) {
        goto err_remove;
    }
    record_set_stage(RUN_STAGE_CAPS);
    status = dxgk_caps_query(adapter, failure);
    if (NT_SUCCESS(status)) {
        status = dxgk_children_query(adapter, failure);
    }
    if (!NT_SUCCESS(status)) {
        dxgk_runtime_power_ends(adapter);
        goto err_stop;
    }
    status = make_engines(adapter);
    if (NT_SUCCESS(status) && !adapter->display_only) { /* it has neither work nor memory */
        status = dxgk_system_context_create(adapter, failure);
    }
    if (!NT_SUCCESS(status)) {
        goto err_engines;
    }
    status = dxgk_paging_init(adapter);
    if (!NT_SUCCESS(status)) {
        goto err_paging;
    }
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_RUNNING);
    status = dxgk_display_start(adapter, failure);
    if (!NT_SUCCESS(status)) {
        goto err_display;
    }
    dxgk_system_asks(adapter);
    list_push_back(&adapters, &adapter->life.link);
    life_begin(&adapter->life);
    *out = adapter;
    return STATUS_SUCCESS;

err_display:
    dxgk_display_stop(adapter);
err_paging:
    dxgk_paging_fini(adapter);
    dxgk_system_context_destroy(adapter);
err_engines:
    dxgk_runtime_power_ends(adapter);
    dxgk_worker_stop(adapter);
    vidmm_destroy(adapter->vidmm);
    dxgk_host_aperture_stop(adapter);
    dxgk_gart_stop(adapter);
err_stop:
    dxgk_stop_device(adapter);
err_remove:
    if (options->learned) {
        dxgk_adapter_info(adapter, options->learned);
    }
    remove_device(adapter);
err_free:
    life_put(&adapter->life);
    return status;
}

static void stop(struct dxgk_adapter *adapter)
{
    CHECK_THAT(life_end(&adapter->life));
    life_unlink(&adapter->life);
    dxgk_worker_wait_resets(adapter); /* that a client forced when it went */
    CHECK_THAT(dxgk_adapter_wait_idle(adapter, MACHINE_NEVER));
    dxgk_runtime_power_ends(adapter); /* while there are paths, which have pointers */
    dxgk_display_stop(adapter);
    dxgk_paging_fini(adapter);
    dxgk_system_context_destroy(adapter);
    CHECK_THAT(list_empty(&adapter->devices));
    dxgk_watch_dummy(adapter);
    dxgk_worker_stop(adapter);
    dxgk_adapter_count_memory(adapter);
    vidmm_destroy(adapter->vidmm);
    dxgk_host_aperture_stop(adapter);
    dxgk_gart_stop(adapter);
    dxgk_stop_device(adapter);
}

static void forget(struct dxgk_adapter *adapter)
{
    CHECK_THAT(adapter->life.reference_count == 1); /* nobody's memory is left that knows it */
    life_put(&adapter->life);
}

void dxgk_adapter_stop(struct dxgk_adapter *adapter)
{
    stop(adapter);
    remove_device(adapter);
    forget(adapter);
}

void *dxgk_adapter_stop_only(struct dxgk_adapter *adapter)
{
    void *added = adapter->ddi.miniport_context;

    stop(adapter);
    forget(adapter);
    return added;
}

/* ---- Looking at adapters ------------------------------------------------------------------- */

struct dxgk_adapter *dxgk_adapter_first(void)
{
    return list_empty(&adapters) ? NULL
                                 : container_of(adapters.next, struct dxgk_adapter, life.link);
}

struct dxgk_adapter *dxgk_adapter_by_luid(LUID luid)
{
    list_for_each (link, &adapters) {
        struct dxgk_adapter *adapter = container_of(link, struct dxgk_adapter, life.link);
        if (adapter->luid.LowPart == luid.LowPart && adapter->luid.HighPart == luid.HighPart) {
            return adapter;
        }
    }
    return NULL;
}

bool dxgk_all_run(uint64_t *resets)
{
    bool run = true;

    *resets = 0;
    list_for_each (link, &adapters) {
        const struct dxgk_adapter *adapter = container_of(link, struct dxgk_adapter, life.link);
        *resets += adapter->totals.resets + adapter->totals.engine_resets;
        run &= adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence == DXGK_THERE;
    }
    return run;
}

LUID dxgk_adapter_luid(const struct dxgk_adapter *adapter)
{
    return adapter->luid;
}

static void fill_children(const struct dxgk_adapter *adapter, struct dxgk_adapter_info *info)
{
    for (ULONG i = 0; adapter->children && i < adapter->child_count && i < DXGK_INFO_CHILDREN_MAX;
         i++) {
        const struct dxgk_child *child = &adapter->children[i];
        info->children[i].uid = child->descriptor.ChildUid;
        info->children[i].type = (unsigned)child->descriptor.ChildDeviceType;
        info->children[i].hpd_awareness =
            (unsigned)child->descriptor.ChildCapabilities.HpdAwareness;
        info->children[i].connected = child->connected;
        info->children[i].descriptor_bytes = child->descriptor_size;
        info->listed_children = i + 1;
    }
}

static void fill_modes(const struct dxgk_adapter *adapter, struct dxgk_adapter_info *info)
{
    for (unsigned i = 0; i < adapter->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        const struct dxgk_source *source = &adapter->sources[i];
        info->modes[i].active = source->active;
        info->modes[i].target = source->target;
        info->modes[i].width = source->mode.width;
        info->modes[i].height = source->mode.height;
        info->modes[i].refresh_millihertz = source->mode.refresh_millihertz;
        info->modes[i].format = (unsigned)source->mode.format;
    }
}

static void fill_mmu(const struct dxgk_mmu *mmu, struct dxgk_adapter_info *info)
{
    uint32_t flags = mmu->options.flags;

    if (mmu->present && !mmu->shared) {
        info->gpu_mmu.there = true;
        info->gpu_mmu.read_only = flags & VIDMM_MMU_READ_ONLY;
        info->gpu_mmu.no_execute = flags & VIDMM_MMU_NO_EXECUTE;
        info->gpu_mmu.cache_coherent = flags & VIDMM_MMU_CACHE_COHERENT;
        info->gpu_mmu.address_bits = mmu->address_bits;
    }
}

void dxgk_adapter_info(struct dxgk_adapter *adapter, struct dxgk_adapter_info *info)
{
    *info = adapter->info;
    info->interface_version = adapter->ddi.driver->interface_version;
    info->wddm_version = adapter->features.wddm_version;
    info->caps = adapter->caps;
    info->flip_queue_length = dxgk_flip_queue_length(adapter);
    info->native_fences = dxgk_adapter_has_natives(adapter);
    for (unsigned i = 0; i < info->node_count; i++) {
        info->hardware_scheduling |= adapter->engines[i].scheduled;
    }
    fill_mmu(&adapter->mmu, info);
    info->paging_segment = adapter->paging_segment;
    info->paging_buffer_size = adapter->paging_buffer_size;
    info->paging_private_size = adapter->paging_private_size;
    fill_children(adapter, info);
    fill_modes(adapter, info);
}

void dxgk_adapter_totals(struct dxgk_adapter *adapter, struct dxgk_totals *totals)
{
    *totals = adapter->totals;
}
