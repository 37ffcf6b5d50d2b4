/* nt/registry_text.c: the registry as text, read and written.
 *
 * The format is in nt.h. A text is parsed twice: first only checked, then applied, so that a text
 * with an error changes nothing. The text is foreign: nothing in it is trusted. */
#include "nt/internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REGISTRY_TEXT_MAX (64u << 20)

struct parser {
    const char *at, *end;
    unsigned line;
    bool apply;
    struct registry_key *key; /* of the section; NULL when only checking */
    bool in_section;          /* a section is open */
    struct nt_registry_error *error;
};

/* Bytes that grow. */
struct buffer {
    char *bytes;
    size_t size, capacity;
};

static bool buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
    if (size > buffer->capacity - buffer->size) {
        size_t capacity = (buffer->capacity + size) * 2 + 64;
        char *grown = realloc(buffer->bytes, capacity);
        if (!grown) {
            return false;
        }
        buffer->bytes = grown;
        buffer->capacity = capacity;
    }
    if (size) {
        memcpy(buffer->bytes + buffer->size, bytes, size);
    }
    buffer->size += size;
    return true;
}

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *parser, const char *format,
                                                       ...)
{
    va_list arguments;

    if (parser->error) {
        parser->error->line = parser->line;
        va_start(arguments, format);
        vsnprintf(parser->error->text, sizeof(parser->error->text), format, arguments);
        va_end(arguments);
    }
    return false;
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t')) {
        parser->at++;
    }
}

static bool at_line_end(const struct parser *parser)
{
    return parser->at == parser->end || *parser->at == '\n' || *parser->at == '\r';
}

static void next_line(struct parser *parser)
{
    while (parser->at < parser->end && *parser->at != '\n') {
        parser->at++;
    }
    if (parser->at < parser->end) {
        parser->at++;
    }
    parser->line++;
}

static bool expect_line_end(struct parser *parser)
{
    skip_blanks(parser);
    if (!at_line_end(parser) && *parser->at != ';') {
        return fail(parser, "unexpected text after the end of the item");
    }
    next_line(parser);
    return true;
}

static bool take(struct parser *parser, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(parser->end - parser->at) < length || strncasecmp(parser->at, word, length) != 0) {
        return false;
    }
    parser->at += length;
    return true;
}

/* A text between quotes; the opening quote is the current character. */
static bool parse_quoted(struct parser *parser, struct buffer *out)
{
    parser->at++;
    while (!at_line_end(parser) && *parser->at != '"') {
        if (*parser->at == '\\' && parser->at + 1 < parser->end &&
            (parser->at[1] == '\\' || parser->at[1] == '"')) {
            parser->at++;
        }
        if (*parser->at == 0) {
            return fail(parser, "a zero byte inside quotes");
        }
        if (!buffer_add(out, parser->at, 1)) {
            return fail(parser, "out of memory");
        }
        parser->at++;
    }
    if (at_line_end(parser)) {
        return fail(parser, "the closing quote is missing");
    }
    parser->at++;
    return buffer_add(out, "", 1) || fail(parser, "out of memory");
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if ((c | 32) >= 'a' && (c | 32) <= 'f') {
        return (c | 32) - 'a' + 10;
    }
    return -1;
}

static bool parse_hex(struct parser *parser, unsigned digits_max, uint64_t *value)
{
    unsigned digits = 0;

    *value = 0;
    while (parser->at < parser->end && hex_digit(*parser->at) >= 0) {
        if (++digits > digits_max) {
            return fail(parser, "more than %u hexadecimal digits", digits_max);
        }
        *value = *value << 4 | (unsigned)hex_digit(*parser->at++);
    }
    return digits > 0 || fail(parser, "a hexadecimal number is missing");
}

