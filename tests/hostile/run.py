#!/usr/bin/env python3
"""Runs drivers that mean harm, once for each attack, and sees that they gained nothing.

    run.py DRYDOCK HOSTILE_SYS LIAR_SYS [--short] [--only NAME] [--exports PERCENT] [--shard N/M] [--from N]

--exports adds each of the kernel's functions with each kind of bad arguments, or a part of them.
Of each attack: the run ends in time; it is no pass and no fault of Drydock's; nothing outside the
child changed: the folder of the run holds what Drydock names, what is beside it stays, standard
error is not rewritten and holds nothing that a terminal obeys. The report is there and agrees with
the exit status. Prints a line of TAP for each."""
import argparse, json, os, re, subprocess, sys, tempfile, time, zlib

TEXT, RECORD, STACK, DATA, PARENT, IMAGE = range(0x7E870001, 0x7E870007)
LIMIT_S = 4
SLACK_S = 20  # a computer may be busy: what counts is that it ends by itself

# What a status may be: the driver's (1), or nobody's (4); a lie may harm nobody (0).
FINDING, ANY, HARMLESS = {1}, {1, 4}, {0, 1, 4}
FINDING_IF_MADE = frozenset({1, 0, 4})  # 1 as soon as the run came to the call


class Attack:
    driver, options = "hostile", []
    says = True  # "hostile: begins", when it is made
    environment = {}

    def file(self, paths):
        """What is run: the driver, as an argument."""
        return [getattr(paths, self.driver), "--service", self.driver]

    def __init__(self, name, attack, expected=FINDING, way="", number=0, arguments=(), short=False):
        self.name, self.expected, self.short = name, expected, short
        self.values = {"Attack": attack, "Way": way, "Number": number,
                       **dict(zip("ABCD", list(arguments) + [0] * 4))}


# What liar.c puts in the place of an argument.
ZEROS, ONES, ITSELF, FREED, ODD, END, CODE, HOST, STACK_HERE, HANDLE, CONTEXT, ROUTINE, WILD_ROUTINE = range(
    0x7E870010, 0x7E87001D)
ARGUMENTS = {
    "nothing": [0] * 6, "minus one": [2**64 - 1] * 6, "the kernel's half": [0xFFFFF80012345678] * 6,
    "no address": [0x4141414141414141] * 6, "odd addresses": [ODD] * 6, "zeros": [ZEROS] * 6,
    "ones": [ONES] * 6, "a circle": [ITSELF] * 6, "freed memory": [FREED] * 6, "its code": [CODE] * 6,
    "the host's code": [HOST] * 6, "the end of a page": [END] * 6, "the stack": [STACK_HERE] * 6,
    "small numbers": [1, 2, 3, 4, 5, 6], "an endless size": [ZEROS] + [2**63 - 1] * 5,
    "negative sizes": [ZEROS, 2**64 - 4096, ZEROS, 2**64 - 4096, ZEROS, ZEROS],
    "sizes that wrap": [0xFFFFFFFF, ZEROS] * 3, "half of memory": [ONES, 0x80000000, ONES, 0x80000000, ONES, ONES],
    "wild routines": [ZEROS] + [WILD_ROUTINE] * 3 + [ZEROS] * 2, "its routine": [ITSELF, ROUTINE] * 3,
}


class Lie(Attack):
    """By the driver that is the reference driver but for one thing."""
    driver = "liar"
    options = ["--duration", "10ms", "--workload", "desktop"]

    def __init__(self, name, lie, place, expected=HARMLESS, short=False, arguments=(), **values):
        self.name, self.expected, self.short = name, expected, short
        self.values = {"Lie": lie, "Place": place, "When": 1, "Slot": 0, "Gone": 0, **values,
                       **dict(zip("ABCDEF", list(arguments) + [0] * 6))}


class Deed(Lie):
    """Something terrible that the reference driver does in one of its DDIs, and goes on (deeds.c, spoils.c)."""

    def __init__(self, name, number=0, other=0, place="CreateDevice", expected=HARMLESS, short=False):
        slots = slots_of("_DRIVER_INITIALIZATION_DATA")
        super().__init__(f"{name} {number:x} {other:x} in {place}", "deed", slots.index("DxgkDdi" + place),
                         Name=name, arguments=[number, other], expected=expected, short=short)


