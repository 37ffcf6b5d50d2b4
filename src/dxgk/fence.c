/* Monitored fences that the GPU sees: their value is a word of memory, mapped in the space of each
 * process that has them open [FENCE-001]. Commands of clients write it; who waits for it is let go
 * when work ends that may have, or when the driver says that some fence was signalled. */
#include "dxgk/fence_memory.h"
#include "dxgk/work.h"

/* Addresses that are the CPU's (IoMmu) nobody gives out for the kernel's own memory. */
static bool is_seen(const struct dxgk_sync *sync)
{
    const struct dxgk_adapter *adapter = sync->core->adapter;

    return (sync->core->type == D3DDDI_MONITORED_FENCE ||
            sync->core->type == D3DDDI_PERIODIC_MONITORED_FENCE) &&
           sync->device && adapter->mmu.present && !adapter->mmu.shared &&
           !sync->core->flags.NoGPUAccess && !sync->flags.NoGPUAccess;
}

/* Its value moves to a page of its own. */
static NTSTATUS give_page(struct dxgk_sync_core *core)
{
    struct dxgk_fence_memory *page = dxgk_fence_memory_new(core->adapter, core->object.number, 0);

    if (!page) {
        return STATUS_NO_MEMORY;
    }
    sync_fence_attach(&core->object, (uint64_t *)page->word.view);
    nt_memory_free(core->memory);
    core->memory = (uint64_t *)page->word.view;
    core->page = page;
    return STATUS_SUCCESS;
}

/* 8 bytes of its own, that commands of the process may write. */
static bool is_mapped(const struct dxgk_fence_view *view)
{
    struct vidmm_translation shown;

    vidmm_space_translate(&view->space->memory, view->address, &shown);
    return view->address % sizeof(UINT64) == 0 && shown.allocation == &view->memory->word.memory &&
           shown.allocation_offset == 0 && (shown.protection & VIDMM_PROTECT_WRITE);
}

/* The mapping may take its time, and the opening end meanwhile. */
static NTSTATUS show(struct dxgk_sync *sync)
{
    struct dxgk_fence_view *view;

    if (!is_seen(sync) || !sync->core->page) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status =
        dxgk_fence_view_new(&sync->device->process->space, sync->core->page, true, &view);
    if (NT_SUCCESS(status) && sync->life.state == LIFE_LIVING) {
        KERNEL_DUTY(FENCE_001, is_mapped(view));
        view->fence = &sync->core->object;
        sync->view = view;
    } else if (NT_SUCCESS(status)) {
        dxgk_fence_view_close(view);
        status = STATUS_INVALID_HANDLE;
    }
    return status;
}

/* On success it lives; on failure another thread may have destroyed it. */
static NTSTATUS finish(struct dxgk_sync *sync, bool made)
{
    life_get(&sync->life);
    NTSTATUS status = made ? give_page(sync->core) : STATUS_SUCCESS;
    if (NT_SUCCESS(status)) {
        status = show(sync);
    }
    if (!NT_SUCCESS(status)) {
        (void)dxgk_sync_destroy(sync);
    }
    life_put(&sync->life);
    return status;
}

NTSTATUS dxgk_fence_create(struct dxgk_device *device,
                           const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info, struct dxgk_sync **out)
{
    NTSTATUS status = dxgk_sync_create(device, info, out);

    return NT_SUCCESS(status) && is_seen(*out) ? finish(*out, true) : status;
}

NTSTATUS dxgk_fence_open(const struct dxgk_sync_opening *how, struct dxgk_sync_core *core,
                         struct dxgk_sync **out)
{
    NTSTATUS status = dxgk_sync_open(how, core, out);

    return NT_SUCCESS(status) ? finish(*out, false) : status;
}

D3DGPU_VIRTUAL_ADDRESS dxgk_fence_address(const struct dxgk_sync *sync)
{
    return sync->view ? sync->view->address : 0;
}
