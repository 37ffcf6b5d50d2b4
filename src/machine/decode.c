/* The x86-64 instructions with which compiled code touches memory that is not there for it, such as
 * a device register: moves with their extensions, xchg, and the arithmetic that reads or changes
 * memory in place. Everything else (string moves, locked and vector instructions) is refused. What
 * an instruction would touch is known of more: access_decode(). */
#include "machine/internal.h"

#include <string.h>

#define REX_W 8u
#define REX_R 4u
#define REX_X 2u
#define REX_B 1u

#define FLAG_CARRY    UINT64_C(0x001)
#define FLAG_PARITY   UINT64_C(0x004)
#define FLAG_ADJUST   UINT64_C(0x010)
#define FLAG_ZERO     UINT64_C(0x040)
#define FLAG_SIGN     UINT64_C(0x080)
#define FLAG_OVERFLOW UINT64_C(0x800)

struct decoder {
    const uint8_t *code;
    unsigned at;
    unsigned rex;
    bool has_rex, short_operands, rip_relative, of_cpu;
    uint8_t repeats; /* 0xF2 or 0xF3, which may also choose a kind of operand; 0: neither */
    bool locks;
    unsigned reg; /* the middle field of the ModRM byte, with its REX bit */
    const uint64_t *gpr;
};

/* ---- Bytes ------------------------------------------------------------------------------- */

static uint8_t next_byte(struct decoder *decoder)
{
    return decoder->code[decoder->at++];
}

