/* Pictures and documents of the record as files. */
#include "observe/internal.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

#include <png.h>

#define PICTURE_SIDE_MAX 16384u

bool observe_file_name_is_safe(const char *name)
{
    if (name[0] == '\0' || name[0] == '.') {
        return false;
    }
    for (; *name; name++) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9') || strchr("-_.", *name);
        if (!plain) {
            return false;
        }
    }
    return true;
}

/* ---- PNG ------------------------------------------------------------------------------------- */

static bool write_rows(png_struct *png, png_info *info, FILE *file, const void *pixels,
                       unsigned width, unsigned height, unsigned stride)
{
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_init_io(png, file);
    /* Quick to write and nearly as small: desktops are flat. */
    png_set_compression_level(png, 3);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    png_set_bgr(png);
    for (unsigned y = 0; y < height; y++) {
        png_write_row(png, (png_const_bytep)pixels + (size_t)y * stride);
    }
    png_write_end(png, info);
    return true;
}

bool observe_write_png(const char *path, const void *pixels, unsigned width, unsigned height,
                       unsigned stride)
{
    png_info *info = NULL;
    bool written = false;
    FILE *file;

    if (width == 0 || height == 0 || width > PICTURE_SIDE_MAX || height > PICTURE_SIDE_MAX ||
        stride / 4 < width) {
        errno = EINVAL;
        return false;
    }
    file = fopen(path, "wbe");
    if (!file) {
        return false;
    }
    png_struct *png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    if (png) {
        info = png_create_info_struct(png);
    }
    if (info) {
        written = write_rows(png, info, file, pixels, width, height, stride);
    }
    png_destroy_write_struct(&png, &info);
    int error = written ? 0 : errno ? errno : EIO;
    if (fclose(file) != 0 && error == 0) {
        error = errno;
    }
    errno = error;
    return error == 0;
}

/* ---- The record's blobs ---------------------------------------------------------------------- */

/* A copy, so that what is checked is what is used. */
static bool picture_fits(const struct record_blob *blob)
{
    return blob->width > 0 && blob->height > 0 && blob->width <= PICTURE_SIDE_MAX &&
           blob->height <= PICTURE_SIDE_MAX && blob->stride / 4 >= blob->width &&
           (uint64_t)blob->stride * (blob->height - 1) + blob->width * 4ull <= blob->size;
}

static bool write_document(const char *path, const void *bytes, uint64_t size)
{
    FILE *file = fopen(path, "wbe");

    if (!file) {
        return false;
    }
    bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

bool observe_write_pictures(struct observe *observe, const char *folder)
{
    struct record_header *header = record_header(observe->record);
    uint32_t count = header->blob_count;
    char path[4096];
    bool all = true;

    for (uint32_t i = 0; i < count && i < RECORD_BLOBS_MAX; i++) {
        const void *bytes = record_blob_bytes(observe->record, i);
        struct record_blob blob = header->blobs[i];
        if (!bytes || !observe_file_name_is_safe(blob.name)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, blob.name);
        if (blob.format != RECORD_FORMAT_BGRX) {
            all &= write_document(path, bytes, blob.size);
        } else if (picture_fits(&blob)) {
            all &= observe_write_png(path, bytes, blob.width, blob.height, blob.stride);
        }
    }
    return all;
}
