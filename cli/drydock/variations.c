/* drydock variations: what a run may do otherwise than a calm one. */
#include "drydock.h"

#include <stdio.h>

static json_t *variations_list(void)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const struct vary_info *info = vary_info((enum variation)i);
        json_array_append_new(list, json_pack("{s:s, s:i, s:s}", "name", info->name, "share",
                                              (int)info->share, "sentence", info->sentence));
    }
    return list;
}

enum exit_status variations_command(const struct options *options)
{
    json_t *list;

    if (options->json) {
        list = variations_list();
        json_dumpf(list, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(list);
        return EXIT_CLEAN;
    }
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const struct vary_info *info = vary_info((enum variation)i);
        printf("%s\n    %s%s\n", info->name, info->sentence,
               info->share ? "" : " (only when named, or for a driver of ours)");
    }
    return EXIT_CLEAN;
}
