/* Whole files. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int file, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(file, (char *)bytes + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool file_read(const char *path, size_t limit, void **bytes, size_t *size, char *error,
               size_t error_size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (file < 0 || fstat(file, &status) != 0) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        goto err_close;
    }
    if (!S_ISREG(status.st_mode)) {
        snprintf(error, error_size, "%s: not a file", path);
        goto err_close;
    }
    if ((uint64_t)status.st_size > limit) {
        snprintf(error, error_size, "%s: larger than %zu MiB", path, limit >> 20);
        goto err_close;
    }
    *size = (size_t)status.st_size;
    *bytes = malloc(*size ? *size : 1);
    if (!*bytes || !read_all(file, *bytes, *size)) {
        snprintf(error, error_size, "%s: %s", path, *bytes ? strerror(errno) : "out of memory");
        free(*bytes);
        goto err_close;
    }
    close(file);
    return true;

err_close:
    if (file >= 0) {
        close(file);
    }
    return false;
}

static const char *behind_last(const char *path, const char *slashes)
{
    const char *name = path + strlen(path);

    while (name > path && !strchr(slashes, name[-1])) {
        name--;
    }
    return name;
}

const char *file_base_name(const char *path)
{
    return behind_last(path, "/");
}

const char *file_source_name(const char *path)
{
    return behind_last(path, "/\\");
}
