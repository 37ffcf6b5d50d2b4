/* Values of the registry that the driver asked for and that nobody has set. A driver's settings
 * are known to its author alone; what it asks for tells their names. A value that is asked for as a
 * number may be given one at that moment (nt_registry_answer()). */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ASKED_MAX 256

static struct nt_registry_asked all[ASKED_MAX];
static size_t count;
static nt_registry_answer_routine *answer;

void nt_registry_answer(nt_registry_answer_routine *routine)
{
    answer = routine;
}

const struct nt_registry_asked *nt_registry_asked_at(size_t index)
{
    return index < count ? &all[index] : NULL;
}

/* Names that do not fit are left out: no driver asks for those twice. */
static void note(const char *path, const char *name, bool as_number)
{
    struct nt_registry_asked *asked = &all[count];

    for (size_t i = 0; i < count; i++) {
        if (strcasecmp(all[i].name, name) == 0 && strcasecmp(all[i].key, path) == 0) {
            all[i].as_number |= as_number;
            return;
        }
    }
    if (count == ASKED_MAX || strlen(name) >= sizeof asked->name ||
        strlen(path) >= sizeof asked->key) {
        return;
    }
    snprintf(asked->key, sizeof asked->key, "%s", path);
    snprintf(asked->name, sizeof asked->name, "%s", name);
    asked->as_number = as_number;
    count++;
}

struct registry_value *registry_value_asked(struct registry_key *key, const char *name,
                                            bool as_number)
{
    struct registry_value *value = registry_value_find(key, name);
    char path[sizeof all[0].key];
    uint32_t number;

    if (value || !name[0] || !registry_key_path(key, path, sizeof path)) {
        return value;
    }
    note(path, name, as_number);
    if (as_number && answer && answer(path, name, &number) &&
        NT_SUCCESS(nt_registry_set_dword(path, name, number))) {
        return registry_value_find(key, name);
    }
    return NULL;
}

void registry_asked_forget(void)
{
    count = 0;
    answer = NULL;
}
