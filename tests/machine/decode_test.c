/* The instruction decoder by bytes, and its arithmetic against the processor's own. */
#include <string.h>

#include "machine/support.h"

#include "machine/internal.h"

#define RIP UINT64_C(0x1000)

/* Register n holds (n + 1) << 12. */
static void gpr_fill(uint64_t *gpr)
{
    for (unsigned i = 0; i < 16; i++) {
        gpr[i] = (uint64_t)(i + 1) << 12;
    }
}

static const struct {
    const char *text;
    uint8_t code[16];
    unsigned length;
    enum instruction_kind kind;
    unsigned size, register_size, register_index;
    bool sign_extend, high_byte;
    uint64_t address, value;
} known[] = {
    {"mov eax, [rcx]", {0x8B, 0x01}, 2, INSTRUCTION_LOAD, 4, 4, 0, false, false, 0x2000, 0},
    {"mov [rdx+8], r9",
     {0x4C, 0x89, 0x4A, 0x08},
     4,
     INSTRUCTION_STORE,
     8,
     8,
     9,
     false,
     false,
     0x3008,
     0},
    {"mov byte [rsp+rax*4+0x10], ah",
     {0x88, 0x64, 0x84, 0x10},
     4,
     INSTRUCTION_STORE,
     1,
     1,
     0,
     false,
     true,
     0x5000 + 0x4000 + 0x10,
     0},
    {"mov byte [rsi], sil",
     {0x40, 0x88, 0x36},
     3,
     INSTRUCTION_STORE,
     1,
     1,
     6,
     false,
     false,
     0x7000,
     0},
    {"mov ax, [r13-4]",
     {0x66, 0x41, 0x8B, 0x45, 0xFC},
     5,
     INSTRUCTION_LOAD,
     2,
     2,
     0,
     false,
     false,
     0xDFFC + 0x0,
     0},
    {"mov dword [rip+0x100], 5",
     {0xC7, 0x05, 0, 1, 0, 0, 5, 0, 0, 0},
     10,
     INSTRUCTION_STORE,
     4,
     0,
     0,
     false,
     false,
     RIP + 10 + 0x100,
     5},
    {"mov qword [rax], -1",
     {0x48, 0xC7, 0x00, 0xFF, 0xFF, 0xFF, 0xFF},
     7,
     INSTRUCTION_STORE,
     8,
     0,
     0,
     false,
     false,
     0x1000,
     UINT64_MAX},
    {"movzx eax, byte [rbx]",
     {0x0F, 0xB6, 0x03},
     3,
     INSTRUCTION_LOAD,
     1,
     4,
     0,
     false,
     false,
     0x4000,
     0},
    {"movsx rax, word [rbx]",
     {0x48, 0x0F, 0xBF, 0x03},
     4,
     INSTRUCTION_LOAD,
     2,
     8,
     0,
     true,
     false,
     0x4000,
     0},
    {"movsxd rcx, dword [r8]",
     {0x49, 0x63, 0x08},
     3,
     INSTRUCTION_LOAD,
     4,
     8,
     1,
     true,
     false,
     0x9000,
     0},
    {"mov eax, [0x2000+rbp*8]",
     {0x8B, 0x04, 0xED, 0, 0x20, 0, 0},
     7,
     INSTRUCTION_LOAD,
     4,
     4,
     0,
     false,
     false,
     0x2000 + 0x30000,
     0},
    {"or dword [rcx+0x80], 1",
     {0x83, 0x89, 0x80, 0, 0, 0, 1},
     7,
     INSTRUCTION_ALU,
     4,
     0,
     0,
     false,
     false,
     0x2080,
     1},
    {"test byte [rcx], 4",
     {0xF6, 0x01, 0x04},
     3,
     INSTRUCTION_ALU,
     1,
     0,
     0,
     false,
     false,
     0x2000,
     4},
    {"cmp eax, [rcx]", {0x3B, 0x01}, 2, INSTRUCTION_ALU_LOAD, 4, 4, 0, false, false, 0x2000, 0},
    {"xchg [rcx], edx", {0x87, 0x11}, 2, INSTRUCTION_XCHG, 4, 4, 2, false, false, 0x2000, 0},
};

