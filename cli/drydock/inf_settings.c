/* What a setup information file sets in the registry, as text that the registry reads. */
#include "inf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "host/host.h"
#include "nt/nt.h"

#define FILE_BYTES_MAX (4u << 20)
#define NAME_MAX_BYTES 512
#define SECTIONS_MAX   32 /* of one directive */

/* Flags of AddReg. */
#define ADDREG_BINARY      0x00000001u
#define ADDREG_DELETE      0x00000004u
#define ADDREG_APPEND      0x00000008u
#define ADDREG_KEY_ONLY    0x00000010u
#define ADDREG_TYPE        0xFFFF0001u
#define ADDREG_MULTI       0x00010000u
#define ADDREG_EXPAND      0x00020000u
#define ADDREG_DWORD       0x00010001u
#define ADDREG_QWORD       0x000B0001u
#define ADDREG_NONE        0x00020001u
#define SERVICE_ASSOCIATED 0x00000002u

#define SOFTWARE_KEY                                                   \
    "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\" \
    "{4d36e968-e325-11ce-bfc1-08002be10318}\\0000"

#define LINES_MAX      50000u
#define TEXT_BYTES_MAX (16 << 20)

struct reader {
    struct inf *inf;
    FILE *to;             /* where values go */
    const char *relative; /* what HKR is */
    unsigned values, left_out;
    unsigned lines; /* that were looked at: a section may be named again and again */
    bool too_much;
    char why[96]; /* the first that was left out */
};

/* Hexadecimal behind 0x, else decimal: a zero in front means nothing. */
static uint64_t number_of(const char *text)
{
    bool is_hex = text[0] == '0' && (text[1] | 32) == 'x';

    return text[0] == '-' ? (uint64_t)strtoll(text, NULL, 10)
                          : strtoull(text, NULL, is_hex ? 16 : 10);
}

static const char *field(const struct inf_line *line, unsigned index)
{
    return index < line->field_count ? line->fields[index] : "";
}

static void leave_out(struct reader *reader, const char *what, const char *name)
{
    if (reader->left_out++ == 0) {
        snprintf(reader->why, sizeof reader->why, "%s %.64s", what, name);
    }
}

/* ---- A value --------------------------------------------------------------------------------- */

static void put_quoted(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', to);
        }
        fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
    }
    fputc('"', to);
}

static void put_bytes(FILE *to, const struct inf_line *line, uint32_t type)
{
    fprintf(to, "hex(%x):", (unsigned)type);
    for (unsigned i = 4; i < line->field_count; i++) {
        fprintf(to, "%s%02x", i > 4 ? "," : "",
                (unsigned)strtoull(line->fields[i], NULL, 16) & 0xFFu);
    }
}

/* One number, or its bytes in hexadecimal, the lowest first. */
static void put_number(FILE *to, const struct inf_line *line, unsigned bytes)
{
    uint64_t value = 0;

    if (line->field_count >= 4 + bytes) {
        for (unsigned i = 0; i < bytes; i++) {
            value |= (strtoull(line->fields[4 + i], NULL, 16) & 0xFF) << 8 * i;
        }
    } else {
        value = number_of(field(line, 4));
    }
    if (bytes == 4) {
        fprintf(to, "dword:%08x", (unsigned)(uint32_t)value);
    } else {
        fprintf(to, "qword:%016llx", (unsigned long long)value);
    }
}

static void put_value(FILE *to, const struct inf_line *line, uint32_t flags)
{
    switch (flags & ADDREG_TYPE) {
    case 0:
        put_quoted(to, field(line, 4));
        break;
    case ADDREG_EXPAND:
        fputs("expand:", to);
        put_quoted(to, field(line, 4));
        break;
    case ADDREG_MULTI:
        fputs(line->field_count > 4 ? "multi:" : "hex(7):00,00", to);
        for (unsigned i = 4; i < line->field_count; i++) {
            fputs(i > 4 ? "," : "", to);
            put_quoted(to, line->fields[i]);
        }
        break;
    case ADDREG_DWORD:
        put_number(to, line, 4);
        break;
    case ADDREG_QWORD:
        put_number(to, line, 8);
        break;
    case ADDREG_NONE:
        put_bytes(to, line, 0);
        break;
    default:
        put_bytes(to, line, flags >> 16 ? flags >> 16 : 3);
    }
}

/* ---- AddReg ---------------------------------------------------------------------------------- */

