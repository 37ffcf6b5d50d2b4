/* spaces_validation.h: what goes wrong around ValidateSubmitCommand. A part of spaces_test.c, whose
 * words it uses. */
#ifndef TESTS_CONTRACT_SPACES_VALIDATION_H
#define TESTS_CONTRACT_SPACES_VALIDATION_H

static void validation_has_no_answer(void)
{
    says.of_validation = STATUS_PENDING;
}

static void validates_no_data(void)
{
    asks.validation.UmdPrivateDataSize = asks.submission.DmaBufferUmdPrivateDataSize = 0;
}

static void validates_for_a_queue(void)
{
    asks.validation.Flags.HardwareQueueSubmission = 1;
    asks.submission.DmaBufferUmdPrivateDataSize = 0;
}

static void validates_with_odd_flags(void)
{
    asks.validation.Flags.Value = 2;
}

static void validates_for_nobody(void)
{
    asks.validation.ContextCount = 0;
    asks.submission.DmaBufferUmdPrivateDataSize = 0;
}

static void validates_for_a_stranger(void)
{
    asks.validation.ContextCount = 2;
    asks.validation.Context[1] = ANOTHER;
}

static void validates_nothing_to_write_in(void)
{
    asks.validation.pPrivateDriverData = NULL;
    asks.submission.DmaBufferUmdPrivateDataSize = 0;
}

static void validates_a_part(void)
{
    asks.validation.PrivateDriverDataSize = CLIENT_BYTES;
}

static void validates_too_much(void)
{
    asks.validation.UmdPrivateDataSize = PRIVATE_BYTES + 1;
    asks.submission.DmaBufferUmdPrivateDataSize = 0;
}

static void is_not_validated(void)
{
    asks.not_validated = true;
}

static void validates_another_address(void)
{
    asks.validation.Commands += 64;
}

static void validates_another_length(void)
{
    asks.validation.CommandLength += 4;
}

static void validates_other_data(void)
{
    asks.data[3] = 9;
}

static void drops_what_the_driver_wrote(void)
{
    asks.data[CLIENT_BYTES] = 0;
}

/* clang-format off */
#define VALIDATION_MISTAKES                          \
    DRIVERS(validation_has_no_answer, "VALID-005"),  \
    KERNELS(validates_no_data, "VALID-002"),         \
    KERNELS(validates_for_a_queue, "VALID-009"),     \
    KERNELS(validates_with_odd_flags, "VALID-010"),  \
    KERNELS(validates_for_nobody, "VALID-011"),      \
    KERNELS(validates_for_a_stranger, "VALID-012"),  \
    KERNELS(validates_nothing_to_write_in, "VALID-014"), \
    KERNELS(validates_a_part, "VALID-017"),          \
    KERNELS(validates_too_much, "VALID-018"),        \
    KERNELS(is_not_validated, "VALID-001"),          \
    KERNELS(validates_another_address, "VALID-007"), \
    KERNELS(validates_another_length, "VALID-008"),  \
    KERNELS(validates_other_data, "VALID-014"),      \
    KERNELS(drops_what_the_driver_wrote, "VALID-015")
/* clang-format on */

#endif
