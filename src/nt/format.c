/* nt/format.c: printf as drivers know it.
 *
 * Windows' formats differ from the host's: `l` means 32 bits, I64/I32/I name sizes, %S is a string
 * of the other width than the format, %wZ and %Z are counted strings, %p is 16 digits without 0x.
 * The arguments lie in 8-byte slots (the Windows x64 convention), so that each is read as one
 * number.
 *
 * One engine writes bytes or UTF-16 units into a sink; everything named printf stands on it. */
#include "nt/internal.h"

#include <stdio.h>
#include <string.h>

#define WIDTH_MAX 4096 /* of a field; a driver that asks for more made an error */

struct spec {
    bool left, plus, space, alternate, zero;
    bool has_precision;
    unsigned width, precision;
    unsigned bytes;                    /* of an integer argument */
    enum { PLAIN, NARROW, WIDE } text; /* what h, l or w said about strings */
};

/* Where a format is read from. */
struct source {
    const void *format;
    bool wide;
    size_t at;
};

static uint32_t peek(const struct source *source)
{
    return source->wide ? ((const uint16_t *)source->format)[source->at]
                        : ((const uint8_t *)source->format)[source->at];
}

static uint64_t take_argument(__builtin_ms_va_list *arguments)
{
    return __builtin_va_arg(*arguments, unsigned long long);
}

static void put(struct format_sink *sink, uint32_t unit)
{
    if (sink->count < sink->capacity) {
        if (sink->wide) {
            ((uint16_t *)sink->out)[sink->count] = (uint16_t)unit;
        } else {
            ((uint8_t *)sink->out)[sink->count] = (uint8_t)unit;
        }
    }
    sink->count++;
}

static void put_repeated(struct format_sink *sink, uint32_t unit, size_t count)
{
    while (count-- > 0) {
        put(sink, unit);
    }
}

/* One character in the sink's form; returns its units. With a null sink: only counts. */
static size_t put_character(struct format_sink *sink, bool wide_sink, uint32_t c)
{
    char bytes[4];
    uint16_t units[2];
    size_t count = wide_sink ? text_put_utf16(c, units) : text_put_utf8(c, bytes);

    for (size_t i = 0; sink && i < count; i++) {
        put(sink, wide_sink ? units[i] : (uint8_t)bytes[i]);
    }
    return count;
}

static size_t put_units(struct format_sink *sink, bool wide_sink, const void *text, bool wide_text,
                        size_t count)
{
    size_t at = 0, units = 0;

    if (wide_text == wide_sink) {
        for (; sink && at < count; at++) {
            put(sink, wide_text ? ((const uint16_t *)text)[at] : ((const uint8_t *)text)[at]);
        }
        return count;
    }
    while (at < count) {
        uint32_t c =
            wide_text ? text_next_utf16(text, count, &at) : text_next_utf8(text, count, &at);
        units += put_character(sink, wide_sink, c);
    }
    return units;
}

static void put_text(struct format_sink *sink, const struct spec *spec, const void *text,
                     bool wide_text, size_t count)
{
    size_t units = put_units(NULL, sink->wide, text, wide_text, count);
    size_t padding = spec->width > units ? spec->width - units : 0;

    if (!spec->left) {
        put_repeated(sink, spec->zero ? '0' : ' ', padding);
    }
    put_units(sink, sink->wide, text, wide_text, count);
    if (spec->left) {
        put_repeated(sink, ' ', padding);
    }
}

static size_t terminated_length(const void *text, bool wide, const struct spec *spec)
{
    size_t limit = spec->has_precision ? spec->precision : SIZE_MAX, length = 0;

    while (length < limit &&
           (wide ? ((const uint16_t *)text)[length] : ((const uint8_t *)text)[length]) != 0) {
        length++;
    }
    return length;
}

/* other: %S and %C take the width that the format has not. */
static bool is_wide(const struct format_sink *sink, const struct spec *spec, bool other)
{
    if (spec->text != PLAIN) {
        return spec->text == WIDE;
    }
    return sink->wide != other;
}

static void put_string(struct format_sink *sink, const struct spec *spec, uint64_t argument,
                       bool other)
{
    const void *text = (const void *)(uintptr_t)argument;
    bool wide = is_wide(sink, spec, other);

    if (!text) {
        text = "(null)";
        wide = false;
    }
    put_text(sink, spec, text, wide, terminated_length(text, wide, spec));
}