static void moves_are_understood(void **state)
{
    uint64_t gpr[16];
    struct instruction found;

    gpr_fill(gpr);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (!instruction_decode(known[i].code, RIP, gpr, &found) ||
            found.length != known[i].length || found.kind != known[i].kind ||
            found.size != known[i].size || found.register_size != known[i].register_size ||
            found.register_index != known[i].register_index ||
            found.sign_extend != known[i].sign_extend || found.high_byte != known[i].high_byte ||
            found.address != known[i].address || found.value != known[i].value) {
            fail_msg("%s: length %u kind %d size %u register %u of %u address %llx value %llx",
                     known[i].text, found.length, found.kind, found.size, found.register_index,
                     found.register_size, (unsigned long long)found.address,
                     (unsigned long long)found.value);
        }
    }
}

static void everything_else_is_refused(void **state)
{
    static const uint8_t codes[][16] = {
        {0x8B, 0xC1},       /* mov eax, ecx */
        {0xF3, 0xA5},       /* rep movsd */
        {0xF0, 0x01, 0x01}, /* lock add [rcx], eax */
        {0x0F, 0x10, 0x01}, /* movups */
        {0xC3},             /* ret */
        {0xF7, 0x19},       /* neg [rcx] */
        {0x64, 0x8B, 0x01}, /* fs: */
        {0x0F, 0x20, 0xC0}, /* mov rax, cr0 */
        {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66},
    };
    uint64_t gpr[16];
    struct instruction found;

    gpr_fill(gpr);
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_false(instruction_decode(codes[i], RIP, gpr, &found));
    }
}

static void memory_of_the_cpu_is_told_apart(void **state)
{
    static const uint8_t number[] = {0x65, 0x8B, 0x04, 0x25, 0x84, 0x01, 0, 0};
    static const uint8_t thread[] = {0x65, 0x4C, 0x8B, 0x3C, 0x25, 0x88, 0x01, 0, 0};
    static const uint8_t plain[] = {0x8B, 0x04, 0x25, 0x84, 0x01, 0, 0};
    uint64_t gpr[16];
    struct instruction found;

    gpr_fill(gpr);
    assert_true(instruction_decode(number, RIP, gpr, &found)); /* mov eax, gs:[0x184] */
    assert_true(found.of_cpu && found.address == 0x184 && found.size == 4 && found.length == 8);
    assert_true(instruction_decode(thread, RIP, gpr, &found)); /* mov r15, gs:[0x188] */
    assert_true(found.of_cpu && found.address == 0x188 && found.size == 8 &&
                found.register_index == 15);
    assert_true(instruction_decode(plain, RIP, gpr, &found));
    assert_false(found.of_cpu);
}

static void an_address_may_be_in_the_instruction(void **state)
{
    static const uint8_t load[] = {0x48, 0xA1, 0x14, 0, 0, 0, 0x80, 0xF7, 0xFF, 0xFF};
    static const uint8_t store[] = {0xA2, 0x20, 0, 0, 0, 0, 0, 0, 0};
    uint64_t gpr[16];
    struct instruction found;

    gpr_fill(gpr);
    assert_true(instruction_decode(load, RIP, gpr, &found)); /* mov rax, [0xFFFFF78000000014] */
    assert_true(found.kind == INSTRUCTION_LOAD && found.address == 0xFFFFF78000000014u);
    assert_true(found.size == 8 && found.register_index == 0 && found.length == 10);
    assert_true(instruction_decode(store, RIP, gpr, &found)); /* mov [0x20], al */
    assert_true(found.kind == INSTRUCTION_STORE && found.address == 0x20 && found.size == 1);
}

