/* A driver that looks at what firmware tells of its device, and evaluates methods. */
#include "asking.h"

static DXGKRNL_INTERFACE kernel;

/* Input of some arguments, and room for a result. */
static union {
    ACPI_EVAL_INPUT_BUFFER_COMPLEX head;
    UCHAR bytes[128];
} in;
static union {
    ACPI_EVAL_OUTPUT_BUFFER head;
    UCHAR bytes[128];
} out;

static void begin(const char *name, ULONG arguments)
{
    RtlZeroMemory(&in, sizeof(in));
    RtlZeroMemory(&out, sizeof(out));
    in.head.Signature = ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE;
    RtlCopyMemory(in.head.MethodName, name, 4);
    in.head.ArgumentCount = arguments;
}

static NTSTATUS evaluate(ULONG unit, ULONG in_bytes, ULONG out_bytes)
{
    return kernel.DxgkCbEvalAcpiMethod(kernel.DeviceHandle, unit, &in.head, in_bytes, &out.head,
                                       out_bytes);
}

static void integers(void)
{
    ACPI_METHOD_ARGUMENT *second;

    begin("SUMM", 2);
    in.head.Argument[0].DataLength = sizeof(ULONG);
    in.head.Argument[0].Argument = 40;
    second = ACPI_METHOD_NEXT_ARGUMENT(&in.head.Argument[0]);
    second->DataLength = sizeof(ULONG);
    second->Argument = 2;
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, 32, sizeof(out)) == STATUS_SUCCESS);
    CHECK(out.head.Signature == ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE && out.head.Count == 1);
    CHECK(out.head.Argument[0].Type == ACPI_METHOD_ARGUMENT_INTEGER);
    CHECK(out.head.Argument[0].Argument == 42);
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, 32, 12) == STATUS_BUFFER_OVERFLOW);
    CHECK(out.head.Length == 20);
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, 24, sizeof(out)) == STATUS_INVALID_PARAMETER);
    second->DataLength = 0xFFFF;
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, 32, sizeof(out)) == STATUS_INVALID_PARAMETER);
    in.head.ArgumentCount = 0xFFFFFFFF;
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, 32, sizeof(out)) == STATUS_INVALID_PARAMETER);
    begin("NONE", 0);
    CHECK(!NT_SUCCESS(evaluate(DISPLAY_ADAPTER_HW_ID, sizeof(in), sizeof(out))));
    in.head.Signature = 0;
    CHECK(evaluate(DISPLAY_ADAPTER_HW_ID, sizeof(in), sizeof(out)) == STATUS_INVALID_PARAMETER);
}

static void buffers(void)
{
    begin("ECHO", 1);
    in.head.Argument[0].Type = ACPI_METHOD_ARGUMENT_BUFFER;
    in.head.Argument[0].DataLength = 9;
    RtlCopyMemory(in.head.Argument[0].Data, "backlight", 9);
    CHECK(evaluate(7, sizeof(in), sizeof(out)) == STATUS_SUCCESS);
    CHECK(out.head.Argument[0].Type == ACPI_METHOD_ARGUMENT_BUFFER);
    CHECK(out.head.Argument[0].DataLength == 9);
    CHECK(RtlCompareMemory(out.head.Argument[0].Data, "backlight", 9) == 9);
}

static void strings(void)
{
    ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING *string = (ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING *)&in;

    begin("ECHO", 0);
    string->Signature = ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING_SIGNATURE;
    string->StringLength = 5;
    RtlCopyMemory(string->String, "panel", 5);
    CHECK(evaluate(7, 12 + 5, sizeof(out)) == STATUS_SUCCESS);
    CHECK(out.head.Argument[0].Type == ACPI_METHOD_ARGUMENT_STRING);
    CHECK(RtlCompareMemory(out.head.Argument[0].Data, "panel", 6) == 6);
    CHECK(evaluate(7, 12 + 4, sizeof(out)) == STATUS_INVALID_PARAMETER);
    in.head.Signature = ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE_EX;
    CHECK(evaluate(7, sizeof(in), sizeof(out)) == STATUS_INVALID_PARAMETER);
}

