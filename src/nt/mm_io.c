/* nt/mm_io.c: device memory: mapping it, and reading and writing registers.
 *
 * A register has no memory behind it: every access is a call into the machine. What is no mapping
 * is reported, and then what it is on hardware: memory, or a page fault that stops the system. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define BUFFER_COUNT_MAX (1u << 24) /* of a ..._BUFFER_... call; a larger count is a mistake */

struct io_mapping {
    struct list link;
    uint8_t *view; /* page aligned */
    uint8_t *address;
    size_t view_size, size;
    uint64_t physical;
    struct nt_origin from;
};

static struct list mappings = {&mappings, &mappings};

/* ---- What was unmapped, and what lies behind a mapping --------------------------------------- */

#define GONE_MAX 32

/* The newest, a ring: no view is made where another was, so that a use is known as one too late. */
static struct gone {
    uintptr_t address;
    size_t size;
    const char *of;
    uint64_t physical;
    struct nt_origin from; /* who unmapped it */
} gone[GONE_MAX];
static unsigned gone_count;

void nt_mapping_gone(const void *view, size_t size, const char *of, uint64_t physical,
                     const void *caller)
{
    gone[gone_count++ % GONE_MAX] =
        (struct gone){(uintptr_t)view, size, of, physical, origin_of(caller)};
}

static struct io_mapping *find(const void *address)
{
    list_for_each (link, &mappings) {
        struct io_mapping *mapping = container_of(link, struct io_mapping, link);
        if (mapping->address == address) {
            return mapping;
        }
    }
    return NULL;
}

/* Behind the end of a mapping. Inside of one nothing of the driver's faults. */
static bool behind_text(const void *address, char *text, size_t size)
{
    struct io_near near;
    const struct io_mapping *mapping;
    char where[NT_ORIGIN_MAX];

    if (!io_mapping_near(address, &near) || (uintptr_t)address < (uintptr_t)near.begin ||
        (uintptr_t)address - (uintptr_t)near.begin < near.size) {
        return false;
    }
    mapping = find(near.begin);
    if (mapping) {
        nt_origin_text(&mapping->from, where, sizeof(where));
    }
    snprintf(text, size, "offset 0x%llx of the mapping of %zu bytes of the device at 0x%llx%s%s",
             (unsigned long long)((uintptr_t)address - (uintptr_t)near.begin), near.size,
             (unsigned long long)near.physical, mapping ? ", mapped at " : "",
             mapping ? where : "");
    return true;
}

bool nt_mapping_text(const void *address, char *text, size_t size)
{
    for (unsigned i = 0; i < gone_count && i < GONE_MAX; i++) {
        const struct gone *one = &gone[(gone_count - 1 - i) % GONE_MAX];
        uintptr_t offset = (uintptr_t)address - one->address;
        if (offset < one->size) {
            char where[NT_ORIGIN_MAX];
            nt_origin_text(&one->from, where, sizeof(where));
            snprintf(
                text, size,
                "offset 0x%llx of the mapping of %llu bytes of the %s at 0x%llx, which was "
                "unmapped at %s",
                (unsigned long long)offset, (unsigned long long)one->size, one->of,
                (unsigned long long)one->physical, where);
            return true;
        }
    }
    return behind_text(address, text, size);
}

/* ---- Mapping --------------------------------------------------------------------------------- */

static void *map(PHYSICAL_ADDRESS physical, SIZE_T size, const struct export_call *call)
{
    uint64_t address = (uint64_t)physical.QuadPart, end;
    uint64_t base = align_down(address, MACHINE_PAGE_SIZE);
    struct io_mapping *mapping;

    if (size == 0 || add_overflows_u64(address, size + MACHINE_PAGE_SIZE, &end)) {
        misuse(NT_MISUSE_ARGUMENT, call, "maps %llu bytes at 0x%llx", (unsigned long long)size,
               (unsigned long long)address);
        return NULL;
    }
    if (allocation_fails(0, size, call->caller)) {
        return NULL;
    }
    mapping = calloc(1, sizeof(*mapping));
    if (!mapping) {
        return NULL;
    }
    mapping->view_size = align_up(address + size, MACHINE_PAGE_SIZE) - base;
    mapping->view = io_map(base, mapping->view_size);
    if (!mapping->view) {
        allocation_failed();
        free(mapping);
        return NULL;
    }
    mapping->address = mapping->view + (address - base);
    mapping->size = size;
    mapping->physical = address;
    mapping->from = origin_of(call->caller);
    list_push_back(&mappings, &mapping->link);
    return mapping->address;
}

static void unmap(struct io_mapping *mapping)
{
    CHECK_THAT(io_unmap(mapping->view, mapping->view_size));
    list_remove(&mapping->link);
    free(mapping);
}

PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                         MEMORY_CACHING_TYPE CacheType)
{
    struct export_call call = NT_EXPORT_CALL(MmMapIoSpace);
    return map(PhysicalAddress, NumberOfBytes, &call);
}

PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG Protect)
{
    struct export_call call = NT_EXPORT_CALL(MmMapIoSpaceEx);

    if ((Protect & (PAGE_READONLY | PAGE_READWRITE | PAGE_EXECUTE | PAGE_EXECUTE_READ |
                    PAGE_EXECUTE_READWRITE)) == 0) {
        misuse(NT_MISUSE_ARGUMENT, &call, "protection 0x%x names no access", Protect);
        return NULL;
    }
    return map(PhysicalAddress, NumberOfBytes, &call);
}

VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes)
{
    struct export_call call = NT_EXPORT_CALL(MmUnmapIoSpace);
    struct io_mapping *mapping = find(BaseAddress);

    if (!mapping) {
        misuse(NT_MISUSE_MAPPING, &call, "%p was not mapped by MmMapIoSpace, or is unmapped",
               BaseAddress);
        return;
    }
    if (mapping->size != NumberOfBytes) {
        misuse(NT_MISUSE_MAPPING, &call, "unmaps %llu bytes of a mapping of %llu",
               (unsigned long long)NumberOfBytes, (unsigned long long)mapping->size);
    }
    nt_mapping_gone(mapping->address, mapping->size, "device", mapping->physical, call.caller);
    unmap(mapping);
}

void io_mapping_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &mappings) {
        const struct io_mapping *mapping = container_of(link, struct io_mapping, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&mapping->from, where, sizeof(where));
        leak(visitor, "mapping", "%llu bytes of I/O space at 0x%llx, mapped at %s",
             (unsigned long long)mapping->size, (unsigned long long)mapping->physical, where);
    }
}

void io_mapping_stop(void)
{
    list_for_each_safe (link, &mappings) {
        unmap(container_of(link, struct io_mapping, link));
    }
}

/* ---- Registers ------------------------------------------------------------------------------- */

static void no_register(const volatile void *address, unsigned size, const char *does,
                        const struct export_call *call)
{
    char text[NT_MAPPING_TEXT_MAX];

    if (nt_mapping_text((const void *)address, text, sizeof(text))) {
        misuse(NT_MISUSE_REGISTER, call, "%s %u byte(s) at %s", does, size, text);
    } else {
        misuse(NT_MISUSE_REGISTER, call, "%s %u byte(s) at %p, which is in no mapping of a device",
               does, size, (const void *)address);
    }
}

static _Noreturn void page_fault(const volatile void *address, bool writes,
                                 const struct export_call *call)
{
    uint64_t at = (uintptr_t)address, code = (uintptr_t)call->caller;

    if (irql_current() >= DISPATCH_LEVEL) {
        bugcheck_from(call->caller, DRIVER_IRQL_NOT_LESS_OR_EQUAL, at, irql_current(), writes,
                      code);
    }
    bugcheck_from(call->caller, PAGE_FAULT_IN_NONPAGED_AREA, at, writes ? 2 : 0, code, 0);
}

static uint64_t read_one(const volatile void *address, unsigned size,
                         const struct export_call *call)
{
    uint64_t value;

    mmio_from(call->caller);
    if (!mmio_read((const void *)address, size, &value)) {
        no_register(address, size, "reads", call);
        if (!memory_is_readable((const void *)address, size)) {
            page_fault(address, false, call);
        }
        value = 0;
        memcpy(&value, (const void *)address, size);
    }
    return value;
}

static void write_one(volatile void *address, unsigned size, uint64_t value,
                      const struct export_call *call)
{
    mmio_from(call->caller);
    if (!mmio_write((void *)address, size, value)) {
        no_register(address, size, "writes", call);
        if (!memory_is_writable((const void *)address, size)) {
            page_fault(address, true, call);
        }
        memcpy((void *)address, &value, size);
    }
}

static ULONG checked_count(ULONG count, const struct export_call *call)
{
    if (count > BUFFER_COUNT_MAX) {
        misuse(NT_MISUSE_ARGUMENT, call, "a count of %u", count);
        return 0;
    }
    return count;
}

/* The WDK's names for one width; NOFENCE differs on real processors only. The buffer functions step
 * through registers, those of ports (below) do not. */
