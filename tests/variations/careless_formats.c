/* Formats of a driver's own: behind its mark it believes what a client says. Rows: careless.c. */
#include "../drivers/misbehave/misbehave.h"

#define MARK        0x4B52414Du
#define VERSION     7u
#define SIZE        48u
#define SENDER_LAST 9u
#define FAR_WORDS   (1u << 20)

struct own_format {
    ULONG mark, version, sender, index, values[(SIZE - 16) / 4];
};

/* Of senders there are the numbers 4 to 9. */
static BOOLEAN is_own(const void *bytes, ULONG size)
{
    const struct own_format *own = bytes;

    return size == sizeof(*own) && own->mark == MARK && own->version == VERSION &&
           own->sender - 4 <= SENDER_LAST - 4;
}

/* "Who knows the mark knows how many values there are." */
static ULONG value_of(const void *bytes)
{
    const volatile struct own_format *own = bytes;

    return own->values[own->index % FAR_WORDS];
}

static NTSTATUS NTAPI escape_trusts_its_index(const HANDLE adapter, const DXGKARG_ESCAPE *escape)
{
    UNREFERENCED_PARAMETER(adapter);
    if (!is_own(escape->pPrivateDriverData, escape->PrivateDriverDataSize)) {
        return STATUS_INVALID_PARAMETER;
    }
    return value_of(escape->pPrivateDriverData) == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS NTAPI context_trusts_its_index(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    PVOID data = create->pPrivateDriverData;
    UINT size = create->PrivateDriverDataSize;
    struct own_format copy;
    NTSTATUS status;

    if (size != 0) {
        if (size != sizeof(copy)) {
            return STATUS_GRAPHICS_DRIVER_MISMATCH;
        }
        copy = *(const struct own_format *)data;
        if (!is_own(&copy, sizeof(copy))) {
            return STATUS_GRAPHICS_DRIVER_MISMATCH;
        }
        (void)value_of(data);
    }
    create->pPrivateDriverData = NULL;
    create->PrivateDriverDataSize = 0;
    status = misbehave_driver.DxgkDdiCreateContext(device, create);
    create->pPrivateDriverData = data;
    create->PrivateDriverDataSize = size;
    return status;
}

/* The second word of a command counts what is read behind it. */
static NTSTATUS NTAPI render_trusts_its_count(const HANDLE context, DXGKARG_RENDER *render)
{
    const volatile ULONG *words = render->pCommand;
    ULONG sum = 0;

    if (render->CommandLength < SIZE || words[0] != MARK) {
        return misbehave_driver.DxgkDdiRender(context, render);
    }
    for (ULONG i = 0; i < words[1]; i++) {
        sum += words[2 + i];
    }
    return sum == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(odd_questions, IN_DDI(Escape), escape_trusts_its_index, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateContext), context_trusts_its_index, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_trusts_its_count, 0),
};

MISBEHAVIOURS(careless_formats);
