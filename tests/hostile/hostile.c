/* A driver that means harm. What it does is said in its registry key: Attack names one of the
 * functions below, Number and A to D are their arguments, Way says from where it is made. It knows
 * Drydock's sources, looks for the addresses it needs, and has no mercy. */
#include "base/record.h" /* he knows how the region is laid out */
#include "looking.h"

DRIVER_INITIALIZE DriverEntry;

#define RECORD_MAGIC 0x31305652444b4344ull

/* Addresses that an argument may name. */
enum { NAMES_TEXT = 0x7E870001, NAMES_RECORD, NAMES_STACK, NAMES_DATA, NAMES_PARENT, NAMES_IMAGE };

static u64 number, given[4];
static wchar_t attack_name[64], way_name[64];

/* ---- Looking around -------------------------------------------------------------------------- */

static u64 return_address; /* of DriverEntry: the host called it */

static u64 host_text(void)
{
    return return_address & ~0xFFFull;
}

/* A word in the host's data that points at the private half of the record, whose first word is the
 * region: the first that has the record's number at its head. */
static u64 find_record(u64 *pointer_at)
{
    static u64 found, found_at;
    u64 object, header, magic;

    for (u64 at = host_text(); !found && at < host_text() + (64ull << 20); at += 8) {
        if (!peek(at, &object)) {
            at = (at & ~0xFFFull) + 0xFF8;
            continue;
        }
        if (object > 0x10000 && object < 0x7FFFFFFFF000 && object % 8 == 0 &&
            peek(object, &header) && header > 0x10000 && header < 0x7FFFFFFFF000 &&
            header % 4096 == 0 && peek(header, &magic) && magic == RECORD_MAGIC) {
            found = header;
            found_at = at;
        }
    }
    if (pointer_at) {
        *pointer_at = found_at;
    }
    return found;
}

/* "syscall; ret" in code that was there before: found by the addresses that the host's tables
 * hold. */
static u64 find_gadget(void)
{
    static u64 found;
    u64 place, word;

    for (u64 at = host_text(); !found && at < host_text() + (64ull << 20); at += 8) {
        if (!peek(at, &place)) {
            at = (at & ~0xFFFull) + 0xFF8;
            continue;
        }
        if (place < 0x7F0000000000 || place > 0x7FFFFFFFF000) {
            continue;
        }
        for (u64 code = place; code < place + 256 && peek(code, &word); code++) {
            if ((word & 0xFFFF) == 0x050F) {
                found = code;
                break;
            }
        }
    }
    return found;
}

static u64 resolve(u64 value)
{
    switch (value) {
    case NAMES_TEXT:
        return host_text();
    case NAMES_RECORD:
        return find_record(NULL);
    case NAMES_STACK:
        return (u64)(ULONG_PTR)&value & ~0xFFFull;
    case NAMES_DATA: {
        u64 at;
        find_record(&at);
        return at & ~0xFFFull;
    }
    case NAMES_IMAGE:
        return (u64)(ULONG_PTR)&DriverEntry & ~0xFFFull;
    default:
        return value;
    }
}

/* ---- System calls ---------------------------------------------------------------------------- */

