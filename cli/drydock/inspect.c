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

struct quantity {
    char text[64];
};

/* A number of bytes as people say it. */
static struct quantity bytes_text(uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    struct quantity out;
    unsigned unit = 0;

    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(out.text, sizeof out.text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return out;
}

static uint64_t number(const json_t *row, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(row, key));
}

static struct plain word(const json_t *row, const char *key)
{
    return plain(json_string_value(json_object_get(row, key)));
}

static const char *if_true(const json_t *row, const char *key, const char *text)
{
    return json_is_true(json_object_get(row, key)) ? text : "";
}

static void print_segments(const json_t *info)
{
    size_t index, i;
    json_t *row, *flag;

    json_array_foreach(json_object_get(info, "segments"), index, row)
    {
        printf("  segment %llu: %s, %s at 0x%llx, commit limit %s",
               (unsigned long long)number(row, "id"), word(row, "kind").text,
               bytes_text(number(row, "size")).text, (unsigned long long)number(row, "base"),
               bytes_text(number(row, "commit_limit")).text);
        json_array_foreach(json_object_get(row, "flag_names"), i, flag)
        {
            printf("%s%s", i ? ", " : "; ", plain(json_string_value(flag)).text);
        }
        putchar('\n');
    }
    const json_t *paging = json_object_get(info, "paging");
    printf("  paging buffers: %s in segment %llu, private data %s\n",
           bytes_text(number(paging, "buffer_bytes")).text,
           (unsigned long long)number(paging, "segment"),
           bytes_text(number(paging, "private_bytes")).text);
}

static void print_nodes(const json_t *info)
{
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(info, "nodes"), index, row)
    {
        printf("  node %llu: %s, called \"%s\"%s\n", (unsigned long long)number(row, "node"),
               word(row, "engine").text, word(row, "name").text,
               if_true(row, "paging", ", paging"));
    }
}

static struct quantity format_text(uint64_t format)
{
    static const struct {
        uint64_t value;
        const char *name;
    } known[] = {{20, "R8G8B8"},   {21, "A8R8G8B8"}, {22, "X8R8G8B8"},    {23, "R5G6B5"},
                 {32, "A8B8G8R8"}, {33, "X8B8G8R8"}, {35, "A2R10G10B10"}, {41, "P8"}};
    struct quantity out;

    snprintf(out.text, sizeof out.text, "D3DDDIFORMAT %llu", (unsigned long long)format);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].value == format) {
            snprintf(out.text, sizeof out.text, "D3DDDIFMT_%s", known[i].name);
        }
    }
    return out;
}

static void print_outputs(const json_t *info)
{
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(info, "outputs"), index, row)
    {
        printf("  child 0x%llx: %s, hot plug %s%s", (unsigned long long)number(row, "uid"),
               word(row, "type").text, word(row, "hot_plug").text,
               if_true(row, "connected", ", connected"));
        if (number(row, "descriptor_bytes")) {
            printf(", descriptor of %llu bytes",
                   (unsigned long long)number(row, "descriptor_bytes"));
        }
        putchar('\n');
    }
    json_array_foreach(json_object_get(info, "modes"), index, row)
    {
        uint64_t rate = number(row, "refresh_millihertz");
        printf("  source %llu: %llu x %llu pixels at %llu.%03llu Hz on target 0x%llx, %s\n",
               (unsigned long long)number(row, "source"), (unsigned long long)number(row, "width"),
               (unsigned long long)number(row, "height"), (unsigned long long)(rate / 1000),
               (unsigned long long)(rate % 1000), (unsigned long long)number(row, "target"),
               format_text(number(row, "format")).text);
    }
}

/* What a value of the granularities of preemption is called; they go up by hundreds. */
static const char *granularity(const char *cap, uint64_t value)
{
    static const char *const graphics[] = {"none",     "DMA buffer", "primitive",
                                           "triangle", "pixel",      "shader"};
    static const char *const compute[] = {"none",         "DMA buffer", "dispatch",
                                          "thread group", "thread",     "shader"};
    bool is_known = value % 100 == 0 && value / 100 < sizeof graphics / sizeof graphics[0];

    if (!is_known || !strstr(cap, "PreemptionGranularity")) {
        return NULL;
    }
    return (strstr(cap, "Graphics") ? graphics : compute)[value / 100];
}

/* What a name says of a number's unit: addresses, limits of memory, versions. */
static bool is_hexadecimal(const char *name)
{
    return strstr(name, "Address") || strcmp(name, "WDDMVersion") == 0;
}

/* Those that are not 0. */
static void print_caps(const json_t *info)
{
    json_t *caps = json_object_get(info, "driver_caps"), *value;
    const char *name;

    printf("  caps, of DXGK_DRIVERCAPS; all others are 0\n");
    json_object_foreach(caps, name, value)
    {
        unsigned long long bits = (unsigned long long)json_integer_value(value);
        if (bits) {
            printf(is_hexadecimal(name) ? "    %-52s 0x%llx" : "    %-52s %llu", plain(name).text,
                   bits);
            const char *word = granularity(name, bits);
            if (word || strstr(name, "Limit")) {
                printf(" (%s)", word ? word : bytes_text(bits).text);
            }
            putchar('\n');
        }
    }
}

/* "\\Registry\\...\\Services\\mine: Setting (a number), Other" */
static void print_settings(const json_t *info)
{
    const char *last = "";
    size_t index;
    json_t *row;

    json_array_foreach(json_object_get(info, "settings_asked_for"), index, row)
    {
        const char *key = json_string_value(json_object_get(row, "key"));
        if (!key || strcmp(key, last) != 0) {
            printf("  settings asked for, and not there, below %s\n", plain(key).text);
            last = key ? key : "";
        }
        printf("    %s%s\n", word(row, "name").text, if_true(row, "number", " (a number)"));
    }
}

static void print_info(const json_t *info)
{
    const char *refusal = json_string_value(json_object_get(info, "refused"));
    json_t *value;
    size_t index;

    printf("%s: interface %s, %llu sources, %llu children%s\n", word(info, "driver").text,
           word(info, "interface").text, (unsigned long long)number(info, "sources"),
           (unsigned long long)number(info, "children"),
           if_true(info, "display_only", ", display only"));
    if (refusal) {
        printf("  refused: %s\n  what was learned until then:\n", plain(refusal).text);
    }
    print_segments(info);
    print_nodes(info);
    print_outputs(info);
    print_caps(info);
    printf("  ddis\n");
    json_array_foreach(json_object_get(info, "ddis"), index, value)
    {
        printf("    %s\n", plain(json_string_value(value)).text);
    }
    print_settings(info);
}

json_t *info_find(struct record *record)
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
    info = info_find(record);
    if (info && options->json) {
        json_dumpf(info, stdout, JSON_INDENT(2));
        putchar('\n');
    } else if (info) {
        print_info(info);
    } else {
        complain("%s", plain(record_header(record)->message).text);
    }
    bool started = info && json_is_null(json_object_get(info, "refused"));
    int status = started ? EXIT_CLEAN : observe_exit_status(record);
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
