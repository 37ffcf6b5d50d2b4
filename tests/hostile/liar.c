/* A driver that lies: the reference driver, and in one place of its life one lie. What it is stands
 * in its registry key as text, numbers in hexadecimal:
 *
 *     Lie     export    the kernel's function of the name Name is called with A to F
 *             callback  the routine at Slot of DXGKRNL_INTERFACE is called with A to F
 *             answer    what the argument Slot points to has, at offset A, the value B of C bytes
 *             status    A is returned instead of what the reference driver says
 *     Place   the DDI, by its slot in DRIVER_INITIALIZATION_DATA; 0: DriverEntry
 *     When    in which of its calls, from 1
 *     Gone    not 0: afterwards it fails, so that the run is over soon
 *
 * A number may name something: see resolve(). */
#include <dispmprt.h>
#include <string.h>

#include "deeds.h"
#include "looking.h"

/* The reference driver is compiled with other names for these two. */
#undef DxgkInitialize
#undef DriverEntry
DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI softgpu_DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path);
NTSTATUS NTAPI liar_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                   PDRIVER_INITIALIZATION_DATA table);
NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                              PDRIVER_INITIALIZATION_DATA table);

enum { SLOT_COUNT = 160, ADD_DEVICE = 1, START_DEVICE = 2, BLOCK_BYTES = 64 << 10, TAG = 'raiL' };

typedef u64 NTAPI any_routine(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h);

static wchar_t lie_name[64], export_name[64];
static u64 place, when, slot, gone, given[6];
static any_routine *originals[SLOT_COUNT];
static PDRIVER_OBJECT driver;
static PDEVICE_OBJECT device;
static ULONG_PTR *interface_itself;
static u64 *callbacks; /* the interface that StartDevice was handed */
static unsigned callback_count;
static u64 host_code;

/* ---- What an argument may be ----------------------------------------------------------------- */

enum what {
    NAMES_ZEROS = 0x7E870010, /* 64 KiB of pool */
    NAMES_ONES,
    NAMES_ITSELF, /* each word is the address of the block */
    NAMES_FREED,
    NAMES_ODD,     /* a pointer that is not aligned */
    NAMES_END,     /* the last byte of a page that another follows which nobody may touch */
    NAMES_CODE,    /* of this driver: not writable */
    NAMES_HOST,    /* the host's code */
    NAMES_STACK,   /* of this call */
    NAMES_HANDLE,  /* of the device */
    NAMES_CONTEXT, /* of the driver's own, where the handle belongs */
    NAMES_ROUTINE, /* one that returns */
    NAMES_WRONG_ROUTINE,
};

static u64 context_of_adapter;

static u64 NTAPI returns(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
    return 0;
}

static u64 block_of(u64 word)
{
    u64 *block = ExAllocatePoolWithTag(NonPagedPoolNx, BLOCK_BYTES, TAG);

    for (unsigned i = 0; block && i < BLOCK_BYTES / 8; i++) {
        block[i] = word == NAMES_ITSELF ? (u64)(ULONG_PTR)block : word;
    }
    return (u64)(ULONG_PTR)block;
}

static u64 freed_block(void)
{
    PVOID block = ExAllocatePoolWithTag(NonPagedPoolNx, BLOCK_BYTES, TAG);

    if (block) {
        ExFreePoolWithTag(block, TAG);
    }
    return (u64)(ULONG_PTR)block;
}

static u64 end_of_page(void)
{
    u64 at = block_of(0) & ~0xFFFull, value;

    while (peek(at, &value)) {
        at += 4096;
    }
    return at - 1;
}

static u64 resolve(u64 value)
{
    switch (value) {
    case NAMES_ZEROS:
        return block_of(0);
    case NAMES_ONES:
        return block_of(~0ull);
    case NAMES_ITSELF:
        return block_of(NAMES_ITSELF);
    case NAMES_FREED:
        return freed_block();
    case NAMES_ODD:
        return block_of(0) + 1;
    case NAMES_END:
        return end_of_page();
    case NAMES_CODE:
        return (u64)(ULONG_PTR)&DriverEntry;
    case NAMES_HOST:
        return host_code;
    case NAMES_STACK:
        return (u64)(ULONG_PTR)__builtin_frame_address(0);
    case NAMES_HANDLE:
        return callbacks ? callbacks[1] : 0;
    case NAMES_CONTEXT:
        return context_of_adapter;
    case NAMES_ROUTINE:
        return (u64)(ULONG_PTR)returns;
    case NAMES_WRONG_ROUTINE:
        return block_of(0xCCCCCCCCCCCCCCCC);
    default:
        return value;
    }
}

/* ---- The lies -------------------------------------------------------------------------------- */

static void call_with_lies(any_routine *routine)
{
    u64 with[6];

    for (unsigned i = 0; i < 6; i++) {
        with[i] = resolve(given[i]);
    }
    DbgPrint("hostile: begins\n");
    u64 result = routine(with[0], with[1], with[2], with[3], with[4], with[5], 0, 0);
    DbgPrint("hostile: it came back with %llx\n", result);
}

static void lie_to_export(void)
{
    UNICODE_STRING name;
    any_routine *routine;

    RtlInitUnicodeString(&name, export_name);
    routine = (any_routine *)(ULONG_PTR)MmGetSystemRoutineAddress(&name);
    if (routine) {
        call_with_lies(routine);
    } else {
        DbgPrint("hostile: no such export\n");
    }
}

