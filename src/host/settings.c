/* Other settings: one driver serves many computers, by numbers in its service key. What its author
 * says they may be, they are in some parts of a run; what turns GPU virtual addresses on, in one.
 */
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "host/internal.h"

/* Sets one and says so in `told`. */
static void set_one(const char *key, enum variation variation, const struct host_setting *setting,
                    char told[RECORD_TEXT_MAX])
{
    uint32_t value = setting->values[vary_below(variation, setting->value_count)];
    size_t used = strlen(told);

    if (NT_SUCCESS(nt_registry_set_dword(key, setting->name, value))) {
        vary_happened(variation);
        snprintf(told + used, RECORD_TEXT_MAX - used, " %s=%u", setting->name, (unsigned)value);
    }
}

#define PAIRED_SEED_BIT 1 /* opposite in the two parts of a run that have other settings */

/* Is the index-th another one? Of two seeds that differ in that bit alone each setting is another
 * with one of them: parts.c gives such seeds, so that a run of four varied parts leaves none
 * out. */
static bool is_chosen(uint64_t seed, unsigned index)
{
    uint64_t both = seed & ~(UINT64_C(3) << (PAIRED_SEED_BIT - 1));

    return ((XXH3_64bits_withSeed(&index, sizeof index, both) ^ seed >> PAIRED_SEED_BIT) & 1) != 0;
}

static bool is_one_of(const struct host_setting *setting, uint32_t value)
{
    for (unsigned i = 0; i < setting->value_count; i++) {
        if (setting->values[i] == value) {
            return true;
        }
    }
    return false;
}

/* All of them, but for what the user said; none if he said what it may not be. */
static void set_addresses(const char *key)
{
    const struct host_options *options = host.options;
    char told[RECORD_TEXT_MAX];
    uint32_t found;

    if (options->address_setting_count == 0 || !vary_on(VARY_GPU_ADDRESSES)) {
        return;
    }
    for (unsigned i = 0; i < options->address_setting_count; i++) {
        const struct host_setting *setting = &options->address_settings[i];
        if (nt_registry_get_dword(key, setting->name, &found) && !is_one_of(setting, found)) {
            return;
        }
    }
    snprintf(told, sizeof told,
             "seed %llu ran with GPU virtual addresses:", (unsigned long long)options->seed);
    for (unsigned i = 0; i < options->address_setting_count; i++) {
        const struct host_setting *setting = &options->address_settings[i];
        if (!nt_registry_get_dword(key, setting->name, &found)) {
            set_one(key, VARY_GPU_ADDRESSES, setting, told);
        }
    }
    record_note(told);
}

/* One of them is another for certain. */
static void set_others(const char *key)
{
    const struct host_options *options = host.options;
    char told[RECORD_TEXT_MAX];
    uint32_t found;

    if (options->setting_count == 0 || !vary_on(VARY_OTHER_SETTINGS)) {
        return;
    }
    snprintf(told, sizeof told,
             "seed %llu ran with other settings:", (unsigned long long)options->seed);
    uint64_t certain = vary_below(VARY_OTHER_SETTINGS, options->setting_count);
    for (unsigned i = 0; i < options->setting_count; i++) {
        const struct host_setting *setting = &options->settings[i];
        bool chosen = setting->always || is_chosen(options->seed, i) || i == certain;
        bool fixed =
            options->settings_are_ours && nt_registry_get_dword(key, setting->name, &found);
        if (chosen && !fixed) {
            set_one(key, VARY_OTHER_SETTINGS, setting, told);
        }
    }
    record_note(told);
}

void host_vary_settings(const char *key)
{
    set_addresses(key);
    set_others(key);
}