class Beside(Attack):
    """The built-in driver, which is innocent, and what the user named besides it."""
    driver, says, values = "softgpu", False, {}
    short_options = ["--workload", "desktop", "--duration", "10ms"]

    def file(self, paths):
        return []


class Broken(Beside):
    """A client that breaks a promise (promises.c)."""

    def __init__(self, deed, expected=frozenset({0, 4, 5}), short=False):
        self.name, self.expected, self.short = f"a client {deed}", expected, short
        self.options = ["--workload", f"{BUILD}/wild.so,deed={deed}", "--duration", "10ms"]


class Wild(Beside):
    """A client that calls anything with anything (wild.c)."""

    def __init__(self, seed, calls=3000, short=False):
        self.name, self.expected, self.short = f"wild calls of seed {seed}", {0, 4, 5}, short
        self.options = ["--workload", f"{BUILD}/wild.so,seed={seed},calls={calls}"]


class Bent(Beside):
    """A device model that does something terrible, or answers what is none (bent.c)."""

    def __init__(self, deed, place="", expected=frozenset({5}), short=False):
        self.name, self.expected, self.short = f"a model {deed} {place}", expected, short
        when = 1 if place in ("create", "before") else 3
        where = f",place={place},when={when}" if place else ""
        self.options = ["--device", f"{BUILD}/bent.so,deed={deed}{where}", *self.short_options]


class Odd(Beside):
    """A policy that does something terrible (odd.c)."""

    def __init__(self, deed, expected=frozenset({5}), short=False):
        self.name, self.expected, self.short = f"a policy {deed}", expected, short
        self.environment = {"HOSTILE_DEED": deed}
        self.options = ["--policy", f"{BUILD}/odd.so", *self.short_options]


class Module(Attack):
    """The reference driver as an ELF module, with the C library at hand (elf.c)."""
    says, values = False, {}
    driver = "elf"

    def __init__(self, deed, place="begin", expected=HARMLESS, short=False):
        self.name, self.expected, self.short = f"a module {deed} at its {place}", expected, short
        self.environment = {"HOSTILE_DEED": deed, "HOSTILE_PLACE": place}
        self.options = ["--workload", "desktop", "--duration", "10ms"]

    def file(self, paths):
        return [f"{BUILD}/elf.so", "--service", "softgpu"]


BUILD = "."  # where the modules are
TOP = os.path.dirname(os.path.abspath(__file__)) + "/../../"


def slots_of(structure):
    """The members of a table of routines, in order: a routine's slot is its place."""
    text = open(TOP + "include/wdk/dispmprt.h").read()
    body = re.search("struct " + structure + r" \{(.*?)\n\} ", text, re.S).group(1)
    return re.findall(r"(\w+);", body)


EXPORTS = [ # what is most worth a lie
    "memcpy", "memset", "strncpy", "RtlCopyMemory", "ExFreePoolWithTag", "ExAllocatePoolWithTag", "IoFreeMdl",
    "MmProbeAndLockPages", "MmUnlockPages", "MmMapLockedPagesSpecifyCache", "MmUnmapLockedPages",
    "MmFreePagesFromMdl", "MmMapIoSpace", "MmUnmapIoSpace", "MmAllocateContiguousMemory",
    "MmFreeContiguousMemory", "KeSetEvent", "KeWaitForSingleObject", "KeWaitForMultipleObjects",
    "KeInsertQueueDpc", "KeSetTimer", "KeReleaseMutex", "KeAcquireSpinLockRaiseToDpc",
    "ExAcquireSpinLockExclusive", "ExReleaseSpinLockExclusive", "ExAcquireFastMutex", "ExQueueWorkItem",
    "IoQueueWorkItem", "IoFreeWorkItem", "IofCallDriver", "IofCompleteRequest", "IoInitializeIrp", "IoFreeIrp",
    "IoGetRelatedDeviceObject", "IoDeleteDevice", "ObfDereferenceObject", "ObReferenceObjectByHandle",
    "PsCreateSystemThread", "PsTerminateSystemThread", "ZwClose", "ZwCreateKey", "ZwQueryValueKey",
    "ZwSetValueKey", "ZwMapViewOfSection", "RtlQueryRegistryValues", "RtlAnsiStringToUnicodeString",
    "RtlAppendUnicodeStringToString", "RtlSetBits", "RtlInsertElementGenericTableAvl", "_vsnprintf",
    "READ_PORT_BUFFER_ULONG", "KeStallExecutionProcessor", "KeIpiGenericCall", "qsort",
]


