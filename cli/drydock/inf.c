/* The form of .inf files: sections of lines of fields, and strings that stand for others.
 *
 * The bytes are foreign. They become one text in UTF-8, of which each line remembers where it lies;
 * a line is taken apart when somebody asks for it. */
#include "inf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINES_MAX  65536
#define LINE_BYTES 65536 /* with all its strings put in */

struct line {
    const char *text; /* without what goes before; a comment may follow */
    unsigned number, section;
};

struct inf {
    char *text;
    const char *sections[LINES_MAX / 16];
    unsigned section_count;
    struct line *lines;
    unsigned line_count;
    char taken[LINE_BYTES]; /* the line that was asked for last */
    size_t used;
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

static void put_utf8(char **to, uint32_t c)
{
    if (c < 0x80) {
        *(*to)++ = (char)c;
    } else if (c < 0x800) {
        *(*to)++ = (char)(0xC0 | c >> 6);
        *(*to)++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *(*to)++ = (char)(0xE0 | c >> 12);
        *(*to)++ = (char)(0x80 | (c >> 6 & 0x3F));
        *(*to)++ = (char)(0x80 | (c & 0x3F));
    } else {
        *(*to)++ = (char)(0xF0 | c >> 18);
        *(*to)++ = (char)(0x80 | (c >> 12 & 0x3F));
        *(*to)++ = (char)(0x80 | (c >> 6 & 0x3F));
        *(*to)++ = (char)(0x80 | (c & 0x3F));
    }
}

/* Of little-endian words; what is half a pair is a question mark. */
static void convert_words(const uint8_t *bytes, size_t size, char *to)
{
    for (size_t i = 0; i + 1 < size; i += 2) {
        uint32_t c = bytes[i] | (uint32_t)bytes[i + 1] << 8;
        if (c >= 0xD800 && c < 0xDC00 && i + 3 < size && (bytes[i + 3] & 0xFC) == 0xDC) {
            uint32_t low = bytes[i + 2] | (uint32_t)bytes[i + 3] << 8;
            c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
            i += 2;
        } else if ((c & 0xF800) == 0xD800) {
            c = '?';
        }
        put_utf8(&to, c ? c : '?');
    }
    *to = '\0';
}

/* As one text without zeros; NULL: no memory. */
static char *make_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size * 2 + 1);

    if (!text) {
        return NULL;
    }
    if (size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xFE) {
        convert_words(bytes + 2, size - 2, text);
        return text;
    }
    size_t skipped = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (size_t i = skipped; i < size; i++) {
        text[i - skipped] = bytes[i] ? (char)bytes[i] : '?';
    }
    text[size - skipped] = '\0';
    return text;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\f\v");
}

/* Where the line ends for who reads it: at a comment outside of quotes. */
static size_t line_length(const char *text)
{
    bool quoted = false;
    size_t i = 0;

    for (; text[i] && text[i] != '\n'; i++) {
        quoted ^= text[i] == '"';
        if (text[i] == ';' && !quoted) {
            break;
        }
    }
    while (i > 0 && strchr(" \t\r\f\v", text[i - 1])) {
        i--;
    }
    return i;
}

static bool goes_on(const char *text, size_t length)
{
    return length > 0 && text[length - 1] == '\\' && (length < 2 || text[length - 2] != '"');
}

/* Takes the end of a line away, and its comment, where it goes on in the next. */
static void join_lines(char *text)
{
    for (char *line = text; *line;) {
        size_t length = line_length(line), all = strcspn(line, "\n");
        if (goes_on(line, length) && line[all] == '\n') {
            memset(line + length - 1, ' ', all - length + 2);
        } else {
            line += all + (line[all] == '\n');
        }
    }
}

static unsigned find_section(const struct inf *inf, const char *name, size_t length)
{
    unsigned i = 0;

    while (i < inf->section_count &&
           (strncasecmp(inf->sections[i], name, length) != 0 || inf->sections[i][length] != '\0')) {
        i++;
    }
    return i;
}

/* The one that "[name]" begins; the count of all if there are too many. */
static unsigned enter_section(struct inf *inf, const char *text)
{
    size_t length = strcspn(text + 1, "]\n");
    unsigned index = find_section(inf, text + 1, length);

    if (index == inf->section_count &&
        inf->section_count < sizeof inf->sections / sizeof inf->sections[0]) {
        inf->sections[index] = strndup(text + 1, length);
        inf->section_count += inf->sections[index] != NULL;
    }
    return index;
}

