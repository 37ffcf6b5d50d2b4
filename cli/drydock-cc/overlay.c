/* File names in any letter case: an overlay that lists every file a source might include.
 *
 * Clang compares names without regard to case in a tree of an overlay, but only for files that are
 * listed, each in its folder. So the tree of the folders in use is written out, with each file
 * standing for itself.
 */
#include "drydock_cc.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 6,
    FILE_COUNT_MAX = 20000, /* an include folder such as / would have no end */
};

/* Sources and headers by any of the names they go by; what else lies about is not listed. */
static bool is_listed(const char *path)
{
    static const char *const extensions[] = {".h",  ".hpp", ".hxx", ".hh",  ".inc", ".inl", ".tmh",
                                             ".c",  ".cpp", ".cxx", ".cc",  ".def", ".ver", ".mc",
                                             ".rh", ".tbl", ".dat", ".tpl", ".ipp"};
    const char *extension = path_extension(path);

    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        if (strcasecmp(extension, extensions[i]) == 0) {
            return true;
        }
    }
    return extension[0] == 0;
}

static void collect(const char *path, void *data)
{
    struct words *files = data;

    if (is_listed(path) && files->count < FILE_COUNT_MAX) {
        words_add(files, path);
    }
}

static void write_quoted(FILE *to, const char *from, size_t size)
{
    fputc('"', to);
    for (size_t i = 0; i < size; i++) {
        if (from[i] == '"' || from[i] == '\\') {
            fputc('\\', to);
        }
        fputc(from[i], to);
    }
    fputc('"', to);
}

/* The files are sorted, so those of one folder stand together. */
static void write_roots(FILE *to, const struct words *files)
{
    size_t folder_size = 0;
    const char *folder = NULL;

    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->strings[i];
        size_t size = (size_t)(path_name(path) - path) - 1;

        if (!folder || size != folder_size || strncmp(folder, path, size) != 0) {
            fprintf(to, "%s{\"type\": \"directory\", \"name\": ", folder ? "\n]},\n" : "");
            write_quoted(to, path, size ? size : 1);
            fputs(", \"contents\": [\n", to);
            folder = path;
            folder_size = size;
        } else {
            fputs(",\n", to);
        }
        fputs("{\"type\": \"file\", \"name\": ", to);
        write_quoted(to, path_name(path), strlen(path_name(path)));
        fputs(", \"external-contents\": ", to);
        write_quoted(to, path, strlen(path));
        fputc('}', to);
    }
    if (folder) {
        fputs("\n]}\n", to);
    }
}

/* By folder first, then by name: plain order would put "a/b/c" between "a/a" and "a/d". */
static int by_folder(const void *a, const void *b)
{
    const char *left = *(char *const *)a, *right = *(char *const *)b;
    size_t left_size = (size_t)(path_name(left) - left);
    size_t right_size = (size_t)(path_name(right) - right);
    int order = memcmp(left, right, left_size < right_size ? left_size : right_size);

    if (left_size != right_size) {
        return order ? order : left_size < right_size ? -1 : 1;
    }
    return order ? order : strcmp(left + left_size, right + right_size);
}

static void add_folder(struct words *files, const char *folder)
{
    char *absolute = path_absolute(folder);

    folder_walk(absolute, DEPTH_MAX, collect, files);
    free(absolute);
}

void overlay_write(struct build *build)
{
    const struct options *options = &build->options;
    struct words files = {0};
    char *content = NULL;
    size_t size = 0;
    FILE *to;

    add_folder(&files, build->wdk);
    add_folder(&files, build->tmh);
    for (size_t i = 0; i < options->include_folders.count; i++) {
        add_folder(&files, options->include_folders.strings[i]);
    }
    for (size_t i = 0; i < options->source_count; i++) {
        char *folder = path_folder(options->sources[i].path);

        add_folder(&files, folder);
        free(folder);
    }
    words_sort_unique(&files);
    qsort(files.strings, files.count, sizeof(*files.strings), by_folder);
    to = open_memstream(&content, &size);
    if (!to) {
        fail("out of memory");
    }
    fputs("{\"version\": 0, \"case-sensitive\": \"false\", \"roots\": [\n", to);
    write_roots(to, &files);
    fputs("]}\n", to);
    fclose(to);
    build->overlay = text("%s/overlay.json", build->work);
    file_write(build->overlay, content, size);
    free(content);
    words_free(&files);
}
