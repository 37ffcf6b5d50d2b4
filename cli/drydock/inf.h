/* Setup information files: what a driver's .inf would put into the registry (--inf).
 *
 *     [Manufacturer] ─> models for x64 ─> the first model's install section
 *                                           ├─ AddReg      the device's software key
 *                                           ├─ .HW AddReg  its hardware key
 *                                           └─ .Services ─ AddService ─> AddReg  the service's key
 *
 * The form is that of "INF File Sections and Directives" of the driver documentation. What asks for
 * other files (Include, Needs) is told and left out. */
#ifndef INF_H
#define INF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- inf.c: the form ------------------------------------------------------------------------- */

#define INF_FIELDS_MAX 128

/* A line of a section: "key = field, field, ..."; a line without a key has fields alone. */
struct inf_line {
    unsigned number;
    const char *key; /* NULL: none */
    unsigned field_count;
    const char *fields[INF_FIELDS_MAX];
};

struct inf;
/* Any bytes: UTF-16 with its mark, or UTF-8. NULL: a sentence is in error. */
struct inf *inf_read(const void *bytes, size_t size, char *error, size_t error_size);
void inf_close(struct inf *inf);
/* The next line of the section, of all parts with that name; *line is all zeros for the first. What
 * it holds is valid until the next call. False: there is none. Strings are put in. */
bool inf_next(struct inf *inf, const char *section, struct inf_line *line);
bool inf_has(const struct inf *inf, const char *section);

/* ---- inf_settings.c: what of it is settings -------------------------------------------------- */

#define INF_NAME_MAX 256

struct inf_settings {
    char service[INF_NAME_MAX]; /* empty: it names none */
    char *text;                 /* for nt_registry_load_text(); malloc'ed */
    char *hardware;             /* the same, below the device's hardware key: HOST_HARDWARE_KEY */
    char note[512];             /* what was taken */
};

/* False: a sentence is in error. */
bool inf_settings_read(const char *path, struct inf_settings *settings, char *error,
                       size_t error_size);

#endif
