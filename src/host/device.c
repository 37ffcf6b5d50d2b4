/* What is in the slot: plugs it in, and tells its model's faults apart from the driver's.
 *
 * A model's code runs in the process of the driver, often right under a register access of his.
 * Whose fault a fault is decides whose code was called last: while machine is inside a call of the
 * model, everything that breaks is the model's, be it in its own code or in a library's that it
 * called. */
#include "host/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define BUS_FAULTS_TOLD 8u

static jmp_buf plug_end; /* where a model that breaks in its create() leaves to */
static bool plugging;
static unsigned bus_faults;

static const char *device_name(void)
{
    return host.options->device_path ? host.options->device_path : host.options->device_model->name;
}

static void set_outcome(const char *format, va_list arguments)
{
    char text[RECORD_TEXT_MAX];

    vsnprintf(text, sizeof text, format, arguments);
    record_set_outcome(host.options->device_path ? RUN_OUTCOME_DEVICE_FAULT : RUN_OUTCOME_OWN_FAULT,
                       "device model %s: %s", device_name(), text);
}

static _Noreturn void end_run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void end_run(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_outcome(format, arguments);
    va_end(arguments);
    if (plugging) {
        longjmp(plug_end, 1);
    }
    machine_halt();
}

/* As end_run, where the process ends by itself. */
static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void tell(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_outcome(format, arguments);
    va_end(arguments);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

bool host_device_runs(void *ctx)
{
    return pci_in_model() != NULL;
}

void host_device_fault(const struct loader_fault *fault)
{
    static const char *const verbs[] = {"", " reading", " writing", " executing"};
    char where[LOADER_TEXT_MAX], access[64] = "", near[64] = "";

    host_place_text(fault->address, where, sizeof where);
    if (fault->access != LOADER_ACCESS_NONE) {
        snprintf(access, sizeof access, "%s 0x%llx", verbs[fault->access],
                 (unsigned long long)fault->access_address);
        pci_place_text(pci_in_model(), fault->access_address, near, sizeof near);
    }
    end_run("%s (0x%08x)%s%s%s at %s", fault->code_name, fault->code, access, near[0] ? ", " : "",
            near, where);
}

void host_device_hang(const void *context)
{
    const ucontext_t *state = context;
    char where[LOADER_TEXT_MAX];

    host_place_text((const void *)(uintptr_t)state->uc_mcontext.gregs[REG_RIP], where,
                    sizeof where);
    tell("it ran too long without returning, at %s", where);
}

void host_device_ends(const char *how)
{
    tell("it called %s", how);
}

static void misbehaved(void *context, struct pci_slot *slot, const char *text)
{
    end_run("%s", text);
}

/* Often the driver gave the device a wrong address: told, and blamed on nobody. */
static void bus_fault(void *context, struct pci_slot *slot, uint64_t physical, size_t size,
                      bool write)
{
    char text[200];

    if (bus_faults++ < BUS_FAULTS_TOLD) {
        snprintf(
            text, sizeof text,
            "bus fault: the device %s %zu bytes at physical 0x%llx, where it reaches no memory%s",
            write ? "writes" : "reads", size, (unsigned long long)physical,
            gart_bytes() > 0 && gart_holds(physical)
                ? ": no page is mapped there in the AGP aperture"
                : "");
        record_note(text);
    }
}

/* ---- Plugging in ----------------------------------------------------------------------------- */

static void install(void)
{
    bus_faults = 0;
    pci_set_fault_hook(bus_fault, NULL);
    pci_set_model_hook(misbehaved, NULL);
}

/* Built in or as a library. A model of another version may have its name elsewhere. */
static bool is_softgpu(const struct device_model *model)
{
    return model->abi == DRYDOCK_DEVICE_ABI && model->name && strcmp(model->name, "softgpu") == 0;
}

#define DEVICE_OPTIONS_MAX 512

/* Unless the user has said something of it. */
static bool add_option(char text[DEVICE_OPTIONS_MAX], const char *name, const char *value)
{
    size_t length = strlen(text);
    bool is_free = !strstr(text, name);

    if (is_free) {
        snprintf(text + length, DEVICE_OPTIONS_MAX - length, "%s%s=%s", length ? "," : "", name,
                 value);
    }
    return is_free;
}

static const char *device_options(void)
{
    static char text[DEVICE_OPTIONS_MAX];
    const char *said = host.options->device_options;
    bool two = vary_on(VARY_SECOND_MONITOR) || vary_on(VARY_CLONED);

    if (!is_softgpu(host.options->device_model) || (said && strlen(said) > sizeof text / 2)) {
        return said;
    }
    snprintf(text, sizeof text, "%s", said ? said : "");
    if (two && add_option(text, "outputs", "2") && vary_on(VARY_SECOND_MONITOR)) {
        vary_happened(VARY_SECOND_MONITOR);
        if (vary_draw(VARY_SECOND_MONITOR, 2)) {
            add_option(text, "one_clock", "1");
        }
    }
    if (vary_on(VARY_ODD_MONITOR) && add_option(text, "monitor", "1")) {
        vary_happened(VARY_ODD_MONITOR);
    }
    return text;
}

bool host_plug_device(void)
{
    static char error[PCI_ERROR_MAX];
    const struct host_options *options = host.options;
    const struct pci_options pci = {.messages = options->messages, .error = error};
    static NTSTATUS status; /* not in a register: longjmp may lead back here */

    install();
    status = STATUS_UNSUCCESSFUL;
    plugging = true;
    if (setjmp(plug_end) == 0) {
        status = pci_plug(options->device_model, device_options(), &pci, &host.slot);
    }
    plugging = false;
    if (!NT_SUCCESS(status)) { /* after a fault the outcome is there already */
        record_set_outcome(RUN_OUTCOME_USAGE, "--device %s: %s", device_name(), error);
    }
    return NT_SUCCESS(status);
}
