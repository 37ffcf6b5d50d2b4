/* A clone of two paths of which one is scaled: its monitor shows the picture of the other one,
 * which is as large as the surface, in its own mode. What a scaled picture can be
 * screen_stretched.c says. */
#include <stdlib.h>

#include "dxgk/clone_parts.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

static struct vidpn_path *path_to(const struct dxgk_source *source, UINT target)
{
    return vidpn_path_find(source->adapter->active_vidpn, source->index, target);
}

/* For the moment the second path is the source's only one. */
static void look_through(struct dxgk_source *source, UINT second)
{
    struct vidpn_path only = *path_to(source, second);

    only.source_modes = path_to(source, source->target)->source_modes;
    dxgk_vidpn_keep_mode(source->adapter, &only);
}

static void look_again(struct dxgk_source *source, UINT first)
{
    dxgk_vidpn_keep_mode(source->adapter, path_to(source, first));
}

static bool is_scaled(const struct dxgk_source *source, UINT target)
{
    return dxgk_is_scaled(path_to(source, target)->info.ContentTransformation.Scaling);
}

bool dxgk_clone_differs(const struct cloning *cloning)
{
    return cloning->scaled || is_scaled(cloning->source, cloning->first);
}

/* Each of the two is looked at as the source's only one. */
bool dxgk_clone_shows(struct dxgk_source *source, UINT second, struct dxgk_screen_wrong *wrong)
{
    UINT first = source->target;
    bool first_is_scaled = is_scaled(source, first);

    *wrong = (struct dxgk_screen_wrong){0};
    if (first_is_scaled) {
        look_through(source, second);
    }
    uint32_t *picture = dxgk_screen_sent(source);
    if (first_is_scaled) {
        look_again(source, first);
    } else {
        look_through(source, second);
    }
    if (picture && !dxgk_screen_compare(source, picture, wrong)) {
        *wrong = (struct dxgk_screen_wrong){0}; /* the device model cannot tell */
    }
    look_again(source, first);
    free(picture);
    return wrong->count == 0;
}

bool dxgk_clone_judge_scaled(struct dxgk_source *source, UINT second)
{
    UINT plain = is_scaled(source, second) ? source->target : second;
    UINT scaled = plain == second ? source->target : second;
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling =
        path_to(source, scaled)->info.ContentTransformation.Scaling;
    struct dxgk_screen_wrong wrong;
    bool shown = dxgk_clone_shows(source, second, &wrong);

    contract_count(RULE_SHOW_013);
    if (!shown) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_013)},
                        "the source's picture on each target that it has a path to, scaled as that "
                        "path's Scaling says",
                        "source %u has paths to target %u, in its own size, and to target %u with "
                        "%s; %u pixels of target %u can be no part of what target %u shows, the "
                        "first where that has (%u, %u): 0x%06X",
                        source->index, plain, scaled, dxgk_scaling_name(scaling), wrong.count,
                        scaled, plain, wrong.x, wrong.y, wrong.seen);
    }
    return shown;
}

void dxgk_clone_exam_scaled(const struct cloning *cloning)
{
    struct dxgk_source *source = cloning->source;

    look_through(source, cloning->second);
    dxgk_screen_judge_second(source, cloning->first, &cloning->kept);
    dxgk_screen_exam_cloned(source);
    look_again(source, cloning->first);
}