static void put_counted_string(struct format_sink *sink, const struct spec *spec, uint64_t argument)
{
    const UNICODE_STRING *string = (const UNICODE_STRING *)(uintptr_t)argument;
    bool wide = spec->text == WIDE;
    size_t count;

    if (!string || !string->Buffer) {
        put_text(sink, spec, "(null)", false, 6);
        return;
    }
    count = string->Length / (wide ? 2u : 1u);
    if (spec->has_precision && spec->precision < count) {
        count = spec->precision;
    }
    put_text(sink, spec, string->Buffer, wide, count);
}

static void put_one_character(struct format_sink *sink, const struct spec *spec, uint64_t argument,
                              bool other)
{
    uint16_t wide = (uint16_t)argument;
    char narrow = (char)argument;

    if (is_wide(sink, spec, other)) {
        put_text(sink, spec, &wide, true, 1);
    } else {
        put_text(sink, spec, &narrow, false, 1);
    }
}

static int64_t sign_extend(uint64_t value, unsigned bytes)
{
    unsigned shift = 64 - bytes * 8;

    return (int64_t)(value << shift) >> shift;
}

static void put_digits(struct format_sink *sink, const struct spec *spec, const char *prefix,
                       const char *digits, size_t digit_count)
{
    size_t prefix_count = strlen(prefix), zeros = 0, padding = 0, total;

    if (spec->has_precision && spec->precision > digit_count) {
        zeros = spec->precision - digit_count;
    }
    total = prefix_count + zeros + digit_count;
    if (spec->width > total) {
        padding = spec->width - total;
    }
    if (spec->zero && !spec->left && !spec->has_precision) {
        zeros += padding;
        padding = 0;
    }
    if (!spec->left) {
        put_repeated(sink, ' ', padding);
    }
    put_units(sink, sink->wide, prefix, false, prefix_count);
    put_repeated(sink, '0', zeros);
    put_units(sink, sink->wide, digits, false, digit_count);
    if (spec->left) {
        put_repeated(sink, ' ', padding);
    }
}

