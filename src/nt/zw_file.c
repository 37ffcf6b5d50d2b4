/* nt/zw_file.c: files and sections.
 *
 * The machine has no disk: opening any file says that it does not exist, which a driver must bear
 * anyway. So no handle to a file can exist, and functions that take one find it bad. Sections are
 * memory of the machine's pool. */
#include "nt/internal.h"

#include <stdlib.h>

#define SECTION_TAG       POOL_TAG('S', 'e', 'c', 't')
#define SECTION_BYTES_MAX (UINT64_C(1) << 30)

static NTSTATUS no_file(HANDLE *handle, IO_STATUS_BLOCK *io)
{
    *handle = NULL;
    io->Status = STATUS_OBJECT_NAME_NOT_FOUND;
    io->Information = 0;
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                            POBJECT_ATTRIBUTES ObjectAttributes, PIO_STATUS_BLOCK IoStatusBlock,
                            PLARGE_INTEGER AllocationSize, ULONG FileAttributes, ULONG ShareAccess,
                            ULONG CreateDisposition, ULONG CreateOptions, PVOID EaBuffer,
                            ULONG EaLength)
{
    NT_EXPORT_ENTER(ZwCreateFile);
    return no_file(FileHandle, IoStatusBlock);
}

NTSTATUS NTAPI ZwOpenFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                          POBJECT_ATTRIBUTES ObjectAttributes, PIO_STATUS_BLOCK IoStatusBlock,
                          ULONG ShareAccess, ULONG OpenOptions)
{
    NT_EXPORT_ENTER(ZwOpenFile);
    return no_file(FileHandle, IoStatusBlock);
}

static NTSTATUS bad_file(HANDLE handle, const struct export_call *call)
{
    misuse(NT_MISUSE_HANDLE, call, "handle 0x%llx is no open file",
           (unsigned long long)(uintptr_t)handle);
    return STATUS_INVALID_HANDLE;
}

NTSTATUS NTAPI ZwReadFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                          PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                          ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key)
{
    struct export_call call = NT_EXPORT_CALL(ZwReadFile);
    return bad_file(FileHandle, &call);
}

NTSTATUS NTAPI ZwWriteFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                           PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                           ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key)
{
    struct export_call call = NT_EXPORT_CALL(ZwWriteFile);
    return bad_file(FileHandle, &call);
}

NTSTATUS NTAPI ZwQueryInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                      PVOID FileInformation, ULONG Length,
                                      FILE_INFORMATION_CLASS FileInformationClass)
{
    struct export_call call = NT_EXPORT_CALL(ZwQueryInformationFile);
    return bad_file(FileHandle, &call);
}

NTSTATUS NTAPI ZwSetInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                    PVOID FileInformation, ULONG Length,
                                    FILE_INFORMATION_CLASS FileInformationClass)
{
    struct export_call call = NT_EXPORT_CALL(ZwSetInformationFile);
    return bad_file(FileHandle, &call);
}

NTSTATUS NTAPI ZwDeviceIoControlFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                                     PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock,
                                     ULONG IoControlCode, PVOID InputBuffer,
                                     ULONG InputBufferLength, PVOID OutputBuffer,
                                     ULONG OutputBufferLength)
{
    struct export_call call = NT_EXPORT_CALL(ZwDeviceIoControlFile);
    return bad_file(FileHandle, &call);
}

/* ---- Sections -------------------------------------------------------------------------------- */

struct section {
    uint8_t *memory;
    size_t size;
};

struct view {
    struct list link;
    struct section *section; /* with a reference */
    uint8_t *address;
    struct nt_origin from;
};

static void section_destroy(void *body)
{
    nt_memory_free(((struct section *)body)->memory);
}

struct object_type object_type_section = {.name = "Section", .destroy = section_destroy};

static struct list views = {&views, &views};

