/* Submissions that ValidateSubmitCommand took, by context or hardware queue, until
 * SubmitCommandVirtual, SubmitCommandToHwQueue or CancelCommand has them. One call may stand for
 * several contexts, each of which gets its own. */
#include "contract/internal.h"

#include <stdlib.h>
#include <string.h>

#include "contract/tracker.h"

/* The kernel has at most 32 of a context under way. */
#define VALIDATED_MAX 64

static bool alike(const struct contract_validated *one, const struct contract_validated *other,
                  unsigned in)
{
    UINT shared = one->data_bytes < other->data_bytes ? one->data_bytes : other->data_bytes;

    return one->progress == other->progress &&
           (!(in & CONTRACT_ALIKE_ADDRESS) || one->commands == other->commands) &&
           (!(in & CONTRACT_ALIKE_LENGTH) || one->length == other->length) &&
           (!(in & CONTRACT_ALIKE_CLIENT) ||
            (one->client_bytes == other->client_bytes && one->client_hash == other->client_hash)) &&
           /* What a context with a shorter block got of the driver's part is not known. */
           (!(in & CONTRACT_ALIKE_REST) || one->data_bytes != other->data_bytes ||
            shared == one->client_bytes || one->rest_hash == other->rest_hash);
}

const struct contract_validated *contract_validated_find(const struct contract_object *context,
                                                         const struct contract_validated *wanted,
                                                         unsigned in)
{
    for (unsigned i = 0; i < context->validated_count; i++) {
        if (alike(&context->validated[i], wanted, in)) {
            return &context->validated[i];
        }
    }
    return NULL;
}

void contract_validated_hash(struct contract_validated *out, const void *data)
{
    const unsigned char *bytes = data;

    out->client_hash = contract_hash_on(0, bytes, out->client_bytes);
    out->rest_hash =
        contract_hash_on(0, bytes + out->client_bytes, out->data_bytes - out->client_bytes);
}

static void keep(struct contract_object *context, const struct contract_validated *validated)
{
    if (!context->validated &&
        !(context->validated = calloc(VALIDATED_MAX, sizeof *context->validated))) {
        context->validated_lost = true;
        return;
    }
    if (context->validated_count == VALIDATED_MAX) {
        context->validated_lost = true;
        memmove(context->validated, context->validated + 1,
                --context->validated_count * sizeof *context->validated);
    }
    context->validated[context->validated_count++] = *validated;
}

/* The driver has written what it wants to find again. What it made of the structure does not
 * matter. */
void track_validate(struct contract_call *call)
{
    const DXGKARG_VALIDATESUBMITCOMMAND *asked = call->before;

    if (!asked || !asked->pPrivateDriverData ||
        asked->UmdPrivateDataSize > asked->PrivateDriverDataSize ||
        asked->ContextCount > sizeof asked->Context / sizeof asked->Context[0]) {
        return; /* the rows say so */
    }
    struct contract_validated validated = {
        .commands = asked->Commands,
        .length = asked->CommandLength,
        .client_bytes = asked->UmdPrivateDataSize,
        .data_bytes = asked->PrivateDriverDataSize,
        .progress = asked->Flags.HardwareQueueSubmission ? asked->HwQueueProgressFenceId : 0,
    };
    contract_validated_hash(&validated, asked->pPrivateDriverData);
    for (UINT i = 0; i < asked->ContextCount; i++) {
        struct contract_object *context =
            asked->Flags.HardwareQueueSubmission
                ? contract_object_find(call->tracker, TRACKED_HW_QUEUE, asked->Context[i])
                : contract_context_find(call->tracker, asked->Context[i]);
        if (context) {
            keep(context, &validated);
        }
    }
}

/* The one that is alike in all, if there is: two may wait that differ in their data alone. */
void contract_validated_forget(struct contract_object *context, struct contract_validated *wanted,
                               const void *data)
{
    const struct contract_validated *found = NULL;

    if (context->validated_count == 0) {
        return;
    }
    if (data && wanted->client_bytes <= wanted->data_bytes) {
        contract_validated_hash(wanted, data);
        found = contract_validated_find(context, wanted, CONTRACT_ALIKE_ALL);
    }
    if (!found) {
        found = contract_validated_find(context, wanted,
                                        CONTRACT_ALIKE_ADDRESS | CONTRACT_ALIKE_LENGTH);
    }
    if (found) {
        size_t at = (size_t)(found - context->validated);
        memmove(context->validated + at, context->validated + at + 1,
                (--context->validated_count - at) * sizeof *context->validated);
    }
}