def exports(names, percent):
    for name in names:
        for kind, arguments in ARGUMENTS.items():
            title = f"{name} of {kind}"
            if zlib.crc32(title.encode()) % 100 < percent:
                yield Lie(title, "export", 0, expected=ANY, arguments=arguments, Name=name, Gone=1,
                          short=zlib.crc32(title.encode()) % 100 == 0)


def callbacks():
    start, isr, dpc = 2, 6, 7
    for slot, name in enumerate(slots_of("_DXGKRNL_INTERFACE")[3:], 2):
        for kind, arguments in ARGUMENTS.items():
            title = f"{name} of {kind}"
            draw = zlib.crc32(title.encode()) % 100
            if draw < 25:
                yield Lie(title, "callback", start, Slot=slot, Gone=1, expected=ANY,
                          arguments=[HANDLE] + arguments[:5], short=draw == 0)
            elif draw < 30:
                yield Lie(title + ", and no handle", "callback", start, Slot=slot, Gone=1,
                          expected=ANY, arguments=arguments)
            elif draw < 35:
                yield Lie(title + ", in an interrupt", "callback", isr if draw < 33 else dpc,
                          Slot=slot, arguments=[HANDLE] + arguments[:5])


def statuses():
    for place, name in enumerate(slots_of("_DRIVER_INITIALIZATION_DATA")):
        for status in (0xC0000001, 0x103, 0xFFFFFFFF, 0xDEADBEEF, 1):
            draw = zlib.crc32(f"{name} {status}".encode()) % 100
            if place and draw < 12:
                yield Lie(f"{name} says {status:x}", "status", place, arguments=[status],
                          When=1 + draw % 2, short=draw == 0)


def structures():
    """Of each DDI that is given one: its name, and which argument it is."""
    for name in re.findall(r"X\(\w+, (\w+), ", open(TOP + "src/ddi/ddi.h").read()):
        yield name, 1
    for name, slots in (("AddDevice", [1]), ("StartDevice", [3, 4]), ("QueryChildStatus", [1]),
                        ("QueryDeviceDescriptor", [2]), ("GetNodeMetadata", [2]),
                        ("StopDeviceAndReleasePostDisplayOwnership", [2]),
                        ("SystemDisplayEnable", [2, 3, 4, 5])):
        for slot in slots:
            yield name, slot


def answers():
    """Behind the structure of a call, and wild values in it."""
    places = slots_of("_DRIVER_INITIALIZATION_DATA")
    wild = {"nothing": 0, "minus one": 2**64 - 1, "zeros": ZEROS, "ones": ONES, "its code": CODE,
            "no address": 0x4141414141414141, "a small number": 7, "the host's code": HOST}
    for name, slot in structures():
        place = places.index("DxgkDdi" + name)
        # Further behind than any structure is long, and on the page behind it.
        yield Lie(f"{name} writes behind argument {slot}", "answer", place, expected=FINDING_IF_MADE,
                  Slot=slot, arguments=[0x400, 2**64 - 1, 8],
                  short=name in ("AddDevice", "CommitVidPn", "SubmitCommand", "CreateDevice"))
        for offset in range(0, 128, 8):
            for kind, value in wild.items():
                title = f"{name} answers {kind} at {offset} of argument {slot}"
                draw = zlib.crc32(title.encode()) % 100
                if draw < 5:
                    yield Lie(title, "answer", place, Slot=slot, When=1 + draw % 2,
                              arguments=[offset, value, 8], short=draw == 0 and offset < 32)