static u64 call(u64 which, u64 a, u64 b, u64 c, u64 d)
{
    register u64 r10 __asm__("r10") = d;
    u64 result = which;

    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

/* By an instruction of the host's libraries. What follows it there is not run: the stack is
 * switched back by hand if it returns at all, so only calls that do not return, or whose code
 * returns soon, are made this way. */
static u64 borrow(u64 which, u64 a, u64 b, u64 c, u64 d)
{
    register u64 r10 __asm__("r10") = d;
    register u64 gadget __asm__("r9") = find_gadget();
    u64 result = which;

    if (!gadget) {
        DbgPrint("hostile: no gadget\n");
        return 0;
    }
    __asm__ volatile("call *%%r9"
                     : "+a"(result), "+r"(gadget)
                     : "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "r8", "memory", "cc");
    return result;
}

static void own_call(void)
{
    u64 result = call(number, resolve(given[0]), resolve(given[1]), resolve(given[2]), given[3]);

    DbgPrint("hostile: it came back with %lld\n", (long long)result);
}

static void borrowed_call(void)
{
    u64 result = borrow(number, resolve(given[0]), resolve(given[1]), resolve(given[2]), given[3]);

    DbgPrint("hostile: it came back with %lld\n", (long long)result);
}

static void old_call(void)
{
    u64 result = number;

    __asm__ volatile("int $0x80" : "+a"(result) : "b"(given[0]), "c"(given[1]), "d"(given[2]));
}

/* ---- Lies in the record ---------------------------------------------------------------------- */

static struct record_header *header(void)
{
    struct record_header *found = (struct record_header *)find_record(NULL);

    DbgPrint("hostile: the record is %s\n", found ? "found" : "not found");
    return found;
}

/* `given[0]` is the outcome. */
static void forge(void)
{
    struct record_header *lie = header();

    if (lie) {
        lie->stage = RUN_STAGE_DONE;
        lie->breach_count = lie->counting_breaches = 0;
        lie->digest = 0x1234567890ABCDEF;
        memcpy(lie->message, "pass", 5);
        lie->outcome = (unsigned)given[0];
    }
}

static void forge_and_exit(void)
{
    forge();
    call(231, 0, 0, 0, 0);
}

static void forge_and_borrow_exit(void)
{
    forge();
    borrow(231, 0, 0, 0, 0);
}

static void forge_and_die(void)
{
    forge();
    __asm__ volatile("ud2");
}

static void forge_and_spin(void)
{
    forge();
    for (;;) {
        __asm__ volatile("pause");
    }
}

static void forge_counters(void)
{
    struct record_header *lie = header();

    for (unsigned i = 0; lie && i < 256; i++) {
        memcpy(lie->counters[i].name, "a.\xFF\xFE.b.\x80.", 10);
        lie->counters[i].name[47] = (char)i;
        lie->counters[i].value = ~0ull;
    }
    if (lie) {
        lie->counter_count = 0xFFFFFFFF;
    }
}

/* given[0]: the side of each picture; given[1]: how far apart they lie. */
static void forge_pictures(void)
{
    struct record_header *lie = header();

    for (unsigned i = 0; lie && i < 1024; i++) {
        lie->blobs[i].offset = i * given[1];
        lie->blobs[i].size = given[0] * given[0] * 4;
        lie->blobs[i].kind = 0;
        lie->blobs[i].workload = given[2] ? 0xFFFFFFFF : i / 64;
        lie->blobs[i].number = i % 64 + 1;
        lie->blobs[i].width = lie->blobs[i].height = (unsigned)given[0];
        lie->blobs[i].stride = (unsigned)given[0] * 4;
        lie->blobs[i].label = 0xFFFFFFFF;
    }
    if (lie) {
        lie->blob_count = 1024;
    }
}

/* All texts are one that does not end; given[0] times a task of that name runs. */
static void forge_texts(void)
{
    struct record_header *lie = header();
    struct event *events = lie ? (struct event *)((char *)lie + lie->event_offset) : NULL;

    if (!lie) {
        return;
    }
    memset((char *)lie + lie->text_offset, 'x', lie->text_size);
    for (unsigned i = 0; i < RECORD_NOTES_MAX; i++) {
        lie->notes[i] = i + 1;
    }
    lie->note_count = RECORD_NOTES_MAX;
    for (u64 i = 0; i < given[0] && i < lie->event_capacity; i++) {
        events[i] = (struct event){
            .time_ns = i, .kind = i ? EVENT_TASK_RUN : EVENT_TASK_NEW, .object = 1, .a = 1};
    }
    lie->object_count = 1;
    lie->object_kinds[1] = OBJECT_TASK;
    lie->event_count = given[0];
    lie->outcome = RUN_OUTCOME_BREACH; /* so that nobody writes behind it */
    borrow(231, 0, 0, 0, 0);
}

/* The verdict is another driver's. */
static void forge_name(void)
{
    struct record_header *lie = header();

    if (lie) {
        memcpy(lie->driver, "other.sys", 10);
        lie->seed = 4711;
        __asm__ volatile("ud2");
    }
}

static void scribble_record(void)
{
    unsigned char *lie = (unsigned char *)header();

    for (u64 i = given[0]; lie && i < given[1]; i++) {
        lie[i] = (unsigned char)number;
    }
}

static void scribble_record_and_exit(void)
{
    scribble_record();
    borrow(231, 3, 0, 0, 0);
}

static void lose_record(void)
{
    u64 at;

    find_record(&at);
    poke(at, 0);
}

/* ---- Other things of the host ---------------------------------------------------------------- */

static void patch_text(void)
{
    unsigned char *code = (unsigned char *)return_address;

    *code = 0xC3;
}

static void scribble_data(void)
{
    u64 at;

    find_record(&at);
    for (u64 place = at & ~0xFFFull; place < (at & ~0xFFFull) + given[0]; place += 8) {
        if (!poke(place, number)) {
            break;
        }
    }
}

static void change_canary(void)
{
    __asm__ volatile("movq %0, %%fs:0x28" : : "r"(number) : "memory");
}

static void change_thread(void)
{
    __asm__ volatile("movq %0, %%fs:0x10" : : "r"(number) : "memory");
    __asm__ volatile("wrfsbase %0" : : "r"(number));
}

static void smash_stack(void)
{
    volatile u64 here = number;

    for (u64 i = 0; i < given[0]; i++) {
        (&here)[i] = number;
    }
}

static void lose_stack(void)
{
    __asm__ volatile("mov %0, %%rsp; ret" : : "r"(number));
}

/* On a stack of its own, which leads nowhere: there is no frame of the driver any more. */
static void lose_stack_in_image(void)
{
    static u64 nothing[1024];

    __asm__ volatile("mov %0, %%rsp; ret" : : "r"(nothing + 512));
}

int __C_specific_handler(PEXCEPTION_RECORD record, PVOID frame, PCONTEXT context, PVOID dispatcher);
NTSYSAPI VOID NTAPI RtlRaiseException(PEXCEPTION_RECORD record);

/* The language's own handler, called with what no dispatcher made. */
static void handles_itself(void)
{
    static u64 dispatcher[32];
    static EXCEPTION_RECORD record;

    dispatcher[0] = (u64)(ULONG_PTR)handles_itself;
    dispatcher[1] = (u64)(ULONG_PTR)handles_itself & ~0xFFFFull;
    dispatcher[7] = (u64)(ULONG_PTR)handles_itself;
    __C_specific_handler(&record, dispatcher, (PCONTEXT)dispatcher, dispatcher + 8);
}

/* As if the processor had raised it, with a name that lies nowhere. */
static void raises_privileged(void)
{
    EXCEPTION_RECORD record = {.ExceptionCode = STATUS_PRIVILEGED_INSTRUCTION,
                               .NumberParameters = 1,
                               .ExceptionInformation = {number}};

    RtlRaiseException(&record);
}

static ULONG_PTR NTAPI broadcast_again(ULONG_PTR depth)
{
    return depth < 2 ? KeIpiGenericCall(broadcast_again, depth + 1) : 0;
}

static void broadcasts_twice(void)
{
    KeIpiGenericCall(broadcast_again, 0);
}

/* In a DPC that has made itself a thread. */
static void waits_low(void)
{
    LARGE_INTEGER time = {.QuadPart = -1000};

    KeLowerIrql(PASSIVE_LEVEL);
    KeDelayExecutionThread(KernelMode, FALSE, &time);
}

static void puts_no_adapter(void)
{
    DEVICE_DESCRIPTION description = {.Version = DEVICE_DESCRIPTION_VERSION,
                                      .Master = TRUE,
                                      .ScatterGather = TRUE,
                                      .MaximumLength = PAGE_SIZE};
    ULONG registers;
    PDMA_ADAPTER adapter = IoGetDmaAdapter(NULL, &description, &registers);

    if (adapter) {
        adapter->DmaOperations->PutDmaAdapter((PDMA_ADAPTER)(ULONG_PTR)number);
    }
}

static void fills_registry(void)
{
    static UCHAR data[1 << 20];
    WCHAR name[] = L"V0000";

    for (unsigned i = 0; i < 4096; i++) {
        name[1] = (WCHAR)(L'0' + i / 512);
        name[2] = (WCHAR)(L'0' + i / 64 % 8);
        name[3] = (WCHAR)(L'0' + i / 8 % 8);
        name[4] = (WCHAR)(L'0' + i % 8);
        RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"hostile", name, REG_BINARY, data,
                              sizeof(data));
    }
}

static void set_flags(void)
{
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "r"(number) : "memory", "cc");
}

