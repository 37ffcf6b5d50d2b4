/* Steps over one frame of host code, by the call frame information every host object carries.
 *
 * libgcc's own unwinder would do but for two things: it drops xmm6 to xmm15, which a host function
 * saves for the driver that calls it, and it only starts from where it is called, not from a given
 * state.
 */
#include "loader/internal.h"

enum {
    REGISTER_RETURN = 16,
    REGISTER_XMM0 = 17,
    REGISTER_COUNT = 33, /* DWARF's numbers: general, return address, xmm0 to xmm15 */
    STATE_DEPTH_MAX = 4,
    EXPRESSION_DEPTH_MAX = 16,
};

/* From libgcc; its header is not installed. */
struct dwarf_eh_bases {
    void *text_base, *data_base, *function;
};
const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);

enum rule_kind {
    RULE_SAME,
    RULE_UNDEFINED,
    RULE_OFFSET,
    RULE_VALUE_OFFSET,
    RULE_REGISTER,
    RULE_EXPRESSION,
    RULE_VALUE_EXPRESSION,
};

struct rule {
    enum rule_kind kind;
    int64_t number;            /* offset or register */
    const uint8_t *expression; /* at its length */
};

struct row {
    struct rule rules[REGISTER_COUNT];
    uint64_t cfa_register;
    int64_t cfa_offset;
    const uint8_t *cfa_expression; /* NULL: register + offset */
};

/* One function's call frame information, and the row for one place in it. */
struct frame_info {
    const uint8_t *cie_code, *cie_end, *fde_code, *fde_end;
    uint64_t code_align;
    int64_t data_align;
    uintptr_t function;
    struct row row, initial, saved[STATE_DEPTH_MAX];
    unsigned saved_count;
};

/* The state before the step, and the stack it may read. */
struct machine_state {
    const struct loader_context *context;
    const struct stack_range *stack;
    uint64_t cfa;
};

static uint64_t read_uleb(const uint8_t **at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = *(*at)++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

static int64_t read_sleb(const uint8_t **at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = *(*at)++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40)) {
        value |= ~0ull << shift;
    }
    return (int64_t)value;
}

/* The general register with DWARF's number, as our context counts them. */
static unsigned gpr_index(uint64_t number)
{
    static const uint8_t index[8] = {0, 2, 1, 3, 6, 7, 5, 4};

    return number < 8 ? index[number] : (unsigned)number;
}

static bool read_stack(const struct stack_range *stack, uint64_t address, uint64_t *value)
{
    if (address < stack->low || address > stack->high - sizeof(*value)) {
        return false;
    }
    *value = *(const uint64_t *)(uintptr_t)address;
    return true;
}

static bool register_value(const struct loader_context *context, uint64_t number, uint64_t *value)
{
    if (number > REGISTER_RETURN) {
        return false;
    }
    *value = number == REGISTER_RETURN ? context->rip : context->gpr[gpr_index(number)];
    return true;
}

/* A binary operation of an expression; false if it is none. */
static bool apply_binary(uint8_t operation, uint64_t a, uint64_t b, uint64_t *result)
{
    switch (operation) {
    case 0x1a:
        *result = a & b;
        return true;
    case 0x1c:
        *result = a - b;
        return true;
    case 0x21:
        *result = a | b;
        return true;
    case 0x22:
        *result = a + b;
        return true;
    case 0x24:
        *result = b < 64 ? a << b : 0;
        return true;
    case 0x25:
        *result = b < 64 ? a >> b : 0;
        return true;
    case 0x2a: /* DW_OP_ge */
        *result = (int64_t)a >= (int64_t)b;
        return true;
    default:
        return false;
    }
}

/* A push of a constant or of a register plus offset; false if the operation is neither. */
static bool push_value(const struct machine_state *state, uint8_t operation, const uint8_t **at,
                       uint64_t *value)
{
    if (operation >= 0x30 && operation <= 0x4f) { /* DW_OP_lit */
        *value = operation - 0x30u;
    } else if (operation >= 0x70 && operation <= 0x8f) { /* DW_OP_breg */
        if (!register_value(state->context, operation - 0x70u, value)) {
            return false;
        }
        *value += (uint64_t)read_sleb(at);
    } else if (operation == 0x08) { /* DW_OP_const1u */
        *value = *(*at)++;
    } else if (operation == 0x09) { /* DW_OP_const1s */
        *value = (uint64_t)(int64_t)(int8_t) * (*at)++;
    } else if (operation == 0x10) { /* DW_OP_constu */
        *value = read_uleb(at);
    } else if (operation == 0x11) { /* DW_OP_consts */
        *value = (uint64_t)read_sleb(at);
    } else {
        return false;
    }
    return true;
}

