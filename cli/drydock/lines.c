/* --lines: which lines of the driver's sources a run reached.
 *
 *     code of the image ── each offset asked ──> llvm-symbolizer ──> rows: a line begins here
 *     rows ──> loader_cover() in each part's process ──> a mark for each row ──> lcov's tracefile
 *
 * The debug data say where lines are, so nothing has to be built in another way. A row is where the
 * line, the file or the function is another than at the offset before: always the beginning of an
 * instruction. The marks are in memory that a part's process shares with this one; a driver that
 * wrote there would lie about nothing but its own lines. */
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "loader/loader.h"
#include "symbolizer.h"

#define CODE_BYTES_MAX (UINT64_C(8) << 20) /* each of which is a question */
#define ASKING_S       120
#define NEVER_SHOWN    6u

struct row {
    uint32_t offset, file, line, function;
    unsigned parts; /* that reached it */
};

struct function {
    char *name;
    uint64_t start;
    uint32_t file, line;
    unsigned parts;
};

static struct {
    struct row *rows;
    uint32_t *offsets; /* of the rows */
    size_t row_count, row_room;
    char **files;
    size_t file_count;
    struct function *functions;
    size_t function_count;
    struct loader_cover covers[PARTS_MAX];
    /* While the tool is asked. */
    const uint32_t *asked;
    size_t last_index; /* of the latest answer */
    bool out_of_memory;
} lines;

/* ---- Where lines begin ----------------------------------------------------------------------- */

/* Room for one more; NULL: out of memory. */
static void *grow(void *array, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* at each power of two */
    void *more = full ? realloc(array, (count ? count * 2 : 1) * size) : array;

    lines.out_of_memory |= more == NULL;
    return more;
}

static uint32_t file_index(const char *name)
{
    for (size_t i = lines.file_count; i-- > 0;) {
        if (strcmp(lines.files[i], name) == 0) {
            return (uint32_t)i;
        }
    }
    char **more = grow(lines.files, lines.file_count, sizeof *more);
    char *copy = more ? strdup(name) : NULL;
    lines.files = more ? more : lines.files;
    if (!copy) {
        lines.out_of_memory = true;
        return 0;
    }
    lines.files[lines.file_count] = copy;
    return (uint32_t)lines.file_count++;
}

static uint32_t function_index(const struct symbolizer_answer *answer, uint32_t file)
{
    for (size_t i = lines.function_count; i-- > 0;) {
        if (lines.functions[i].start == answer->function_start) {
            return (uint32_t)i;
        }
    }
    struct function *more = grow(lines.functions, lines.function_count, sizeof *more);
    char *name = more ? strdup(answer->function) : NULL;
    lines.functions = more ? more : lines.functions;
    if (!name) {
        lines.out_of_memory = true;
        return 0;
    }
    lines.functions[lines.function_count] = (struct function){
        .name = name,
        .start = answer->function_start,
        .file = file,
        .line = answer->function_line ? answer->function_line : answer->line,
    };
    return (uint32_t)lines.function_count++;
}

static uint64_t offset_of(void *context, size_t index)
{
    (void)context;
    return lines.asked[index];
}

static void take_answer(void *context, size_t index, const struct symbolizer_answer *answer)
{
    const struct row *last = lines.row_count ? &lines.rows[lines.row_count - 1] : NULL;
    bool follows = index == lines.last_index + 1;
    struct row row = {.offset = lines.asked[index], .line = answer->line};

    (void)context;
    /* Of no function is what fills the room between two. What an exception alone enters has the
     * lines of its function, and no exception leaves one of a driver. */
    if (lines.out_of_memory || answer->function_start == 0 || answer->unwinds) {
        return;
    }
    lines.last_index = index;
    /* Mostly the same as before, of some millions of answers. */
    row.file = last && strcmp(lines.files[last->file], answer->file) == 0
                   ? last->file
                   : file_index(answer->file);
    row.function = function_index(answer, row.file);
    if (follows && last && last->line == row.line && last->file == row.file &&
        last->function == row.function) {
        return;
    }
    struct row *more = grow(lines.rows, lines.row_count, sizeof *more);
    if (more) {
        lines.rows = more;
        lines.rows[lines.row_count++] = row;
    }
}

