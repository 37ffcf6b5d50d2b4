/* Steps over one frame of driver code, by the x64 unwind data of its image.
 *
 * A frame is in one of three places: in its prolog (only what was done so far is undone), in its
 * body, or in its epilog (the rest of the epilog is carried out). Both stack and unwind data are
 * the driver's, so every read of either is checked.
 */
#include "loader/internal.h"

enum {
    CHAIN_MAX = 32,
    FLAG_CHAINED = 4,
    RSP = 4,
};

enum unwind_operation {
    UWOP_PUSH_NONVOL = 0,
    UWOP_ALLOC_LARGE = 1,
    UWOP_ALLOC_SMALL = 2,
    UWOP_SET_FPREG = 3,
    UWOP_SAVE_NONVOL = 4,
    UWOP_SAVE_NONVOL_FAR = 5,
    UWOP_EPILOG = 6,
    UWOP_SPARE = 7,
    UWOP_SAVE_XMM128 = 8,
    UWOP_SAVE_XMM128_FAR = 9,
    UWOP_PUSH_MACHFRAME = 10,
};

/* UNWIND_INFO, taken apart. */
struct unwind_info {
    uint8_t version, flags, prolog_size, code_count, frame_register, frame_offset;
    const uint8_t *codes;
    uint32_t tail_rva; /* behind the codes: handler, or the chained function */
};

struct step {
    const struct loader_image *image;
    const struct stack_range *stack;
    struct loader_context *context;
    uint64_t frame_base;
    bool rip_restored;
};

static bool read_info(const struct loader_image *image, uint32_t rva, struct unwind_info *info)
{
    const uint8_t *at = pe_at(image, rva, 4);

    if (!at) {
        return false;
    }
    info->version = at[0] & 7;
    info->flags = at[0] >> 3;
    info->prolog_size = at[1];
    info->code_count = at[2];
    info->frame_register = at[3] & 15;
    info->frame_offset = at[3] >> 4;
    info->codes = pe_at(image, (uint64_t)rva + 4, info->code_count * 2u);
    info->tail_rva = rva + 4 + (info->code_count + 1u) / 2 * 4;
    return (info->version == 1 || info->version == 2) && (info->codes || info->code_count == 0);
}

const struct pe_function *unwind_function_at(const struct loader_image *image, uintptr_t pc)
{
    uintptr_t rva = pc - (uintptr_t)image->base;
    size_t low = 0, high = image->priv->function_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct pe_function *function = &image->priv->functions[middle];

        if (rva < function->begin) {
            high = middle;
        } else if (rva >= function->end) {
            low = middle + 1;
        } else {
            return function;
        }
    }
    return NULL;
}

static bool read_stack(const struct step *step, uint64_t address, uint64_t *value)
{
    if (address < step->stack->low || address > step->stack->high - sizeof(*value)) {
        return false;
    }
    *value = load64((const void *)(uintptr_t)address);
    return true;
}

static bool pop(struct step *step, uint64_t *value)
{
    if (!read_stack(step, step->context->gpr[RSP], value)) {
        return false;
    }
    step->context->gpr[RSP] += 8;
    return true;
}

/* How many slots a code takes; 0 if it is none that exists. */
static unsigned slots_of(uint8_t operation, uint8_t info)
{
    switch (operation) {
    case UWOP_ALLOC_LARGE:
        return info == 0 ? 2 : info == 1 ? 3 : 0;
    case UWOP_SAVE_NONVOL:
    case UWOP_SAVE_XMM128:
        return 2;
    case UWOP_SAVE_NONVOL_FAR:
    case UWOP_SAVE_XMM128_FAR:
    case UWOP_SPARE:
        return 3;
    case UWOP_PUSH_NONVOL:
    case UWOP_ALLOC_SMALL:
    case UWOP_SET_FPREG:
    case UWOP_EPILOG:
    case UWOP_PUSH_MACHFRAME:
        return 1;
    default:
        return 0;
    }
}

static bool restore_xmm(struct step *step, unsigned number, uint64_t address)
{
    return read_stack(step, address, &step->context->fx.xmm[number][0]) &&
           read_stack(step, address + 8, &step->context->fx.xmm[number][1]);
}