static int64_t next_signed(struct decoder *decoder, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)next_byte(decoder) << 8 * i;
    }
    return (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

static unsigned operand_size(const struct decoder *decoder)
{
    if (decoder->rex & REX_W) {
        return 8;
    }
    return decoder->short_operands ? 2 : 4;
}

/* The opcode's first byte, after the prefixes we know. */
static uint8_t skip_prefixes(struct decoder *decoder)
{
    uint8_t byte = next_byte(decoder);

    /* Segment overrides other than fs and gs mean nothing in 64-bit code; 0x65 is gs. */
    while (byte == 0x66 || byte == 0x26 || byte == 0x2E || byte == 0x36 || byte == 0x3E ||
           byte == 0x65) {
        decoder->short_operands = decoder->short_operands || byte == 0x66;
        decoder->of_cpu = decoder->of_cpu || byte == 0x65;
        byte = next_byte(decoder);
        if (decoder->at > 8) {
            return 0xF0;
        }
    }
    if ((byte & 0xF0) == 0x40) {
        decoder->has_rex = true;
        decoder->rex = byte & 0xFu;
        byte = next_byte(decoder);
    }
    return byte;
}

/* ---- The memory operand ------------------------------------------------------------------ */

static uint64_t sib_address(struct decoder *decoder, unsigned mod)
{
    uint8_t sib = next_byte(decoder);
    unsigned index = (sib >> 3 & 7u) | (decoder->rex & REX_X ? 8u : 0u);
    unsigned base = (sib & 7u) | (decoder->rex & REX_B ? 8u : 0u);
    uint64_t address = index == 4 ? 0 : decoder->gpr[index] << (sib >> 6);

    if ((sib & 7u) == 5 && mod == 0) {
        return address + (uint64_t)next_signed(decoder, 4);
    }
    return address + decoder->gpr[base];
}

/* False: the operand is a register. A RIP-relative address still lacks the end of the instruction.
 */
static bool modrm(struct decoder *decoder, uint64_t *address)
{
    uint8_t byte = next_byte(decoder);
    unsigned mod = byte >> 6;
    unsigned rm = byte & 7u;

    decoder->reg = (byte >> 3 & 7u) | (decoder->rex & REX_R ? 8u : 0u);
    if (mod == 3) {
        return false;
    }
    if (rm == 4) {
        *address = sib_address(decoder, mod);
    } else if (rm == 5 && mod == 0) {
        decoder->rip_relative = true;
        *address = (uint64_t)next_signed(decoder, 4);
    } else {
        *address = decoder->gpr[rm | (decoder->rex & REX_B ? 8u : 0u)];
    }
    if (mod == 1) {
        *address += (uint64_t)next_signed(decoder, 1);
    } else if (mod == 2) {
        *address += (uint64_t)next_signed(decoder, 4);
    }
    return true;
}

static void take_register(const struct decoder *decoder, unsigned size, struct instruction *out)
{
    out->register_size = size;
    out->register_index = decoder->reg;
    if (size == 1 && !decoder->has_rex && decoder->reg >= 4) {
        out->register_index = decoder->reg - 4;
        out->high_byte = true;
    }
}

static void take_immediate(struct decoder *decoder, unsigned size, struct instruction *out)
{
    out->immediate = true;
    out->value = (uint64_t)next_signed(decoder, size);
}

/* ---- Opcodes ----------------------------------------------------------------------------- */

/* Moves that widen: 0F B6/B7/BE/BF and 63. */
static bool decode_widening(struct decoder *decoder, unsigned memory_size, bool sign,
                            struct instruction *out)
{
    out->kind = INSTRUCTION_LOAD;
    out->size = memory_size;
    out->sign_extend = sign;
    if (!modrm(decoder, &out->address)) {
        return false;
    }
    out->register_size = operand_size(decoder);
    out->register_index = decoder->reg;
    return true;
}

/* Opcode, ModRM, and a register on the other side. */
static bool decode_with_register(struct decoder *decoder, uint8_t opcode,
                                 enum instruction_kind kind, struct instruction *out)
{
    out->kind = kind;
    out->size = opcode & 1 ? operand_size(decoder) : 1;
    if (!modrm(decoder, &out->address)) {
        return false;
    }
    take_register(decoder, out->size, out);
    return true;
}

static bool decode_two_byte(struct decoder *decoder, struct instruction *out)
{
    switch (next_byte(decoder)) {
    case 0xB6:
        return decode_widening(decoder, 1, false, out);
    case 0xB7:
        return decode_widening(decoder, 2, false, out);
    case 0xBE:
        return decode_widening(decoder, 1, true, out);
    case 0xBF:
        return decode_widening(decoder, 2, true, out);
    case 0xAF:
        out->alu = ALU_MULTIPLY;
        return decode_with_register(decoder, 1, INSTRUCTION_ALU_LOAD, out);
    default:
        return false;
    }
}

/* Opcode, ModRM with an operation in it, and an immediate. */
static bool decode_with_immediate(struct decoder *decoder, uint8_t opcode,
                                  enum instruction_kind kind, struct instruction *out)
{
    unsigned immediate_size;

    out->kind = kind;
    out->size = opcode & 1 ? operand_size(decoder) : 1;
    if (!modrm(decoder, &out->address)) {
        return false;
    }
    immediate_size = out->size > 4 ? 4 : out->size;
    take_immediate(decoder, opcode == 0x83 ? 1 : immediate_size, out);
    out->alu = (enum alu_operation)(decoder->reg & 7u);
    return true;
}

/* Of the operations of F6 and F7: test with an immediate, and mul. */
static bool decode_group_three(struct decoder *decoder, uint8_t opcode, struct instruction *out)
{
    unsigned operation = decoder->code[decoder->at] >> 3 & 7u;

    if (operation == 4 && (opcode & 1)) {
        return decode_with_register(decoder, opcode, INSTRUCTION_MULTIPLY, out);
    }
    bool known = operation == 0 && decode_with_immediate(decoder, opcode, INSTRUCTION_ALU, out);
    out->alu = ALU_TEST;
    return known;
}

/* Between rax and an address that is in the instruction as a whole. */
static bool decode_absolute(struct decoder *decoder, uint8_t opcode, struct instruction *out)
{
    out->kind = opcode & 2 ? INSTRUCTION_STORE : INSTRUCTION_LOAD;
    out->size = opcode & 1 ? operand_size(decoder) : 1;
    out->address = (uint64_t)next_signed(decoder, 8);
    take_register(decoder, out->size, out);
    return true;
}

static bool decode_one_byte(struct decoder *decoder, uint8_t opcode, struct instruction *out)
{
    if (opcode < 0x40 && (opcode & 7) < 4) {
        out->alu = (enum alu_operation)(opcode >> 3);
        return decode_with_register(decoder, opcode,
                                    opcode & 2 ? INSTRUCTION_ALU_LOAD : INSTRUCTION_ALU, out);
    }
    switch (opcode) {
    case 0x63:
        return (decoder->rex & REX_W) && decode_widening(decoder, 4, true, out);
    case 0x80:
    case 0x81:
    case 0x83:
        return decode_with_immediate(decoder, opcode, INSTRUCTION_ALU, out);
    case 0x84:
    case 0x85:
        out->alu = ALU_TEST;
        return decode_with_register(decoder, opcode, INSTRUCTION_ALU, out);
    case 0x86:
    case 0x87:
        return decode_with_register(decoder, opcode, INSTRUCTION_XCHG, out);
    case 0x88:
    case 0x89:
        return decode_with_register(decoder, opcode, INSTRUCTION_STORE, out);
    case 0x8A:
    case 0x8B:
        return decode_with_register(decoder, opcode, INSTRUCTION_LOAD, out);
    case 0xA0:
    case 0xA1:
    case 0xA2:
    case 0xA3:
        return decode_absolute(decoder, opcode, out);
    case 0xC6:
    case 0xC7:
        return decode_with_immediate(decoder, opcode, INSTRUCTION_STORE, out) &&
               (decoder->reg & 7u) == 0;
    case 0xF6:
    case 0xF7:
        return decode_group_three(decoder, opcode, out);
    default:
        return false;
    }
}

bool instruction_decode(const uint8_t *code, uint64_t rip, const uint64_t *gpr,
                        struct instruction *out)
{
    struct decoder decoder = {.code = code, .gpr = gpr};
    uint8_t opcode;
    bool known;

    memset(out, 0, sizeof(*out));
    opcode = skip_prefixes(&decoder);
    known =
        opcode == 0x0F ? decode_two_byte(&decoder, out) : decode_one_byte(&decoder, opcode, out);
    out->length = decoder.at;
    out->of_cpu = decoder.of_cpu;
    if (decoder.rip_relative) {
        out->address += rip + decoder.at;
    }
    return known && decoder.at <= 15;
}

/* ---- What an instruction touches --------------------------------------------------------- */

enum touch { TOUCHES_NOTHING, READS, WRITES };

/* Of an opcode with ModRM, which is the next byte: who has none may be the last before a page that
 * is not there. */
static unsigned operation_of(const struct decoder *decoder)
{
    return decoder->code[decoder->at] >> 3 & 7u;
}

/* Of opcodes with ModRM. *immediate: bytes behind the operand. */
static enum touch one_byte_touch(const struct decoder *decoder, uint8_t opcode, unsigned *immediate)
{
    unsigned word = decoder->short_operands ? 2 : 4;

    if (opcode < 0x40) {
        return (opcode & 7) >= 4                   ? TOUCHES_NOTHING
               : (opcode & 7) < 2 && opcode < 0x38 ? WRITES
                                                   : READS;
    }
    switch (opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        *immediate = opcode == 0x81 ? word : 1;
        return operation_of(decoder) == 7 ? READS : WRITES;
    case 0xC6:
    case 0xC7:
        *immediate = opcode == 0xC7 ? word : 1;
        return WRITES;
    case 0x69:
    case 0x6B:
        *immediate = opcode == 0x69 ? word : 1;
        return READS;
    case 0xC0:
    case 0xC1:
        *immediate = 1;
        return WRITES;
    case 0xF6:
    case 0xF7:
        *immediate = operation_of(decoder) > 1 ? 0 : opcode == 0xF7 ? word : 1;
        return (operation_of(decoder) & ~1u) == 2 ? WRITES : READS;
    case 0xFE:
    case 0xFF:
        return operation_of(decoder) < 2 ? WRITES : READS;
    case 0x63:
    case 0x84:
    case 0x85:
    case 0x8A:
    case 0x8B:
        return READS;
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
        return WRITES;
    default:
        return TOUCHES_NOTHING;
    }
}

static enum touch two_byte_touch(const struct decoder *decoder, uint8_t opcode, unsigned *immediate)
{
    switch (opcode) {
    case 0xBA:
        *immediate = 1;
        return operation_of(decoder) == 4 ? READS : WRITES;
    case 0x11: /* of vector registers, and without the cache */
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2B:
    case 0x7F:
    case 0xC3:
    case 0xD6:
    case 0xE7:
    case 0xAB: /* bits */
    case 0xB3:
    case 0xBB:
    case 0xB0: /* compared and exchanged, exchanged and added */
    case 0xB1:
    case 0xC0:
    case 0xC1:
    case 0xC7:
        return WRITES;
    case 0x7E:
        return decoder->short_operands ? WRITES : READS;
    case 0x10:
    case 0x12:
    case 0x16:
    case 0x28:
    case 0x6E:
    case 0x6F:
    case 0xA3:
    case 0xAF:
    case 0xB6:
    case 0xB7:
    case 0xBE:
    case 0xBF:
        return READS;
    default:
        return (opcode & 0xF0) == 0x90 ? WRITES : (opcode & 0xF0) == 0x40 ? READS : TOUCHES_NOTHING;
    }
}

/* Those that repeat, and those that say what they repeat while something holds. */
static uint8_t skip_more_prefixes(struct decoder *decoder)
{
    uint8_t byte = skip_prefixes(decoder);

    while ((byte == 0xF0 || byte == 0xF2 || byte == 0xF3) && decoder->at <= 8) {
        decoder->locks = decoder->locks || byte == 0xF0;
        decoder->repeats = byte == 0xF0 ? decoder->repeats : byte;
        byte = skip_prefixes(decoder);
    }
    return byte;
}

static unsigned one_byte_size(const struct decoder *decoder, uint8_t opcode)
{
    if (opcode == 0x63) {
        return 4;
    }
    return opcode & 1 ? operand_size(decoder) : 1; /* of all that are known here */
}

static unsigned two_byte_size(const struct decoder *decoder, uint8_t opcode)
{
    switch (opcode) {
    case 0x10:
    case 0x11:
        return decoder->repeats == 0xF3 ? 4 : decoder->repeats == 0xF2 ? 8 : 16;
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x17:
    case 0xD6:
        return 8;
    case 0x28:
    case 0x29:
    case 0x2B:
    case 0x6F:
    case 0x7F:
    case 0xE7:
        return 16;
    case 0x6E:
        return decoder->rex & REX_W ? 8 : 4;
    case 0x7E:
        return decoder->rex & REX_W || decoder->repeats ? 8 : 4;
    case 0xC7:
        return decoder->rex & REX_W ? 16 : 8;
    case 0xB0:
    case 0xB6:
    case 0xBE:
    case 0xC0:
        return 1;
    case 0xB7:
    case 0xBF:
        return 2;
    default:
        return (opcode & 0xF0) == 0x90 ? 1 : operand_size(decoder);
    }
}

/* Of those that write: moves of vector registers, without the cache, and bytes of conditions. */
static bool two_byte_stores(uint8_t opcode)
{
    switch (opcode) {
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x2B:
    case 0x7E:
    case 0x7F:
    case 0xC3:
    case 0xD6:
    case 0xE7:
        return true;
    default:
        return (opcode & 0xF0) == 0x90;
    }
}

bool access_decode(const uint8_t *code, uint64_t rip, const uint64_t *gpr, struct access *out)
{
    struct decoder decoder = {.code = code, .gpr = gpr};
    uint8_t opcode = skip_more_prefixes(&decoder);
    unsigned immediate = 0;
    enum touch touch;

    if (opcode == 0xA4 || opcode == 0xA5 || opcode == 0xAA || opcode == 0xAB) {
        *out = (struct access){.address = gpr[7],
                               .writes = true,
                               .stores = true,
                               .size = one_byte_size(&decoder, opcode)};
        return !decoder.of_cpu;
    }
    if (opcode == 0x0F) {
        opcode = next_byte(&decoder);
        touch = two_byte_touch(&decoder, opcode, &immediate);
        out->size = two_byte_size(&decoder, opcode);
        out->stores = two_byte_stores(opcode);
        out->atomic = decoder.locks;
    } else {
        touch = one_byte_touch(&decoder, opcode, &immediate);
        out->size = one_byte_size(&decoder, opcode);
        out->stores = opcode == 0x88 || opcode == 0x89 || opcode == 0xC6 || opcode == 0xC7;
        out->atomic = decoder.locks || opcode == 0x86 || opcode == 0x87;
    }
    if (touch == TOUCHES_NOTHING || decoder.of_cpu || !modrm(&decoder, &out->address)) {
        return false;
    }
    out->writes = touch == WRITES;
    out->stores = out->stores && out->writes;
    out->address += decoder.rip_relative ? rip + decoder.at + immediate : 0;
    return decoder.at <= 15;
}

/* ---- What an instruction compares ---------------------------------------------------------- */

static uint64_t register_part(const struct decoder *decoder, unsigned index, unsigned size)
{
    if (size == 1 && !decoder->has_rex && index >= 4) {
        return decoder->gpr[index - 4] >> 8 & 0xFF; /* ah, ch, dh, bh */
    }
    return size >= 8 ? decoder->gpr[index] : decoder->gpr[index] & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t immediate_side(struct decoder *decoder, uint8_t opcode, unsigned size)
{
    unsigned bytes = opcode == 0x83 || size == 1 ? 1 : size == 2 ? 2 : 4;
    uint64_t value = (uint64_t)next_signed(decoder, bytes);

    return size >= 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* What is subtracted is compared by what is left; exclusive or, by whether anything is. */
static bool is_comparison(unsigned operation)
{
    return operation == ALU_CMP || operation == ALU_SUB || operation == ALU_XOR;
}

/* Opcodes with ModRM. One that tests a register with itself compares it with 0. */
static bool decode_sides(struct decoder *decoder, uint8_t opcode, struct comparison *out)
{
    bool tests = opcode == 0x84 || opcode == 0x85, immediate = !tests && opcode >= 0x80;
    uint8_t byte = decoder->code[decoder->at];
    unsigned other = (byte & 7u) | (decoder->rex & REX_B ? 8u : 0u);

    out->in_memory = modrm(decoder, &out->address);
    bool itself = !out->in_memory && !immediate && other == decoder->reg;
    if (!is_comparison(immediate ? decoder->reg & 7u : opcode >> 3) ? !tests || !itself : itself) {
        return false;
    }
    out->first = out->in_memory ? 0 : register_part(decoder, other, out->size);
    out->second = tests       ? 0
                  : immediate ? immediate_side(decoder, opcode, out->size)
                              : register_part(decoder, decoder->reg, out->size);
    return decoder->at <= 15 && !(out->in_memory && decoder->rip_relative);
}

bool comparison_decode(const uint8_t *code, const uint64_t *gpr, struct comparison *out)
{
    struct decoder decoder = {.code = code, .gpr = gpr};
    uint8_t opcode = skip_prefixes(&decoder);
    bool plain = opcode < 0x40 && (opcode & 7) < 4;

    *out = (struct comparison){.size = opcode & 1 ? operand_size(&decoder) : 1};
    if (decoder.of_cpu) {
        return false;
    }
    if (opcode < 0x40 && (opcode & 6) == 4) { /* of rax and an immediate */
        out->first = register_part(&decoder, 0, out->size);
        out->second = immediate_side(&decoder, opcode, out->size);
        return is_comparison(opcode >> 3) && decoder.at <= 15;
    }
    return (plain || (opcode >= 0x80 && opcode <= 0x85 && opcode != 0x82)) &&
           decode_sides(&decoder, opcode, out);
}

/* ---- Arithmetic -------------------------------------------------------------------------- */

static uint64_t result_flags(uint64_t result, uint64_t sign)
{
    uint64_t flags = 0;

    flags |= result == 0 ? FLAG_ZERO : 0;
    flags |= result & sign ? FLAG_SIGN : 0;
    flags |= __builtin_parity((unsigned)(result & 0xFF)) ? 0 : FLAG_PARITY;
    return flags;
}

/* Of a signed product: is it more than its lower half? */
static bool overflows(uint64_t a, uint64_t b, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    __int128 product =
        (__int128)((int64_t)(a << shift) >> shift) * ((int64_t)(b << shift) >> shift);

    return product != (int64_t)((uint64_t)product << shift) >> shift;
}

uint64_t alu_perform(enum alu_operation op, unsigned size, uint64_t a, uint64_t b, uint64_t *flags)
{
    uint64_t mask = size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    uint64_t carry_in = (op == ALU_ADC || op == ALU_SBB) && (*flags & FLAG_CARRY);
    uint64_t result, out = 0;

    a &= mask;
    b &= mask;
    switch (op) {
    case ALU_ADD:
    case ALU_ADC:
        result = (a + b + carry_in) & mask;
        out |= result < a || (carry_in && result == a) ? FLAG_CARRY : 0;
        out |= ~(a ^ b) & (a ^ result) & sign ? FLAG_OVERFLOW : 0;
        out |= (a ^ b ^ result) & 0x10 ? FLAG_ADJUST : 0;
        break;
    case ALU_SUB:
    case ALU_SBB:
    case ALU_CMP:
        result = (a - b - carry_in) & mask;
        out |= a < b || (carry_in && a == b) ? FLAG_CARRY : 0;
        out |= (a ^ b) & (a ^ result) & sign ? FLAG_OVERFLOW : 0;
        out |= (a ^ b ^ result) & 0x10 ? FLAG_ADJUST : 0;
        break;
    case ALU_OR:
        result = a | b;
        break;
    case ALU_XOR:
        result = a ^ b;
        break;
    case ALU_MULTIPLY:
        result = (a * b) & mask;
        out |= overflows(a, b, size) ? FLAG_CARRY | FLAG_OVERFLOW : 0;
        break;
    default: /* ALU_AND, ALU_TEST */
        result = a & b;
        break;
    }
    out |= result_flags(result, sign);
    *flags = (*flags &
              ~(FLAG_CARRY | FLAG_PARITY | FLAG_ADJUST | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)) |
             out;
    return result;
}

/* ---- What becomes of the operands ---------------------------------------------------------- */

static uint64_t mask_of(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static uint64_t register_value(const uint64_t *gpr, const struct instruction *instruction)
{
    return instruction->high_byte ? gpr[instruction->register_index] >> 8 & 0xFF
                                  : gpr[instruction->register_index];
}

/* A write of 32 bits clears the upper half; smaller ones leave the rest alone. */
static void register_set(uint64_t *gpr, const struct instruction *instruction, uint64_t value)
{
    uint64_t *target = &gpr[instruction->register_index];
    uint64_t mask = mask_of(instruction->register_size);

    if (instruction->high_byte) {
        *target = (*target & ~UINT64_C(0xFF00)) | (value & 0xFF) << 8;
    } else if (instruction->register_size >= 4) {
        *target = value & mask;
    } else {
        *target = (*target & ~mask) | (value & mask);
    }
}

static uint64_t extended(const struct instruction *instruction, uint64_t value)
{
    unsigned shift = 64 - 8 * instruction->size;

    return instruction->sign_extend ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

#define RAX 0u
#define RDX 2u

/* Unsigned, with what rax holds. */
static void multiply(const struct instruction *instruction, uint64_t *gpr, uint64_t *flags,
                     uint64_t memory)
{
    unsigned bits = 8 * instruction->size;
    uint64_t mask = mask_of(instruction->size);
    unsigned __int128 product = (unsigned __int128)(gpr[RAX] & mask) * (memory & mask);
    struct instruction half = *instruction;
    uint64_t high = (uint64_t)(product >> bits) & mask;

    half.register_index = RAX;
    register_set(gpr, &half, (uint64_t)product & mask);
    half.register_index = RDX;
    register_set(gpr, &half, high);
    *flags = (*flags & ~(FLAG_CARRY | FLAG_OVERFLOW)) | (high ? FLAG_CARRY | FLAG_OVERFLOW : 0);
}

bool instruction_perform(const struct instruction *instruction, uint64_t *gpr, uint64_t *flags,
                         uint64_t *memory)
{
    uint64_t source = instruction->immediate ? instruction->value : 0, result;
    unsigned size = instruction->size;
    bool writes = false;

    if (!instruction->immediate && instruction->kind != INSTRUCTION_LOAD) {
        source = register_value(gpr, instruction);
    }
    switch (instruction->kind) {
    case INSTRUCTION_STORE:
        *memory = source & mask_of(size);
        return true;
    case INSTRUCTION_LOAD:
        register_set(gpr, instruction, extended(instruction, *memory));
        return false;
    case INSTRUCTION_XCHG:
        register_set(gpr, instruction, *memory);
        *memory = source & mask_of(size);
        return true;
    case INSTRUCTION_ALU:
        result = alu_perform(instruction->alu, size, *memory, source, flags);
        writes = instruction->alu != ALU_CMP && instruction->alu != ALU_TEST;
        *memory = writes ? result : *memory;
        return writes;
    case INSTRUCTION_MULTIPLY:
        multiply(instruction, gpr, flags, *memory);
        return false;
    default: /* INSTRUCTION_ALU_LOAD */
        result = alu_perform(instruction->alu, size, source, *memory, flags);
        if (instruction->alu != ALU_CMP) {
            register_set(gpr, instruction, result);
        }
        return false;
    }
}

/* ---- The interrupt level ------------------------------------------------------------------- */

bool level_instruction_decode(const uint8_t *code, struct level_instruction *out)
{
    /* 44 0F 20 /r and 44 0F 22 /r, where the middle field with its REX bit says 8. */
    if ((code[0] & 0xF4) != 0x44 || code[1] != 0x0F || (code[2] != 0x20 && code[2] != 0x22) ||
        (code[3] >> 3 & 7u) != 0) {
        return false;
    }
    *out = (struct level_instruction){
        .writes = code[2] == 0x22,
        .register_index = (code[3] & 7u) | (code[0] & REX_B ? 8u : 0u),
        .length = 4,
    };
    return true;
}

/* ---- Ports ------------------------------------------------------------------------------- */

bool port_instruction_decode(const uint8_t *code, struct port_instruction *out)
{
    bool short_operands = code[0] == 0x66;
    unsigned at = short_operands;
    uint8_t opcode = code[at++];

    /* in: E4 E5 EC ED; out: E6 E7 EE EF. An even one moves a byte, below E8 the port follows. */
    if ((opcode & 0xF4) != 0xE4) {
        return false;
    }
    *out = (struct port_instruction){
        .out = opcode & 2,
        .size = !(opcode & 1)    ? 1
                : short_operands ? 2
                                 : 4,
        .immediate = opcode < 0xE8,
    };
    if (out->immediate) {
        out->port = code[at++];
    }
    out->length = at;
    return true;
}