/* Each offset of the image's code, ascending; NULL: there is none, or too much. */
static uint32_t *list_code(const struct loader_image *image, size_t *count)
{
    uint64_t total = 0;
    uint32_t *offsets;
    size_t used = 0;

    for (size_t i = 0; i < image->section_count; i++) {
        total += image->sections[i].executable ? image->sections[i].size : 0;
    }
    offsets = total > 0 && total <= CODE_BYTES_MAX ? malloc(total * sizeof *offsets) : NULL;
    for (size_t i = 0; offsets && i < image->section_count; i++) {
        const struct loader_section *section = &image->sections[i];
        for (uint32_t k = 0; section->executable && k < section->size; k++) {
            offsets[used++] = section->rva + k;
        }
    }
    *count = used;
    return offsets;
}

static bool find_rows(const char *driver, const struct loader_image *image)
{
    size_t count;
    uint32_t *offsets = list_code(image, &count);

    lines.asked = offsets;
    bool all = offsets && symbolizer_ask(&(struct symbolizer_questions){
                              .driver = driver,
                              .seconds = ASKING_S,
                              .count = count,
                              .offset = offset_of,
                              .answer = take_answer,
                          });
    lines.asked = NULL;
    free(offsets);
    return all && !lines.out_of_memory;
}

bool lines_find(const struct options *options, char *error, size_t error_size)
{
    struct loader_image *image;
    struct loader_error why;

    if (!options->lines) {
        return true;
    }
    if (!options->argument) {
        snprintf(error, error_size, "--lines: name a driver; the built-in one has no debug data");
        return false;
    }
    if (!loader_inspect_file(options->argument, &image, &why)) {
        return true; /* as the run says */
    }
    bool found = find_rows(options->argument, image);
    loader_unload(image);
    lines.offsets = found ? malloc((lines.row_count + 1) * sizeof *lines.offsets) : NULL;
    for (size_t i = 0; lines.offsets && i < lines.row_count; i++) {
        lines.offsets[i] = lines.rows[i].offset;
    }
    if (!lines.offsets || lines.row_count == 0) {
        snprintf(error, error_size, "--lines: %s",
                 !lines.offsets ? "llvm-symbolizer is not there, or cannot read the driver"
                                : "the driver has no debug data; build it with -g");
        return false;
    }
    return true;
}

