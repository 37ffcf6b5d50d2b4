/* With what bytes are compared: instructions told by hand, as of a driver that looks at them. */
#include "machine/support.h"

#include <string.h>

#include "machine/compared.h"
#include "machine/internal.h"
#include "machine/step.h"

#define BYTES 100u

static uint8_t bytes[BYTES];
static bool known[BYTES];

static uint32_t word_at(unsigned at)
{
    uint32_t word;

    memcpy(&word, bytes + at, sizeof word);
    return word;
}

static struct compared one_of(const uint8_t *code, uint64_t rax, uint64_t rcx)
{
    uint64_t gpr[16] = {rax, rcx};
    struct compared seen[COMPARED_MAX] = {{0}};

    gpr[4] = (uintptr_t)gpr;
    compared_begin(bytes, sizeof bytes, known);
    compared_look(&(struct step_trap){.place = code, .gpr = gpr, .is_drivers = true});
    unsigned count = compared_end(seen);
    if (count == 0) {
        return (struct compared){0};
    }
    return seen[count - 1];
}

static void assert_compared(struct compared is, uint32_t at, unsigned size, uint64_t with)
{
    assert_int_equal(is.at, at);
    assert_int_equal(is.size, size);
    assert_int_equal(is.with, with);
}

static void places(void *argument)
{
    static const uint8_t in_memory[] = {0x81, 0x38, 0x53, 0x47, 0x50, 0x43}; /* cmp [rax], imm */
    static const uint8_t of_rax[] = {0x3D, 0x53, 0x47, 0x50, 0x43};          /* cmp eax, imm */
    static const uint8_t of_two[] = {0x39, 0xC8};                            /* cmp eax, ecx */
    static const uint8_t tested[] = {0x85, 0xC9};                            /* test ecx, ecx */
    static const uint8_t cleared[] = {0x31, 0xC0};                           /* xor eax, eax */
    static const uint8_t short_one[] = {0x66, 0x83, 0xF9, 0x05};             /* cmp cx, 5 */
    static const uint8_t widened[] = {0x83, 0xF9, 0x05};                     /* cmp ecx, 5 */
    static const uint8_t byte[] = {0x80, 0x78, 0x03, 0x80};                  /* cmp byte [rax+3] */

    assert_compared(one_of(in_memory, (uintptr_t)bytes + 12, 0), 12, 4, 0x43504753);
    assert_compared(one_of(byte, (uintptr_t)bytes + 1, 0), 4, 1, 0x80);
    assert_compared(one_of(of_rax, word_at(20), 0), 20, 4, 0x43504753);
    assert_compared(one_of(of_two, word_at(8), 77), 8, 4, 77);
    assert_compared(one_of(of_two, 78, word_at(30)), 30, 4, 78);
    assert_compared(one_of(tested, 0, word_at(4)), 4, 4, 0);
    assert_int_equal(one_of(cleared, word_at(4), 0).size, 0);
    assert_compared(one_of(short_one, 0, word_at(6) & 0xFFFF), 6, 2, 5);
    assert_compared(one_of(widened, 0, word_at(6) & 0xFFFF), 6, 2, 5);
    assert_compared(one_of(widened, 0, word_at(16) - 3), 16, 4, 8); /* a range from 3 to 8 */
    assert_compared(one_of(of_two, BYTES, 24), COMPARED_LENGTH, 4, 24);
    /* What has its value by now is known by its place alone. */
    known[20] = true;
    assert_int_equal(one_of(of_rax, word_at(20), 0).size, 0);
    known[20] = false;
    /* Nor is a place of memory anything that a client would write. */
    static const uint8_t wide[] = {0x48, 0x39, 0xC8};
    uint64_t eight;
    memcpy(&eight, bytes + 40, sizeof eight);
    assert_compared(one_of(wide, eight, 0x4650534700000001), 40, 8, 0x4650534700000001);
    assert_int_equal(one_of(wide, eight, 0x210000001000).size, 0);
}

static void what_bytes_are_compared_with(void **state)
{
    compared_fill(bytes, sizeof bytes);
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    spawn("compared", places, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_bytes_are_compared_with)};

    return cmocka_run_group_tests_name("compared", tests, NULL, NULL);
}