/* A trap frame: rip, cs, flags, rsp, ss; with an error code before them if info is 1. */
static bool pop_machine_frame(struct step *step, uint8_t info)
{
    uint64_t at = step->context->gpr[RSP] + (info ? 8 : 0);

    step->rip_restored = true;
    return read_stack(step, at, &step->context->rip) &&
           read_stack(step, at + 24, &step->context->gpr[RSP]);
}

/* Undoes one code; `at` is its first slot. */
static bool undo(struct step *step, const struct unwind_info *info, const uint8_t *at)
{
    uint8_t operation = at[1] & 15, number = at[1] >> 4;
    struct loader_context *context = step->context;

    switch (operation) {
    case UWOP_PUSH_NONVOL:
        return pop(step, &context->gpr[number]);
    case UWOP_ALLOC_LARGE:
        context->gpr[RSP] += number ? load32(at + 2) : load16(at + 2) * 8u;
        return true;
    case UWOP_ALLOC_SMALL:
        context->gpr[RSP] += number * 8u + 8;
        return true;
    case UWOP_SET_FPREG:
        context->gpr[RSP] = context->gpr[info->frame_register] - info->frame_offset * 16u;
        return true;
    case UWOP_SAVE_NONVOL:
        return read_stack(step, step->frame_base + load16(at + 2) * 8u, &context->gpr[number]);
    case UWOP_SAVE_NONVOL_FAR:
        return read_stack(step, step->frame_base + load32(at + 2), &context->gpr[number]);
    case UWOP_SAVE_XMM128:
        return restore_xmm(step, number, step->frame_base + load16(at + 2) * 16u);
    case UWOP_SAVE_XMM128_FAR:
        return restore_xmm(step, number, step->frame_base + load32(at + 2));
    case UWOP_PUSH_MACHFRAME:
        return pop_machine_frame(step, number);
    default: /* what version 2 says of epilogs is seen from the code itself */
        return true;
    }
}

/* Undoes what of the prolog was done before `offset`. */
static bool undo_prolog(struct step *step, const struct unwind_info *info, uint32_t offset)
{
    bool after_epilog_code = false;

    for (unsigned i = 0; i < info->code_count;) {
        const uint8_t *at = info->codes + 2 * i;
        unsigned slots = slots_of(at[1] & 15, at[1] >> 4);
        /* Epilog codes are padded to an even count by an empty one. */
        bool padding = after_epilog_code && at[0] == 0 && at[1] == 0;

        if (slots == 0 || slots > info->code_count - i) {
            return false;
        }
        if (offset >= at[0] && !padding && !undo(step, info, at)) {
            return false;
        }
        after_epilog_code = (at[1] & 15) == UWOP_EPILOG;
        i += slots;
    }
    return true;
}

/* Where the frame's fixed part begins: what handlers know the frame by. */
static uint64_t frame_base_of(const struct loader_context *context, const struct unwind_info *info,
                              uint32_t offset)
{
    bool set = info->frame_register != 0 && offset >= info->prolog_size;

    if (info->frame_register != 0 && !set) {
        for (unsigned i = 0; i < info->code_count;) {
            const uint8_t *at = info->codes + 2 * i;
            unsigned slots = slots_of(at[1] & 15, at[1] >> 4);

            set |= (at[1] & 15) == UWOP_SET_FPREG && offset >= at[0];
            i += slots ? slots : info->code_count;
        }
    }
    return set ? context->gpr[info->frame_register] - info->frame_offset * 16u : context->gpr[RSP];
}

/* The function that a chain of unwind data ends at. */
static const struct pe_function *chain_root(const struct loader_image *image,
                                            const struct pe_function *function)
{
    struct unwind_info info;

    for (int i = 0; i < CHAIN_MAX; i++) {
        if (!read_info(image, function->unwind, &info) || !(info.flags & FLAG_CHAINED)) {
            return function;
        }
        function = pe_at(image, info.tail_rva, sizeof(*function));
        if (!function || info.tail_rva % 4 != 0) {
            return NULL;
        }
    }
    return NULL;
}

