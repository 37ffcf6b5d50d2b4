/* The second lock of a driver's process, shut when the driver is in memory and before it runs: from
 * then on the host's own code and tables are what they were.
 *
 *     a system call from anywhere but the code that was there before the driver     SIGSYS
 *     memory that can be executed: made so, or mapped so                            SIGSYS
 *     unmapping, moving, protecting or covering what was there before the driver    SIGSYS
 *     shared memory without a file, whose size no limit counts                      SIGSYS
 *     a handler of a signal that is not the watchdog's                              SIGSYS
 *     a limit that is set                                                           EPERM
 *
 * The rules need addresses and sums of them, which libseccomp does not offer, so the filter is
 * written here, instruction by instruction. It comes on top of the one of sandbox.c; the stricter
 * answer holds. */
#include "seal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#ifndef SYS_mseal
#define SYS_mseal 462
#endif

#define CODE_MAX  4000u
#define JUMPS_MAX 512u
/* Bits of mprotect() that widen its range. */
#define PROT_GROWS 0x03000000u

/* ---- What is there --------------------------------------------------------------------------- */

static void add_range(struct seal_ranges *ranges, uint64_t begin, uint64_t end)
{
    if (ranges->count > 0 && ranges->at[ranges->count - 1].end == begin) {
        ranges->at[ranges->count - 1].end = end;
    } else if (ranges->count < SEAL_RANGES_MAX) {
        ranges->at[ranges->count++] = (struct seal_range){begin, end};
    } else {
        ranges->full = true;
    }
}

/* The filter compares halves of addresses: what lies over a border of 4 GiB counts as two. */
static void add_code(struct seal_ranges *ranges, uint64_t begin, uint64_t end)
{
    while (begin < end && ranges->count < SEAL_RANGES_MAX) {
        uint64_t border = ((begin >> 32) + 1) << 32, stop = end < border ? end : border;
        ranges->at[ranges->count++] = (struct seal_range){begin, stop};
        begin = stop;
    }
    ranges->full |= begin < end;
}

/* The zeroed data of an executable or a library lies behind its file's part, without a name. */
static bool is_ours(const struct seal *seal, uint64_t begin, const char *name)
{
    const struct seal_ranges *kept = &seal->kept;

    return name[0] == '/' || strcmp(name, "[vdso]") == 0 || strcmp(name, "[stack]") == 0 ||
           (name[0] == '\0' && kept->count > 0 && kept->at[kept->count - 1].end == begin);
}

static void take_line(struct seal *seal, const char *line)
{
    uint64_t begin, end;
    char rights[5] = "", name[256] = "";

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %255s", &begin, &end, rights, name) <
            3 ||
        !is_ours(seal, begin, name)) {
        return;
    }
    add_range(&seal->kept, begin, end);
    if (rights[2] == 'x') {
        add_code(&seal->code, begin, end);
    }
}

bool seal_prepare(struct seal *seal)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];

    *seal = (struct seal){0};
    if (!maps) {
        return false;
    }
    while (fgets(line, sizeof line, maps)) {
        take_line(seal, line);
    }
    fclose(maps);
    /* Where the kernel can, code is sealed at once: before a module's constructors run, too. */
    for (unsigned i = 0; i < seal->code.count; i++) {
        const struct seal_range *range = &seal->code.at[i];
        syscall(SYS_mseal, range->begin, range->end - range->begin, 0ul);
    }
    return seal->code.count > 0 && !seal->code.full && !seal->kept.full;
}

/* ---- The filter ------------------------------------------------------------------------------ */

struct label {
    unsigned place; /* 0: not known yet */
    unsigned jumps[JUMPS_MAX], jump_count;
};

struct code {
    struct sock_filter at[CODE_MAX];
    unsigned count;
    bool full;
};

static void put(struct code *code, uint16_t what, uint32_t value)
{
    if (code->count == CODE_MAX) {
        code->full = true;
        return;
    }
    code->at[code->count++] = (struct sock_filter){.code = what, .k = value};
}

/* Over `yes` or `no` instructions. */
static void put_if(struct code *code, uint16_t test, uint32_t value, const uint8_t skip[2])
{
    put(code, BPF_JMP | test | BPF_K, value);
    if (!code->full) {
        code->at[code->count - 1].jt = skip[0];
        code->at[code->count - 1].jf = skip[1];
    }
}

