/* What a finding of a varied part needs: of its variations those with which it is seen again.
 *
 *     part varied-2 ── a finding that counts ── narrow() ── trials: that part, less varied,
 *                                                 │         supervised children, two at a time
 *                                                 └── observe_need: names, sentences, command
 *
 * A trial is asked one thing: is the same rule broken in the same DDI? How many there are is a
 * fixed number, so that the report hangs on no clock; a trial that a limit or the user ends ends
 * the search, and what was seen until then is told. The search is made for the first finding; of
 * another rule's in the same part the trials tell as well, and what is left of them goes there. */
#include "drydock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "narrow.h"

#define TRIALS_MAX 16
#define TOLD_MAX   4 /* more variations than that help nobody */

/* A finding whose needs are sought. */
struct sought {
    unsigned part;
    uint32_t index;
    const struct record_breach *breach;
};

struct trial {
    unsigned part;
    struct vary_set set;
    bool seen[NEEDS_MAX];
};

struct search {
    const struct options *options;
    struct parts *parts;
    struct sought sought[NEEDS_MAX];
    unsigned sought_count, current;
    struct trial trials[TRIALS_MAX];
    unsigned trial_count;
};

/* ---- Which findings -------------------------------------------------------------------------- */

static bool is_same(const struct record_breach *one, const struct record_breach *other)
{
    return strcmp(one->rule, other->rule) == 0 && strcmp(one->ddi, other->ddi) == 0;
}

static bool is_seen_in(struct record *record, const struct record_breach *breach)
{
    const struct record_breach *seen;

    for (uint32_t i = 0; (seen = record_breach_at(record, i)) != NULL; i++) {
        if (seen->weight == RECORD_COUNTS && is_same(seen, breach)) {
            return true;
        }
    }
    return false;
}

