/* Which values the settings for GPU virtual addresses have in eight parts of a run, so that what
 * needs several of them at once is met in one.
 *
 * Each half of the eight has as many of the values as four can have, in an order by chance. Then
 * orders are drawn anew, one setting's at a time, and kept where no fewer of the meetings that are
 * asked for take place. It hangs on the seed alone, but for its lowest bits: they say which of the
 * eight this is. */
#include <assert.h>
#include <string.h>

#include <xxhash.h>

#include "host/internal.h"

#define PARTS      8u
#define HALF       (PARTS / 2)
#define TRIES      4000u
#define NO_SETTING UINT32_MAX

static struct {
    const struct host_setting *settings;
    unsigned setting_count;
    uint64_t seed, draws;
    uint8_t shares[HOST_ADDRESS_SETTINGS_MAX][PARTS];    /* which value a setting has in a part */
    unsigned known[HOST_MEETINGS_MAX][HOST_MEETING_MAX]; /* whose setting a condition speaks of */
} plan;

static unsigned draw(unsigned below)
{
    uint64_t number = plan.draws++;

    return (unsigned)(XXH3_64bits_withSeed(&number, sizeof number, plan.seed) % below);
}

static void shuffle(uint8_t *values, unsigned count)
{
    for (unsigned left = count; left > 1; left--) {
        unsigned other = draw(left);
        uint8_t value = values[left - 1];
        values[left - 1] = values[other];
        values[other] = value;
    }
}

static void draw_shares(unsigned setting)
{
    unsigned count = plan.settings[setting].value_count, first = draw(count);

    for (unsigned part = 0; part < PARTS; part++) {
        plan.shares[setting][part] = (uint8_t)((first + part) % count);
    }
    shuffle(plan.shares[setting], HALF);
    shuffle(plan.shares[setting] + HALF, HALF);
}

static unsigned share_of(unsigned setting, unsigned part)
{
    return plan.shares[setting - plan.settings[setting].along][part];
}

static bool is_met_in(const struct host_meeting *meeting, const unsigned *known, unsigned part)
{
    for (unsigned i = 0; i < HOST_MEETING_MAX && meeting->of[i].name; i++) {
        if (known[i] == NO_SETTING) {
            return false;
        }
        uint32_t value = plan.settings[known[i]].values[share_of(known[i], part)];
        if (value < meeting->of[i].least || value > meeting->of[i].most) {
            return false;
        }
    }
    return true;
}

static unsigned count_met(const struct host_options *options)
{
    unsigned met = 0;

    for (unsigned i = 0; i < options->meeting_count; i++) {
        unsigned part = 0;
        while (part < PARTS && !is_met_in(&options->meetings[i], plan.known[i], part)) {
            part++;
        }
        met += part < PARTS;
    }
    return met;
}

static unsigned setting_of(const char *name)
{
    for (unsigned i = 0; i < plan.setting_count; i++) {
        if (strcmp(plan.settings[i].name, name) == 0) {
            return i;
        }
    }
    return NO_SETTING;
}

static void look_up(const struct host_options *options)
{
    for (unsigned i = 0; i < options->meeting_count; i++) {
        const struct host_meeting *meeting = &options->meetings[i];
        for (unsigned k = 0; k < HOST_MEETING_MAX && meeting->of[k].name; k++) {
            plan.known[i][k] = setting_of(meeting->of[k].name);
        }
    }
}

static void improve(const struct host_options *options)
{
    uint8_t before[PARTS];
    unsigned met = count_met(options);

    for (unsigned i = 0; i < TRIES && met < options->meeting_count; i++) {
        unsigned setting = draw(plan.setting_count);
        memcpy(before, plan.shares[setting], sizeof before);
        draw_shares(setting);
        unsigned now = count_met(options);
        if (now < met) {
            memcpy(plan.shares[setting], before, sizeof before);
        } else {
            met = now;
        }
    }
}

void host_share_out(const struct host_options *options)
{
    assert(options->address_setting_count <= HOST_ADDRESS_SETTINGS_MAX &&
           options->meeting_count <= HOST_MEETINGS_MAX);
    memset(&plan, 0, sizeof plan);
    plan.settings = options->address_settings;
    plan.setting_count = options->address_setting_count;
    plan.seed = options->seed & ~(uint64_t)(PARTS - 1);
    for (unsigned i = 0; i < plan.setting_count; i++) {
        draw_shares(i);
    }
    look_up(options);
    improve(options);
}

unsigned host_share_of(const struct host_options *options, unsigned setting)
{
    return share_of(setting, (unsigned)(options->seed & (PARTS - 1)));
}