const struct loader_cover *lines_cover(unsigned part)
{
    struct loader_cover *cover = &lines.covers[part];

    if (!lines.offsets || part >= PARTS_MAX) {
        return NULL;
    }
    if (!cover->reached) {
        void *marks =
            mmap(NULL, lines.row_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (marks == MAP_FAILED) {
            return NULL;
        }
        *cover = (struct loader_cover){
            .offsets = lines.offsets, .count = lines.row_count, .reached = marks};
    }
    return cover;
}

/* ---- What was reached ------------------------------------------------------------------------ */

static void count_parts(void)
{
    for (size_t i = 0; i < lines.function_count; i++) {
        lines.functions[i].parts = 0;
    }
    for (size_t i = 0; i < lines.row_count; i++) {
        struct row *row = &lines.rows[i];
        struct function *function = &lines.functions[row->function];

        row->parts = 0;
        for (unsigned part = 0; part < PARTS_MAX; part++) {
            row->parts += lines.covers[part].reached && lines.covers[part].reached[i] == 1;
        }
        function->parts = row->parts > function->parts ? row->parts : function->parts;
    }
}

/* By file, then line. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->file != y->file) {
        return x->file < y->file ? -1 : 1;
    }
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The next line at or behind rows[*at], which comes to lie behind it; `parts` that reached it. */
static struct row next_line(size_t *at)
{
    struct row line = lines.rows[*at];

    while (++*at < lines.row_count && compare_rows(&lines.rows[*at], &line) == 0) {
        unsigned parts = lines.rows[*at].parts;
        line.parts = parts > line.parts ? parts : line.parts;
    }
    return line;
}

struct totals {
    size_t all, reached;
};

static struct totals count_lines(void)
{
    struct totals totals = {0, 0};

    for (size_t at = 0; at < lines.row_count;) {
        totals.reached += next_line(&at).parts > 0;
        totals.all++;
    }
    return totals;
}

static struct totals count_functions(void)
{
    struct totals totals = {lines.function_count, 0};

    for (size_t i = 0; i < lines.function_count; i++) {
        totals.reached += lines.functions[i].parts > 0;
    }
    return totals;
}

static void put_functions(FILE *file, uint32_t index)
{
    unsigned all = 0, reached = 0;

    for (size_t i = 0; i < lines.function_count; i++) {
        const struct function *function = &lines.functions[i];
        if (function->file == index) {
            fprintf(file, "FN:%u,%s\nFNDA:%u,%s\n", (unsigned)function->line, function->name,
                    function->parts, function->name);
            all++;
            reached += function->parts > 0;
        }
    }
    fprintf(file, "FNF:%u\nFNH:%u\n", all, reached);
}

/* In the form of lcov's tracefiles; counts are of parts. */
static void put_files(FILE *file)
{
    for (size_t at = 0; at < lines.row_count;) {
        uint32_t index = lines.rows[at].file;
        unsigned all = 0, reached = 0;

        fprintf(file, "TN:drydock\nSF:%s\n", lines.files[index]);
        put_functions(file, index);
        while (at < lines.row_count && lines.rows[at].file == index) {
            struct row line = next_line(&at);
            fprintf(file, "DA:%u,%u\n", (unsigned)line.line, line.parts);
            all++;
            reached += line.parts > 0;
        }
        fprintf(file, "LF:%u\nLH:%u\nend_of_record\n", all, reached);
    }
}

static bool write_file(const char *path)
{
    FILE *file = fopen(path, "we");
    bool fine = file != NULL;

    if (file) {
        put_files(file);
        fine = !ferror(file);
        fine = fclose(file) == 0 && fine;
    }
    if (!fine) {
        complain("--lines %s: %s", path, strerror(errno));
    }
    return fine;
}

bool lines_write(const char *path)
{
    if (lines.row_count == 0) {
        return true;
    }
    count_parts();
    qsort(lines.rows, lines.row_count, sizeof *lines.rows, compare_rows);
    return write_file(path);
}

json_t *lines_value(void)
{
    struct totals of_lines = count_lines(), of_functions = count_functions();
    json_t *never = json_array();

    for (size_t i = 0; i < lines.function_count; i++) {
        const struct function *function = &lines.functions[i];
        if (function->parts == 0) {
            json_array_append_new(never, json_pack("{s:s, s:s, s:i}", "function", function->name,
                                                   "file", lines.files[function->file], "line",
                                                   (int)function->line));
        }
    }
    return json_pack("{s:{s:I, s:I}, s:{s:I, s:I}, s:o}", "lines", "all", (json_int_t)of_lines.all,
                     "reached", (json_int_t)of_lines.reached, "functions", "all",
                     (json_int_t)of_functions.all, "reached", (json_int_t)of_functions.reached,
                     "never_entered", never);
}

void lines_tell(FILE *to)
{
    struct totals of_lines = count_lines(), of_functions = count_functions();
    size_t never = of_functions.all - of_functions.reached, shown = 0;

    if (lines.row_count == 0) {
        return;
    }
    fprintf(to, "  lines     %zu of %zu reached, and %zu of %zu functions", of_lines.reached,
            of_lines.all, of_functions.reached, of_functions.all);
    for (size_t i = 0; i < lines.function_count && shown < NEVER_SHOWN; i++) {
        const struct function *function = &lines.functions[i];
        if (function->parts == 0) {
            fprintf(to, "%s %s (%s:%u)", shown++ ? "," : "; never entered:", function->name,
                    file_source_name(lines.files[function->file]), (unsigned)function->line);
        }
    }
    if (never > shown) {
        fprintf(to, " and %zu more", never - shown);
    }
    fputc('\n', to);
}
