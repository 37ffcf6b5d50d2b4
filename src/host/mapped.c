/* Files that code is mapped from: the driver as a module, and what is plugged in. Who makes one
 * shorter takes pages away under the run. Nothing of it can be read then, neither by the dynamic
 * linker nor for a report; so where plug-ins lie is noted when they are loaded. */
#include "host/internal.h"

#include <unistd.h>

static const char *file_at(uintptr_t address)
{
    const struct host_options *options = host.options;
    const struct loader_image *image = loader_image_at((const void *)address);

    if (host.loads || (image && image->kind == LOADER_KIND_ELF)) {
        return options->driver_module;
    }
    return host_mapped_name(options, address);
}

void host_page_gone(void *ctx, uintptr_t address)
{
    const char *name = file_at(address);

    (void)ctx;
    if (name) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "%s was made shorter while it was in use: nothing is at 0x%llx any more",
                           name, (unsigned long long)address);
        _exit(RUN_OUTCOME_INCONCLUSIVE); /* nothing of it is called once more */
    }
}
