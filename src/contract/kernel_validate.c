/* The kernel's own duties: what it shows ValidateSubmitCommand, and that nothing else is submitted
 * afterwards. */
#include "contract/internal.h"

#include "contract/tracker.h"

static const DXGKARG_VALIDATESUBMITCOMMAND *asked(const struct contract_call *call)
{
    return call->arguments;
}

static bool is_of_contexts(const struct contract_call *call)
{
    return !asked(call)->Flags.HardwareQueueSubmission;
}

static bool is_of_queues(const struct contract_call *call)
{
    return asked(call)->Flags.HardwareQueueSubmission;
}

static UINT context_count(const struct contract_call *call)
{
    UINT most = sizeof asked(call)->Context / sizeof asked(call)->Context[0];

    return asked(call)->ContextCount < most ? asked(call)->ContextCount : most;
}

static bool has_contexts(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        asked(call)->ContextCount > 0 &&
                            asked(call)->ContextCount <= D3DDDI_MAX_BROADCAST_CONTEXT,
                        "1 to 64 contexts", "ContextCount %u", asked(call)->ContextCount);
}

/* The first handle is of no object of `kind`, but of the other one. */
static bool is_of_the_other(const struct contract_call *call, enum contract_object_kind kind)
{
    enum contract_object_kind other = kind == TRACKED_CONTEXT ? TRACKED_HW_QUEUE : TRACKED_CONTEXT;
    HANDLE first = asked(call)->Context[0];

    return !contract_object_find(call->tracker, kind, first) &&
           contract_object_find(call->tracker, other, first);
}

static bool comes_from_where_it_says(struct contract_call *call)
{
    return KERNEL_KEEPS(
        call, !is_of_the_other(call, is_of_queues(call) ? TRACKED_HW_QUEUE : TRACKED_CONTEXT),
        "HardwareQueueSubmission for D3DKMTSubmitCommandToHwQueue alone", "Flags 0x%X",
        asked(call)->Flags.Value);
}

/* Also where the flag is wrong: that is told by itself. */
static bool names(struct contract_call *call, enum contract_object_kind kind, const char *expected)
{
    for (UINT i = 0; i < context_count(call) && !is_of_the_other(call, kind); i++) {
        HANDLE handle = asked(call)->Context[i];
        if (!contract_object_find(call->tracker, kind, handle)) {
            return contract_say(call, expected, "Context[%u] is %p", i, handle);
        }
    }
    return true;
}

static bool names_contexts(struct contract_call *call)
{
    return names(call, TRACKED_CONTEXT, "contexts that the driver made, and that live");
}

static bool names_queues(struct contract_call *call)
{
    return names(call, TRACKED_HW_QUEUE, "hardware queues that the driver made, and that live");
}

static bool has_the_size_of_its_context(struct contract_call *call)
{
    const struct contract_object *context =
        contract_object_find(call->tracker, TRACKED_CONTEXT, asked(call)->Context[0]);

    if (!context) {
        return contract_no_case(call);
    }
    return KERNEL_KEEPS(
        call, asked(call)->PrivateDriverDataSize == context->info.DmaBufferPrivateDataSize,
        "DmaBufferPrivateDataSize, as CreateContext gave it", "PrivateDriverDataSize %u, not %u",
        asked(call)->PrivateDriverDataSize, context->info.DmaBufferPrivateDataSize);
}

/* ---- What is submitted ----------------------------------------------------------------------- */

static const DXGKARG_SUBMITCOMMANDVIRTUAL *submit_of(const struct contract_call *call)
{
    return call->arguments;
}

static struct contract_object *context_of(const struct contract_call *call)
{
    return contract_context_find(call->tracker, submit_of(call)->hContext);
}

/* A client sent private data, and the driver looks at those. What was preempted comes again
 * without. */
static bool was_to_be_validated(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit = submit_of(call);
    const struct contract_object *context = context_of(call);

    return call->tracker->has[POINT_ValidateSubmitCommand] && context && !context->validated_lost &&
           !submit->Flags.Paging && !submit->Flags.Resubmission &&
           submit->DmaBufferUmdPrivateDataSize > 0 && submit->pDmaBufferPrivateData &&
           submit->DmaBufferUmdPrivateDataSize <= submit->DmaBufferPrivateDataSize;
}

static struct contract_validated submitted(const struct contract_call *call)
{
    struct contract_validated submitted = {
        .commands = submit_of(call)->DmaBufferVirtualAddress,
        .length = submit_of(call)->DmaBufferSize,
        .client_bytes = submit_of(call)->DmaBufferUmdPrivateDataSize,
        .data_bytes = submit_of(call)->DmaBufferPrivateDataSize,
    };