/* The operations that compilers and the C library use; anything else ends the walk. */
static bool evaluate(const struct machine_state *state, const uint8_t *at, bool push_cfa,
                     uint64_t *result)
{
    uint64_t stack[EXPRESSION_DEPTH_MAX];
    unsigned depth = 0;
    const uint8_t *end;
    uint64_t length = read_uleb(&at);

    end = at + length;
    if (push_cfa) {
        stack[depth++] = state->cfa;
    }
    while (at < end) {
        uint8_t operation = *at++;
        uint64_t value;

        if (push_value(state, operation, &at, &value)) {
            if (depth == EXPRESSION_DEPTH_MAX) {
                return false;
            }
            stack[depth++] = value;
        } else if (operation == 0x06 && depth >= 1) { /* DW_OP_deref */
            if (!read_stack(state->stack, stack[depth - 1], &stack[depth - 1])) {
                return false;
            }
        } else if (operation == 0x23 && depth >= 1) { /* DW_OP_plus_uconst */
            stack[depth - 1] += read_uleb(&at);
        } else if (depth >= 2 &&
                   apply_binary(operation, stack[depth - 2], stack[depth - 1], &stack[depth - 2])) {
            depth--;
        } else {
            return false;
        }
    }
    *result = depth ? stack[depth - 1] : 0;
    return depth != 0;
}

static unsigned encoded_size(uint8_t encoding)
{
    switch (encoding & 7) {
    case 2:
        return 2;
    case 3:
        return 4;
    default:
        return 8;
    }
}

/* Reads the common entry: alignments, and how the function's entry encodes addresses. */
static bool read_cie(struct frame_info *info, const uint8_t *cie, uint8_t *encoding, bool *has_data)
{
    const uint8_t *at = cie + 9;
    const char *augmentation = (const char *)at;
    const uint8_t *data_end = NULL;

    info->cie_end = cie + 4 + load32(cie);
    at += strlen(augmentation) + 1;
    info->code_align = read_uleb(&at);
    info->data_align = read_sleb(&at);
    if (cie[8] == 1) {
        at++;
    } else if (read_uleb(&at) != REGISTER_RETURN) {
        return false;
    }
    *encoding = 0;
    *has_data = augmentation[0] == 'z';
    if (*has_data) {
        uint64_t length = read_uleb(&at);

        data_end = at + length;
    }
    for (const char *letter = augmentation + *has_data; *letter; letter++) {
        if (*letter == 'R') {
            *encoding = *at++;
        } else if (*letter == 'P') {
            unsigned size = encoded_size(*at);

            at += 1 + size;
        } else if (*letter == 'L') {
            at++;
        }
    }
    info->cie_code = data_end ? data_end : at;
    return true;
}

static bool find_info(struct frame_info *info, uintptr_t pc)
{
    struct dwarf_eh_bases bases = {0};
    const uint8_t *fde = _Unwind_Find_FDE((void *)pc, &bases);
    const uint8_t *at;
    uint8_t encoding;
    bool has_data;

    memset(info, 0, sizeof(*info));
    if (!fde || load32(fde) == 0xffffffffu) {
        return false;
    }
    info->function = (uintptr_t)bases.function;
    info->fde_end = fde + 4 + load32(fde);
    if (!read_cie(info, fde + 4 - (int32_t)load32(fde + 4), &encoding, &has_data)) {
        return false;
    }
    at = fde + 8 + 2 * encoded_size(encoding);
    if (has_data) {
        uint64_t length = read_uleb(&at);

        at += length;
    }
    info->fde_code = at;
    return true;
}

static void set_rule(struct frame_info *info, uint64_t number, enum rule_kind kind, int64_t value)
{
    if (number < REGISTER_COUNT) {
        info->row.rules[number] = (struct rule){.kind = kind, .number = value};
    }
}

