/* DxgkCbEvalAcpiMethod: methods of the firmware's tables, which the device model has.
 *
 * Buffers are as acpiioct.h lays them out: a head with the method's name, and arguments behind each
 * other, each as long as it says. All of them are the driver's, and may hold anything. */
#include "ddi/internal.h"

#include <string.h>

#define HEAD_BYTES  offsetof(ACPI_EVAL_INPUT_BUFFER_COMPLEX, Argument)
#define VALUE_BYTES offsetof(ACPI_METHOD_ARGUMENT, Argument)
#define RESULT_HEAD offsetof(ACPI_EVAL_OUTPUT_BUFFER, Argument)

struct method {
    char name[4];
    struct device_acpi_value arguments[DEVICE_ACPI_ARGUMENTS];
    unsigned count;
};

static size_t data_room(size_t bytes)
{
    return bytes > sizeof(ULONG) ? bytes : sizeof(ULONG);
}

/* One argument of at most `room` bytes; how many it takes, 0 if it is none. */
static size_t take_argument(const UCHAR *from, size_t room, struct device_acpi_value *out)
{
    ACPI_METHOD_ARGUMENT head;

    if (room < VALUE_BYTES + sizeof(ULONG)) {
        return 0;
    }
    memcpy(&head, from, VALUE_BYTES + sizeof(ULONG));
    if (data_room(head.DataLength) > room - VALUE_BYTES) {
        return 0;
    }
    if (head.Type == ACPI_METHOD_ARGUMENT_INTEGER) {
        *out = (struct device_acpi_value){.kind = DEVICE_ACPI_INTEGER, .number = head.Argument};
    } else {
        /* A package is handed on as its bytes: the arguments in it, behind each other. */
        *out = (struct device_acpi_value){
            .kind =
                head.Type == ACPI_METHOD_ARGUMENT_STRING ? DEVICE_ACPI_STRING : DEVICE_ACPI_BUFFER,
            .bytes = from + VALUE_BYTES,
            .size = head.DataLength,
        };
    }
    return VALUE_BYTES + data_room(head.DataLength);
}

static bool take_arguments(const ACPI_EVAL_INPUT_BUFFER_COMPLEX *input, size_t size,
                           struct method *out)
{
    size_t at = HEAD_BYTES;

    if (size < HEAD_BYTES || input->ArgumentCount > DEVICE_ACPI_ARGUMENTS) {
        return false;
    }
    for (out->count = 0; out->count < input->ArgumentCount; out->count++) {
        size_t taken =
            take_argument((const UCHAR *)input + at, size - at, &out->arguments[out->count]);
        if (!taken) {
            return false;
        }
        at += taken;
    }
    return true;
}

/* Each of the forms that acpiioct.h has for the input. */
static bool take_method(const void *bytes, size_t size, struct method *out)
{
    const ACPI_EVAL_INPUT_BUFFER *head = bytes;

    *out = (struct method){.count = 0};
    if (!bytes || size < sizeof *head) {
        return false;
    }
    memcpy(out->name, head->MethodName, sizeof out->name);
    if (head->Signature == ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER_SIGNATURE) {
        const ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER *simple = bytes;
        if (size < sizeof *simple) {
            return false;
        }
        out->count = 1;
        out->arguments[0].number = simple->IntegerArgument;
        return true;
    }
    return head->Signature == ACPI_EVAL_INPUT_BUFFER_SIGNATURE ||
           (head->Signature == ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE &&
            take_arguments(bytes, size, out));
}

/* Length says how much it takes, also where there is not so much room. */
static NTSTATUS give_result(const struct device_acpi_value *value, ACPI_EVAL_OUTPUT_BUFFER *output,
                            size_t size)
{
    bool integer = value->kind == DEVICE_ACPI_INTEGER;
    size_t bytes = integer ? sizeof value->number : value->size;
    size_t whole = RESULT_HEAD + VALUE_BYTES + data_room(bytes);

    if (!output || size == 0) {
        return STATUS_SUCCESS; /* nobody asks what came of it */
    }
    if (size < RESULT_HEAD) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    output->Signature = ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE;
    output->Length = (ULONG)whole;
    output->Count = 1;
    if (size < whole) {
        return STATUS_BUFFER_OVERFLOW;
    }
    output->Argument[0].Type = (USHORT)value->kind;
    output->Argument[0].DataLength = (USHORT)bytes;
    output->Argument[0].Argument = 0;
    if (integer) {
        output->Argument[0].Argument = value->number;
    } else if (bytes) {
        memcpy(output->Argument[0].Data, value->bytes, bytes);
    }
    return STATUS_SUCCESS;
}

/* The parameters are DxgkCbEvalAcpiMethod's. */
NTSTATUS ddi_acpi_evaluate(struct ddi_adapter *adapter, ULONG unit, const void *input,
                           size_t input_size, ACPI_EVAL_OUTPUT_BUFFER *output, size_t output_size)
{
    struct device_acpi_value result;
    struct method method;

    if (!take_method(input, input_size, &method)) {
        return STATUS_INVALID_PARAMETER;
    }
    /* Without such a method it is as on a desktop card. */
    return pci_acpi_method(adapter->slot, unit, method.name, method.arguments, method.count,
                           &result)
               ? give_result(&result, output, output_size)
               : STATUS_NOT_SUPPORTED;
}
