/* --allow and --allow-file: rules and findings that do not count, and why.
 *
 *     # one a line: the name, then the reason
 *     CAPS-007  the driver leaves CommitLimit 0, as Windows lets it
 *     LEAK      ticket 4711
 *
 * A breach of what is named here is told as waived; the run goes on as far as it can. */
#include "drydock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "contract/contract.h"

#define FILE_MAX    (1u << 20)
#define WAIVERS_MAX 64

static struct {
    char name[24];
    char reason[160];
} waivers[WAIVERS_MAX];
static unsigned waiver_count;

static bool is_known(const char *name)
{
    const struct contract_other_finding *finding = contract_other_finding(name);

    return contract_rule_by_id(name) < CONTRACT_RULE_COUNT || (finding && finding->goes_on);
}

/* The name as the record has it: the case of letters does not matter. */
static bool waive(const char *name, size_t length, const char *reason)
{
    char upper[sizeof waivers[0].name];

    if (length == 0 || length >= sizeof upper) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        upper[i] = (char)toupper((unsigned char)name[i]);
    }
    upper[length] = '\0';
    if (!is_known(upper) || waiver_count == WAIVERS_MAX || !record_waive(upper)) {
        return false;
    }
    memcpy(waivers[waiver_count].name, upper, length + 1);
    snprintf(waivers[waiver_count].reason, sizeof waivers[0].reason, "%s", reason);
    /* The report takes UTF-8 only, and a character may have been cut. */
    text_make_plain(waivers[waiver_count].reason, strlen(waivers[waiver_count].reason));
    waiver_count++;
    return true;
}

bool waivers_take_list(const char *list)
{
    size_t length;

    for (const char *at = list; *at || at == list; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        if (!waive(at, length, "")) {
            complain("--allow %s: '%.*s' is no rule, and no finding that can be allowed; see "
                     "drydock rules",
                     list, (int)length, at);
            return false;
        }
    }
    return true;
}

/* One line without its end; empty ones and comments say nothing. */
static bool take_line(const char *path, unsigned number, char *line)
{
    char *name = line + strspn(line, " \t");
    size_t length = strcspn(name, " \t\r");
    char *reason = name + length + strspn(name + length, " \t\r");

    if (*name == '\0' || *name == '#' || *name == '\r') {
        return true;
    }
    reason[strcspn(reason, "\r")] = '\0';
    if (waive(name, length, reason)) {
        return true;
    }
    complain("%s:%u: '%.*s' is no rule, and no finding that can be allowed", path, number,
             (int)(length < 60 ? length : 60), name);
    return false;
}

bool waivers_take_file(const char *path)
{
    char error[512];
    void *bytes = NULL;
    size_t size, start = 0;
    bool fine = true;

    if (!file_read(path, FILE_MAX, &bytes, &size, error, sizeof error)) {
        complain("%s", error);
        return false;
    }
    for (unsigned number = 1; fine && start < size; number++) {
        const char *text = (const char *)bytes + start;
        const char *end = memchr(text, '\n', size - start);
        size_t length = end ? (size_t)(end - text) : size - start;
        char *line = strndup(text, length);
        fine = line && take_line(path, number, line);
        free(line);
        start += length + 1;
    }
    free(bytes);
    return fine;
}

json_t *waivers_value(void)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < waiver_count; i++) {
        json_array_append_new(
            list, json_pack("{s:s, s:s}", "rule", waivers[i].name, "reason", waivers[i].reason));
    }
    return list;
}
