/* Pictures and documents of the record as files. The record gives numbers and bytes; what a file is
 * called, where it lies and how much of it there may be is decided here. */
#include "observe/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <png.h>

#define PICTURE_SIDE_MAX 16384u

/* ---- PNG ------------------------------------------------------------------------------------- */

/* Rows between two looks at the clock. */
#define ROWS_AT_ONCE 64u

bool observe_time_is_up(uint64_t deadline_ns)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return deadline_ns > 0 &&
           (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec > deadline_ns;
}

struct picture {
    const void *pixels;
    unsigned width, height, stride;
};

static bool write_rows(png_struct *png, png_info *info, FILE *file, const struct picture *picture,
                       uint64_t deadline_ns)
{
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_init_io(png, file);
    /* Desktops are flat: as small as with five filters tried for each row, and quicker. */
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(png, info, picture->width, picture->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    png_set_bgr(png);
    for (unsigned y = 0; y < picture->height; y++) {
        if (y % ROWS_AT_ONCE == 0 && observe_time_is_up(deadline_ns)) {
            errno = ETIME;
            return false;
        }
        png_write_row(png, (png_const_bytep)picture->pixels + (size_t)y * picture->stride);
    }
    png_write_end(png, info);
    return true;
}

static bool write_png(FILE *file, const struct picture *picture, uint64_t deadline_ns)
{
    png_info *info = NULL;
    bool written = false;

    png_struct *png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    if (png) {
        info = png_create_info_struct(png);
    }
    errno = 0;
    if (info) {
        written = write_rows(png, info, file, picture, deadline_ns);
    }
    int error = errno;
    png_destroy_write_struct(&png, &info);
    errno = error;
    return written;
}

/* ---- Files ----------------------------------------------------------------------------------- */

FILE *observe_create_file(int folder, const char *name)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;

    if (!file && fd >= 0) {
        close(fd);
    }
    return file;
}

bool observe_close_file(FILE *file, bool written)
{
    int error = written ? 0 : errno ? errno : EIO;

    if (fclose(file) != 0 && error == 0) {
        error = errno;
    }
    errno = error;
    return error == 0;
}

/* ---- The record's blobs ---------------------------------------------------------------------- */

static bool picture_fits(const struct record_blob *blob)
{
    return blob->width > 0 && blob->height > 0 && blob->width <= PICTURE_SIDE_MAX &&
           blob->height <= PICTURE_SIDE_MAX && blob->stride / 4 >= blob->width &&
           (uint64_t)blob->stride * (blob->height - 1) + blob->width * 4ull <= blob->size;
}

/* As the writer puts them they lie one behind the other: none is told twice, and all together are
 * no larger than the region. */
static bool in_order(const struct observe_pictures *at, const struct record_blob *blob)
{
    if (blob->offset < at->end) {
        return false;
    }
    return blob->kind != RECORD_BLOB_FRAME || blob->workload > at->workload ||
           (blob->workload == at->workload && blob->number > at->number);
}

const void *observe_next_blob(struct observe *observe, struct observe_pictures *at,
                              struct record_blob *blob)
{
    while (at->index < RECORD_BLOBS_MAX) {
        const void *bytes = record_blob_at(observe->record, at->index++, blob);
        bool frame = bytes && blob->kind == RECORD_BLOB_FRAME;
        if (!bytes || !in_order(at, blob) || (frame && !picture_fits(blob)) ||
            (frame && blob->number > OBSERVE_FRAMES_MAX) || blob->workload > 999) {
            continue;
        }
        at->end = blob->offset + blob->size;
        if (frame) {
            at->workload = blob->workload;
            at->number = blob->number;
        }
        return bytes;
    }
    return NULL;
}

void observe_picture_name(const struct record_blob *blob, char name[OBSERVE_NAME_MAX])
{
    snprintf(name, OBSERVE_NAME_MAX, "frame-%u-%04u.png", blob->workload, blob->number);
}

void observe_debug_name(unsigned part, const struct record_blob *blob, char name[OBSERVE_NAME_MAX])
{
    snprintf(name, OBSERVE_NAME_MAX, "debug-%u-%04u.bin", part, blob->number);
}

void observe_screen_name(unsigned part, const struct record_blob *blob, char name[OBSERVE_NAME_MAX])
{
    snprintf(name, OBSERVE_NAME_MAX, "stop-screen-%u-%04u.png", part, blob->number);
}

const void *observe_next_debug(struct record *record, struct observe_debug *at,
                               struct record_blob *blob)
{
    while (at->index < RECORD_BLOBS_MAX) {
        const void *bytes = record_blob_at(record, at->index++, blob);
        bool wanted = bytes && (at->screens ? blob->kind == RECORD_BLOB_SCREEN && picture_fits(blob)
                                            : blob->kind == RECORD_BLOB_DEBUG &&
                                                  blob->size <= OBSERVE_DEBUG_BYTES_MAX);
        if (!wanted || blob->offset < at->end || blob->number <= at->number ||
            blob->number > OBSERVE_DEBUG_MAX) {
            continue;
        }
        at->end = blob->offset + blob->size;
        at->number = blob->number;
        return bytes;
    }
    return NULL;
}

static bool write_blob(const struct observe_folder *to, const char *name,
                       const struct record_blob *blob, const void *bytes)
{
    const struct picture picture = {bytes, blob->width, blob->height, blob->stride};
    FILE *file = observe_create_file(to->folder, name);
    if (!file) {
        return false;
    }
    bool written = blob->kind == RECORD_BLOB_FRAME || blob->kind == RECORD_BLOB_SCREEN
                       ? write_png(file, &picture, to->deadline_ns)
                       : fwrite(bytes, 1, blob->size, file) == blob->size;
    if (!observe_close_file(file, written)) {
        int error = errno;
        unlinkat(to->folder, name, 0);
        errno = error;
        return false;
    }
    return true;
}

/* Debug information, or screens. */
static bool write_by_part(struct observe *observe, bool screens, const struct observe_folder *to)
{
    char name[OBSERVE_NAME_MAX];
    struct record_blob blob;
    const void *bytes;

    for (unsigned part = 0; part < observe->run->part_count; part++) {
        struct observe_debug at = {.screens = screens};
        while ((bytes = observe_next_debug(observe->join->parts[part]->record, &at, &blob))) {
            if (screens) {
                observe_screen_name(part, &blob, name);
            } else {
                observe_debug_name(part, &blob, name);
            }
            if (!write_blob(to, name, &blob, bytes)) {
                return false;
            }
        }
    }
    return true;
}

bool observe_write_pictures(struct observe *observe, const struct observe_folder *to)
{
    struct observe_pictures at = {0};
    struct record_blob blob;
    const void *bytes;
    bool info_written = false;

    while ((bytes = observe_next_blob(observe, &at, &blob)) != NULL) {
        bool info = blob.kind == RECORD_BLOB_INFO;
        if (!info && blob.kind != RECORD_BLOB_FRAME) {
            continue;
        }
        if (info && (info_written || blob.size > OBSERVE_INFO_BYTES_MAX)) {
            continue;
        }
        info_written |= info;
        char name[OBSERVE_NAME_MAX] = OBSERVE_INFO_FILE;
        if (!info) {
            observe_picture_name(&blob, name);
        }
        if (!write_blob(to, name, &blob, bytes)) {
            return false;
        }
    }
    return write_by_part(observe, false, to) && write_by_part(observe, true, to);
}
