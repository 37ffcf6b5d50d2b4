/* kernel.h: just enough of a kernel around the reference driver to call its DDIs one by one.
 *
 * There is one, `kernel`. It has the mock computer of tests/softgpu with a real software GPU in it.
 * Time passes in kernel_run() only; interrupts and DPCs are served there and on return from
 * callbacks that lower the IRQL. What the driver reported is kept in order. */
#ifndef TESTS_DRIVERS_KERNEL_H
#define TESTS_DRIVERS_KERNEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dispmprt.h>
#include <ntddk.h>
#include <windef.h>

#include "../softgpu/mock.h"
#include "loader/loader.h"
#include "softgpu_umd.h"

#define KERNEL_NOTICES_MAX 256
#define KERNEL_HANDLES_MAX 64
#define KERNEL_VRAM_BASE   0xE0000000ull /* where BAR 0 is */
#define KERNEL_DMA_BYTES   0x10000u

struct kernel_setting {
    const char *name;
    ULONG value;
};

struct kernel {
    struct mock mock;
    const struct kernel_setting *settings; /* ends with a NULL name */
    struct loader_image *image;            /* NULL: linked */
    DRIVER_INITIALIZATION_DATA table;
    PVOID adapter;
    KIRQL irql;
    BOOLEAN dpc_queued, in_dpc;
    unsigned dpc_count;
    unsigned pool_count, contiguous_count, map_count;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notices[KERNEL_NOTICES_MAX];
    unsigned notice_count;
    HANDLE handles[KERNEL_HANDLES_MAX]; /* of the driver, by D3DKMT_HANDLE */
    unsigned handle_count;
    uint64_t ram_next; /* physical */
    ULONG fence;       /* last one given out */
    ULONG sources, children;
    /* The VidPN that DxgkCbQueryVidPnInterface shows: one path, both modes pinned or none. */
    D3DKMDT_VIDPN_PRESENT_PATH path;
    BOOLEAN pinned;
    D3DKMDT_VIDPN_SOURCE_MODE source_mode;
    D3DKMDT_VIDPN_TARGET_MODE target_mode;
    unsigned source_modes_added, target_modes_added;
};

extern struct kernel kernel;

/* Which form of the driver the tests call: linked into them, or the .sys that the first argument
 * of the program names. */
void kernel_choose_driver(int argc, char **argv);
bool kernel_has_sys(void);

/* DriverEntry, AddDevice, StartDevice. settings may be NULL. */
void kernel_start(const struct kernel_setting *settings, const char *device_options);
/* StopDevice, RemoveDevice, Unload; then nothing may be left allocated. */
void kernel_stop(void);

void kernel_run(uint64_t ns);
/* Serves the interrupt line and the DPC now. */
void kernel_serve(void);
/* Until the node's fence was reported; fails the test after a second. */
void kernel_wait_fence(ULONG node, ULONG fence);
/* The newest notice of a type, or NULL. */
const DXGKARGCB_NOTIFY_INTERRUPT_DATA *kernel_last(DXGK_INTERRUPT_TYPE type);

/* Contiguous pages of RAM; never freed before kernel_stop. */
uint64_t kernel_pages(unsigned count);
void *kernel_ram(uint64_t physical);
/* An MDL over scattered pages, in an order that is not theirs. Freed with free(). */
MDL *kernel_mdl(unsigned page_count);
void *kernel_mdl_page(const MDL *mdl, unsigned index);
uint8_t *kernel_vram(uint64_t gpu_address);

/* Builds an operation with buffers of the given size, submits each on the paging node and waits.
 * Returns how many buffers it took. */
unsigned kernel_page(const DXGKARG_BUILDPAGINGBUFFER *operation, ULONG buffer_bytes);

/* A DMA buffer with its private data and lists, as dxgkrnl keeps it for a context. */
struct kernel_dma {
    uint64_t physical;
    ULONG size, used;
    _Alignas(16) UCHAR private_data[256];
    ULONG private_size;
    DXGK_ALLOCATIONLIST allocations[16];
    ULONG allocation_count;
    D3DDDI_PATCHLOCATIONLIST patches[64];
    ULONG patch_count, patch_capacity;
};

void kernel_dma_init(struct kernel_dma *dma, ULONG size, ULONG patch_capacity);
NTSTATUS kernel_render(HANDLE context, struct kernel_dma *dma, const void *commands, ULONG bytes,
                       UINT *multipass);
/* Patch and SubmitCommand; the fence id. */
ULONG kernel_submit(HANDLE context, struct kernel_dma *dma);
ULONG kernel_submit_range(HANDLE context, struct kernel_dma *dma, ULONG start, ULONG end,
                          ULONG fence);

HANDLE kernel_create_device(void);
HANDLE kernel_create_context(HANDLE device, ULONG node);
/* Creates and opens; `place` is its GPU address from now on. */
struct kernel_allocation {
    HANDLE driver, open;
    uint64_t place;
    DXGK_ALLOCATIONINFO info;
    struct softgpu_umd_allocation umd;
};
NTSTATUS kernel_create_allocation(HANDLE device, const struct softgpu_umd_allocation *umd,
                                  uint64_t place, struct kernel_allocation *allocation);
void kernel_destroy_allocation(HANDLE device, struct kernel_allocation *allocation);
ULONG kernel_dma_add(struct kernel_dma *dma, const struct kernel_allocation *allocation,
                     BOOLEAN write, BOOLEAN resident);

#endif