def lies(percent):
    yield from exports(EXPORTS, 20)
    yield from callbacks()
    yield from statuses()
    yield from answers()
    if percent:
        text = open(TOP + "src/nt/exports.def").read()
        rest = set(re.findall(r"^NT_EXPORT(?:_AS)?\((\w+)", text, re.M)) - set(EXPORTS)
        yield from exports(sorted(rest), percent)


REGISTERS = [("sets_flags", 0x400), ("sets_flags", 0x40000), ("sets_flags", 0x4000), ("sets_mxcsr", 0),
             ("sets_mxcsr", 0xFFFF), ("sets_control_word", 0), ("fills_x87", 0), ("leaves_mmx", 0),
             ("sets_keys", 0xFFFFFFFF), ("sets_keys", 0xFFFFFFFC), ("loads_state", 0xFF)]
FIXED = [("sets_base", 0x1000, 0), ("sets_base", 0, 1), ("goes_to_32_bits",), ("changes_saved", 0),
         ("changes_saved", 2**62 + 1), ("calls_on_static_stack", 4096), ("calls_on_static_stack", 4160),
         ("calls_on_pool", 512), ("calls_on_pool", 4096), ("calls_at", 8), ("calls_at", 0xFFFFF78000000800),
         ("calls_misaligned", 8), ("calls_misaligned", 1), ("overflows_in_service", 1000),
         ("overflows_in_service", 70), ("recurses_through_service",), ("keeps_frame", 4, 0x4141),
         ("keeps_frame", 512, 0x4141), ("jumps_dead",), ("jumps_wild", 0x41), ("raises", 0xE06D7363),
         ("raises", 0xC0000005, 1), ("raises", 2**64 - 1), ("raises_in_filter", 0xC0000001), ("continues_fault", 8),
         ("raises_in_finally", 0xC0000001), ("jumps_to", 0), ("jumps_to", HOST), ("overruns", 65, 1),
         ("overruns", 1 << 20), ("underruns", 1), ("underruns", 1 << 20), ("writes_freed", 64, 0x41),
         ("queues_dpc_again",), ("sets_timer_again",), ("queues_work_again",), ("makes_threads", 1),
         ("makes_threads", 1000000), ("yields",), ("polls",), ("stalls", 1), ("stalls", 0xFFFFFFFF), ("asks_time",),
         ("says_much", 1000000), ("takes_events",), ("takes_pages",), ("takes_contiguous", 4096),
         ("takes_contiguous", 2**64 - 1), ("takes_mdls",), ("takes_irps",), ("takes_devices",),
         ("takes_views", 0, 4096), ("takes_views", 0, 2**63), ("takes_small_pool", 1), ("makes_keys", 2000000),
         ("keeps_irql", 2), ("keeps_irql", 15), ("lowers_irql", 0), ("terminates",), ("unloads_itself",),
         ("loops_in_terminate",)]
SHORT_DEEDS = {("overruns", 65, 1), ("sets_base", 0x1000, 0), ("calls_misaligned", 8), ("jumps_dead",),
               ("raises_in_filter", 0xC0000001), ("spoils_dpc", 0x4141414141414141), ("takes_views", 0, 4096)}
# Of a word over all of an object: nothing, ones, nowhere, the object itself, the driver's code.
WORDS = [0, 2**64 - 1, 0x4141414141414141, ITSELF, CODE, 0x10]


def deeds():
    for name, *values in FIXED:
        yield Deed(name, *values, short=(name, *values) in SHORT_DEEDS)
    for name, value in REGISTERS:
        for place in ("CreateDevice", "InterruptRoutine"):
            for other in (0, 1):
                yield Deed(name, value, other, place)
    for selector in range(5):
        for value in (0, 0x2B, 0x33, 0x23, 0xFFFF):
            yield Deed("sets_segment", value, selector)
    for number in range(8):
        yield Deed("frees", number)
    spoils = re.findall(r"SPOIL\((\w+)\)", open(TOP + "tests/hostile/spoils.c").read())[1:]
    for name in spoils:
        for value in WORDS:
            yield Deed("spoils_" + name, value, place="StartDevice",
                       short=("spoils_" + name, value) in SHORT_DEEDS)
    for place, _ in structures():
        yield Deed("spoils_arguments", 0x4141414141414141, place=place)


