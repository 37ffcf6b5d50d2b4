/* Settings of the built-in driver that have to come together, in the eight parts of a run that
 * share settings out among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "drydock/drydock.h"
#include "host/internal.h"

#define PARTS 8u
#define HALF  4u
#define SEEDS 100u

static struct host_options options;
static unsigned shares[HOST_ADDRESS_SETTINGS_MAX][PARTS];

static void share_out(uint64_t seed)
{
    for (unsigned part = 0; part < PARTS; part++) {
        options.seed = seed * PARTS + part;
        host_share_out(&options);
        for (unsigned i = 0; i < options.address_setting_count; i++) {
            shares[i][part] = host_share_of(&options, i);
        }
    }
}

static bool holds(const char *name, uint32_t least, uint32_t most, unsigned part)
{
    for (unsigned i = 0; i < options.address_setting_count; i++) {
        const struct host_setting *setting = &options.address_settings[i];
        if (strcmp(setting->name, name) == 0) {
            uint32_t value = setting->values[shares[i][part]];
            return value >= least && value <= most;
        }
    }
    fail_msg("a meeting names %s, which is no setting for addresses", name);
    return false;
}

static bool is_met(const struct host_meeting *meeting)
{
    for (unsigned part = 0; part < PARTS; part++) {
        unsigned i = 0;
        while (i < HOST_MEETING_MAX && meeting->of[i].name &&
               holds(meeting->of[i].name, meeting->of[i].least, meeting->of[i].most, part)) {
            i++;
        }
        if (i == HOST_MEETING_MAX || !meeting->of[i].name) {
            return true;
        }
    }
    return false;
}

static void settings_that_have_to_meet_do_with_any_seed(void **state)
{
    unsigned missed = 0;

    (void)state;
    assert_true(options.meeting_count > 0);
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        share_out(seed * 7919);
        for (unsigned i = 0; i < options.meeting_count; i++) {
            missed += !is_met(&options.meetings[i]);
        }
    }
    assert_int_equal(missed, 0);
}

static void four_parts_have_as_many_values_as_they_can(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        share_out(seed);
        for (unsigned i = 0; i < options.address_setting_count; i++) {
            unsigned count = options.address_settings[i].value_count;
            for (unsigned first = 0; first < PARTS; first += HALF) {
                unsigned had = 0;
                for (unsigned part = first; part < first + HALF; part++) {
                    assert_in_range(shares[i][part], 0, count - 1);
                    had |= 1u << shares[i][part];
                }
                unsigned most = count < HALF ? count : HALF;
                assert_int_equal(__builtin_popcount(had), most);
            }
        }
    }
}

static int setup(void **state)
{
    (void)state;
    own_settings_choose(&options);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_that_have_to_meet_do_with_any_seed),
        cmocka_unit_test(four_parts_have_as_many_values_as_they_can),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