static void moves_of_the_interrupt_level_are_known(void **state)
{
    static const uint8_t from[] = {0x44, 0x0F, 0x20, 0xC0}, to[] = {0x45, 0x0F, 0x22, 0xC1};
    static const uint8_t others[][4] = {
        {0x40, 0x0F, 0x20, 0xC0}, /* cr0 */
        {0x44, 0x0F, 0x20, 0xD8}, /* cr11: none */
        {0x44, 0x0F, 0x21, 0xC0}, /* a debug register */
    };
    struct level_instruction found;

    assert_true(level_instruction_decode(from, &found));
    assert_true(!found.writes && found.register_index == 0 && found.length == 4);
    assert_true(level_instruction_decode(to, &found));
    assert_true(found.writes && found.register_index == 9);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(level_instruction_decode(others[i], &found));
    }
}

/* Any bytes: no crash, and never more than an instruction's length. */
static void random_bytes_do_no_harm(void **state)
{
    uint8_t code[32];
    uint64_t gpr[16];
    struct instruction found;

    gpr_fill(gpr);
    for (unsigned i = 0; i < 200000; i++) {
        for (unsigned j = 0; j < sizeof(code); j += 8) {
            uint64_t value = machine_random(RANDOM_SITE_WORKLOAD);
            memcpy(code + j, &value, 8);
        }
        if (instruction_decode(code, RIP, gpr, &found)) {
            assert_in_range(found.length, 2, 15);
            assert_true(found.size == 1 || found.size == 2 || found.size == 4 || found.size == 8);
        }
    }
}

#define CARRY_AND_OVERFLOW UINT64_C(0x801)

/* mul qword [rcx], mul dword [rcx], imul rax, [rcx] against the processor. */
static void multiplications_are_the_processors(void **state)
{
    static const uint8_t wide[] = {0x48, 0xF7, 0x21}, narrow[] = {0xF7, 0x21};
    static const uint8_t two_operands[] = {0x48, 0x0F, 0xAF, 0x01};
    struct instruction found;

    for (unsigned i = 0; i < 20000; i++) {
        uint64_t a = machine_random(RANDOM_SITE_WORKLOAD) >> (i % 61);
        uint64_t b = machine_random(RANDOM_SITE_WORKLOAD) >> (i % 53), memory = b;
        uint64_t gpr[16] = {a, 0x1000}, low = a, high, flags = 0, real;

        assert_true(instruction_decode(wide, RIP, gpr, &found));
        assert_false(instruction_perform(&found, gpr, &flags, &memory));
        __asm__("mulq %3\n\tpushfq\n\tpop %2" : "+a"(low), "=d"(high), "=r"(real) : "r"(b) : "cc");
        assert_true(gpr[0] == low && gpr[2] == high);
        assert_true((flags & CARRY_AND_OVERFLOW) == (real & CARRY_AND_OVERFLOW));

        gpr[0] = a;
        assert_true(instruction_decode(narrow, RIP, gpr, &found));
        assert_false(instruction_perform(&found, gpr, &flags, &memory));
        low = (a & UINT32_MAX) * (b & UINT32_MAX);
        assert_true(gpr[0] == (uint32_t)low && gpr[2] == low >> 32);

        gpr[0] = low = a;
        assert_true(instruction_decode(two_operands, RIP, gpr, &found));
        assert_false(instruction_perform(&found, gpr, &flags, &memory));
        __asm__("imulq %2, %0\n\tpushfq\n\tpop %1" : "+r"(low), "=r"(real) : "r"(b) : "cc");
        assert_true(gpr[0] == low);
        assert_true((flags & CARRY_AND_OVERFLOW) == (real & CARRY_AND_OVERFLOW));
    }
}

#define FLAGS_LOOKED_AT UINT64_C(0x8C5) /* overflow, sign, zero, parity, carry */