    contract_validated_hash(&submitted, submit_of(call)->pDmaBufferPrivateData);
    return submitted;
}

/* One of the context's is like it, but for what `aside` names: that is what the kernel mistook. */
static bool is_like_one_but_for(const struct contract_call *call, unsigned aside)
{
    const struct contract_validated wanted = submitted(call);
    const struct contract_object *context = context_of(call);

    return !contract_validated_find(context, &wanted, CONTRACT_ALIKE_ALL) &&
           contract_validated_find(context, &wanted, CONTRACT_ALIKE_ALL & ~aside);
}

static bool was_validated(struct contract_call *call)
{
    const struct contract_validated wanted = submitted(call);
    const struct contract_object *context = context_of(call);
    bool known = false;

    for (unsigned aside = 1; aside < CONTRACT_ALIKE_ALL; aside <<= 1) {
        known |= contract_validated_find(context, &wanted, CONTRACT_ALIKE_ALL & ~aside) != NULL;
    }
    return KERNEL_KEEPS(call, known, "what ValidateSubmitCommand took before",
                        "0x%llX, %u bytes, %u of private data; %u of the context wait",
                        (unsigned long long)wanted.commands, wanted.length, wanted.client_bytes,
                        context->validated_count);
}

static bool begins_where_it_was_validated(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !is_like_one_but_for(call, CONTRACT_ALIKE_ADDRESS),
                        "Commands, as ValidateSubmitCommand was shown it", "0x%llX",
                        (unsigned long long)submit_of(call)->DmaBufferVirtualAddress);
}

static bool is_as_long_as_validated(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !is_like_one_but_for(call, CONTRACT_ALIKE_LENGTH),
                        "CommandLength, as ValidateSubmitCommand was shown it", "%u bytes",
                        submit_of(call)->DmaBufferSize);
}

static bool has_the_validated_data(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !is_like_one_but_for(call, CONTRACT_ALIKE_CLIENT),
                        "the client's private data as ValidateSubmitCommand left them",
                        "%u bytes, and others", submit_of(call)->DmaBufferUmdPrivateDataSize);
}

static bool has_the_drivers_data(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !is_like_one_but_for(call, CONTRACT_ALIKE_REST),
                        "what ValidateSubmitCommand wrote behind the client's private data",
                        "%u bytes, and others", submit_of(call)->DmaBufferPrivateDataSize);
}

static const struct contract_row rows[] = {
    KERNEL(VALID_002, ValidateSubmitCommand,
           FIELD_NOT_ZERO(DXGKARG_VALIDATESUBMITCOMMAND, UmdPrivateDataSize)),
    KERNEL(VALID_009, ValidateSubmitCommand, comes_from_where_it_says),
    KERNEL(VALID_010, ValidateSubmitCommand,
           FIELD_ONLY_BITS(DXGKARG_VALIDATESUBMITCOMMAND, Flags.Value, 1)),
    KERNEL(VALID_011, ValidateSubmitCommand, has_contexts),
    KERNEL(VALID_012, ValidateSubmitCommand, names_contexts, WHEN(is_of_contexts)),
    KERNEL(VALID_012, ValidateSubmitCommand, names_queues, WHEN(is_of_queues)),
    KERNEL(VALID_014, ValidateSubmitCommand,
           FIELD_NOT_ZERO(DXGKARG_VALIDATESUBMITCOMMAND, pPrivateDriverData)),
    KERNEL(VALID_017, ValidateSubmitCommand, has_the_size_of_its_context, WHEN(is_of_contexts)),
    KERNEL(VALID_018, ValidateSubmitCommand,
           FIELD_AT_MOST_OTHER(DXGKARG_VALIDATESUBMITCOMMAND, UmdPrivateDataSize,
                               PrivateDriverDataSize)),

    KERNEL(VALID_001, SubmitCommandVirtual, was_validated, WHEN(was_to_be_validated),
           LEAVES_OUT("that it comes but once for a submission that was cancelled")),
    KERNEL(VALID_007, SubmitCommandVirtual, begins_where_it_was_validated,
           WHEN(was_to_be_validated), LEAVES_OUT("what the client said: dxgk hands that on")),
    KERNEL(VALID_008, SubmitCommandVirtual, is_as_long_as_validated, WHEN(was_to_be_validated)),
    KERNEL(VALID_014, SubmitCommandVirtual, has_the_validated_data, WHEN(was_to_be_validated)),
    KERNEL(VALID_015, SubmitCommandVirtual, has_the_drivers_data, WHEN(was_to_be_validated)),
};

const struct contract_family contract_family_kernel_validate = FAMILY_OF(rows);