static void privileged(void)
{
    switch (number) {
    case 0:
        __asm__ volatile("hlt");
        break;
    case 1:
        __asm__ volatile("mov %0, %%cr3" : : "r"(0ull));
        break;
    case 2:
        __asm__ volatile("lidt (%0)" : : "r"(&number));
        break;
    case 3:
        __asm__ volatile("wrmsr" : : "a"(0), "c"(0xC0000082), "d"(0));
        break;
    case 4:
        __asm__ volatile("int3");
        break;
    case 5:
        __asm__ volatile("int $0x2d");
        break;
    case 6:
        __asm__ volatile("jmp *%0" : : "r"(0xFFFFFFFFFF600000ull));
        break;
    case 7:
        __asm__ volatile("sysenter");
        break;
    default:
        __asm__ volatile("ud2");
        break;
    }
}

/* ---- Time, noise, greed ---------------------------------------------------------------------- */

static void spin(void)
{
    for (;;) {
        __asm__ volatile("pause");
    }
}

static void spin_in_exceptions(void)
{
    for (;;) {
        __try {
            *(volatile int *)8 = 1;
        } __except (EXCEPTION_EXECUTE_HANDLER) {
        }
    }
}

static void talk(void)
{
    for (u64 i = 0; i < number; i++) {
        DbgPrint("\033]0;hostile\007\033[2J\033[1;1H\x9b 2J %llu\n", i);
    }
}