static bool list_lines(struct inf *inf, char *error, size_t error_size)
{
    unsigned number = 1, section = UINT32_MAX;

    for (const char *at = inf->text; *at; number++) {
        const char *text = skip_blanks(at);
        if (*text == '[') {
            section = enter_section(inf, text);
        } else if (line_length(text) > 0 && section < inf->section_count) {
            if (inf->line_count == LINES_MAX) {
                snprintf(error, error_size, "more than %d lines", LINES_MAX);
                return false;
            }
            inf->lines[inf->line_count++] = (struct line){text, number, section};
        }
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return true;
}

struct inf *inf_read(const void *bytes, size_t size, char *error, size_t error_size)
{
    struct inf *inf = calloc(1, sizeof *inf);

    snprintf(error, error_size, "out of memory");
    if (inf) {
        inf->text = make_text(bytes, size);
        inf->lines = calloc(LINES_MAX, sizeof *inf->lines);
    }
    if (!inf || !inf->text || !inf->lines) {
        inf_close(inf);
        return NULL;
    }
    join_lines(inf->text);
    if (!list_lines(inf, error, error_size)) {
        inf_close(inf);
        return NULL;
    }
    if (!inf_has(inf, "Version")) {
        snprintf(error, error_size, "no section [Version]: it is no setup information file");
        inf_close(inf);
        return NULL;
    }
    return inf;
}

void inf_close(struct inf *inf)
{
    if (inf) {
        for (unsigned i = 0; i < inf->section_count; i++) {
            free((char *)(uintptr_t)inf->sections[i]);
        }
        free(inf->lines);
        free(inf->text);
        free(inf);
    }
}

bool inf_has(const struct inf *inf, const char *section)
{
    return find_section(inf, section, strlen(section)) < inf->section_count;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static void put(struct inf *inf, const char *text, size_t length)
{
    if (length < LINE_BYTES - inf->used) {
        memcpy(inf->taken + inf->used, text, length);
        inf->used += length;
    }
}

/* Folders that numbers stand for. */
static const char *folder_of(const char *name, size_t length)
{
    static const struct {
        const char *number, *folder;
    } folders[] = {{"10", "C:\\Windows"},
                   {"11", "C:\\Windows\\System32"},
                   {"12", "C:\\Windows\\System32\\drivers"},
                   {"13", "C:\\Windows\\System32\\DriverStore\\FileRepository"}};

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (strlen(folders[i].number) == length && memcmp(folders[i].number, name, length) == 0) {
            return folders[i].folder;
        }
    }
    return NULL;
}

/* What %name% is in [Strings]; no strings stand in there. NULL: nothing. */
static const char *string_of(const struct inf *inf, const char *name, size_t length, size_t *size)
{
    unsigned section = find_section(inf, "Strings", strlen("Strings"));

    for (unsigned i = 0; i < inf->line_count; i++) {
        const char *text = inf->lines[i].text;
        if (inf->lines[i].section != section || strncasecmp(text, name, length) != 0) {
            continue;
        }
        const char *value = skip_blanks(text + length);
        if (*value != '=') {
            continue;
        }
        value = skip_blanks(value + 1);
        size_t end = line_length(value);
        if (*value == '"') {
            value++;
            end = strcspn(value, "\"\n");
        }
        *size = end;
        return value;
    }
    return NULL;
}

/* What begins with a percent sign; where it ends. */
static const char *put_string(struct inf *inf, const char *at)
{
    size_t length = strcspn(at + 1, "%\n\""), size = 0;
    const char *text;

    if (at[1 + length] != '%') {
        put(inf, at, 1);
        return at + 1;
    }
    if (length == 0) {
        put(inf, "%", 1);
    } else if ((text = string_of(inf, at + 1, length, &size)) != NULL) {
        put(inf, text, size);
    } else if ((text = folder_of(at + 1, length)) != NULL) {
        put(inf, text, strlen(text));
    } else {
        put(inf, at, length + 2);
    }
    return at + length + 2;
}

/* One field, up to a separator; where that is. */
static const char *put_field(struct inf *inf, const char *at, const char *end, bool key)
{
    bool quoted = false;
    size_t begin = inf->used, kept = begin; /* blanks at the end go, unless quoted */

    for (at = skip_blanks(at); at < end;) {
        if (!quoted && (*at == ',' || (*at == '=' && key))) {
            break;
        }
        if (*at == '"' && quoted && at + 1 < end && at[1] == '"') {
            put(inf, "\"", 1);
            at += 2;
        } else if (*at == '"') {
            quoted = !quoted;
            at++;
            kept = inf->used;
            continue;
        } else if (*at == '%') {
            at = put_string(inf, at);
        } else {
            put(inf, at++, 1);
            if (!quoted && strchr(" \t", at[-1])) {
                continue;
            }
        }
        kept = inf->used;
    }
    inf->used = kept;
    put(inf, "", 1);
    return at;
}

/* Is there an equals sign outside of quotes before the first comma? */
static bool has_key(const char *at, const char *end)
{
    bool quoted = false;

    for (; at < end && (quoted || *at != ','); at++) {
        quoted ^= *at == '"';
        if (*at == '=' && !quoted) {
            return true;
        }
    }
    return false;
}

static void take_apart(struct inf *inf, const char *text, struct inf_line *line)
{
    const char *end = text + line_length(text), *at = text;

    inf->used = 0;
    line->key = NULL;
    line->field_count = 0;
    if (has_key(at, end)) {
        line->key = inf->taken;
        at = put_field(inf, at, end, true) + 1;
    }
    while (at <= end && line->field_count < INF_FIELDS_MAX && inf->used < LINE_BYTES - 1) {
        line->fields[line->field_count++] = inf->taken + inf->used;
        at = put_field(inf, at, end, false) + 1;
    }
    inf->taken[LINE_BYTES - 1] = '\0';
}

/* Lines stand in the order of their numbers. */
static unsigned first_behind(const struct inf *inf, unsigned number)
{
    unsigned low = 0, high = inf->line_count;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (inf->lines[middle].number > number) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

bool inf_next(struct inf *inf, const char *section, struct inf_line *line)
{
    unsigned wanted = find_section(inf, section, strlen(section));

    for (unsigned i = first_behind(inf, line->number); i < inf->line_count; i++) {
        if (inf->lines[i].section == wanted && inf->lines[i].number > line->number) {
            line->number = inf->lines[i].number;
            take_apart(inf, inf->lines[i].text, line);
            return true;
        }
    }
    return false;
}
