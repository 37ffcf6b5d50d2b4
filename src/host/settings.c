/* Other settings: one driver serves many computers, by numbers in its service key. What its author
 * says they may be, they are in some parts of a run; what turns GPU virtual addresses on, in one.
 * Their names a run learns from the driver: it says what he asked for and nobody has set. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>
#include <xxhash.h>

#include "host/internal.h"

/* Sets one and says so in `told`. */
static void set_one(const char *key, enum variation variation, const struct host_setting *setting,
                    unsigned index, char told[RECORD_TEXT_MAX])
{
    uint32_t value = setting->values[index];
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
            host.addresses_ruled_out = true;
            return;
        }
    }
    snprintf(told, sizeof told,
             "seed %llu ran with GPU virtual addresses:", (unsigned long long)options->seed);
    host_share_out(options);
    for (unsigned i = 0; i < options->address_setting_count; i++) {
        const struct host_setting *setting = &options->address_settings[i];
        if (!nt_registry_get_dword(key, setting->name, &found)) {
            set_one(key, VARY_GPU_ADDRESSES, setting, host_share_of(options, i), told);
        }
    }
    record_note(told);
}

/* ---- Numbers that the driver asks for -------------------------------------------------------- */

#define ANY_NAME "*" /* of a setting: every number that is asked for and not there */

static struct {
    char service[256];                 /* path of the driver's service key */
    const struct host_setting *others; /* what all numbers may be, by ANY_NAME; or NULL */
    unsigned set;
    char told[RECORD_TEXT_MAX - 128];
} asked;

static bool is_below(const char *key, const char *above)
{
    size_t length = strlen(above);

    return strncasecmp(key, above, length) == 0 && (key[length] == '\0' || key[length] == '\\');
}

/* The driver's own keys: that of the service and, once there is a device, its software key. */
static bool is_drivers_key(const char *key)
{
    return is_below(key, asked.service) ||
           (host.device && is_below(key, nt_device_software_key(host.device)));
}