def named(file):
    return re.findall(r"(?:DEED|ANSWER)\((\w+)[,)]", open(TOP + "tests/hostile/" + file).read())


def besides():
    short = {"joins_stack", "uses_destroyed", "blocks_and_faults", "closes_all", "ignores_abort", "sets_flags"}
    own = {"unmaps", "unmaps_heap", "maps_over_heap", "loses_thread"}  # memory that is shared: docs/security.md
    told = {"counts_long", "notes_control", "breaks_wild"}  # these say that the driver is wrong
    for deed in named("promises.c"):
        if deed not in own | {"name"}:
            yield Broken(deed, short=deed in short, **({"expected": {1, 5}} if deed in told else {}))
    for seed in range(1, 100):
        yield Wild(seed, short=seed in (2, 7))
    short = {"blocks_signals", "recurses", "scanout_wild"}
    unseen = {"unmaps_ram", "closes_all", "goes_wild", "shows_wild", "forgets_operations", "writes_operations",
              "reads_ones"}
    for deed in named("bent.c"):
        if deed not in unseen | {"name"}:
            answers = deed + ", " in open(TOP + "tests/hostile/bent.c").read().split("answers(void)")[1].split("DEED")[0]
            yield Bent(deed, "" if answers else "tick", expected={5} if deed in short else {0, 4, 5},
                       short=deed in short)
    for place in ("create", "before", "read", "write"):
        yield Bent("faults", place)
    fine = {"asks_always", "asks_late", "preempts_always", "writes_contexts", "writes_words", "writes_behind", "spins"}
    for deed in sorted(set(re.findall(r'is\("(\w+)"\)', open(TOP + "tests/hostile/odd.c").read()))):
        yield Odd(deed, expected={0, 4, 5} if deed in fine else {5}, short=deed in ("blocks_signals", "picks_wild"))
    short = {"exits", "faults", "heap_top", "blocks_signals"}
    shared = {"heap_ahead", "writes_host", "writes_libc_data", "damages_streams", "locks_streams", "loses_thread"}
    for deed in named("elf.c"):
        for place in ("begin", "entry"):
            if deed not in shared | {"name"}:
                yield Module(deed, place, expected={0, 1, 2, 4}, short=deed in short and place == "begin")