static void talk_for_ever(void)
{
    for (;;) {
        DbgPrint("%0400u\n", 1u);
    }
}

static void sleep_for_ever(void)
{
    LARGE_INTEGER time = {.QuadPart = -10 * 1000 * 1000};

    for (;;) {
        KeDelayExecutionThread(KernelMode, FALSE, &time);
    }
}

static void wait_for_ever(void)
{
    KEVENT event;

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static __attribute__((noinline)) u64 deeper(volatile u64 *before)
{
    volatile u64 room[64];

    room[0] = *before + 1;
    return deeper(room) + room[0];
}

static void recurse(void)
{
    volatile u64 begin = 0;

    number += deeper(&begin);
}

static void take_all_pool(void)
{
    u64 taken = 0;
    unsigned char *block;

    while ((block = ExAllocatePoolWithTag(NonPagedPoolNx, 16u << 20, 'tsoH')) != NULL) {
        memset(block, 1, 16u << 20);
        taken += 16;
    }
    DbgPrint("hostile: %llu MiB taken\n", taken);
}

static void stop_the_system(void)
{
    KeBugCheckEx((ULONG)number, given[0], given[1], given[2], given[3]);
}

static void raise_irql(void)
{
    KIRQL old;

    KeRaiseIrql(HIGH_LEVEL, &old);
    if (number) {
        spin();
    }
}

static void open_file(void)
{
    static const wchar_t *const names[] = {L"\\??\\C:\\..\\..\\etc\\passwd", L"\\..\\etc\\passwd",
                                           L"/etc/passwd", L"\\SystemRoot\\..\\..\\stolen"};

    for (unsigned i = 0; i < ARRAYSIZE(names); i++) {
        OBJECT_ATTRIBUTES object;
        IO_STATUS_BLOCK status;
        UNICODE_STRING name;
        HANDLE file;

        RtlInitUnicodeString(&name, names[i]);
        InitializeObjectAttributes(&object, &name, OBJ_KERNEL_HANDLE, NULL, NULL);
        NTSTATUS result = ZwCreateFile(&file, GENERIC_WRITE | SYNCHRONIZE, &object, &status, NULL,
                                       FILE_ATTRIBUTE_NORMAL, 0, FILE_OVERWRITE_IF,
                                       FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0);
        DbgPrint("hostile: file %u: %08x\n", i, (unsigned)result);
    }
}

/* ---- Which, and from where ------------------------------------------------------------------- */

static const struct {
    const wchar_t *name;
    void (*run)(void);
} attacks[] = {
    {L"call", own_call},
    {L"borrow", borrowed_call},
    {L"old_call", old_call},
    {L"forge", forge},
    {L"forge_and_exit", forge_and_exit},
    {L"forge_and_borrow_exit", forge_and_borrow_exit},
    {L"forge_and_die", forge_and_die},
    {L"forge_and_spin", forge_and_spin},
    {L"forge_counters", forge_counters},
    {L"forge_pictures", forge_pictures},
    {L"forge_texts", forge_texts},
    {L"forge_name", forge_name},
    {L"scribble_record", scribble_record},
    {L"scribble_record_and_exit", scribble_record_and_exit},
    {L"lose_record", lose_record},
    {L"patch_text", patch_text},
    {L"scribble_data", scribble_data},
    {L"change_canary", change_canary},
    {L"change_thread", change_thread},
    {L"smash_stack", smash_stack},
    {L"lose_stack", lose_stack},
    {L"lose_stack_in_image", lose_stack_in_image},
    {L"handles_itself", handles_itself},
    {L"raises_privileged", raises_privileged},
    {L"broadcasts_twice", broadcasts_twice},
    {L"waits_low", waits_low},
    {L"puts_no_adapter", puts_no_adapter},
    {L"fills_registry", fills_registry},
    {L"set_flags", set_flags},
    {L"privileged", privileged},
    {L"spin", spin},
    {L"spin_in_exceptions", spin_in_exceptions},
    {L"talk", talk},
    {L"talk_for_ever", talk_for_ever},
    {L"sleep_for_ever", sleep_for_ever},
    {L"wait_for_ever", wait_for_ever},
    {L"recurse", recurse},
    {L"take_all_pool", take_all_pool},
    {L"stop_the_system", stop_the_system},
    {L"raise_irql", raise_irql},
    {L"open_file", open_file},
};

static void attack(void)
{
    for (unsigned i = 0; i < ARRAYSIZE(attacks); i++) {
        if (wcscmp(attacks[i].name, attack_name) == 0) {
            DbgPrint("hostile: begins\n");
            attacks[i].run();
            DbgPrint("hostile: is done\n");
            return;
        }
    }
    DbgPrint("hostile: no such attack\n");
}

static KEVENT finished;

static void thread_main(PVOID context)
{
    attack();
    KeSetEvent(&finished, 0, FALSE);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void from_thread(void)
{
    OBJECT_ATTRIBUTES object;
    HANDLE thread;

    InitializeObjectAttributes(&object, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    if (NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, &object, NULL, NULL,
                                        thread_main, NULL))) {
        KeWaitForSingleObject(&finished, Executive, KernelMode, FALSE, NULL);
        ZwClose(thread);
    }
}

static KDPC dpc;
static KTIMER timer;

static void dpc_main(PKDPC object, PVOID context, PVOID a, PVOID b)
{
    attack();
    KeSetEvent(&finished, 0, FALSE);
}

static void from_dpc(void)
{
    LARGE_INTEGER soon = {.QuadPart = -10000};

    KeInitializeDpc(&dpc, dpc_main, NULL);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, soon, &dpc);
    KeWaitForSingleObject(&finished, Executive, KernelMode, FALSE, NULL);
}

static LONG in_filter(void)
{
    attack();
    return EXCEPTION_EXECUTE_HANDLER;
}

static void from_filter(void)
{
    __try {
        *(volatile int *)16 = 1;
    } __except (in_filter()) {
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    static wchar_t key[256];

    UNREFERENCED_PARAMETER(driver);
    return_address = (u64)(ULONG_PTR)__builtin_return_address(0);
    if (path->Length >= sizeof(key)) {
        return STATUS_UNSUCCESSFUL;
    }
    memcpy(key, path->Buffer, path->Length);
    read_text(key, L"Attack", attack_name);
    read_text(key, L"Way", way_name);
    number = read_number(key, L"Number");
    given[0] = read_number(key, L"A");
    given[1] = read_number(key, L"B");
    given[2] = read_number(key, L"C");
    given[3] = read_number(key, L"D");
    KeInitializeEvent(&finished, NotificationEvent, FALSE);
    if (wcscmp(way_name, L"thread") == 0) {
        from_thread();
    } else if (wcscmp(way_name, L"dpc") == 0) {
        from_dpc();
    } else if (wcscmp(way_name, L"filter") == 0) {
        from_filter();
    } else {
        attack();
    }
    return STATUS_UNSUCCESSFUL;
}