/* Was it seen in an earlier part? Then that one tells more: a calm one needs nothing. */
static bool is_known(const struct search *search, unsigned part, const struct record_breach *breach)
{
    for (unsigned i = 0; i < part; i++) {
        if (is_seen_in(search->parts->all[i].record, breach)) {
            return true;
        }
    }
    for (unsigned i = 0; i < search->sought_count; i++) {
        if (strcmp(search->sought[i].breach->rule, breach->rule) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_varied(const struct part *part)
{
    static const struct vary_set none;

    return memcmp(&part->host.variations, &none, sizeof none) != 0;
}

static void choose_findings(struct search *search)
{
    const struct record_breach *breach;

    for (unsigned part = 0; part < search->parts->count; part++) {
        const struct part *seen_in = &search->parts->all[part];
        for (uint32_t i = 0; is_varied(seen_in) && search->sought_count < NEEDS_MAX &&
                             (breach = record_breach_at(seen_in->record, i)) != NULL;
             i++) {
            if (breach->weight == RECORD_COUNTS && !is_known(search, part, breach)) {
                search->sought[search->sought_count++] =
                    (struct sought){.part = part, .index = i, .breach = breach};
            }
        }
    }
}

/* ---- Trials ---------------------------------------------------------------------------------- */

static const struct trial *known_trial(const struct search *search, const struct vary_set *set)
{
    for (unsigned i = 0; i < search->trial_count; i++) {
        const struct trial *trial = &search->trials[i];
        if (trial->part == search->sought[search->current].part &&
            memcmp(&trial->set, set, sizeof *set) == 0) {
            return trial;
        }
    }
    return NULL;
}

/* The part once more, with these variations and nothing to say. */
static bool prepare_part(const struct search *search, const struct vary_set *set, struct part *part)
{
    *part = search->parts->all[search->sought[search->current].part];
    part->host.variations = *set;
    part->host.verbose = false;
    part->host.cover = NULL; /* what a run reaches is what its parts do */
    return part_make(part, search->options);
}

static void note_trial(struct search *search, const struct part *part)
{
    struct trial *trial = &search->trials[search->trial_count++];

    *trial =
        (struct trial){.part = search->sought[search->current].part, .set = part->host.variations};
    for (unsigned i = 0; i < search->sought_count; i++) {
        trial->seen[i] = is_seen_in(part->record, search->sought[i].breach);
    }
}

/* False: they did not come to their own ends, or could not begin. */
static bool run_trials(struct search *search, const struct vary_set *const *sets, unsigned count)
{
    static struct part again[NARROW_AT_ONCE];
    struct supervision jobs[NARROW_AT_ONCE];
    bool fine = true;
    unsigned made = 0;

    while (made < count && prepare_part(search, sets[made], &again[made])) {
        jobs[made] = (struct supervision){
            .record = again[made].record,
            .work = part_work,
            .argument = &again[made],
            .host = &again[made].host};
        made++;
    }
    if (made == count) {
        supervise(&(struct supervisions){
            .jobs = jobs,
            .count = count,
            .at_once = NARROW_AT_ONCE,
            .options = search->options,
            .over = search->parts,
            .is_trial = true,
            .progress = isatty(STDERR_FILENO) && !search->options->host.verbose,
        });
    }
    for (unsigned i = 0; i < made; i++) {
        fine &= made == count && !jobs[i].cut_short;
    }
    for (unsigned i = 0; i < made && fine; i++) {
        note_trial(search, &again[i]);
    }
    for (unsigned i = 0; i < made; i++) {
        record_destroy(again[i].record);
    }
    return fine && made == count;
}

/* For narrow(): what was tried for another finding is not run again. */
static unsigned try_sets(void *context, const struct vary_set *sets, unsigned count, bool *seen)
{
    struct search *search = context;
    const struct vary_set *new_sets[NARROW_AT_ONCE];
    unsigned new_count = 0, answers = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!known_trial(search, &sets[i]) && new_count < TRIALS_MAX - search->trial_count) {
            new_sets[new_count++] = &sets[i];
        }
    }
    if (new_count > 0 && !run_trials(search, new_sets, new_count)) {
        return 0;
    }
    for (const struct trial *trial;
         answers < count && (trial = known_trial(search, &sets[answers])) != NULL; answers++) {
        seen[answers] = trial->seen[search->current];
    }
    return answers;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static unsigned count_of(const struct vary_set *set)
{
    unsigned count = 0;

    for (unsigned i = 0; i < VARY_COUNT; i++) {
        count += set->on[i];
    }
    return count;
}

/* The address of the page that the first rule of the sentence, "... [SUBMIT-023]", rests on. */
static bool page_of(const char *sentence, char *text, size_t size)
{
    const char *begin = strrchr(sentence, '[');
    char rule[24];

    if (!begin) {
        return false;
    }
    snprintf(rule, sizeof rule, "%.*s", (int)strcspn(begin + 1, ",]"), begin + 1);
    return contract_page(rule, NULL, text, size);
}

static void add_text(struct need *need, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_text(struct need *need, const char *format, ...)
{
    char *text = need->texts[need->told.text_count];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof need->texts[0], format, arguments);
    va_end(arguments);
    need->text_list[need->told.text_count++] = text;
}

static void add_variation(struct need *need, const struct vary_info *info)
{
    char page[256];

    if (page_of(info->sentence, page, sizeof page)) {
        add_text(need, "%s: %s (%s)", info->name, info->sentence, page);
    } else {
        add_text(need, "%s: %s", info->name, info->sentence);
    }
}

static void say(struct need *need, const struct part *part, bool finished)
{
    unsigned count = count_of(&part->host.variations);

    if (count == 0) {
        add_text(need, "no variation: this seed alone shows it%s%s",
                 part->host.device_options ? ", with the device " : "",
                 part->host.device_options ? part->host.device_options : "");
    } else if (!finished && count > 1) {
        add_text(need, "some of these %u, with which alone it was seen:", count);
    }
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        if (part->host.variations.on[i]) {
            add_variation(need, vary_info((enum variation)i));
        }
    }
}

static void tell(struct search *search, const struct vary_set *set, bool finished)
{
    static struct part alone;
    struct parts *parts = search->parts;
    const struct sought *sought = &search->sought[search->current];
    struct need *need = &parts->needs[parts->need_count];

    alone = parts->all[sought->part];
    alone.host.variations = *set;
    part_describe(search->options, &alone, true);
    memcpy(need->variations, alone.variations, sizeof need->variations);
    memcpy(need->replay, alone.replay, sizeof need->replay);
    need->told = (struct observe_need){.part = sought->part,
                                       .breach = sought->index,
                                       .variations = need->variations,
                                       .texts = need->text_list,
                                       .replay = need->replay};
    say(need, &alone, finished);
    parts->needs_told[parts->need_count++] = need->told;
}

void needs_find(const struct options *options, struct parts *parts)
{
    struct search search = {.options = options, .parts = parts};

    choose_findings(&search);
    for (; search.current < search.sought_count; search.current++) {
        const struct part *part = &parts->all[search.sought[search.current].part];
        const struct narrowing narrowing = {.try_sets = try_sets, .context = &search};
        struct vary_set set = part->host.variations;

        bool finished = narrow(&narrowing, &set);
        if (count_of(&set) < count_of(&part->host.variations) && count_of(&set) <= TOLD_MAX) {
            tell(&search, &set, finished);
        }
    }
}
