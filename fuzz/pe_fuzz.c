/* Fuzzes the PE loader: headers, sections, relocations, imports, exports, and the unwinder over
 * whatever unwind data came along. fuzz/run_pe_fuzz builds and runs it; nothing of the
 * image runs. */
#include "base/status.h"
#include "loader/internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
_Noreturn void check_failed(const char *file, int line, const char *function, const char *what);

_Noreturn void check_failed(const char *file, int line, const char *function, const char *what)
{
    abort();
}

/* The table of names is made by the build, which this does without. */
const char *status_name(NTSTATUS status)
{
    return "a status";
}

/* One step from each function's first, middle and last byte, on a small stack of its own. */
static void unwind_everywhere(const struct loader_image *image)
{
    static uint64_t stack[512];
    struct stack_range range = {(uintptr_t)stack, (uintptr_t)stack + sizeof(stack)};

    for (size_t i = 0; i < image->priv->function_count && i < 64; i++) {
        const struct pe_function *function = &image->priv->functions[i];
        uint32_t places[3] = {function->begin,
                              function->begin + (function->end - function->begin) / 2,
                              function->end - 1};

        for (int k = 0; k < 3; k++) {
            struct loader_context context = {.rip = (uintptr_t)image->base + places[k]};
            struct unwind_frame frame;

            context.gpr[4] = range.low;
            context.gpr[5] = range.low + 256;
            unwind_driver_frame(image, &range, &context, &frame);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct loader_image *image = NULL;
    struct loader_error error;

    if (loader_load_bytes("fuzz.sys", data, size, &image, &error)) {
        unwind_everywhere(image);
        loader_unload(image);
    }
    image = NULL;
    if (loader_inspect_bytes("fuzz.sys", data, size, &image, &error)) {
        loader_unload(image);
    }
    return 0;
}