static void put_integer(struct format_sink *sink, const struct spec *spec, char conversion,
                        uint64_t value)
{
    const char *letters =
        conversion == 'X' || conversion == 'p' ? "0123456789ABCDEF" : "0123456789abcdef";
    unsigned base = conversion == 'o'                                             ? 8
                    : conversion == 'x' || conversion == 'X' || conversion == 'p' ? 16
                                                                                  : 10;
    const char *prefix = "";
    char digits[24], *at = digits + sizeof(digits);

    if (conversion == 'd') {
        int64_t number = sign_extend(value, spec->bytes);
        prefix = number < 0 ? "-" : spec->plus ? "+" : spec->space ? " " : "";
        value = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    } else if (spec->bytes < 8) {
        value &= (UINT64_C(1) << spec->bytes * 8) - 1;
    }
    if (spec->alternate && value != 0 && base != 10) {
        prefix = base == 8 ? "0" : conversion == 'X' ? "0X" : "0x";
    }
    for (; value; value /= base) {
        *--at = letters[value % base];
    }
    if (at == digits + sizeof(digits) && !(spec->has_precision && spec->precision == 0)) {
        *--at = '0';
    }
    put_digits(sink, spec, prefix, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_double(struct format_sink *sink, const struct spec *spec, char conversion,
                       uint64_t bits)
{
    char format[16] = "%", text[512], *at = format + 1;
    unsigned precision = spec->has_precision ? spec->precision : 6;
    struct spec padding = *spec;
    double value;
    int length;

    memcpy(&value, &bits, sizeof(value));
    if (spec->plus) {
        *at++ = '+';
    } else if (spec->space) {
        *at++ = ' ';
    }
    if (spec->alternate) {
        *at++ = '#';
    }
    memcpy(at, ".*", 2);
    at[2] = conversion;
    at[3] = 0;
    length = snprintf(text, sizeof(text), format, (int)(precision < 100 ? precision : 100), value);
    if (length > 0 && (text[0] == '-' || text[0] == '+') && spec->zero && !spec->left) {
        put(sink, (uint8_t)text[0]);
        padding.width -= padding.width > 0;
        put_text(sink, &padding, text + 1, false, (size_t)length - 1);
        return;
    }
    put_text(sink, &padding, text, false, length > 0 ? (size_t)length : 0);
}

static unsigned parse_count(struct source *source, __builtin_ms_va_list *arguments, bool *negative)
{
    unsigned value = 0;

    *negative = false;
    if (peek(source) == '*') {
        int given = (int)take_argument(arguments);
        source->at++;
        *negative = given < 0;
        value = given < 0 ? 0u - (unsigned)given : (unsigned)given;
    }
    while (peek(source) >= '0' && peek(source) <= '9') {
        value = value > WIDTH_MAX ? value : value * 10 + (peek(source) - '0');
        source->at++;
    }
    return value > WIDTH_MAX ? WIDTH_MAX : value;
}

static void parse_flags(struct source *source, struct spec *spec)
{
    for (;; source->at++) {
        switch (peek(source)) {
        case '-':
            spec->left = true;
            break;
        case '+':
            spec->plus = true;
            break;
        case ' ':
            spec->space = true;
            break;
        case '#':
            spec->alternate = true;
            break;
        case '0':
            spec->zero = true;
            break;
        default:
            return;
        }
    }
}

/* I64, I32 and I; the letter I is the current one. */
static void parse_microsoft_size(struct source *source, struct spec *spec)
{
    source->at++;
    spec->bytes = 8;
    if (peek(source) == '6') {
        source->at++;
        source->at += peek(source) == '4';
    } else if (peek(source) == '3') {
        source->at++;
        source->at += peek(source) == '2';
        spec->bytes = 4;
    }
}

static void parse_size(struct source *source, struct spec *spec)
{
    for (;; source->at++) {
        switch (peek(source)) {
        case 'h':
            spec->text = NARROW;
            spec->bytes = spec->bytes == 2 ? 1 : 2;
            break;
        case 'l': /* ll has 64 bits, l has 32 */
            spec->bytes = spec->text == WIDE ? 8 : 4;
            spec->text = WIDE;
            break;
        case 'w':
            spec->text = WIDE;
            break;
        case 'z':
        case 'j':
        case 't':
            spec->bytes = 8;
            break;
        case 'I':
            parse_microsoft_size(source, spec);
            return;
        case 'L':
            break;
        default:
            return;
        }
    }
}

static void convert(struct format_sink *sink, struct spec *spec, uint32_t conversion,
                    __builtin_ms_va_list *arguments)
{
    switch (conversion) {
    case 'd':
    case 'i':
        put_integer(sink, spec, 'd', take_argument(arguments));
        break;
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        put_integer(sink, spec, (char)conversion, take_argument(arguments));
        break;
    case 'p':
        spec->bytes = 8;
        spec->has_precision = true;
        spec->precision = 16;
        put_integer(sink, spec, 'p', take_argument(arguments));
        break;
    case 's':
    case 'S':
        put_string(sink, spec, take_argument(arguments), conversion == 'S');
        break;
    case 'c':
    case 'C':
        put_one_character(sink, spec, take_argument(arguments), conversion == 'C');
        break;
    case 'Z':
        put_counted_string(sink, spec, take_argument(arguments));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_double(sink, spec, (char)conversion, take_argument(arguments));
        break;
    case 'n': /* never written to, as on Windows */
        take_argument(arguments);
        break;
    default: /* also "%%" */
        put_character(sink, sink->wide, conversion);
        break;
    }
}

void format_run(struct format_sink *sink, const void *format, __builtin_ms_va_list arguments)
{
    struct source source = {.format = format, .wide = sink->wide};
    bool negative;

    while (peek(&source) != 0) {
        struct spec spec = {.bytes = 4};
        if (peek(&source) != '%') {
            put(sink, peek(&source));
            source.at++;
            continue;
        }
        source.at++;
        parse_flags(&source, &spec);
        spec.width = parse_count(&source, &arguments, &negative);
        spec.left = spec.left || negative;
        if (peek(&source) == '.') {
            source.at++;
            spec.precision = parse_count(&source, &arguments, &negative);
            spec.has_precision = !negative;
        }
        parse_size(&source, &spec);
        if (peek(&source) == 0) {
            break;
        }
        convert(sink, &spec, peek(&source), &arguments);
        source.at++;
    }
}

int nt_format(char *out, size_t size, const char *format, __builtin_ms_va_list arguments)
{
    struct format_sink sink = {.out = out, .capacity = size > 0 ? size - 1 : 0};

    format_run(&sink, format, arguments);
    if (size > 0) {
        out[sink.count < size ? sink.count : size - 1] = 0;
    }
    return (int)sink.count;
}