#define REFERENCE(name, mnemonic)                                                 \
    static uint64_t name(uint64_t a, uint64_t b, uint64_t carry, uint64_t *flags) \
    {                                                                             \
        __asm__("bt $0, %2\n\t" mnemonic " %3, %0\n\tpushfq\n\tpop %1"            \
                : "+&r"(a), "=&r"(*flags)                                         \
                : "r"(carry), "r"(b)                                              \
                : "cc", "memory");                                                \
        return a;                                                                 \
    }

REFERENCE(reference_add, "addq")
REFERENCE(reference_or, "orq")
REFERENCE(reference_adc, "adcq")
REFERENCE(reference_sbb, "sbbq")
REFERENCE(reference_and, "andq")
REFERENCE(reference_sub, "subq")
REFERENCE(reference_xor, "xorq")

static uint64_t odd_number(void)
{
    uint64_t value = machine_random(RANDOM_SITE_WORKLOAD);

    switch (value % 5) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_C(1) << 63;
    default:
        return value;
    }
}

static void arithmetic_is_the_processors(void **state)
{
    static uint64_t (*const references[])(uint64_t, uint64_t, uint64_t, uint64_t *) = {
        reference_add, reference_or,  reference_adc, reference_sbb,
        reference_and, reference_sub, reference_xor,
    };

    for (unsigned i = 0; i < 20000; i++) {
        unsigned op = i % 7;
        uint64_t a = odd_number();
        uint64_t b = odd_number();
        uint64_t flags = machine_random(RANDOM_SITE_WORKLOAD) & 1;
        uint64_t expected_flags = 0;
        uint64_t expected = references[op](a, b, flags, &expected_flags);
        assert_true(alu_perform((enum alu_operation)op, 8, a, b, &flags) == expected);
        assert_true(((flags ^ expected_flags) & FLAGS_LOOKED_AT) == 0);
    }
}

static void port_instructions_are_understood(void **state)
{
    static const struct {
        const char *text;
        uint8_t code[4];
        struct port_instruction wanted;
    } rows[] = {
        {"in al, dx", {0xEC}, {.length = 1, .size = 1}},
        {"in ax, dx", {0x66, 0xED}, {.length = 2, .size = 2}},
        {"in eax, dx", {0xED}, {.length = 1, .size = 4}},
        {"in al, 0x60", {0xE4, 0x60}, {.length = 2, .size = 1, .immediate = true, .port = 0x60}},
        {"in eax, 0x60", {0xE5, 0x60}, {.length = 2, .size = 4, .immediate = true, .port = 0x60}},
        {"out dx, al", {0xEE}, {.out = true, .length = 1, .size = 1}},
        {"out dx, ax", {0x66, 0xEF}, {.out = true, .length = 2, .size = 2}},
        {"out dx, eax", {0xEF}, {.out = true, .length = 1, .size = 4}},
        {"out 0x80, al",
         {0xE6, 0x80},
         {.out = true, .length = 2, .size = 1, .immediate = true, .port = 0x80}},
    };
    static const uint8_t others[][4] = {{0x6C}, {0x6F}, {0xF3, 0x6D}, {0xFA},      {0xF4},
                                        {0xE8}, {0xEB}, {0x0F, 0x22}, {0x66, 0x90}};
    struct port_instruction found;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("%s\n", rows[i].text);
        assert_true(port_instruction_decode(rows[i].code, &found));
        assert_int_equal(found.out, rows[i].wanted.out);
        assert_int_equal(found.length, rows[i].wanted.length);
        assert_int_equal(found.size, rows[i].wanted.size);
        assert_int_equal(found.immediate, rows[i].wanted.immediate);
        assert_int_equal(found.port, rows[i].wanted.port);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(port_instruction_decode(others[i], &found));
    }
}