/* The key that "root,subkey" is; false: none of the machine's. */
static bool find_key(const struct reader *reader, const struct inf_line *line,
                     char key[NAME_MAX_BYTES])
{
    const char *root = field(line, 0), *below = field(line, 1);
    const char *above = strcasecmp(root, "HKR") == 0    ? reader->relative
                        : strcasecmp(root, "HKLM") == 0 ? "\\Registry\\Machine"
                                                        : NULL;
    size_t length = strcspn(below, "]\r\n");

    if (!above || below[length] != '\0') {
        return false;
    }
    int size = snprintf(key, NAME_MAX_BYTES, "%s%s%s", above, *below ? "\\" : "", below);
    return size > 0 && size < NAME_MAX_BYTES;
}

static void add_value(struct reader *reader, const struct inf_line *line)
{
    uint32_t flags = (uint32_t)number_of(field(line, 3));
    const char *name = field(line, 2);
    char key[NAME_MAX_BYTES];

    if (!find_key(reader, line, key)) {
        leave_out(reader, "a value below", field(line, 0));
        return;
    }
    if (flags & (ADDREG_DELETE | ADDREG_APPEND) && !(flags & ADDREG_KEY_ONLY)) {
        leave_out(reader, "what changes the value", name);
        return;
    }
    fprintf(reader->to, "[%s]\n", key);
    if (flags & ADDREG_KEY_ONLY || (!*name && line->field_count < 5)) {
        return;
    }
    if (*name) {
        put_quoted(reader->to, name);
    } else {
        fputc('@', reader->to);
    }
    fputc('=', reader->to);
    put_value(reader->to, line, flags);
    fputc('\n', reader->to);
    reader->values++;
}

/* Files are foreign: short ones can ask for very much. */
static bool is_full(struct reader *reader)
{
    reader->too_much |= reader->lines++ >= LINES_MAX || ftell(reader->to) > TEXT_BYTES_MAX;
    return reader->too_much;
}

static void add_section(struct reader *reader, const char *section)
{
    struct inf_line line = {0};

    if (!inf_has(reader->inf, section)) {
        leave_out(reader, "the section", section);
    }
    while (!is_full(reader) && inf_next(reader->inf, section, &line)) {
        add_value(reader, &line);
    }
}

/* All sections that the directives of that name in the section name. */
static void add_all(struct reader *reader, const char *section, const char *directive)
{
    char names[SECTIONS_MAX][INF_NAME_MAX];
    struct inf_line line = {0};

    while (!is_full(reader) && inf_next(reader->inf, section, &line)) {
        if (line.key && (strcasecmp(line.key, "Needs") == 0)) {
            leave_out(reader, "what another file has:", field(&line, 0));
        }
        if (!line.key || strcasecmp(line.key, directive) != 0) {
            continue;
        }
        unsigned count = line.field_count < SECTIONS_MAX ? line.field_count : SECTIONS_MAX;
        for (unsigned i = 0; i < count; i++) {
            snprintf(names[i], INF_NAME_MAX, "%s", line.fields[i]);
        }
        for (unsigned i = 0; i < count; i++) {
            add_section(reader, names[i]);
        }
    }
}

/* ---- Which sections -------------------------------------------------------------------------- */

static bool is_for_processor(const char *decoration)
{
    return strncasecmp(decoration, "NTamd64", 7) == 0 || strcasecmp(decoration, "NT$ARCH$") == 0;
}

/* The models section that the first manufacturer has for this processor; empty: none. */
static void find_models(struct inf *inf, char models[INF_NAME_MAX])
{
    struct inf_line line = {0};

    models[0] = '\0';
    while (!models[0] && inf_next(inf, "Manufacturer", &line)) {
        const char *best = NULL;
        for (unsigned i = 1; i < line.field_count; i++) {
            best = !best && is_for_processor(line.fields[i]) ? line.fields[i] : best;
        }
        if (best) {
            snprintf(models, INF_NAME_MAX, "%.120s.%.120s", field(&line, 0), best);
        } else if (line.field_count < 2 || inf_has(inf, field(&line, 0))) {
            snprintf(models, INF_NAME_MAX, "%.250s", field(&line, 0));
        }
        if (!inf_has(inf, models)) {
            models[0] = '\0';
        }
    }
}