/* What is given lies behind the result's head in the input, and partly beneath it. */
static void one_buffer(void)
{
    ACPI_EVAL_OUTPUT_BUFFER *result = (ACPI_EVAL_OUTPUT_BUFFER *)&in;

    begin("ECHO", 1);
    in.head.Argument[0].Type = ACPI_METHOD_ARGUMENT_BUFFER;
    in.head.Argument[0].DataLength = 26;
    RtlCopyMemory(in.head.Argument[0].Data, "abcdefghijklmnopqrstuvwxyz", 26);
    CHECK(kernel.DxgkCbEvalAcpiMethod(kernel.DeviceHandle, 7, &in.head, sizeof(in), result,
                                      sizeof(in)) == STATUS_SUCCESS);
    CHECK(result->Argument[0].DataLength == 26);
    CHECK(RtlCompareMemory(result->Argument[0].Data, "abcdefghijklmnopqrstuvwxyz", 26) == 26);
}

static void resources(void)
{
    UCHAR bytes[4];
    ULONG read = 4, lines = 0, ranges = 0;
    DXGK_DEVICE_INFO info;

    CHECK(NT_SUCCESS(kernel.DxgkCbGetDeviceInformation(kernel.DeviceHandle, &info)));
    const CM_FULL_RESOURCE_DESCRIPTOR *full = &info.TranslatedResourceList->List[0];
    for (ULONG i = 0; i < full->PartialResourceList.Count; i++) {
        lines += full->PartialResourceList.PartialDescriptors[i].Type == CmResourceTypeInterrupt;
        ranges += full->PartialResourceList.PartialDescriptors[i].Type == CmResourceTypeMemory;
    }
    CHECK(full->InterfaceType == ACPIBus);
    CHECK(lines == 2 && ranges == 1);
    CHECK(!NT_SUCCESS(kernel.DxgkCbReadDeviceSpace(kernel.DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                                   bytes, 0, 4, &read)));
    CHECK(read == 0);
}

static DEVICE_OBJECT *physical;

#ifndef FIRMWARE_ID
#define FIRMWARE_ID "DRYD0000"
#endif

static BOOLEAN begins_with_acpi(DEVICE_REGISTRY_PROPERTY property)
{
    WCHAR text[64] = {0};
    ULONG size;

    return NT_SUCCESS(IoGetDeviceProperty(physical, property, sizeof(text), text, &size)) &&
           text[0] == L'A' && text[1] == L'C' && text[2] == L'P' && text[3] == L'I';
}

static BOOLEAN is_named(void)
{
    static const WCHAR expected[] = L"ACPI\\" FIRMWARE_ID;
    WCHAR text[64] = {0};
    ULONG size;

    return NT_SUCCESS(IoGetDeviceProperty(physical, DevicePropertyHardwareID, sizeof(text), text,
                                          &size)) &&
           RtlCompareMemory(text, expected, sizeof(expected)) == sizeof(expected);
}

static void names(void)
{
    ULONG number = 0, size;

    CHECK(is_named());
    CHECK(begins_with_acpi(DevicePropertyEnumeratorName));
    CHECK(NT_SUCCESS(IoGetDeviceProperty(physical, DevicePropertyLegacyBusType, sizeof(number),
                                         &number, &size)) &&
          number == ACPIBus);
    CHECK(!NT_SUCCESS(
        IoGetDeviceProperty(physical, DevicePropertyBusNumber, sizeof(number), &number, &size)));
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(start);
    RtlCopyMemory(&kernel, interface, interface->Size);
    *sources = *children = 1;
    resources();
    names();
    integers();
    buffers();
    strings();
    one_buffer();
    asking_say();
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = physical = device;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    return asking_register(driver_object, registry_path, add_device, start_device);
}
