/* Formats of a driver's own: behind its mark it believes what a client says; and what it makes of
 * history buffers. Rows: careless.c. */
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

/* ---- History buffers ------------------------------------------------------------------------- */

/* The room is a number of time stamps, is it not? */
static NTSTATUS NTAPI formats_by_bytes(const HANDLE context, DXGKARG_FORMATHISTORYBUFFER *format)
{
    UNREFERENCED_PARAMETER(context);

    RtlCopyMemory(format->pFormattedBuffer, format->pHistoryBuffer->DriverPrivateData,
                  (SIZE_T)format->FormattedBufferSize * 8);
    format->NumTimestamps = format->pHistoryBuffer->Header.NumTimestamps;
    format->Precision.PrecisionBits = 64;
    format->Offset = 0;
    return STATUS_SUCCESS;
}

/* "Nobody calls this." */
static NTSTATUS NTAPI formats_nothing(const HANDLE context, DXGKARG_FORMATHISTORYBUFFER *format)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(format);
    return STATUS_SUCCESS;
}

/* Right: what comes next has no room, and what is there stays where it is. */
static NTSTATUS NTAPI next_has_no_room(const HANDLE context, DXGKARG_FORMATHISTORYBUFFER *format)
{
    UNREFERENCED_PARAMETER(context);
    format->NumTimestamps = format->Offset == 0;
    format->Precision.PrecisionBits = 64;
    format->Offset = 1;
    return STATUS_SUCCESS;
}

/* Right: the structure is its own cursor. */
static NTSTATUS NTAPI formats_by_a_cursor(const HANDLE context, DXGKARG_FORMATHISTORYBUFFER *format)
{
    UNREFERENCED_PARAMETER(context);
    RtlCopyMemory(format->pFormattedBuffer, format->pHistoryBuffer->DriverPrivateData, 8);
    format->pFormattedBuffer = (UCHAR *)format->pFormattedBuffer + 8;
    format->FormattedBufferSize -= 8;
    format->pHistoryBuffer = NULL;
    format->HistoryBufferSize = 0;
    format->NumTimestamps = 1;
    format->Precision.PrecisionBits = 64;
    format->Offset = format->Offset == 2 ? 0 : format->Offset + 1;
    return STATUS_SUCCESS;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(odd_questions, IN_DDI(Escape), escape_trusts_its_index, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateContext), context_trusts_its_index, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_trusts_its_count, 0),
    BREAKS_RULE(odd_questions, IN_DDI(FormatHistoryBuffer), formats_by_bytes, 0),
    BREAKS_RULE(odd_questions, IN_DDI(FormatHistoryBuffer), formats_nothing, 0),
    BREAKS_NO_RULE(IN_DDI(FormatHistoryBuffer), next_has_no_room, 0),
    BREAKS_NO_RULE(IN_DDI(FormatHistoryBuffer), formats_by_a_cursor, 0),
};

MISBEHAVIOURS(careless_formats);
