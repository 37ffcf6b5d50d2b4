/* Calls for several processes, of which one stands between two instructions while others come: the
 * variation clients-within. What others change then of what the call has read and is about to
 * write, or has written and is about to read, was shared without a lock [GEN-001]. */
#include "ddi/internal.h"

#include <string.h>

/* As in step.c: of the driver's instructions, each of which is a trap. */
#define INSTRUCTIONS_MAX 4000u /* of a run's calls together */
#define OF_ONE_MAX       1400u /* of one DDI */
#define OF_A_CALL_MAX    1500u
#define LEARNED_FIRST    2u /* calls of a DDI in company */
#define ONE_IN           2u /* of the others, where calls were seen to share something, ... */
#define UNKNOWN_ONE_IN   8u /* ... or were not, ... */
#define MORE_ONE_IN      4u
#define CALLS_A_RARER    16u /* ... and behind so many one in one more, or in several */
#define COMPANY_NS       (20 * NS_PER_MS) /* so long ago one for another process came */
#define PATIENCE_NS      (5 * NS_PER_MS)

/* Calls of a DDI. */
static struct walk {
    uint64_t calls, stepped;    /* in company; instructions */
    unsigned shared;            /* most places to stand at of one that went on to its end */
    uint64_t client, other; /* of the latest call, and of the latest for somebody else, or 0 ... */
    uint64_t others_ns;     /* ... and when that was over */
} walks[POINT_COUNT];
static uint64_t stepped;

/* The call that stands, and who came. */
static struct {
    const struct ddi_call *call; /* NULL: none stands; never looked into, for it may be over */
    uint64_t client;
    enum contract_point point;
    bool looks; /* the word is of memory that belongs to the driver, and nobody else was inside */
    uint64_t before, now, serial;
    bool freed, changed;            /* since then */
    const struct ddi_call *entered; /* the latest to come, if nobody came or went behind it */
    enum contract_point changed_in; /* a client's, which alone can have changed it ... */
    bool is_changed;                /* ... and did */
} standing;

#define RACES_TOLD 16u
static const void *races_told[RACES_TOLD];
static unsigned race_count;

void ddi_beside_reset(void)
{
    memset(walks, 0, sizeof walks);
    memset(&standing, 0, sizeof standing);
    stepped = 0;
    race_count = 0;
}

/* Of memory that is the driver's alone, and its image's: a device may write to other, and what is
 * lent for a call nobody else has. *serial: 0 for the image. */
static bool find_word(const void *word, bool mapped, uint64_t *serial)
{
    struct nt_pool_block block = {0};

    if (mapped) {
        bool found = nt_pool_find(word, &block);
        *serial = block.serial;
        return found && !block.kind && !block.handed && !block.of_client;
    }
    *serial = 0;
    return nt_is_image_data(word);
}

/* A word that it has written, in whatever memory; in the handler of no trap. */
static bool read_written(const void *word, uint64_t *value)
{
    uint64_t serial;

    if (!find_word(word, true, &serial) && !find_word(word, false, &serial)) {
        return false;
    }
    memcpy(value, word, sizeof *value);
    return true;
}

static bool is_changed(void)
{
    const struct step_access *access = step_access();
    uint64_t serial = 0;

    bool found = find_word(access->word, access->mapped, &serial);
    standing.freed = serial != standing.serial;
    if (standing.freed || !found) {
        return standing.freed;
    }
    memcpy(&standing.now, access->word, sizeof standing.now);
    return ((standing.now ^ standing.before) & access->mask) != 0;
}

static bool is_for_a_client(const struct ddi_call *call)
{
    return call->shared && call->process_gate &&
           contract_point_info(call->contract.point)->level == CONTRACT_LEVEL_LEVEL_0;
}

/* The first change counts: what comes behind it was not there when that call ended. */
void ddi_beside_pass(const struct ddi_call *call, bool ends)
{
    if (!standing.looks || standing.changed || call == standing.call) {
        return;
    }
    standing.changed = is_changed();
    if (ends && standing.changed && call && standing.entered == call && is_for_a_client(call) &&
        call->process != standing.client) {
        standing.is_changed = true;
        standing.changed_in = call->contract.point;
    }
    standing.entered = ends ? NULL : call;
}

static bool is_about(const struct step_access *access)
{
    uint64_t serial;

    return find_word(access->word, access->mapped, &serial);
}

/* With a third one inside nobody knows whose a change is. */
static void came(void)
{
    const struct step_access *access = step_access();

    ddi_step_stands();
    vary_happened(VARY_CLIENTS_WITHIN);
    memset(&standing, 0, sizeof standing);
    standing.call = ddi_call_here();
    standing.client = standing.call->process;
    standing.point = standing.call->contract.point;
    standing.looks = find_word(access->word, access->mapped, &standing.serial) &&
                     standing.call->adapter->threads_inside == 1;
    if (standing.looks) {
        contract_count(RULE_GEN_001);
        memcpy(&standing.before, access->word, sizeof standing.before);
    }
}