# System calls by their numbers, with arguments that would do harm.
CALLS = {
    "exit_group": (231,), "exit": (60,), "fork": (57,), "vfork": (58,), "clone": (56, 0x11),
    "clone3": (435,), "execve": (59, TEXT), "kill_parent": (62, 1, 9), "kill_all": (62, 2**64 - 1, 9),
    "tkill": (200, 1, 9), "ptrace": (101, 16, 1), "process_vm_writev": (311, 1),
    "socket": (41, 2, 1), "open": (2, TEXT), "openat": (257, 2**64 - 100, TEXT, 0o101),
    "unlink": (87, TEXT), "rename": (82, TEXT, TEXT), "mprotect_text": (10, TEXT, 4096, 7),
    "mprotect_record": (10, RECORD, 4096, 0), "mprotect_own": (10, IMAGE, 4096, 7),
    "mmap_code": (9, 0, 4096, 7, 0x22), "mmap_over_text": (9, TEXT, 4096, 3, 0x32),
    "mmap_over_record": (9, RECORD, 4096, 3, 0x32), "mmap_shared": (9, 0, 1 << 36, 3, 0x21),
    "munmap_record": (11, RECORD, 1 << 20), "munmap_text": (11, TEXT, 1 << 20),
    "munmap_all": (11, 0x10000, (1 << 47) - 0x20000), "mremap_over_text": (25, IMAGE, 4096, 4096, 3),
    "madvise_data": (28, DATA, 4096, 4), "madvise_record": (28, RECORD, 1 << 20, 9),
    "sigaction": (13, 11, STACK), "sigprocmask": (14, 0, STACK), "sigaltstack": (131, STACK),
    "alarm": (37, 1), "setitimer": (38, 0, STACK), "timer_create": (222, 1),
    "prlimit": (302, 0, 7, STACK), "prctl_dumpable": (157, 4, 1), "seccomp": (317, 1, 0, STACK),
    "write_stderr": (1, 2, TEXT, 4096), "write_verdict": (1, 3, RECORD, 1200),
    "ftruncate_stderr": (77, 2, 0), "lseek_stderr": (8, 2, 0), "close_stderr": (3, 2),
    "close_verdict": (3, 3), "pause": (34,), "nanosleep": (35, STACK), "stop_itself": (234, 0, 0, 19),
    "memfd": (319, TEXT), "userfaultfd": (323,), "io_uring": (425, 8, STACK), "bpf": (321,),
    "perf_event": (298,), "keyctl": (250,), "unshare": (272, 0x10000000), "mount": (165, TEXT, TEXT),
    "chroot": (161, TEXT), "setuid": (105, 0), "personality": (135, 0x40000), "arch_prctl": (158, 0x1002),
    "brk": (12, 1), "shmget": (29, 0, 1 << 30, 0o1777), "mseal": (462, IMAGE, 4096), "pkey": (330,),
    "process_madvise": (440,), "pidfd_open": (434, 1), "pidfd_signal": (424, 3, 9),
    "ioctl_tty": (16, 0, 0x5412, TEXT), "splice": (275,), "sendfile": (40, 3, 3), "vmsplice": (278, 3),
    "getdents": (217, 3), "chmod": (90, TEXT, 0o777), "reboot": (169,), "x32": (0x40000000 + 1, 2),
}
BORROWED = {
    "munmap_record", "munmap_text", "mprotect_text", "mprotect_record", "mmap_code", "mmap_over_text",
    "mmap_over_record", "mmap_shared", "mremap_over_text", "madvise_data", "sigaction", "write_verdict",
    "close_stderr", "close_verdict", "exit_group", "fork", "execve", "kill_parent", "ptrace", "seccomp", "memfd",
}
SHORT_CALLS = {"exit_group", "fork", "munmap_record", "mprotect_text", "sigaction", "ftruncate_stderr"}


