/* The files that a user names: drivers, registries, pictures. All are read here, before the driver
 * runs; pictures are foreign data with limits. */
#include "drydock.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <png.h>

#include "base/file.h"

#define DRIVER_BYTES_MAX  (256u << 20)
#define PICTURE_BYTES_MAX (64u << 20)
#define PICTURE_SIDE_MAX  8192u
#define PICTURES_PIXELS   (64u << 20) /* all of them together */

bool file_is_elf(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

/* ---- The driver ------------------------------------------------------------------------------ */

#ifndef DRYDOCK_HAVE_BUILTIN
/* Without the compiler for Windows drivers the same driver lies beside the executable as a module.
 */
static bool choose_module(struct options *options, char *error, size_t error_size)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

    if (length > 0) {
        path[length] = '\0';
        snprintf(strrchr(path, '/') + 1, 64, "drivers/softgpu/softgpu.so");
        if (access(path, R_OK) == 0) {
            options->host.driver_module = path;
            return true;
        }
    }
    snprintf(error, error_size, "this build has no built-in driver; name one");
    return false;
}
#endif

static bool choose_builtin(struct options *options, char *error, size_t error_size)
{
    options->host.driver_speaks_softgpu = true;
#ifdef DRYDOCK_HAVE_BUILTIN
    options->host.driver = (struct host_file){
        .name = BUILTIN_DRIVER_NAME,
        .bytes = builtin_driver,
        .size = (size_t)(builtin_driver_end - builtin_driver),
    };
    return true;
#else
    return choose_module(options, error, error_size);
#endif
}

static bool choose_file(struct options *options, char *error, size_t error_size)
{
    const char *path = options->argument;
    void *bytes = NULL;
    size_t size;

    if (!file_read(path, DRIVER_BYTES_MAX, &bytes, &size, error, error_size)) {
        return false;
    }
    if (strncmp(file_base_name(path), "softgpu", 7) == 0) {
        options->host.driver_speaks_softgpu = true;
    }
    if (file_is_elf(bytes, size)) {
        free(bytes);
        options->host.driver_module = path;
        return true;
    }
    options->host.driver =
        (struct host_file){.name = file_base_name(path), .bytes = bytes, .size = size};
    return true;
}

bool driver_choose(struct options *options, char *error, size_t error_size)
{
    options->host.driver_is_given = options->argument != NULL;
    bool found = options->argument ? choose_file(options, error, error_size)
                                   : choose_builtin(options, error, error_size);

    if (options->host.driver_speaks_softgpu) {
        own_settings_choose(&options->host);
    }
    return found;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static bool decode_picture(const void *bytes, size_t size, size_t *pixels_left,
                           struct drydock_image *out, char *error, size_t error_size)
{
    png_image png = {.version = PNG_IMAGE_VERSION};

    if (!png_image_begin_read_from_memory(&png, bytes, size)) {
        snprintf(error, error_size, "%s: %s", out->name, png.message);
        return false;
    }
    if (png.width > PICTURE_SIDE_MAX || png.height > PICTURE_SIDE_MAX ||
        (size_t)png.width * png.height > *pixels_left) {
        snprintf(error, error_size, "%s: %ux%u pixels are too many", out->name, png.width,
                 png.height);
        png_image_free(&png);
        return false;
    }
    uint32_t *pixels = malloc((size_t)png.width * png.height * 4);
    png.format = PNG_FORMAT_BGRA; /* 0xAARRGGBB where the low byte comes first */
    if (!pixels || !png_image_finish_read(&png, NULL, pixels, 0, NULL)) {
        snprintf(error, error_size, "%s: %s", out->name, pixels ? png.message : "out of memory");
        png_image_free(&png);
        free(pixels);
        return false;
    }
    *pixels_left -= (size_t)png.width * png.height;
    out->width = png.width;
    out->height = png.height;
    out->pixels = pixels;
    return true;
}

static bool read_picture(const char *folder, const char *name, size_t *pixels_left,
                         struct drydock_image *out, char *error, size_t error_size)
{
    char path[4096];
    void *bytes = NULL;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!file_read(path, PICTURE_BYTES_MAX, &bytes, &size, error, error_size)) {
        return false;
    }
    out->name = strdup(name);
    bool fine = out->name && decode_picture(bytes, size, pixels_left, out, error, error_size);
    free(bytes);
    return fine;
}

static int is_picture(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && entry->d_name[0] != '.' &&
           strcasecmp(entry->d_name + length - 4, ".png") == 0;
}

/* By bytes, not by the user's language: the order decides what a run shows. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool images_read(const char *folder, struct drydock_image images[IMAGES_MAX], unsigned *count,
                 char *error, size_t error_size)
{
    size_t pixels_left = PICTURES_PIXELS;
    struct dirent **entries;
    int found = scandir(folder, &entries, is_picture, by_name);
    bool fine = found > 0;

    *count = 0;
    if (found < 0) {
        snprintf(error, error_size, "%s: %s", folder, strerror(errno));
        return false;
    }
    if (found == 0) {
        snprintf(error, error_size, "%s: no .png files in it", folder);
    }
    for (int i = 0; i < found; i++) {
        if (fine && *count < IMAGES_MAX) {
            fine = read_picture(folder, entries[i]->d_name, &pixels_left, &images[*count], error,
                                error_size);
            ++*count;
        }
        free(entries[i]);
    }
    free(entries);
    return fine;
}