NTSTATUS NTAPI ZwCreateSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                               POBJECT_ATTRIBUTES ObjectAttributes, PLARGE_INTEGER MaximumSize,
                               ULONG SectionPageProtection, ULONG AllocationAttributes,
                               HANDLE FileHandle)
{
    struct export_call call = NT_EXPORT_CALL(ZwCreateSection);
    struct section *section;
    NTSTATUS status;

    *SectionHandle = NULL;
    if (FileHandle) {
        return bad_file(FileHandle, &call);
    }
    if (!MaximumSize || MaximumSize->QuadPart <= 0 ||
        (uint64_t)MaximumSize->QuadPart > SECTION_BYTES_MAX) {
        return STATUS_INVALID_PARAMETER_4;
    }
    if (allocation_fails(SECTION_TAG, (size_t)MaximumSize->QuadPart, call.caller)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    section = object_create(&object_type_section, sizeof(*section));
    if (!section) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    section->size = align_up((uint64_t)MaximumSize->QuadPart, PAGE_SIZE);
    section->memory = nt_memory_alloc(section->size, SECTION_TAG);
    const struct handle_request request =
        handle_request_of(DesiredAccess, ObjectAttributes, call.caller);
    status = section->memory ? handle_open(section, &request, SectionHandle)
                             : STATUS_INSUFFICIENT_RESOURCES;
    object_put(section);
    return status;
}

NTSTATUS NTAPI ZwOpenSection(PHANDLE SectionHandle, ACCESS_MASK DesiredAccess,
                             POBJECT_ATTRIBUTES ObjectAttributes)
{
    NT_EXPORT_ENTER(ZwOpenSection);
    *SectionHandle = NULL;
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

/* A view of [offset, offset + *size); size 0: to the end. Takes over the section's reference. */
static NTSTATUS view_add(struct section *section, uint64_t offset, void **base, SIZE_T *size,
                         const struct export_call *call)
{
    struct view *view;

    if (offset % PAGE_SIZE || offset >= section->size ||
        !range_fits(offset, *size, section->size)) {
        object_put(section);
        return STATUS_INVALID_VIEW_SIZE;
    }
    view = calloc(1, sizeof(*view));
    if (!view) {
        object_put(section);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    view->section = section;
    view->address = section->memory + offset;
    view->from = origin_of(call->caller);
    list_push_back(&views, &view->link);
    *base = view->address;
    *size = *size ? align_up(*size, PAGE_SIZE) : section->size - offset;
    return STATUS_SUCCESS;
}

static void view_remove(struct view *view)
{
    list_remove(&view->link);
    object_put(view->section);
    free(view);
}

static NTSTATUS view_remove_at(const void *address, const struct export_call *call)
{
    list_for_each_safe (link, &views) {
        struct view *view = container_of(link, struct view, link);
        if (view->address == address) {
            view_remove(view);
            return STATUS_SUCCESS;
        }
    }
    misuse(NT_MISUSE_MAPPING, call, "%p is no view of a section", address);
    return STATUS_NOT_MAPPED_VIEW;
}

NTSTATUS NTAPI ZwMapViewOfSection(HANDLE SectionHandle, HANDLE ProcessHandle, PVOID *BaseAddress,
                                  ULONG_PTR ZeroBits, SIZE_T CommitSize,
                                  PLARGE_INTEGER SectionOffset, PSIZE_T ViewSize,
                                  SECTION_INHERIT InheritDisposition, ULONG AllocationType,
                                  ULONG Win32Protect)
{
    struct export_call call = NT_EXPORT_CALL(ZwMapViewOfSection);
    void *section;
    NTSTATUS status = handle_reference(SectionHandle, &object_type_section, &section);

    if (!NT_SUCCESS(status)) {
        misuse(NT_MISUSE_HANDLE, &call, "that is no handle of a section");
        return status;
    }
    return view_add(section, SectionOffset ? (uint64_t)SectionOffset->QuadPart : 0, BaseAddress,
                    ViewSize, &call);
}

NTSTATUS NTAPI ZwUnmapViewOfSection(HANDLE ProcessHandle, PVOID BaseAddress)
{
    struct export_call call = NT_EXPORT_CALL(ZwUnmapViewOfSection);
    return view_remove_at(BaseAddress, &call);
}

NTSTATUS NTAPI MmMapViewInSystemSpace(PVOID Section, PVOID *MappedBase, PSIZE_T ViewSize)
{
    struct export_call call = NT_EXPORT_CALL(MmMapViewInSystemSpace);

    if (object_type_of(Section) != &object_type_section) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no section");
        return STATUS_INVALID_PARAMETER;
    }
    object_get(Section);
    return view_add(Section, 0, MappedBase, ViewSize, &call);
}

NTSTATUS NTAPI MmUnmapViewInSystemSpace(PVOID MappedBase)
{
    struct export_call call = NT_EXPORT_CALL(MmUnmapViewInSystemSpace);
    return view_remove_at(MappedBase, &call);
}

void view_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &views) {
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&container_of(link, struct view, link)->from, where, sizeof(where));
        leak(visitor, "mapping", "a view of a section, mapped at %s", where);
    }
}

void view_stop(void)
{
    list_for_each_safe (link, &views) {
        view_remove(container_of(link, struct view, link));
    }
}

/* ---- Virtual memory: pages of a process are pool memory here --------------------------------- */

NTSTATUS NTAPI ZwAllocateVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress, ULONG_PTR ZeroBits,
                                       PSIZE_T RegionSize, ULONG AllocationType, ULONG Protect)
{
    struct export_call call = NT_EXPORT_CALL(ZwAllocateVirtualMemory);
    struct pool_request request = {.size = align_up(*RegionSize, PAGE_SIZE),
                                   .tag = POOL_TAG('V', 'i', 'r', 't'),
                                   .type = POOL_TYPE_PAGED,
                                   .zeroed = true,
                                   .caller = call.caller};

    if (*BaseAddress || *RegionSize == 0 || *RegionSize > SECTION_BYTES_MAX) {
        return STATUS_INVALID_PARAMETER; /* an address of the caller's choice is not supported */
    }
    *BaseAddress = pool_allocate(&request);
    *RegionSize = request.size;
    return *BaseAddress ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS NTAPI ZwFreeVirtualMemory(HANDLE ProcessHandle, PVOID *BaseAddress, PSIZE_T RegionSize,
                                   ULONG FreeType)
{
    struct export_call call = NT_EXPORT_CALL(ZwFreeVirtualMemory);

    if (FreeType != MEM_RELEASE) {
        return STATUS_NOT_SUPPORTED;
    }
    return pool_free(*BaseAddress, 0, &call) ? STATUS_SUCCESS : STATUS_MEMORY_NOT_ALLOCATED;
}