/* The bytes of an epilog still to be run, and how far they were read. */
struct epilog {
    const uint8_t *code;
    size_t size, at;
};

static bool has_bytes(const struct epilog *epilog, size_t count)
{
    return count <= epilog->size - epilog->at;
}

/* add rsp, n; only the first instruction may be one. */
static uint64_t epilog_add(struct epilog *epilog)
{
    const uint8_t *code = epilog->code + epilog->at;

    if (has_bytes(epilog, 4) && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xc4) {
        epilog->at += 4;
        return (uint64_t)(int64_t)(int8_t)code[3];
    }
    if (has_bytes(epilog, 7) && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xc4) {
        epilog->at += 7;
        return (uint64_t)(int64_t)(int32_t)load32(code + 3);
    }
    return 0;
}

/* lea rsp, [frame register + n] */
static bool epilog_lea(struct epilog *epilog, const struct unwind_info *info,
                       uint64_t *displacement)
{
    const uint8_t *code = epilog->code + epilog->at;
    uint8_t prefix = info->frame_register > 7 ? 0x49 : 0x48;
    size_t modrm = 2, extra;

    if (info->frame_register == 0 || !has_bytes(epilog, 3) || code[0] != prefix ||
        code[1] != 0x8d || (code[modrm] & 0x3f) != (0x20 | (info->frame_register & 7))) {
        return false;
    }
    extra = (info->frame_register & 7) == 4 ? 2 : 1; /* with a SIB byte for r12 */
    switch (code[modrm] >> 6) {
    case 0:
        *displacement = 0;
        epilog->at += modrm + extra;
        return true;
    case 1:
        if (!has_bytes(epilog, modrm + extra + 1)) {
            return false;
        }
        *displacement = (uint64_t)(int64_t)(int8_t)code[modrm + extra];
        epilog->at += modrm + extra + 1;
        return true;
    case 2:
        if (!has_bytes(epilog, modrm + extra + 4)) {
            return false;
        }
        *displacement = (uint64_t)(int64_t)(int32_t)load32(code + modrm + extra);
        epilog->at += modrm + extra + 4;
        return true;
    default:
        return false;
    }
}

static bool epilog_pop(struct epilog *epilog, unsigned *number)
{
    const uint8_t *code = epilog->code + epilog->at;

    if (has_bytes(epilog, 1) && (code[0] & 0xf8) == 0x58) {
        *number = code[0] & 7;
        epilog->at += 1;
        return true;
    }
    if (has_bytes(epilog, 2) && code[0] == 0x41 && (code[1] & 0xf8) == 0x58) {
        *number = 8 + (code[1] & 7);
        epilog->at += 2;
        return true;
    }
    return false;
}

/* A direct jump is a tail call only if it leaves the function and all its separate parts. */
static bool leaves_function(const struct loader_image *image, const struct pe_function *function,
                            const uint8_t *target)
{
    const struct pe_function *other = unwind_function_at(image, (uintptr_t)target);

    if (!other) {
        return true;
    }
    if (other == function) {
        return target == image->base + function->begin;
    }
    return chain_root(image, other) != chain_root(image, function);
}

static bool epilog_ends(const struct loader_image *image, const struct pe_function *function,
                        const struct epilog *epilog)
{
    const uint8_t *code = epilog->code + epilog->at;

    if (has_bytes(epilog, 1) && (code[0] == 0xc3 || (has_bytes(epilog, 3) && code[0] == 0xc2))) {
        return true;
    }
    if (has_bytes(epilog, 2) && code[0] == 0xf3 && code[1] == 0xc3) {
        return true;
    }
    if (has_bytes(epilog, 2) && code[0] == 0xeb) {
        return leaves_function(image, function, code + 2 + (int8_t)code[1]);
    }
    if (has_bytes(epilog, 5) && code[0] == 0xe9) {
        return leaves_function(image, function, code + 5 + (int32_t)load32(code + 1));
    }
    if (has_bytes(epilog, 6) && code[0] == 0xff && code[1] == 0x25) {
        return true; /* through an import slot */
    }
    return has_bytes(epilog, 3) && code[0] == 0x48 && code[1] == 0xff && (code[2] & 0x38) == 0x20;
}