#define SKIP(yes, no) \
    (const uint8_t[]) \
    {                 \
        (yes), (no)   \
    }

static void load(struct code *code, size_t offset)
{
    put(code, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void answer(struct code *code, uint32_t what)
{
    put(code, BPF_RET | BPF_K, what);
}

static void jump(struct code *code, struct label *label)
{
    if (label->jump_count == JUMPS_MAX) {
        code->full = true;
        return;
    }
    label->jumps[label->jump_count++] = code->count;
    put(code, BPF_JMP | BPF_JA, 0);
}

static void place(struct code *code, struct label *label)
{
    for (unsigned i = 0; i < label->jump_count && !code->full; i++) {
        code->at[label->jumps[i]].k = code->count - label->jumps[i] - 1;
    }
}

static uint32_t low(uint64_t value)
{
    return (uint32_t)value;
}

static uint32_t high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

#define ARGUMENT(n)      offsetof(struct seccomp_data, args[n])
#define ARGUMENT_HIGH(n) (ARGUMENT(n) + 4)
#define PLACE            offsetof(struct seccomp_data, instruction_pointer)

/* Where the system call was made. */
static void check_place(struct code *code, const struct seal_ranges *known)
{
    static struct label fine;

    fine = (struct label){0};
    for (unsigned i = 0; i < known->count; i++) {
        const struct seal_range *range = &known->at[i];
        /* None reaches over a border of 4 GiB; see add_code(). */
        load(code, PLACE + 4);
        put_if(code, BPF_JEQ, high(range->begin), SKIP(0, 4));
        load(code, PLACE);
        put_if(code, BPF_JGE, low(range->begin), SKIP(0, 2));
        put_if(code, BPF_JGT, low(range->end - 1), SKIP(1, 0));
        jump(code, &fine);
    }
    answer(code, SECCOMP_RET_TRAP);
    place(code, &fine);
}

enum { BEGIN_LOW, BEGIN_HIGH, END_LOW, END_HIGH, CARRY };

/* Argument 0 is an address, argument 1 a size: the scratch memory gets where it begins and ends. */
static void sum_up(struct code *code)
{
    load(code, ARGUMENT(0));
    put(code, BPF_ST, BEGIN_LOW);
    put(code, BPF_MISC | BPF_TAX, 0);
    load(code, ARGUMENT(1));
    put(code, BPF_ALU | BPF_ADD | BPF_X, 0);
    put(code, BPF_ST, END_LOW);
    put(code, BPF_JMP | BPF_JGE | BPF_X, 0);
    code->at[code->count - 1].jf = 2;
    put(code, BPF_LD | BPF_IMM, 0);
    put(code, BPF_JMP | BPF_JA, 1);
    put(code, BPF_LD | BPF_IMM, 1);
    put(code, BPF_ST, CARRY);
    load(code, ARGUMENT_HIGH(0));
    put(code, BPF_ST, BEGIN_HIGH);
    put(code, BPF_MISC | BPF_TAX, 0);
    load(code, ARGUMENT_HIGH(1));
    put(code, BPF_ALU | BPF_ADD | BPF_X, 0);
    put(code, BPF_MISC | BPF_TAX, 0);
    put(code, BPF_LD | BPF_MEM, CARRY);
    put(code, BPF_ALU | BPF_ADD | BPF_X, 0);
    put(code, BPF_ST, END_HIGH);
}

/* Forbidden if it begins below the range's end and ends above its begin. */
static void check_range(struct code *code, const struct seal_range *range)
{
    put(code, BPF_LD | BPF_MEM, BEGIN_HIGH);
    put_if(code, BPF_JGT, high(range->end), SKIP(9, 0));
    put_if(code, BPF_JEQ, high(range->end), SKIP(0, 2));
    put(code, BPF_LD | BPF_MEM, BEGIN_LOW);
    put_if(code, BPF_JGE, low(range->end), SKIP(6, 0));
    put(code, BPF_LD | BPF_MEM, END_HIGH);
    put_if(code, BPF_JGT, high(range->begin), SKIP(3, 0));
    put_if(code, BPF_JEQ, high(range->begin), SKIP(0, 3));
    put(code, BPF_LD | BPF_MEM, END_LOW);
    put_if(code, BPF_JGT, low(range->begin), SKIP(0, 1));
    answer(code, SECCOMP_RET_TRAP);
}

static void check_memory(struct code *code, const struct seal_ranges *kept)
{
    sum_up(code);
    for (unsigned i = 0; i < kept->count; i++) {
        check_range(code, &kept->at[i]);
    }
    answer(code, SECCOMP_RET_ALLOW);
}

/* Forbidden if any of the bits is set in an argument. */
static void forbid_bits(struct code *code, unsigned argument, uint32_t bits)
{
    load(code, ARGUMENT(argument));
    put_if(code, BPF_JSET, bits, SKIP(0, 1));
    answer(code, SECCOMP_RET_TRAP);
}

struct labels {
    struct label map, protect, move, memory, action, never, limits;
};

static void choose(struct code *code, struct labels *labels)
{
    const struct {
        uint32_t call;
        struct label *label;
    } ways[] = {
        {SYS_mmap, &labels->map},           {SYS_mprotect, &labels->protect},
        {SYS_mremap, &labels->move},        {SYS_munmap, &labels->memory},
        {SYS_madvise, &labels->memory},     {SYS_rt_sigaction, &labels->action},
        {SYS_memfd_create, &labels->never}, {SYS_ftruncate, &labels->never},
        {SYS_prlimit64, &labels->limits},
    };

    load(code, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        put_if(code, BPF_JEQ, ways[i].call, SKIP(0, 1));
        jump(code, ways[i].label);
    }
    answer(code, SECCOMP_RET_ALLOW);
}

static void check_calls(struct code *code, struct labels *labels, const struct seal_ranges *kept)
{
    choose(code, labels);

    place(code, &labels->map);
    forbid_bits(code, 2, PROT_EXEC);
    load(code, ARGUMENT(3));
    put_if(code, BPF_JSET, MAP_SHARED, SKIP(0, 2));
    put_if(code, BPF_JSET, MAP_ANONYMOUS, SKIP(0, 1));
    answer(code, SECCOMP_RET_TRAP);
    put_if(code, BPF_JSET, MAP_FIXED, SKIP(0, 1));
    jump(code, &labels->memory);
    answer(code, SECCOMP_RET_ALLOW);

    place(code, &labels->protect);
    forbid_bits(code, 2, PROT_EXEC | PROT_GROWS);
    jump(code, &labels->memory);

    place(code, &labels->move);
    forbid_bits(code, 3, (uint32_t)~MREMAP_MAYMOVE);
    jump(code, &labels->memory);

    place(code, &labels->action);
    load(code, ARGUMENT(0));
    put_if(code, BPF_JEQ, SIGVTALRM, SKIP(1, 0));
    put_if(code, BPF_JEQ, SIGABRT, SKIP(0, 1)); /* abort() sets it back */
    answer(code, SECCOMP_RET_ALLOW);
    answer(code, SECCOMP_RET_TRAP);

    /* Files in memory are no limit's: those that there are were made before. */
    place(code, &labels->never);
    answer(code, SECCOMP_RET_TRAP);

    /* They are asked for, and lowered no more: a module could take Drydock's own memory. */
    place(code, &labels->limits);
    load(code, ARGUMENT(2));
    put_if(code, BPF_JEQ, 0, SKIP(0, 3));
    load(code, ARGUMENT_HIGH(2));
    put_if(code, BPF_JEQ, 0, SKIP(0, 1));
    answer(code, SECCOMP_RET_ALLOW);
    answer(code, SECCOMP_RET_ERRNO | EPERM);

    place(code, &labels->memory);
    check_memory(code, kept);
}

bool seal_close(const struct seal *seal)
{
    static struct code code;
    static struct labels labels;

    if (seal->code.count == 0 || seal->code.full || seal->kept.full) {
        return false;
    }
    load(&code, offsetof(struct seccomp_data, arch));
    put_if(&code, BPF_JEQ, AUDIT_ARCH_X86_64, SKIP(1, 0));
    answer(&code, SECCOMP_RET_KILL_PROCESS);
    check_place(&code, &seal->code);
    check_calls(&code, &labels, &seal->kept);
    const struct sock_fprog filter = {.len = (unsigned short)code.count, .filter = code.at};
    return !code.full && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