def attacks(percent):
    yield from lies(percent)
    yield from deeds()
    yield from besides()
    for name, (number, *arguments) in CALLS.items():
        yield Attack("call " + name, "call", number=number, arguments=arguments,
                     short=name in SHORT_CALLS)
    for name in sorted(BORROWED):
        number, *arguments = CALLS[name]
        yield Attack("borrowed call " + name, "borrow", number=number, arguments=arguments,
                     expected=ANY, short=name in ("munmap_record", "close_stderr", "exit_group"))
    for way in ("thread", "dpc", "filter"):
        for name in ("exit_group", "mprotect_text", "munmap_record", "kill_parent"):
            number, *arguments = CALLS[name]
            yield Attack(f"call {name} from a {way}", "call", way=way, number=number,
                         arguments=arguments)
    yield Attack("call of the 32-bit gate", "old_call", number=1)
    for outcome, word in enumerate(["nothing", "pass", "breach", "refused", "usage", "own fault",
                                    "inconclusive", "device fault", "unsupported",
                                    "workload fault", "fault"]):
        for end in ("forge", "forge_and_exit", "forge_and_borrow_exit", "forge_and_die"):
            yield Attack(f"{end} {word}", end, arguments=[outcome], short=outcome in (1, 5))
    yield Attack("forge pass and spin", "forge_and_spin", expected=ANY, arguments=[1],
                 short=True)
    for way in ("thread", "dpc", "filter"):
        yield Attack(f"forge pass from a {way}", "forge_and_borrow_exit", way=way, arguments=[1])
    yield Attack("counters without text", "forge_counters", short=True)
    yield Attack("pictures over one another", "forge_pictures", arguments=[4096, 0], short=True)
    yield Attack("pictures that overlap by half", "forge_pictures", arguments=[64, 8192])
    yield Attack("pictures of a thousand", "forge_pictures", arguments=[64, 16384])
    yield Attack("pictures larger than the record", "forge_pictures", arguments=[16384, 1 << 20])
    yield Attack("pictures without a workload", "forge_pictures", arguments=[64, 16384, 1])
    yield Attack("texts without an end", "forge_texts", arguments=[1 << 14], short=True)
    yield Attack("another driver's name", "forge_name", short=True)
    for begin, end in ((0, 16), (0, 4096), (16, 24), (1304, 1400), (0, 1 << 20), (1 << 12, 1 << 22)):
        for value in (0, 0xFF, 0x41):
            yield Attack(f"record {begin} to {end} is {value}", "scribble_record", number=value,
                         arguments=[begin, end], short=(begin, end, value) == (0, 1 << 20, 255))
    yield Attack("record of zeros and an end", "scribble_record_and_exit", arguments=[0, 1 << 20])
    yield Attack("record of ones and an end", "scribble_record_and_exit", number=255,
                 arguments=[0, 1 << 20])
    yield Attack("record lost", "lose_record", expected=ANY, short=True)
    yield Attack("text patched", "patch_text", short=True)
    for size in (4096, 1 << 16, 1 << 22):
        yield Attack(f"{size} bytes of data", "scribble_data", number=0xCCCCCCCCCCCCCCCC,
                     arguments=[size])
    yield Attack("canary", "change_canary", number=0x4141414141414141, short=True)
    yield Attack("thread pointer", "change_thread", number=0)
    for words in (16, 64, 4096, 1 << 20):
        yield Attack(f"stack of {words}", "smash_stack", number=0x4141414141414141,
                     arguments=[words], short=words == 64)
    for place in (0, 8, 0x4141414141414140, 2**64 - 8):
        yield Attack(f"stack pointer {place:x}", "lose_stack", number=place)
    for way in ("thread", "dpc"):
        yield Attack(f"stack pointer lost in a {way}", "lose_stack", way=way, number=8, short=way == "dpc")
        yield Attack(f"stack in the image in a {way}", "lose_stack_in_image", way=way, short=way == "thread")
    yield Attack("the language's handler", "handles_itself", short=True)
    for place in (8, 0x7FFFFFFFF000):
        yield Attack(f"privileged, named at {place:x}", "raises_privileged", number=place, short=place == 8)
    yield Attack("a broadcast in a broadcast", "broadcasts_twice", short=True)
    yield Attack("a DPC that waits", "waits_low", way="dpc", short=True)
    yield Attack("no DMA adapter", "puts_no_adapter", number=0x4141414141414140, short=True)
    yield Attack("a registry without an end", "fills_registry", expected=ANY, short=True)
    for flag in (0x400, 0x40000, 0x100, 0x3000):
        yield Attack(f"flags {flag:x}", "set_flags", number=flag, short=flag == 0x40000)
    for number in range(9):
        yield Attack(f"privileged {number}", "privileged", number=number, short=number in (6, 7))
    yield Attack("spin", "spin", expected=ANY, short=True)
    yield Attack("spin in exceptions", "spin_in_exceptions", expected=ANY)
    yield Attack("talk to the terminal", "talk", number=1000, short=True)
    yield Attack("talk for ever", "talk_for_ever", expected=ANY, short=True)
    yield Attack("sleep for ever", "sleep_for_ever", expected=ANY)
    yield Attack("wait for ever", "wait_for_ever", expected=ANY)
    yield Attack("recurse", "recurse", short=True)
    yield Attack("take all pool", "take_all_pool", expected=ANY)
    yield Attack("stop the system", "stop_the_system", number=0x119, arguments=[1, 2, 3, 4])
    yield Attack("raise the level", "raise_irql", expected=ANY)
    yield Attack("raise the level and spin", "raise_irql", number=1, expected=ANY)
    yield Attack("open files", "open_file", short=True)


def write_registry(path, attack):
    with open(path, "w") as file:
        file.write("[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\"
                   + attack.driver + "]\n")
        for name, value in attack.values.items():
            text = value if isinstance(value, str) else f"{value % 2**64:x}"
            file.write(f'"{name}"="{text}"\n')


OURS = re.compile(r"^(report\.json|trace\.pftrace|info\.json|frame-\d+-\d{4}\.png)$")


