/* DxgkCbEvalAcpiMethod: methods of the firmware's tables, which the device model has.
 *
 * Buffers are as acpiioct.h lays them out: a head with the method's name, and arguments behind each
 * other, each as long as it says. All of them are the driver's, and may hold anything. */
#include "ddi/internal.h"

#include <string.h>

#define HEAD_BYTES  offsetof(ACPI_EVAL_INPUT_BUFFER_COMPLEX, Argument)
#define VALUE_BYTES offsetof(ACPI_METHOD_ARGUMENT, Argument)
#define RESULT_HEAD offsetof(ACPI_EVAL_OUTPUT_BUFFER, Argument)
#define STRING_MAX  255u /* of a single one */
#define STRING_HEAD offsetof(ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING, String)

struct method {
    char name[4];
    struct device_acpi_value arguments[DEVICE_ACPI_ARGUMENTS];
    unsigned count;
    char string[STRING_MAX + 1];
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

static bool take_integer(const ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER *input, size_t size,
                         struct method *out)
{
    if (size < sizeof *input) {
        return false;
    }
    out->count = 1;
    out->arguments[0].number = input->IntegerArgument;
    return true;
}

/* Its 0 is not in it. */
static bool take_string(const ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING *input, size_t size,
                        struct method *out)
{
    if (size < STRING_HEAD || input->StringLength > STRING_MAX ||
        input->StringLength > size - STRING_HEAD) {
        return false;
    }
    memcpy(out->string, input->String, input->StringLength);
    out->count = 1;
    out->arguments[0] = (struct device_acpi_value){.kind = DEVICE_ACPI_STRING,
                                                   .bytes = out->string,
                                                   .size = (uint16_t)(input->StringLength + 1)};
    return true;
}

/* The forms for a method of the device itself: those for a path have a request of their own. */
static bool take_method(const void *bytes, size_t size, struct method *out)
{
    const ACPI_EVAL_INPUT_BUFFER *head = bytes;

    *out = (struct method){.count = 0};
    if (!bytes || size < sizeof *head) {
        return false;
    }
    memcpy(out->name, head->MethodName, sizeof out->name);
    switch (head->Signature) {
    case ACPI_EVAL_INPUT_BUFFER_SIGNATURE:
        return true;
    case ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER_SIGNATURE:
        return take_integer(bytes, size, out);
    case ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING_SIGNATURE:
        return take_string(bytes, size, out);
    case ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE:
        return take_arguments(bytes, size, out);
    default:
        return false;
    }
}

/* Length says how much it takes, also where there is not so much room. What is given may lie in the
 * input, and that where the result goes: it comes before the head. */
static NTSTATUS give_result(const struct device_acpi_value *value, ACPI_EVAL_OUTPUT_BUFFER *output,
                            size_t size)
{
    bool integer = value->kind == DEVICE_ACPI_INTEGER;
    size_t bytes = integer ? sizeof(ULONG) : value->size;
    size_t whole = RESULT_HEAD + VALUE_BYTES + data_room(bytes);

    if (!output || size == 0) {
        return STATUS_SUCCESS; /* nobody asks what came of it */
    }
    if (size < RESULT_HEAD) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (size >= whole) {
        ACPI_METHOD_ARGUMENT *argument = output->Argument;
        if (integer) {
            argument->Argument = value->number;
        } else {
            memmove(argument->Data, value->bytes, bytes);
            memset(argument->Data + bytes, 0, data_room(bytes) - bytes);
        }
        argument->Type = (USHORT)value->kind;
        argument->DataLength = (USHORT)bytes;
    }
    output->Signature = ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE;
    output->Length = (ULONG)whole;
    output->Count = 1;
    return size < whole ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
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
