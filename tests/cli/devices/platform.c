/* A device that firmware tells of: a block of registers, two lines, and methods. */
#include <drydock/device.h>
#include <stdlib.h>
#include <string.h>

/* "SUMM": of its integers. "ECHO" of child 7: what it is given, back. */
static bool method(struct device *device, uint32_t unit, const char name[4],
                   const struct device_acpi_value *arguments, unsigned count,
                   struct device_acpi_value *result)
{
    (void)device;
    if (unit == 7 && memcmp(name, "ECHO", 4) == 0 && count == 1) {
        *result = arguments[0];
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        result->number += arguments[i].number;
    }
    return unit == DEVICE_ACPI_ADAPTER && memcmp(name, "SUMM", 4) == 0;
}

static void destroy(struct device *device)
{
    free(device);
}

static const struct device_operations operations = {
    .size_bytes = sizeof operations, .destroy = destroy, .acpi_method = method};

static struct device *create(struct device_bus *bus, const struct drydock_value *values)
{
    const struct device_description description = {
        .size_bytes = sizeof description,
        .bars = {{.kind = DEVICE_BAR_REGISTERS, .size = 4096}},
        .platform = true,
        .line_count = 2,
#ifdef FIRMWARE_ID
        .firmware_id = FIRMWARE_ID,
#endif
    };
    struct device *device = calloc(1, sizeof *device);

    (void)values;
    if (!device || !bus->operations->describe(bus, &description)) {
        free(device);
        return NULL;
    }
    device->operations = &operations;
    return device;
}

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI, sizeof(struct device_model), "platform", "what ACPI tells of", NULL, create,
};