/* Register n holds (n + 1) << 12. */
static void what_an_instruction_touches_is_known(void **state)
{
    static const struct {
        const char *text;
        uint8_t code[16];
        struct access wanted;
    } rows[] = {
        {"mov eax, [rcx]", {0x8B, 0x01}, {0x2000, false, false, 4}},
        {"mov [rdx+8], r9", {0x4C, 0x89, 0x4A, 0x08}, {0x3008, true, false, 8, true}},
        {"cmp dword [rax], 1", {0x83, 0x38, 0x01}, {0x1000, false, false, 4}},
        {"add dword [rip+16], 1", {0x83, 0x05, 16, 0, 0, 0, 1}, {RIP + 7 + 16, true, false, 4}},
        {"mov dword [rip+16], 1",
         {0xC7, 0x05, 16, 0, 0, 0, 1, 0, 0, 0},
         {RIP + 10 + 16, true, false, 4, true}},
        {"inc dword [rax]", {0xFF, 0x00}, {0x1000, true, false, 4}},
        {"call [rax]", {0xFF, 0x10}, {0x1000, false, false, 4}},
        {"not byte [rax]", {0xF6, 0x10}, {0x1000, true, false, 1}},
        {"lock xadd [rax], ecx", {0xF0, 0x0F, 0xC1, 0x08}, {0x1000, true, true, 4}},
        {"lock cmpxchg [rax], ecx", {0xF0, 0x0F, 0xB1, 0x08}, {0x1000, true, true, 4}},
        {"movups xmm0, [rax]", {0x0F, 0x10, 0x00}, {0x1000, false, false, 16}},
        {"movups [rax], xmm0", {0x0F, 0x11, 0x00}, {0x1000, true, false, 16, true}},
        {"movq xmm0, [rax]", {0xF3, 0x0F, 0x7E, 0x00}, {0x1000, false, false, 8}},
        {"sete byte [rax]", {0x0F, 0x94, 0x00}, {0x1000, true, false, 1, true}},
        {"xchg [rax], cl", {0x86, 0x08}, {0x1000, true, true, 1}},
        {"mov word [rax], cx", {0x66, 0x89, 0x08}, {0x1000, true, false, 2, true}},
        {"movss [rax], xmm0", {0xF3, 0x0F, 0x11, 0x00}, {0x1000, true, false, 4, true}},
        {"lock cmpxchg16b [rax]", {0xF0, 0x48, 0x0F, 0xC7, 0x08}, {0x1000, true, true, 16}},
        {"rep stosd", {0xF3, 0xAB}, {0x8000, true, false, 4, true}},
    };
    static const uint8_t none[][8] = {{0x90}, {0x89, 0xC8}, {0x8D, 0x00},       {0x50},      {0xC3},
                                      {0xE8}, {0x0F, 0x05}, {0x65, 0x8B, 0x00}, {0xF3, 0x90}};
    struct access found;
    uint64_t gpr[16];

    gpr_fill(gpr);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("%s\n", rows[i].text);
        assert_true(access_decode(rows[i].code, RIP, gpr, &found));
        assert_int_equal(found.address, rows[i].wanted.address);
        assert_int_equal(found.writes, rows[i].wanted.writes);
        assert_int_equal(found.atomic, rows[i].wanted.atomic);
        assert_int_equal(found.size, rows[i].wanted.size);
        assert_int_equal(found.stores, rows[i].wanted.stores);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(access_decode(none[i], RIP, gpr, &found));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_are_understood),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(memory_of_the_cpu_is_told_apart),
        cmocka_unit_test(multiplications_are_the_processors),
        cmocka_unit_test(an_address_may_be_in_the_instruction),
        cmocka_unit_test(moves_of_the_interrupt_level_are_known),
        cmocka_unit_test(random_bytes_do_no_harm),
        cmocka_unit_test(arithmetic_is_the_processors),
        cmocka_unit_test(port_instructions_are_understood),
        cmocka_unit_test(what_an_instruction_touches_is_known),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
