/* Files that code is mapped from: the driver as a module, and what is plugged in. Who makes one
 * shorter takes pages away under the run. Nothing of it can be read then, neither by the dynamic
 * linker nor for a report; so where they lie is noted before. */
#include "host/internal.h"

#include <link.h>
#include <unistd.h>

struct mapped {
    uintptr_t begin, end;
    const char *name;
};

/* The workloads', a device's and a policy's. */
static struct mapped mapped[HOST_WORKLOADS_MAX + 2];
static unsigned mapped_count;

/* For dl_iterate_phdr: the object that holds the begin; its extent. */
static int measure(struct dl_phdr_info *info, size_t size, void *context)
{
    struct mapped *of = context;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    bool here = false;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD) {
            begin = from < begin ? from : begin;
            end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
            here |= of->begin - from < segment->p_memsz;
        }
    }
    if (here) {
        of->begin = begin;
        of->end = end;
    }
    return here;
}

static void note(const void *inside, const char *name)
{
    struct mapped found = {(uintptr_t)inside, 0, name};

    if (name && inside && dl_iterate_phdr(measure, &found)) {
        mapped[mapped_count++] = found;
    }
}

void host_note_mapped(void)
{
    const struct host_options *options = host.options;

    mapped_count = 0;
    for (unsigned i = 0; i < options->workload_count; i++) {
        note(options->workloads[i], options->workload_paths[i]);
    }
    note(options->device_model, options->device_path);
    note(options->policy, options->policy_path);
}

static const char *file_at(uintptr_t address)
{
    const struct loader_image *image = loader_image_at((const void *)address);

    if (host.loads || (image && image->kind == LOADER_KIND_ELF)) {
        return host.options->driver_module;
    }
    for (unsigned i = 0; i < mapped_count; i++) {
        if (address - mapped[i].begin < mapped[i].end - mapped[i].begin) {
            return mapped[i].name;
        }
    }
    return NULL;
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