static void lie_to_callback(void)
{
    if (callbacks && slot < callback_count && callbacks[slot]) {
        call_with_lies((any_routine *)(ULONG_PTR)callbacks[slot]);
    } else {
        DbgPrint("hostile: no such callback\n");
    }
}

static BOOLEAN tells(const wchar_t *name)
{
    return wcscmp(lie_name, name) == 0;
}

static void do_deed(const u64 with[8])
{
    struct deed_stage stage = {.driver = driver, .device = device, .interface = interface_itself};

    for (unsigned i = 0; with && i < 8; i++) {
        stage.arguments[i] = (ULONG_PTR)with[i];
    }
    if (!deed_do(&stage, export_name, (ULONG_PTR)resolve(given[0]), (ULONG_PTR)given[1])) {
        DbgPrint("hostile: no such deed\n");
    }
}

static void lie_before(const u64 with[8])
{
    if (tells(L"deed")) {
        do_deed(with);
    } else if (tells(L"export")) {
        lie_to_export();
    } else if (tells(L"callback")) {
        lie_to_callback();
    }
}

static void lie_in_answer(u64 object)
{
    u64 at = object + given[0], value = resolve(given[1]), before;

    if (object < 0x10000 || !peek(at, &before)) {
        DbgPrint("hostile: no such place\n");
        return;
    }
    DbgPrint("hostile: begins\n");
    __try {
        memcpy((void *)(ULONG_PTR)at, &value, given[2] > 8 ? 8 : (size_t)given[2]);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
    }
}

/* ---- In front of the reference driver -------------------------------------------------------- */

static void keep_interface(const u64 *interface)
{
    static u64 kept[SLOT_COUNT];
    ULONG size = *(const ULONG *)interface;

    size = size < sizeof(kept) ? size : sizeof(kept);
    memcpy(kept, interface, size);
    interface_itself = (ULONG_PTR *)(ULONG_PTR)interface;
    callbacks = kept;
    callback_count = size / 8;
}

static u64 pass_on(unsigned which, u64 *with)
{
    static u64 calls;
    BOOLEAN now = which == place && ++calls == when;

    if (which == ADD_DEVICE) {
        device = (PDEVICE_OBJECT)(ULONG_PTR)with[0];
    }
    if (which == START_DEVICE) {
        context_of_adapter = with[0];
        keep_interface((const u64 *)(ULONG_PTR)with[2]);
    }
    if (now && which != START_DEVICE) {
        lie_before(with);
    }
    u64 status =
        originals[which](with[0], with[1], with[2], with[3], with[4], with[5], with[6], with[7]);
    if (now && which == START_DEVICE) {
        lie_before(with); /* the interrupt is connected, and all is ready */
    }
    if (now && tells(L"answer")) {
        lie_in_answer(slot < 8 ? with[slot] : 0);
    } else if (now && tells(L"status")) {
        DbgPrint("hostile: begins\n");
        status = given[0];
    }
    return now && gone ? (u64)STATUS_UNSUCCESSFUL : status;
}

#define WRAPPER(n)                                                                       \
    static u64 NTAPI wrapper_##n(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h) \
    {                                                                                    \
        u64 with[8] = {a, b, c, d, e, f, g, h};                                          \
        return pass_on(n, with);                                                         \
    }
#define NAME(n) wrapper_##n,
#define TENS(X)                                                                                \
    TEN(X, )                                                                                   \
    TEN(X, 1)                                                                                  \
    TEN(X, 2) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6) TEN(X, 7) TEN(X, 8) TEN(X, 9) TEN(X, 10) \
        TEN(X, 11) TEN(X, 12) TEN(X, 13) TEN(X, 14) TEN(X, 15)
#define TEN(X, t) X(t##0) X(t##1) X(t##2) X(t##3) X(t##4) X(t##5) X(t##6) X(t##7) X(t##8) X(t##9)
TENS(WRAPPER)
static any_routine *const wrappers[SLOT_COUNT] = {TENS(NAME)};

/* What the reference driver calls instead of DxgkInitialize. */
NTSTATUS NTAPI liar_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                   PDRIVER_INITIALIZATION_DATA table)
{
    any_routine **routines = (any_routine **)table;

    for (unsigned i = 1; i < sizeof(*table) / 8 && i < SLOT_COUNT; i++) {
        if (routines[i]) {
            originals[i] = routines[i];
            routines[i] = wrappers[i];
        }
    }
    return DxgkInitialize(driver_object, registry_path, table);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    static wchar_t key[256];
    static const wchar_t *const letters[] = {L"A", L"B", L"C", L"D", L"E", L"F"};

    if (registry_path->Length >= sizeof(key)) {
        return STATUS_UNSUCCESSFUL;
    }
    host_code = (u64)(ULONG_PTR)__builtin_return_address(0);
    driver = driver_object;
    memcpy(key, registry_path->Buffer, registry_path->Length);
    read_text(key, L"Lie", lie_name);
    read_text(key, L"Name", export_name);
    place = read_number(key, L"Place");
    when = read_number(key, L"When");
    slot = read_number(key, L"Slot");
    gone = read_number(key, L"Gone");
    for (unsigned i = 0; i < 6; i++) {
        given[i] = read_number(key, letters[i]);
    }
    if (place == 0) {
        lie_before(NULL);
        if (gone) {
            return STATUS_UNSUCCESSFUL;
        }
    }
    return softgpu_DriverEntry(driver_object, registry_path);
}