/* The section of that name for this processor, for NT, or for all. */
static bool decorate(const struct inf *inf, const char *name, char found[INF_NAME_MAX])
{
    static const char *const endings[] = {".NTamd64", ".NT$ARCH$", ".NT", ""};

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(found, INF_NAME_MAX, "%.240s%s", name, endings[i]);
        if (inf_has(inf, found)) {
            return true;
        }
    }
    return false;
}

/* The driver's own service: who takes part in its device; its install section. */
static bool find_service(struct inf *inf, const char *services, char service[INF_NAME_MAX],
                         char section[INF_NAME_MAX])
{
    struct inf_line line = {0};

    while (inf_next(inf, services, &line)) {
        if (line.key && strcasecmp(line.key, "AddService") == 0 &&
            number_of(field(&line, 1)) & SERVICE_ASSOCIATED && *field(&line, 0) &&
            !strchr(field(&line, 0), '\\') && strlen(field(&line, 0)) < INF_NAME_MAX) {
            snprintf(service, INF_NAME_MAX, "%s", field(&line, 0));
            snprintf(section, INF_NAME_MAX, "%.250s", field(&line, 2));
            return true;
        }
    }
    return false;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void read_service(struct reader *reader, const char *install, struct inf_settings *settings)
{
    char name[INF_NAME_MAX + 16], section[INF_NAME_MAX], key[NAME_MAX_BYTES];

    snprintf(name, sizeof name, "%s.Services", install);
    if (find_service(reader->inf, name, settings->service, section)) {
        snprintf(key, sizeof key, "%s\\%s", NT_REGISTRY_SERVICES, settings->service);
        reader->relative = key;
        add_all(reader, section, "AddReg");
    }
}

static void describe(const struct reader *reader, const char *path, const char *model,
                     struct inf_settings *settings)
{
    int used = snprintf(settings->note, sizeof settings->note,
                        "%.64s: %u values of the model '%.96s'%s%.64s", file_base_name(path),
                        reader->values, model, settings->service[0] ? ", service " : "",
                        settings->service);

    if (reader->left_out > 0 && used > 0 && (size_t)used < sizeof settings->note) {
        snprintf(settings->note + used, sizeof settings->note - (size_t)used, "; left out: %s%s",
                 reader->why, reader->left_out > 1 ? " and others" : "");
    }
}

static bool read_model(struct reader *reader, const char *path, struct inf_settings *settings)
{
    char models[INF_NAME_MAX], install[INF_NAME_MAX], model[INF_NAME_MAX];
    char hardware[INF_NAME_MAX + 8];
    struct inf_line line = {0};
    size_t size;

    find_models(reader->inf, models);
    if (!models[0] || !inf_next(reader->inf, models, &line) ||
        !decorate(reader->inf, field(&line, 0), install)) {
        return false;
    }
    snprintf(model, sizeof model, "%.250s", line.key ? line.key : "");
    reader->to = open_memstream(&settings->text, &size);
    if (reader->to) {
        reader->relative = SOFTWARE_KEY;
        add_all(reader, install, "AddReg");
        read_service(reader, install, settings);
        fclose(reader->to);
    }
    reader->to = open_memstream(&settings->hardware, &size);
    if (reader->to) {
        reader->relative = HOST_HARDWARE_KEY;
        snprintf(hardware, sizeof hardware, "%s.HW", install);
        add_all(reader, hardware, "AddReg");
        fclose(reader->to);
    }
    describe(reader, path, model, settings);
    return true;
}

bool inf_settings_read(const char *path, struct inf_settings *settings, char *error,
                       size_t error_size)
{
    struct reader reader = {0};
    char why[128];
    void *bytes = NULL;
    size_t size;

    memset(settings, 0, sizeof *settings);
    if (!file_read(path, FILE_BYTES_MAX, &bytes, &size, error, error_size)) {
        return false;
    }
    reader.inf = inf_read(bytes, size, why, sizeof why);
    free(bytes);
    if (!reader.inf) {
        snprintf(error, error_size, "%s: %s", path, why);
        return false;
    }
    bool read = read_model(&reader, path, settings);
    inf_close(reader.inf);
    if (reader.too_much) {
        snprintf(error, error_size, "%s: installs more than %u lines, or than %u MiB of values",
                 path, LINES_MAX, TEXT_BYTES_MAX >> 20);
        return false;
    }
    if (!read) {
        snprintf(error, error_size, "%s: no model for x64 that has a section to install it", path);
    } else if (!settings->text || !settings->hardware) {
        snprintf(error, error_size, "%s: out of memory", path);
    }
    return read && settings->text && settings->hardware;
}
