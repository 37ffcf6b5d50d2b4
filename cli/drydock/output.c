/* The folder of --out: taken before the run, filled after it.
 *
 * Two runs never share one: it is locked as long as the tool lives. What an earlier run left goes
 * first, so that nothing in it is told of the wrong run; what is not ours stays. Files are made
 * new, never through a link, and all names are this side's own. */
#include "drydock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/record_file.h"

#define NS_PER_S UINT64_C(1000000000)
/* Processor time for pictures, and for the trace, after a run of any length: what a region full of
 * noise takes. */
#define FILES_S 20

/* The end has four characters. */
static bool is_one_of(const char *name, const char *begin, const char *end)
{
    size_t prefix = strlen(begin), length = strlen(name);

    return strncmp(name, begin, prefix) == 0 && length > prefix + 4 &&
           strcmp(name + length - 4, end) == 0;
}

static bool is_ours(const char *name)
{
    return is_one_of(name, "frame-", ".png") || is_one_of(name, "events-", ".bin") ||
           is_one_of(name, "debug-", ".bin") || is_one_of(name, "stop-screen-", ".png") ||
           strcmp(name, OBSERVE_REPORT_FILE) == 0 || strcmp(name, OBSERVE_TRACE_FILE) == 0 ||
           strcmp(name, OBSERVE_INFO_FILE) == 0;
}

/* Removes what an earlier run left. */
static bool clear(int folder)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    const struct dirent *entry;
    bool fine = entries != NULL;

    while (fine && (entry = readdir(entries)) != NULL) {
        fine = !is_ours(entry->d_name) || unlinkat(folder, entry->d_name, 0) == 0;
    }
    int error = errno;
    if (entries) {
        closedir(entries);
    } else if (copy >= 0) {
        close(copy);
    }
    errno = error;
    return fine;
}

bool output_open(const char *path, struct output *output)
{
    *output = (struct output){.path = path, .folder = -1};
    if (!path) {
        return true;
    }
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        output->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (output->folder < 0) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    if (flock(output->folder, LOCK_EX | LOCK_NB) != 0) {
        complain("%s: %s", path,
                 errno == EWOULDBLOCK ? "another run writes there; name another folder"
                                      : strerror(errno));
    } else if (!clear(output->folder)) {
        complain("%s: what an earlier run left cannot be removed: %s", path, strerror(errno));
    } else {
        return true;
    }
    output_close(output);
    return false;
}

void output_close(struct output *output)
{
    if (output->folder >= 0) {
        close(output->folder);
        output->folder = -1;
    }
}

static uint64_t deadline_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return ((uint64_t)now.tv_sec + FILES_S) * NS_PER_S + (uint64_t)now.tv_nsec;
}

bool output_write_pictures(const struct output *output, struct observe *observe)
{
    struct observe_folder to = {output->folder, deadline_ns()};

    if (output->folder < 0) {
        return true;
    }
    if (!observe_write_pictures(observe, &to)) {
        complain("%s: a picture cannot be written: %s", output->path, strerror(errno));
        return false;
    }
    to.deadline_ns = deadline_ns();
    if (!observe_write_trace(observe, &to)) {
        complain("%s/" OBSERVE_TRACE_FILE ": %s", output->path, strerror(errno));
        return false;
    }
    return true;
}

bool output_write_report(const struct output *output, const json_t *report)
{
    if (output->folder < 0) {
        return true;
    }
    FILE *file = observe_create_file(output->folder, OBSERVE_REPORT_FILE);
    errno = file ? 0 : errno;
    if (!file || !observe_close_file(file, json_dumpf(report, file, JSON_INDENT(2)) == 0)) {
        complain("%s/" OBSERVE_REPORT_FILE ": %s", output->path, strerror(errno));
        /* Half a report is none. */
        unlinkat(output->folder, OBSERVE_REPORT_FILE, 0);
        return false;
    }
    return true;
}

bool output_write_events(const struct output *output, const struct parts *parts)
{
    bool fine = true;

    for (unsigned i = 0; output->folder >= 0 && fine && i < parts->count; i++) {
        char name[64];
        snprintf(name, sizeof name, OUTPUT_EVENTS_FORMAT, parts->all[i].name);
        FILE *file = observe_create_file(output->folder, name);
        fine = file && observe_close_file(file, record_save(parts->all[i].record, file));
        if (!fine) {
            complain("%s/%s: %s", output->path, name, strerror(errno));
            unlinkat(output->folder, name, 0);
        }
    }
    return fine;
}