/* 01,02,ff - a line may end in ,\ and go on below. */
static bool parse_bytes(struct parser *parser, struct buffer *out)
{
    for (;;) {
        uint64_t value;
        uint8_t byte;
        skip_blanks(parser);
        if (at_line_end(parser) && out->size == 0) {
            return true;
        }
        if (!parse_hex(parser, 2, &value)) {
            return false;
        }
        byte = (uint8_t)value;
        if (!buffer_add(out, &byte, 1)) {
            return fail(parser, "out of memory");
        }
        skip_blanks(parser);
        if (parser->at == parser->end || *parser->at != ',') {
            return true;
        }
        parser->at++;
        skip_blanks(parser);
        if (parser->at < parser->end && *parser->at == '\\') {
            parser->at++;
            skip_blanks(parser);
            if (!at_line_end(parser)) {
                return fail(parser, "text after the \\ that continues the line");
            }
            next_line(parser);
        }
    }
}

static bool add_wide(struct parser *parser, struct buffer *out, const char *text)
{
    size_t size;
    uint16_t *wide = text_to_wide(text, strlen(text), &size);
    bool ok = wide && buffer_add(out, wide, size + sizeof(*wide));

    free(wide);
    return ok || fail(parser, "out of memory");
}

static bool parse_text_value(struct parser *parser, struct buffer *out)
{
    struct buffer text = {0};
    bool ok = (parser->at < parser->end && *parser->at == '"')
                  ? parse_quoted(parser, &text) && add_wide(parser, out, text.bytes)
                  : fail(parser, "a text in quotes is missing");

    free(text.bytes);
    return ok;
}

static bool parse_multi(struct parser *parser, struct buffer *out)
{
    static const uint16_t end = 0;

    skip_blanks(parser);
    while (!at_line_end(parser) && *parser->at != ';') {
        if (!parse_text_value(parser, out)) {
            return false;
        }
        skip_blanks(parser);
        if (parser->at == parser->end || *parser->at != ',') {
            break;
        }
        parser->at++;
        skip_blanks(parser);
    }
    return buffer_add(out, &end, sizeof(end)) || fail(parser, "out of memory");
}

static bool parse_number(struct parser *parser, unsigned bytes, struct buffer *out)
{
    uint64_t value;

    if (!parse_hex(parser, bytes * 2, &value)) {
        return false;
    }
    return buffer_add(out, &value, bytes) || fail(parser, "out of memory");
}

static bool parse_typed_hex(struct parser *parser, uint32_t *type, struct buffer *out)
{
    uint64_t number;

    if (!parse_hex(parser, 8, &number)) {
        return false;
    }
    *type = (uint32_t)number;
    if (!take(parser, "):")) {
        return fail(parser, "\"):\" is missing after the type's number");
    }
    return parse_bytes(parser, out);
}

static bool parse_data(struct parser *parser, uint32_t *type, struct buffer *out)
{
    if (parser->at < parser->end && *parser->at == '"') {
        *type = REG_SZ;
        return parse_text_value(parser, out);
    }
    if (take(parser, "dword:")) {
        *type = REG_DWORD;
        return parse_number(parser, 4, out);
    }
    if (take(parser, "qword:")) {
        *type = REG_QWORD;
        return parse_number(parser, 8, out);
    }
    if (take(parser, "expand:")) {
        *type = REG_EXPAND_SZ;
        return parse_text_value(parser, out);
    }
    if (take(parser, "multi:")) {
        *type = REG_MULTI_SZ;
        return parse_multi(parser, out);
    }
    if (take(parser, "hex:")) {
        *type = REG_BINARY;
        return parse_bytes(parser, out);
    }
    if (take(parser, "hex(")) {
        return parse_typed_hex(parser, type, out);
    }
    return fail(parser, "unknown kind of value; known are \"text\", dword:, qword:, expand:, "
                        "multi:, hex:, hex(N): and -");
}