static void set_expression(struct frame_info *info, enum rule_kind kind, const uint8_t **at)
{
    uint64_t number = read_uleb(at);
    const uint8_t *expression = *at;
    uint64_t length = read_uleb(at);

    *at += length;
    if (number < REGISTER_COUNT) {
        info->row.rules[number] = (struct rule){.kind = kind, .expression = expression};
    }
}

static void restore_rule(struct frame_info *info, uint64_t number)
{
    if (number < REGISTER_COUNT) {
        info->row.rules[number] = info->initial.rules[number];
    }
}

/* The instructions that say where the canonical frame address is. */
static bool run_cfa(struct frame_info *info, uint8_t operation, const uint8_t **at)
{
    struct row *row = &info->row;

    switch (operation) {
    case 0x0c: /* def_cfa */
        row->cfa_register = read_uleb(at);
        row->cfa_offset = (int64_t)read_uleb(at);
        row->cfa_expression = NULL;
        return true;
    case 0x0d: /* def_cfa_register */
        row->cfa_register = read_uleb(at);
        row->cfa_expression = NULL;
        return true;
    case 0x0e: /* def_cfa_offset */
        row->cfa_offset = (int64_t)read_uleb(at);
        return true;
    case 0x0f: { /* def_cfa_expression */
        uint64_t length;

        row->cfa_expression = *at;
        length = read_uleb(at);
        *at += length;
        return true;
    }
    case 0x12: /* def_cfa_sf */
        row->cfa_register = read_uleb(at);
        row->cfa_offset = read_sleb(at) * info->data_align;
        row->cfa_expression = NULL;
        return true;
    case 0x13: /* def_cfa_offset_sf */
        row->cfa_offset = read_sleb(at) * info->data_align;
        return true;
    default:
        return false;
    }
}

/* The instructions that say where a register was saved. */
static bool run_rule(struct frame_info *info, uint8_t operation, const uint8_t **at)
{
    uint64_t number;

    switch (operation) {
    case 0x05: /* offset_extended */
        number = read_uleb(at);
        set_rule(info, number, RULE_OFFSET, (int64_t)read_uleb(at) * info->data_align);
        return true;
    case 0x06: /* restore_extended */
        restore_rule(info, read_uleb(at));
        return true;
    case 0x07: /* undefined */
        set_rule(info, read_uleb(at), RULE_UNDEFINED, 0);
        return true;
    case 0x08: /* same_value */
        set_rule(info, read_uleb(at), RULE_SAME, 0);
        return true;
    case 0x09: /* register */
        number = read_uleb(at);
        set_rule(info, number, RULE_REGISTER, (int64_t)read_uleb(at));
        return true;
    case 0x10:
        set_expression(info, RULE_EXPRESSION, at);
        return true;
    case 0x11: /* offset_extended_sf */
        number = read_uleb(at);
        set_rule(info, number, RULE_OFFSET, read_sleb(at) * info->data_align);
        return true;
    case 0x14: /* val_offset */
        number = read_uleb(at);
        set_rule(info, number, RULE_VALUE_OFFSET, (int64_t)read_uleb(at) * info->data_align);
        return true;
    case 0x16:
        set_expression(info, RULE_VALUE_EXPRESSION, at);
        return true;
    default:
        return false;
    }
}

/* What is neither: rows kept for later, sizes of arguments. */
static bool run_other(struct frame_info *info, uint8_t operation, const uint8_t **at)
{
    switch (operation) {
    case 0x00: /* nop */
        return true;
    case 0x0a: /* remember_state */
        if (info->saved_count == STATE_DEPTH_MAX) {
            return false;
        }
        info->saved[info->saved_count++] = info->row;
        return true;
    case 0x0b: /* restore_state */
        if (info->saved_count == 0) {
            return false;
        }
        info->row = info->saved[--info->saved_count];
        return true;
    case 0x2e: /* GNU_args_size */
        read_uleb(at);
        return true;
    default:
        return false;
    }
}

/* How far an advance goes; false if the instruction is none. */
static bool read_advance(uint8_t operation, const uint8_t **at, uint64_t *distance)
{
    if (operation >> 6 == 1) {
        *distance = operation & 0x3f;
    } else if (operation == 0x02) {
        *distance = *(*at)++;
    } else if (operation == 0x03) {
        *distance = load16(*at);
        *at += 2;
    } else if (operation == 0x04) {
        *distance = load32(*at);
        *at += 4;
    } else {
        return false;
    }
    return true;
}