/* If the place is in an epilog, carries out the rest of it but for the return. */
static bool finish_epilog(struct step *step, const struct pe_function *function,
                          const struct unwind_info *info, bool *is_epilog)
{
    uintptr_t offset = step->context->rip - (uintptr_t)step->image->base - function->begin;
    struct epilog epilog = {.code = (const uint8_t *)(uintptr_t)step->context->rip,
                            .size = function->end - function->begin - offset};
    struct loader_context after = *step->context;
    uint64_t displacement = 0;
    struct step trial = *step;
    unsigned number;

    *is_epilog = false;
    if (!pe_range_ok(step->image, function->begin + offset, epilog.size)) {
        return true;
    }
    if (epilog_lea(&epilog, info, &displacement)) {
        after.gpr[RSP] = after.gpr[info->frame_register] + displacement;
    } else {
        after.gpr[RSP] += epilog_add(&epilog);
    }
    trial.context = &after;
    while (epilog_pop(&epilog, &number)) {
        uint64_t value;

        if (!pop(&trial, &value)) {
            return false;
        }
        if (number != RSP) {
            after.gpr[number] = value;
        }
    }
    *is_epilog = epilog_ends(step->image, function, &epilog);
    if (*is_epilog) {
        *step->context = after;
    }
    return true;
}

/* Undoes the prolog of the function and of all that it is chained to. *root is the last of them. */
static bool undo_chain(struct step *step, const struct pe_function *function,
                       struct unwind_info *info, uint32_t offset, const struct pe_function **root)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        if (!undo_prolog(step, info, offset)) {
            return false;
        }
        *root = function;
        if (!(info->flags & FLAG_CHAINED)) {
            return true;
        }
        function = pe_at(step->image, info->tail_rva, sizeof(*function));
        if (!function || info->tail_rva % 4 != 0 ||
            !read_info(step->image, function->unwind, info)) {
            return false;
        }
        offset = UINT32_MAX; /* the prolog of the main part is done by then */
    }
    return false;
}

static void note_handler(const struct loader_image *image, const struct unwind_info *info,
                         const struct pe_function *root, uint32_t pc_rva,
                         struct unwind_frame *frame)
{
    const uint8_t *tail = pe_at(image, info->tail_rva, 4);

    if (tail && (info->flags & 3) && pc_rva - root->begin >= info->prolog_size) {
        frame->handler_flags = info->flags & 3;
        frame->handler_rva = load32(tail);
        frame->handler_data_rva = info->tail_rva + 4;
    }
}

static bool return_to_caller(struct step *step)
{
    return step->rip_restored || pop(step, &step->context->rip);
}

bool unwind_driver_frame(const struct loader_image *image, const struct stack_range *stack,
                         struct loader_context *context, struct unwind_frame *frame)
{
    const struct pe_function *function = unwind_function_at(image, context->rip);
    struct step step = {.image = image, .stack = stack, .context = context};
    uint64_t stack_before = context->gpr[RSP];
    uint32_t pc_rva = (uint32_t)(context->rip - (uintptr_t)image->base);
    const struct pe_function *root = function;
    struct unwind_info info;
    bool is_epilog = false;

    *frame =
        (struct unwind_frame){.image = image, .function = function, .control_pc = context->rip};
    frame->establisher = context->gpr[RSP];
    if (!function) {
        return return_to_caller(&step);
    }
    if (!read_info(image, function->unwind, &info)) {
        return false;
    }
    step.frame_base = frame_base_of(context, &info, pc_rva - function->begin);
    frame->establisher = step.frame_base;
    if (pc_rva - function->begin >= info.prolog_size || (info.flags & FLAG_CHAINED)) {
        if (!finish_epilog(&step, function, &info, &is_epilog)) {
            return false;
        }
    }
    if (!is_epilog) {
        if (!undo_chain(&step, function, &info, pc_rva - function->begin, &root)) {
            return false;
        }
        note_handler(image, &info, root, pc_rva, frame);
    }
    return return_to_caller(&step) && context->gpr[RSP] > stack_before;
}