static bool is_named(const char *name)
{
    for (unsigned i = 0; i < host.options->setting_count; i++) {
        if (strcasecmp(host.options->settings[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* About half of them, others in the opposite part. */
static bool answer(const char *key, const char *name, uint32_t *value)
{
    unsigned index = (unsigned)XXH3_64bits(name, strlen(name));
    size_t used = strlen(asked.told);

    if (!is_drivers_key(key) || is_named(name) || !is_chosen(host.options->seed, index)) {
        return false;
    }
    *value = asked.others->values[vary_below(VARY_OTHER_SETTINGS, asked.others->value_count)];
    vary_happened(VARY_OTHER_SETTINGS);
    asked.set++;
    snprintf(asked.told + used, sizeof asked.told - used, " %s=%u", name, (unsigned)*value);
    return true;
}

static void tell_set(void)
{
    char text[RECORD_TEXT_MAX];

    if (asked.set > 0) {
        snprintf(text, sizeof text, "seed %llu ran with numbers that the driver asked for:%s",
                 (unsigned long long)host.options->seed, asked.told);
        record_note(text);
        asked.set = 0;
    }
}

/* "Parameters\Setting" */
static void name_asked(const struct nt_registry_asked *value, char *text, size_t size)
{
    const char *below = value->key + strlen(asked.service);
    bool is_service = is_below(value->key, asked.service);

    snprintf(text, size, "%s%s%s", is_service ? below + (*below == '\\') : value->key,
             is_service && *below == '\0' ? "" : "\\", value->name);
}

/* In the part in which nothing varies: what is asked for hangs on what was found. */
static void tell_asked(void)
{
    const struct nt_registry_asked *value;
    char text[RECORD_TEXT_MAX] = "settings asked for and not there:", name[320];
    size_t used = strlen(text), shown = 0, left = 0, numbers = 0;

    for (size_t i = 0; (value = nt_registry_asked_at(i)) != NULL; i++) {
        if (!is_drivers_key(value->key)) {
            continue;
        }
        name_asked(value, name, sizeof name);
        if (used + strlen(name) + 200 > sizeof text) {
            left++;
            continue;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", shown ? "," : "", name);
        shown++;
        numbers += value->as_number;
    }
    if (left > 0) {
        used += (size_t)snprintf(text + used, sizeof text - used, " and %zu more", left);
    }
    snprintf(text + used, sizeof text - used, " (--registry sets them%s)",
             numbers ? "; --alternative tells what a number may be, for varied parts" : "");
    if (shown > 0) {
        record_note(text);
    }
}

void host_tell_settings(void)
{
    struct vary_set none = {0};

    tell_set();
    if (!host.options->settings_are_ours &&
        memcmp(&host.options->variations, &none, sizeof none) == 0) {
        tell_asked();
    }
}

json_t *host_settings_asked(void)
{
    const struct nt_registry_asked *value;
    json_t *list = json_array();

    for (size_t i = 0; (value = nt_registry_asked_at(i)) != NULL; i++) {
        json_array_append_new(list, json_pack("{s:o, s:o, s:b}", "key", host_name_value(value->key),
                                              "name", host_name_value(value->name), "number",
                                              (int)value->as_number));
    }
    return list;
}

/* ---- Others than there are ------------------------------------------------------------------- */

static bool is_any(const struct host_setting *setting)
{
    return strcmp(setting->name, ANY_NAME) == 0;
}

/* One with a name, by chance; the count, if there is none. */
static unsigned draw_named(void)
{
    const struct host_options *options = host.options;
    unsigned named = 0, i = 0;

    for (unsigned k = 0; k < options->setting_count; k++) {
        named += !is_any(&options->settings[k]);
    }
    if (named == 0) {
        return options->setting_count;
    }
    for (uint64_t left = vary_below(VARY_OTHER_SETTINGS, named);; i++) {
        if (!is_any(&options->settings[i]) && left-- == 0) {
            return i;
        }
    }
}

/* The setting with which a driver is of the first version; the count, if there is none. */
static unsigned oldest_setting(void)
{
    const struct host_options *options = host.options;
    unsigned i = 0;

    while (i < options->setting_count && !options->settings[i].oldest) {
        i++;
    }
    return i;
}

/* Does the driver run as one of the first version? Of four parts in one at most, where the system
 * does not stop. */
static bool is_oldest_part(void)
{
    unsigned oldest = oldest_setting();

    return oldest < host.options->setting_count && !vary_on(VARY_STOP_SCREEN) &&
           is_chosen(host.options->seed, oldest);
}

/* What needs a newer version is left out there, so the other of the two parts has all of it. */
static bool is_beside_oldest(void)
{
    unsigned oldest = oldest_setting();

    return oldest < host.options->setting_count && !is_chosen(host.options->seed, oldest);
}

static bool is_another(unsigned index, unsigned certain)
{
    const struct host_setting *setting = &host.options->settings[index];

    if (setting->oldest) {
        return is_oldest_part();
    }
    if (setting->newer && (is_oldest_part() || is_beside_oldest())) {
        return !is_oldest_part();
    }
    return setting->always || index == certain ||
           (setting->instead ? !is_chosen(host.options->seed, index - 1)
                             : is_chosen(host.options->seed, index));
}

/* Those with a name; one of them is another for certain. */
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
    unsigned certain = draw_named();
    for (unsigned i = 0; i < options->setting_count; i++) {
        const struct host_setting *setting = &options->settings[i];
        if (is_any(setting)) {
            asked.others = setting;
            nt_registry_answer(answer);
            continue;
        }
        bool fixed =
            options->settings_are_ours && nt_registry_get_dword(key, setting->name, &found);
        if (is_another(i, certain) && !fixed) {
            unsigned index = (unsigned)vary_below(VARY_OTHER_SETTINGS, setting->value_count);
            set_one(key, VARY_OTHER_SETTINGS, setting, index, told);
        }
    }
    if (strchr(told, '=')) {
        record_note(told);
    }
}

void host_vary_settings(const char *key)
{
    memset(&asked, 0, sizeof asked);
    snprintf(asked.service, sizeof asked.service, "%s", key);
    nt_registry_answer(NULL);
    set_addresses(key);
    set_others(key);
}