static bool parse_named_value(struct parser *parser, const char *name)
{
    struct buffer data = {0};
    uint32_t type = 0;
    bool ok = false, removes;

    skip_blanks(parser);
    if (!take(parser, "=")) {
        return fail(parser, "\"=\" is missing after the name");
    }
    skip_blanks(parser);
    removes = take(parser, "-");
    if ((!removes && !parse_data(parser, &type, &data)) || !expect_line_end(parser)) {
        goto out;
    }
    ok = true;
    if (parser->apply && removes) {
        registry_value_delete(parser->key, name);
    } else if (parser->apply) {
        ok = NT_SUCCESS(registry_value_set(parser->key, name, type, data.bytes, data.size)) ||
             fail(parser, "out of memory");
    }
out:
    free(data.bytes);
    return ok;
}

static bool parse_value(struct parser *parser)
{
    struct buffer name = {0};
    bool ok;

    if (!parser->in_section) {
        return fail(parser, "a value before the first [key]");
    }
    if (take(parser, "@")) {
        return parse_named_value(parser, "");
    }
    ok = parse_quoted(parser, &name);
    if (ok && name.size > REGISTRY_VALUE_NAME_MAX) {
        ok = fail(parser, "the value's name is too long");
    }
    ok = ok && parse_named_value(parser, name.bytes);
    free(name.bytes);
    return ok;
}

static bool check_path(struct parser *parser, const char *path)
{
    unsigned depth = 0;

    if (*path != '\\' && strncasecmp(path, "HK", 2) != 0) {
        return fail(parser, "a key begins with \\Registry\\ or HKEY_LOCAL_MACHINE\\");
    }
    while (*path) {
        size_t length = strcspn(path, "\\");
        if (length > REGISTRY_KEY_NAME_MAX) {
            return fail(parser, "a part of the key's path is too long");
        }
        if (length && ++depth > REGISTRY_DEPTH_MAX) {
            return fail(parser, "the key's path is too deep");
        }
        path += length + (path[length] == '\\');
    }
    return depth > 0 || fail(parser, "the key's path is empty");
}

static bool open_section(struct parser *parser, const char *path, bool removes)
{
    struct registry_key *key;

    parser->in_section = !removes;
    if (!parser->apply) {
        return true;
    }
    if (removes) {
        key = registry_key_find(NULL, path);
        if (key) {
            registry_key_delete_tree(key);
        }
        parser->key = NULL;
        return true;
    }
    parser->key = registry_key_make(NULL, path, NULL);
    return parser->key || fail(parser, "the key cannot be made");
}

static bool parse_section(struct parser *parser)
{
    const char *begin, *end;
    bool removes, ok;
    char *path;

    parser->at++;
    removes = take(parser, "-");
    begin = end = parser->at;
    while (!at_line_end(parser)) {
        if (*parser->at == ']') {
            end = parser->at; /* the last one: a key's name may hold brackets */
        }
        parser->at++;
    }
    if (end == begin) {
        return fail(parser, "\"]\" or the key's path is missing");
    }
    parser->at = end + 1;
    if (memchr(begin, 0, (size_t)(end - begin))) {
        return fail(parser, "a zero byte in the key's path");
    }
    path = strndup(begin, (size_t)(end - begin));
    if (!path) {
        return fail(parser, "out of memory");
    }
    ok = check_path(parser, path) && open_section(parser, path, removes) && expect_line_end(parser);
    free(path);
    return ok;
}