static bool was_told(const void *place)
{
    for (unsigned i = 0; i < race_count; i++) {
        if (races_told[i] == place) {
            return true;
        }
    }
    return race_count == RACES_TOLD;
}

static bool is_place(uint64_t value)
{
    uint64_t serial;
    const void *place = (const void *)(uintptr_t)value;

    return find_word(place, true, &serial) || find_word(place, false, &serial);
}

/* Counters, flags and what was used last may be meant to be a little wrong now and then: told as
 * advice. Sure is what was freed; what two calls have filled as their own; and a list, whose head
 * the call has written into what it puts in front. */
static bool is_sure(void)
{
    const struct step_access *access = step_access();

    if (standing.freed || !access->writes) {
        return standing.freed || access->blind >= STEP_BLIND_MAX;
    }
    return access->mask == UINT64_MAX && is_place(standing.before) &&
           step_has_written(standing.before, read_written);
}

static void judge(void)
{
    const struct step_access *access = step_access();
    const char *name = contract_point_info(standing.point)->name;
    char where[DDI_DENIAL_MAX], what[DDI_DENIAL_MAX];
    uint64_t executed;
    const void *place = step_place(&executed);

    if (was_told(place)) {
        return;
    }
    races_told[race_count++] = place;
    nt_symbol_text(place, where, sizeof where);
    nt_symbol_text(access->word, what, sizeof what);
    contract_breach(
        &(struct contract_finding){
            .rule = CONTRACT_JUDGES(GEN_001), .ddi = name, .advice = !is_sure()},
        "what calls for several processes share locked, or changed by interlocked operations",
        "%s, at %s, %s, at %s, and %s for another process, by another thread at the same time, has "
        "%s it in between, without a lock: %s",
        name, where, access->writes ? "writes memory that it has read" : "reads back what it wrote",
        what, contract_point_info(standing.changed_in)->name, standing.freed ? "freed" : "written",
        standing.freed   ? "it is used after it was freed"
        : access->writes ? "what that call wrote is lost"
                         : "it goes on with that call's data");
}

/* Asked while it stands, again and again. */
static bool over(void)
{
    if (!standing.is_changed) {
        return false;
    }
    judge();
    standing.call = NULL;
    standing.looks = false;
    return true;
}

/* Where another one may well come in its middle; the first ones are learned from, too. */
static bool is_wanted(struct walk *walk, uint64_t client)
{
    uint64_t now_ns = machine_now_ns();

    if (walk->client != client) {
        /* With other clients other work begins. */
        walk->calls = walk->other == client ? walk->calls : 0;
        walk->other = walk->client;
        walk->others_ns = walk->other ? now_ns : 0;
        walk->client = client;
    }
    if (stepped >= INSTRUCTIONS_MAX || walk->stepped >= OF_ONE_MAX || walk->others_ns == 0 ||
        now_ns - walk->others_ns >= COMPANY_NS) {
        return false;
    }
    uint64_t one_in = ++walk->calls / CALLS_A_RARER;
    one_in = walk->shared ? ONE_IN + one_in : UNKNOWN_ONE_IN * (1 + one_in);
    return walk->calls <= LEARNED_FIRST || vary_below(VARY_CLIENTS_WITHIN, one_in) == 0;
}

bool ddi_beside_begin(const struct ddi_call *call)
{
    enum contract_point point = call->contract.point;
    struct walk *walk = &walks[point];

    if (!is_for_a_client(call) || !is_wanted(walk, call->process)) {
        return false;
    }
    /* One more than was ever seen may be there, for what is known of other clients grows. */
    unsigned most =
        walk->shared + (!walk->shared || vary_below(VARY_CLIENTS_WITHIN, MORE_ONE_IN) == 0);
    return step_begin(&(struct step_request){
        .client = call->process,
        .shared = 1 + (unsigned)vary_below(VARY_CLIENTS_WITHIN, most),
        .instructions_max = OF_A_CALL_MAX,
        .patience_ns = {PATIENCE_NS, PATIENCE_NS, 0},
        .is_about = is_about,
        .came = came,
        .over = over,
    });
}

void ddi_beside_end(const struct ddi_call *call, const struct step_result *result)
{
    struct walk *walk = &walks[call->contract.point];

    if (standing.call == call) {
        standing.call = NULL;
        standing.looks = false;
    }
    stepped += result->executed;
    walk->stepped += result->executed;
    if (result->shared > walk->shared) {
        walk->shared = result->shared;
    }
}