def faults_of(run, seconds, folder, attack):
    """Sentences, one for each thing that is not as it must be."""
    talk = open(folder + "/talk", "rb").read()
    made = b"hostile: begins" in talk
    expected = FINDING if attack.expected is FINDING_IF_MADE and made else attack.expected
    if run not in expected:
        yield f"status {run}, not of {sorted(expected)}"
    if seconds > LIMIT_S + SLACK_S:
        yield f"it took {seconds:.0f} s"
    if not talk.startswith(b"kept\n"):
        yield "standard error was rewritten"
    if b"hostile: no such" in talk:
        return  # this version has none
    if not made and attack.driver == "hostile" and attack.says:
        yield "the attack was not made"
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", talk):
        yield "a terminal would obey what it said"
    if sorted(os.listdir(folder)) != ["beside", "h.reg", "result", "talk"]:
        yield f"files beside it: {sorted(os.listdir(folder))}"
    if open(folder + "/beside").read() != "kept":
        yield "a file beside it changed"
    names = os.listdir(folder + "/result")
    if not all(OURS.match(name) for name in names):
        yield f"files in it: {sorted(names)}"
    size = sum(os.lstat(folder + "/result/" + name).st_size for name in names)
    if size > 600 << 20:
        yield f"it wrote {size} bytes"
    try:
        report = json.load(open(folder + "/result/report.json"))
    except (OSError, ValueError) as error:
        yield f"no report: {error}"
        return
    if (os.path.splitext(os.path.basename(report["driver"]))[0], report["seed"]) != (attack.driver, 1):
        yield f"the report is about {report['driver']}, seed {report['seed']}"
    wanted = {1: ("breach", "fault", "refused"), 4: ("inconclusive", "unsupported"),
              5: ("workload_fault", "device_fault")}
    if run in wanted and report["outcome"] not in wanted[run]:
        yield f"status {run}, and the report says {report['outcome']}"


def make(drydock, paths, attack):
    with tempfile.TemporaryDirectory(prefix="drydock-hostile-") as folder:
        write_registry(folder + "/h.reg", attack)
        open(folder + "/beside", "w").write("kept")
        with open(folder + "/talk", "w") as talk:
            talk.write("kept\n")
        begun = time.monotonic()
        with open(folder + "/talk", "a") as talk:
            run = subprocess.run(
                [drydock, "run", *attack.file(paths), *attack.options, "--registry", "h.reg", "--out",
                 "result", "--verbose", "--real-limit", f"{LIMIT_S}s", "--watchdog-ms", "1000",
                 "--time-limit", "30s", "--parts", "1"],
                cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=talk,
                timeout=120, env={**os.environ, **attack.environment})
        faults = list(faults_of(run.returncode, time.monotonic() - begun, folder, attack))
        end = open(folder + "/talk", "rb").read()[-2000:] if faults else b""
        return faults, end.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("drydock")
    parser.add_argument("hostile")
    parser.add_argument("liar")
    parser.add_argument("--exports", type=int, default=0, metavar="PERCENT")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--shard", default="0/1", metavar="N/M", help="every M-th attack, from N on")
    parser.add_argument("--from", type=int, default=1, metavar="N", dest="first",
                        help="begin with the N-th of what was chosen")
    options = parser.parse_args()
    options.hostile, options.liar = os.path.abspath(options.hostile), os.path.abspath(options.liar)
    global BUILD
    BUILD = os.path.dirname(options.liar)
    chosen = [attack for attack in attacks(options.exports)
              if (attack.short or not options.short) and (options.only or "") in attack.name]
    shard, shards = map(int, options.shard.split("/"))
    chosen = chosen[shard::shards]
    print(f"{options.first}..{len(chosen)}")
    bad = 0
    for index, attack in enumerate(chosen[options.first - 1:], options.first):
        try:
            faults, end = make(os.path.abspath(options.drydock), options, attack)
        except subprocess.TimeoutExpired:
            faults, end = ["it hangs"], ""
        bad += bool(faults)
        print(f"{'not ok' if faults else 'ok'} {index} - {attack.name}", flush=True)
        for fault in faults:
            print(f"# {fault}")
        for line in end.splitlines()[-12:]:
            print(f"#   {line}")
    return 1 if bad else 0


sys.exit(main())