/* Runs instructions until they describe a place behind pc. */
static bool run(struct frame_info *info, const uint8_t *at, const uint8_t *end, uintptr_t pc)
{
    uintptr_t place = info->function;

    while (at < end) {
        uint8_t operation = *at++;
        uint64_t distance;

        if (read_advance(operation, &at, &distance)) {
            place += distance * info->code_align;
            if (place > pc) {
                return true;
            }
        } else if (operation >> 6 == 2) {
            set_rule(info, operation & 0x3f, RULE_OFFSET,
                     (int64_t)read_uleb(&at) * info->data_align);
        } else if (operation >> 6 == 3) {
            restore_rule(info, operation & 0x3f);
        } else if (!run_cfa(info, operation, &at) && !run_rule(info, operation, &at) &&
                   !run_other(info, operation, &at)) {
            return false;
        }
    }
    return true;
}

static bool find_cfa(const struct frame_info *info, struct machine_state *state)
{
    uint64_t value;

    if (info->row.cfa_expression) {
        return evaluate(state, info->row.cfa_expression, false, &state->cfa);
    }
    if (!register_value(state->context, info->row.cfa_register, &value)) {
        return false;
    }
    state->cfa = value + (uint64_t)info->row.cfa_offset;
    return true;
}

static bool restored_gpr(const struct machine_state *state, const struct rule *rule,
                         uint64_t number, uint64_t *value)
{
    uint64_t address;

    switch (rule->kind) {
    case RULE_OFFSET:
        return read_stack(state->stack, state->cfa + (uint64_t)rule->number, value);
    case RULE_VALUE_OFFSET:
        *value = state->cfa + (uint64_t)rule->number;
        return true;
    case RULE_REGISTER:
        return register_value(state->context, (uint64_t)rule->number, value);
    case RULE_EXPRESSION:
        return evaluate(state, rule->expression, true, &address) &&
               read_stack(state->stack, address, value);
    case RULE_VALUE_EXPRESSION:
        return evaluate(state, rule->expression, true, value);
    default:
        return register_value(state->context, number, value);
    }
}

/* Only ever saved at an offset; a wide vector's lower half is the whole xmm register. */
static bool restore_xmm(const struct machine_state *state, const struct rule *rule,
                        uint64_t value[2])
{
    uint64_t address = state->cfa + (uint64_t)rule->number;

    return rule->kind != RULE_OFFSET || (read_stack(state->stack, address, &value[0]) &&
                                         read_stack(state->stack, address + 8, &value[1]));
}

static bool apply_row(const struct frame_info *info, const struct machine_state *state,
                      struct loader_context *context)
{
    struct loader_context next = *context;

    if (info->row.rules[REGISTER_RETURN].kind == RULE_UNDEFINED) {
        return false;
    }
    next.gpr[4] = state->cfa;
    for (unsigned i = 0; i < REGISTER_RETURN; i++) {
        const struct rule *rule = &info->row.rules[i];

        if (i != 7 && !restored_gpr(state, rule, i, &next.gpr[gpr_index(i)])) {
            return false;
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        if (!restore_xmm(state, &info->row.rules[REGISTER_XMM0 + i], next.fx.xmm[i])) {
            return false;
        }
    }
    if (!restored_gpr(state, &info->row.rules[REGISTER_RETURN], REGISTER_RETURN, &next.rip)) {
        return false;
    }
    /* A frame that gains no ground would be walked for ever. */
    if (next.rip == 0 || next.gpr[4] <= context->gpr[4]) {
        return false;
    }
    *context = next;
    return true;
}

bool unwind_host_frame(const struct stack_range *stack, struct loader_context *context, bool exact,
                       uintptr_t *function)
{
    struct machine_state state = {.context = context, .stack = stack};
    uintptr_t pc = (uintptr_t)context->rip - !exact;
    struct frame_info info;

    if (!find_info(&info, pc) || !run(&info, info.cie_code, info.cie_end, UINTPTR_MAX)) {
        return false;
    }
    info.initial = info.row;
    if (!run(&info, info.fde_code, info.fde_end, pc) || !find_cfa(&info, &state)) {
        return false;
    }
    *function = info.function;
    return apply_row(&info, &state, context);
}

bool unwind_is_host_code(uintptr_t pc)
{
    struct dwarf_eh_bases bases = {0};

    return _Unwind_Find_FDE((void *)pc, &bases) != NULL;
}
