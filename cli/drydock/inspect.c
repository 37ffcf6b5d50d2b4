/* drydock info and drydock imports: what a driver is, without judging it. */
#include "drydock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "loader/loader.h"

#define INFO_BYTES_MAX (4u << 20)

/* A name that a driver, or the name of its file, may have: for a terminal, and as UTF-8. */
struct plain {
    char text[1024];
};

static struct plain plain(const char *name)
{
    struct plain out;

    snprintf(out.text, sizeof out.text, "%s", name ? name : "?");
    text_make_plain(out.text, strlen(out.text));
    return out;
}

/* ---- info ------------------------------------------------------------------------------------ */

static void print_list(const json_t *list, const char *title, const char *const *keys)
{
    size_t index;
    json_t *row;

    json_array_foreach(list, index, row)
    {
        printf("  %-10s", index == 0 ? title : "");
        for (const char *const *key = keys; *key; key++) {
            const json_t *value = json_object_get(row, *key);
            char *text = json_dumps(value, JSON_ENCODE_ANY);
            if (json_is_string(value)) {
                printf(" %s %s", *key, plain(json_string_value(value)).text);
            } else if (json_is_true(value)) {
                printf(" %s", *key);
            } else if (!json_is_false(value)) {
                printf(" %s %s", *key, plain(text).text);
            }
            free(text);
        }
        putchar('\n');
    }
}

static void print_info(const json_t *info)
{
    static const char *const segment_keys[] = {"id",           "kind",        "size", "base",
                                               "commit_limit", "cpu_visible", NULL};
    static const char *const node_keys[] = {"node", "engine", "name", "paging", NULL};
    const char *key;
    json_t *value;
    size_t index;

    printf("%s: interface %s, %lld sources, %lld children%s\n",
           plain(json_string_value(json_object_get(info, "driver"))).text,
           plain(json_string_value(json_object_get(info, "interface"))).text,
           (long long)json_integer_value(json_object_get(info, "sources")),
           (long long)json_integer_value(json_object_get(info, "children")),
           json_is_true(json_object_get(info, "display_only")) ? ", display only" : "");
    print_list(json_object_get(info, "segments"), "segments", segment_keys);
    print_list(json_object_get(info, "nodes"), "nodes", node_keys);
    printf("  caps\n");
    json_object_foreach(json_object_get(info, "caps"), key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        printf("    %-28s %s\n", plain(key).text, plain(text).text);
        free(text);
    }
    printf("  ddis\n");
    json_array_foreach(json_object_get(info, "ddis"), index, value)
    {
        printf("    %s\n", plain(json_string_value(value)).text);
    }
}

static json_t *find_info(struct record *record)
{
    struct record_blob blob;

    for (uint32_t i = 0; i < RECORD_BLOBS_MAX; i++) {
        const void *bytes = record_blob_at(record, i, &blob);
        if (bytes && blob.kind == RECORD_BLOB_INFO && blob.size <= INFO_BYTES_MAX) {
            return json_loadb(bytes, blob.size, 0, NULL);
        }
    }
    return NULL;
}

enum exit_status info_command(struct options *options)
{
    static struct parts parts;
    struct record *record;
    json_t *info;

    options->host.info_only = true;
    if (!parts_run(options, &parts)) {
        parts_destroy(&parts);
        return EXIT_OWN_FAULT;
    }
    record = parts.all[0].record;
    info = find_info(record);
    if (info && options->json) {
        json_dumpf(info, stdout, JSON_INDENT(2));
        putchar('\n');
    } else if (info) {
        print_info(info);
    } else {
        complain("%s", plain(record_header(record)->message).text);
    }
    int status = info ? EXIT_CLEAN : observe_exit_status(record);
    json_decref(info);
    parts_destroy(&parts);
    return (enum exit_status)status;
}

/* ---- imports --------------------------------------------------------------------------------- */

static void print_imports(const struct loader_image *image)
{
    unsigned missing = 0;

    for (size_t i = 0; i < image->import_count; i++) {
        const struct loader_import *import = &image->imports[i];
        bool found = host_export_exists(import->name);
        missing += !found;
        printf("%-8s %s%s%s\n", found ? "found" : "missing", import->dll, import->dll[0] ? "!" : "",
               import->name);
    }
    fprintf(stderr, "%zu imports, %u missing\n", image->import_count, missing);
}

static void print_imports_json(const struct loader_image *image)
{
    json_t *list = json_array(), *document;
    unsigned missing = 0;

    for (size_t i = 0; i < image->import_count; i++) {
        const struct loader_import *import = &image->imports[i];
        bool found = host_export_exists(import->name);
        missing += !found;
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "name", import->name, "dll",
                                              import->dll, "found", (int)found));
    }
    document = json_pack("{s:s, s:i, s:i, s:o}", "driver", plain(image->name).text, "count",
                         (int)image->import_count, "missing", (int)missing, "imports", list);
    if (document) {
        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(document);
}

enum exit_status imports_command(struct options *options)
{
    struct loader_image *image;
    struct loader_error error;
    char text[512];
    bool inspected;

    if (!driver_choose(options, text, sizeof text)) {
        complain("%s", text);
        return EXIT_USAGE;
    }
    inspected = options->host.driver.bytes
                    ? loader_inspect_bytes(options->host.driver.name, options->host.driver.bytes,
                                           options->host.driver.size, &image, &error)
                    : loader_inspect_file(options->host.driver_module, &image, &error);
    if (!inspected) {
        complain("%s: %s", options->argument ? options->argument : BUILTIN_DRIVER_NAME, error.text);
        return EXIT_USAGE;
    }
    if (options->json) {
        print_imports_json(image);
    } else {
        print_imports(image);
    }
    loader_unload(image);
    return EXIT_CLEAN;
}
