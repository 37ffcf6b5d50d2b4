/* kernel_virtual.h: what VidMm does for an address space, as far as tests of the driver need it:
 * page tables in the arrangement that the driver asks for, and work by virtual address.
 *
 * There is one, `space`, on the one kernel. */
#ifndef TESTS_DRIVERS_KERNEL_VIRTUAL_H
#define TESTS_DRIVERS_KERNEL_VIRTUAL_H

#include "kernel.h"

#define LOCAL     1u        /* the video memory segment */
#define TABLES    0x300000u /* in the segment, or in system memory, tables are taken from here */
#define PLACES    0x800000u /* in the segment: pages that are mapped */
#define BUFFER_VA 0x200000ull
#define WORK_VA   0x400000ull
#define SETTINGS(...) \
    ((const struct kernel_setting[]){{"WddmVersion", 0x2600}, {"GpuMmu", 1}, __VA_ARGS__{NULL, 0}})

/* One address space and its tables; the adapter's arrangement. */
struct space {
    DXGK_GPUMMUCAPS caps;
    DXGK_PAGE_TABLE_LEVEL_DESC levels[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
    ULONGLONG segment_base;
    HANDLE process, device, context;
    ULONG root_entries;
    D3DGPU_PHYSICAL_ADDRESS root, next;
    /* What entries above the leaves lead to: VidMm's own memory of it. */
    struct {
        ULONG level;
        ULONGLONG first; /* address / what the table covers */
        BOOLEAN is_64k;
        D3DGPU_PHYSICAL_ADDRESS table;
    } tables[64];
    ULONG table_count;
    DXGK_PAGETABLEUPDATEMODE mode;
};

extern struct space space;

/* Asks the adapter for its arrangement of tables and forgets what was known. */
void space_ask(void);
/* Starts the driver, with a process, a device, a context on the compute node, and a root table
 * without entries. */
void space_begin(const struct kernel_setting *settings);
void space_end(void);
HANDLE space_create_process(HANDLE kernel_handle);
HANDLE space_create_context(ULONG node, DXGKARG_CREATECONTEXT *create);
void space_set_root(HANDLE context, ULONG entries);

/* A table of so many bytes with arbitrary content, and the CPU's address of one. */
D3DGPU_PHYSICAL_ADDRESS space_new_table(ULONG level, ULONG bytes);
void *space_cpu_address(D3DGPU_PHYSICAL_ADDRESS address);
/* The table of `level` for the address; made, invalidated and entered above if it is missing. */
D3DGPU_PHYSICAL_ADDRESS space_open_table(ULONG level, ULONGLONG address, BOOLEAN is_64k);
/* UPDATE_PAGE_TABLE, FLUSH_TLB. */
void space_update(ULONG level, D3DGPU_PHYSICAL_ADDRESS table, ULONG index, const DXGK_PTE *entries,
                  ULONG count, BOOLEAN repeat, BOOLEAN is_64k);
void space_flush(HANDLE process, ULONGLONG start, ULONGLONG end);
/* Leaf entries of 4 KiB. */
DXGK_PTE space_page(ULONG segment, ULONGLONG offset);
void space_set_pages(ULONGLONG address, const DXGK_PTE *entries, ULONG count, BOOLEAN repeat);
void space_map(ULONGLONG address, ULONG segment, ULONGLONG offset);

/* Bytes of the local segment. */
uint8_t *space_local(ULONGLONG offset);
void space_randomise(uint8_t *bytes, ULONG count, uint64_t seed);

/* A client's buffer, in system memory at BUFFER_VA. */
struct buffer {
    uint8_t *bytes;
    ULONG used;
};

struct buffer buffer_begin(void);
void buffer_put(struct buffer *buffer, const void *command, ULONG bytes);
void buffer_copy(struct buffer *buffer, ULONGLONG to, ULONGLONG from, ULONG bytes);
void buffer_fill(struct buffer *buffer, ULONGLONG to, ULONG pattern, ULONG bytes);

DXGKARG_SUBMITCOMMANDVIRTUAL space_submission(ULONGLONG address, ULONG bytes);
NTSTATUS space_submit(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit);
/* Submits the buffer and waits for its fence, or for the notice of its fault. */
void space_execute(struct buffer *buffer);
const DXGKARGCB_NOTIFY_INTERRUPT_DATA *space_execute_and_fault(struct buffer *buffer);

#endif