#define REGISTER_FUNCTIONS(infix, type)                                                     \
    type NTAPI READ_REGISTER_##infix##type(volatile type *Register)                         \
    {                                                                                       \
        struct export_call call = NT_EXPORT_CALL(READ_REGISTER_##infix##type);              \
        return (type)read_one(Register, sizeof(type), &call);                               \
    }                                                                                       \
    VOID NTAPI WRITE_REGISTER_##infix##type(volatile type *Register, type Value)            \
    {                                                                                       \
        struct export_call call = NT_EXPORT_CALL(WRITE_REGISTER_##infix##type);             \
        write_one(Register, sizeof(type), Value, &call);                                    \
    }                                                                                       \
    VOID NTAPI READ_REGISTER_##infix##BUFFER_##type(volatile type *Register, type *Buffer,  \
                                                    ULONG Count)                            \
    {                                                                                       \
        struct export_call call = NT_EXPORT_CALL(READ_REGISTER_##infix##BUFFER_##type);     \
        Count = checked_count(Count, &call);                                                \
        for (ULONG i = 0; i < Count; i++) {                                                 \
            Buffer[i] = (type)read_one(Register + i, sizeof(type), &call);                  \
        }                                                                                   \
    }                                                                                       \
    VOID NTAPI WRITE_REGISTER_##infix##BUFFER_##type(volatile type *Register, type *Buffer, \
                                                     ULONG Count)                           \
    {                                                                                       \
        struct export_call call = NT_EXPORT_CALL(WRITE_REGISTER_##infix##BUFFER_##type);    \
        Count = checked_count(Count, &call);                                                \
        for (ULONG i = 0; i < Count; i++) {                                                 \
            write_one(Register + i, sizeof(type), Buffer[i], &call);                        \
        }                                                                                   \
    }

REGISTER_FUNCTIONS(, UCHAR)
REGISTER_FUNCTIONS(, USHORT)
REGISTER_FUNCTIONS(, ULONG)
REGISTER_FUNCTIONS(, ULONG64)
REGISTER_FUNCTIONS(NOFENCE_, UCHAR)
REGISTER_FUNCTIONS(NOFENCE_, USHORT)
REGISTER_FUNCTIONS(NOFENCE_, ULONG)
REGISTER_FUNCTIONS(NOFENCE_, ULONG64)

/* ---- Ports ----------------------------------------------------------------------------------- */

#define PORT_SPACE_BYTES 0x10000u

/* A number is a port of the machine. What is larger is a mapped register that a driver treats as a
 * port. Where nothing answers, reads give all ones and writes are lost, as on a PC. */
static uint64_t port_in(const volatile void *port, unsigned size)
{
    uint64_t value;

    mmio_from(NULL);
    if ((uintptr_t)port < PORT_SPACE_BYTES) {
        port_read((uintptr_t)port, size, &value);
        return value;
    }
    return mmio_read((const void *)port, size, &value) ? value : UINT64_MAX;
}

static void port_out(volatile void *port, unsigned size, uint64_t value)
{
    mmio_from(NULL);
    bool taken = (uintptr_t)port < PORT_SPACE_BYTES ? port_write((uintptr_t)port, size, value)
                                                    : mmio_write((void *)port, size, value);

    if (!taken) {
        record_count("ports.ignored_writes", 1);
    }
}

#define PORT_FUNCTIONS(type)                                                   \
    type NTAPI READ_PORT_##type(type *Port)                                    \
    {                                                                          \
        NT_EXPORT_ENTER(READ_PORT_##type);                                     \
        return (type)port_in(Port, sizeof(type));                              \
    }                                                                          \
    VOID NTAPI WRITE_PORT_##type(type *Port, type Value)                       \
    {                                                                          \
        NT_EXPORT_ENTER(WRITE_PORT_##type);                                    \
        port_out(Port, sizeof(type), Value);                                   \
    }                                                                          \
    VOID NTAPI READ_PORT_BUFFER_##type(type *Port, type *Buffer, ULONG Count)  \
    {                                                                          \
        struct export_call call = NT_EXPORT_CALL(READ_PORT_BUFFER_##type);     \
        Count = checked_count(Count, &call);                                   \
        for (ULONG i = 0; i < Count; i++) {                                    \
            Buffer[i] = (type)port_in(Port, sizeof(type));                     \
        }                                                                      \
    }                                                                          \
    VOID NTAPI WRITE_PORT_BUFFER_##type(type *Port, type *Buffer, ULONG Count) \
    {                                                                          \
        struct export_call call = NT_EXPORT_CALL(WRITE_PORT_BUFFER_##type);    \
        Count = checked_count(Count, &call);                                   \
        for (ULONG i = 0; i < Count; i++) {                                    \
            port_out(Port, sizeof(type), Buffer[i]);                           \
        }                                                                      \
    }

PORT_FUNCTIONS(UCHAR)
PORT_FUNCTIONS(USHORT)
PORT_FUNCTIONS(ULONG)

/* Memory of the machine is coherent: there is nothing to flush. */
VOID NTAPI KeFlushIoBuffers(PMDL Mdl, BOOLEAN ReadOperation, BOOLEAN DmaOperation)
{
    NT_EXPORT_ENTER(KeFlushIoBuffers);
}

BOOLEAN NTAPI KeInvalidateAllCaches(VOID)
{
    NT_EXPORT_ENTER(KeInvalidateAllCaches);
    return TRUE;
}