static bool parse_all(const char *text, size_t size, bool apply, struct nt_registry_error *error)
{
    struct parser parser = {
        .at = text, .end = text + size, .line = 1, .apply = apply, .error = error};

    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        parser.at += 3;
    }
    while (parser.at < parser.end) {
        bool ok = true;
        skip_blanks(&parser);
        if (at_line_end(&parser) || *parser.at == ';' || *parser.at == '#' ||
            (parser.line == 1 &&
             (take(&parser, "Windows Registry Editor") || take(&parser, "REGEDIT4")))) {
            next_line(&parser);
        } else if (*parser.at == '[') {
            ok = parse_section(&parser);
        } else if (*parser.at == '"' || *parser.at == '@') {
            ok = parse_value(&parser);
        } else {
            ok = fail(&parser, "expected [key], \"name\"=value or a comment");
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

bool nt_registry_load_text(const char *text, size_t size, struct nt_registry_error *error)
{
    char *converted = NULL;
    bool ok;

    if (error) {
        *error = (struct nt_registry_error){0};
    }
    if (size > REGISTRY_TEXT_MAX) {
        if (error) {
            snprintf(error->text, sizeof(error->text), "the text is larger than 64 MiB");
        }
        return false;
    }
    /* What regedit exports is UTF-16 with a byte order mark. */
    if (size >= 2 && memcmp(text, "\xFF\xFE", 2) == 0) {
        size_t count = (size - 2) / 2, room = count * 3 + 1;
        uint16_t *wide = malloc(count * 2 + 2);
        converted = malloc(room);
        if (wide && converted) {
            memcpy(wide, text + 2, count * 2);
            size = nt_text_from_wide(wide, count, converted, room);
            text = converted;
        }
        free(wide);
    }
    ok = parse_all(text, size, false, error) && parse_all(text, size, true, error);
    free(converted);
    return ok;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

/* True if the data is a text with one zero at its end that survives being written in quotes. */
static bool write_as_text(FILE *out, const struct registry_value *value)
{
    size_t count = value->size / 2;
    uint16_t *wide;
    char *text = NULL;

    if (value->size % 2 || count == 0) {
        return false;
    }
    wide = malloc(value->size);
    if (wide) {
        bool plain;
        memcpy(wide, value->data, value->size);
        plain = wide[count - 1] == 0;
        for (size_t i = 0; i + 1 < count; i++) {
            plain = plain && wide[i] >= 0x20;
        }
        text = plain ? malloc(count * 3) : NULL;
        if (text) {
            nt_text_from_wide(wide, count - 1, text, count * 3);
            write_quoted(out, text);
        }
        free(wide);
    }
    free(text);
    return text != NULL;
}

static void write_value(FILE *out, const struct registry_value *value)
{
    uint64_t number = 0;

    if (value->name.text[0]) {
        write_quoted(out, value->name.text);
    } else {
        fputc('@', out);
    }
    fputc('=', out);
    if (value->type == REG_DWORD && value->size == 4) {
        memcpy(&number, value->data, 4);
        fprintf(out, "dword:%08x\n", (unsigned)number);
        return;
    }
    if (value->type == REG_QWORD && value->size == 8) {
        memcpy(&number, value->data, 8);
        fprintf(out, "qword:%016llx\n", (unsigned long long)number);
        return;
    }
    if (value->type == REG_SZ && write_as_text(out, value)) {
        fputc('\n', out);
        return;
    }
    if (value->type == REG_BINARY) {
        fprintf(out, "hex:");
    } else {
        fprintf(out, "hex(%x):", value->type);
    }
    for (size_t i = 0; i < value->size; i++) {
        fprintf(out, "%s%02x", i ? "," : "", value->data[i]);
    }
    fputc('\n', out);
}

static void write_key(FILE *out, const struct registry_key *key)
{
    char path[REGISTRY_PATH_MAX];

    if (key->parent && registry_key_path(key, path, sizeof(path)) &&
        (!list_empty(&key->values) || list_empty(&key->children))) {
        fprintf(out, "[%s]\n", path);
        list_for_each (link, &key->values) {
            write_value(out, container_of(link, struct registry_value, link));
        }
        fputc('\n', out);
    }
    list_for_each (link, &key->children) {
        write_key(out, container_of(link, struct registry_key, link));
    }
}

char *nt_registry_dump(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out) {
        return NULL;
    }
    write_key(out, registry_root());
    fclose(out);
    return text;
}
