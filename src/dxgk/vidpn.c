/* VidPN objects, their paths and mode sets, and the lists of those that live.
 *
 * A driver's handle is an address: it is believed only while it is on a list here, so that a stale
 * or foreign one can be answered with its documented status. */
#include "dxgk/vidpn.h"

#define VIDPN_MAGIC    0x564E4950u
#define MODE_SET_MAGIC 0x5345544Du

static struct list living_vidpns = {&living_vidpns, &living_vidpns};
static struct list monitor_sets = {&monitor_sets, &monitor_sets};

/* ---- Objects ------------------------------------------------------------------------------- */

struct dxgk_vidpn *vidpn_create(struct dxgk_adapter *adapter)
{
    struct dxgk_vidpn *vidpn = nt_memory_alloc(sizeof *vidpn, 0);

    if (vidpn) {
        vidpn->magic = VIDPN_MAGIC;
        vidpn->adapter = adapter;
        list_init(&vidpn->sets);
        list_init(&vidpn->drafts);
        list_push_back(&living_vidpns, &vidpn->link);
    }
    return vidpn;
}

static void free_nodes(struct list *nodes)
{
    for (struct list *link; (link = list_pop_front(nodes)) != NULL;) {
        nt_memory_free(container_of(link, struct mode_node, link));
    }
}

void mode_set_destroy(struct mode_set *set)
{
    vidpn_lent_forget(set);
    free_nodes(&set->modes);
    free_nodes(&set->drafts);
    list_remove(&set->link);
    set->magic = 0;
    nt_memory_free(set);
}

void vidpn_destroy(struct dxgk_vidpn *vidpn)
{
    if (!vidpn) {
        return;
    }
    while (!list_empty(&vidpn->sets)) {
        mode_set_destroy(container_of(vidpn->sets.next, struct mode_set, link));
    }
    for (struct list *link; (link = list_pop_front(&vidpn->drafts)) != NULL;) {
        nt_memory_free(container_of(link, struct path_draft, link));
    }
    vidpn_lent_forget(vidpn);
    list_remove(&vidpn->link);
    vidpn->magic = 0;
    nt_memory_free(vidpn);
}

struct mode_set *mode_set_create(struct dxgk_vidpn *vidpn, enum mode_kind kind)
{
    struct mode_set *set = nt_memory_alloc(sizeof *set, 0);

    if (set) {
        set->magic = MODE_SET_MAGIC;
        set->kind = kind;
        set->vidpn = vidpn;
        set->next_id = 1;
        list_init(&set->modes);
        list_init(&set->drafts);
        list_push_back(vidpn ? &vidpn->sets : &monitor_sets, &set->link);
    }
    return set;
}

static void init_source(D3DKMDT_VIDPN_SOURCE_MODE *mode, UINT id)
{
    mode->Id = id;
    mode->Type = D3DKMDT_RMT_UNINITIALIZED;
}

struct mode_node *mode_set_draft(struct mode_set *set)
{
    struct mode_node *node = nt_memory_alloc(sizeof *node, 0);

    if (node) {
        node->set = set;
        node->id = set->next_id++;
        if (set->kind == MODE_SOURCE) {
            init_source(&node->mode.source, node->id);
        } else if (set->kind == MODE_TARGET) {
            node->mode.target.Id = node->id;
        } else {
            node->mode.monitor.Id = node->id;
        }
        list_push_back(&set->drafts, &node->link);
    }
    return node;
}

void mode_set_add(struct mode_node *node)
{
    list_remove(&node->link);
    list_push_back(&node->set->modes, &node->link);
    node->added = true;
    node->set->count++;
}

static struct mode_set *copy_set(struct dxgk_vidpn *vidpn, const struct mode_set *from)
{
    struct mode_set *set = mode_set_create(vidpn, from->kind);

    list_for_each (link, &from->modes) {
        const struct mode_node *node = container_of(link, struct mode_node, link);
        struct mode_node *copy = set ? mode_set_draft(set) : NULL;
        if (!copy) {
            return NULL;
        }
        copy->mode = node->mode;
        copy->id = node->id;
        mode_set_add(copy);
        set->pinned = from->pinned == node ? copy : set->pinned;
    }
    if (set) {
        set->next_id = from->next_id;
        set->assigned = true;
    }
    return set;
}

struct dxgk_vidpn *vidpn_copy(const struct dxgk_vidpn *vidpn, UINT except_target)
{
    struct dxgk_vidpn *copy = vidpn_create(vidpn->adapter);

    for (unsigned i = 0; copy && i < vidpn->path_count; i++) {
        const struct vidpn_path *from = &vidpn->paths[i];
        if (from->info.VidPnTargetId == except_target) {
            continue;
        }
        struct vidpn_path *to = &copy->paths[copy->path_count++];
        to->info = from->info;
        to->source_modes = from->source_modes ? copy_set(copy, from->source_modes) : NULL;
        to->target_modes = from->target_modes ? copy_set(copy, from->target_modes) : NULL;
        if (!to->source_modes != !from->source_modes || !to->target_modes != !from->target_modes) {
            vidpn_destroy(copy);
            copy = NULL;
        }
    }
    return copy;
}

struct dxgk_vidpn *vidpn_of(D3DKMDT_HVIDPN handle)
{
    list_for_each (link, &living_vidpns) {
        struct dxgk_vidpn *vidpn = container_of(link, struct dxgk_vidpn, link);
        if ((void *)vidpn == (void *)handle) {
            return vidpn;
        }
    }
    return NULL;
}

static bool holds_set(struct list *sets, const void *handle)
{
    list_for_each (link, sets) {
        if ((void *)container_of(link, struct mode_set, link) == handle) {
            return true;
        }
    }
    return false;
}

struct mode_set *mode_set_of(const void *handle, enum mode_kind kind)
{
    bool found = kind == MODE_MONITOR && holds_set(&monitor_sets, handle);

    list_for_each (link, &living_vidpns) {
        if (found) {
            break;
        }
        found = holds_set(&container_of(link, struct dxgk_vidpn, link)->sets, handle);
    }
    struct mode_set *set = found ? (struct mode_set *)(uintptr_t)handle : NULL;
    return set && set->kind == kind ? set : NULL;
}

struct mode_set *monitor_set_kept(void)
{
    list_for_each (link, &monitor_sets) {
        struct mode_set *set = container_of(link, struct mode_set, link);
        if (set->acquired) {
            return set;
        }
    }
    return NULL;
}

/* ---- Paths -------------------------------------------------------------------------------- */

struct vidpn_path *vidpn_path_find(struct dxgk_vidpn *vidpn, UINT source, UINT target)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (vidpn->paths[i].info.VidPnSourceId == source &&
            vidpn->paths[i].info.VidPnTargetId == target) {
            return &vidpn->paths[i];
        }
    }
    return NULL;
}

void vidpn_path_init(D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    info->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
    info->ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
    info->ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
    /* Public drivers ask for one of two others, or for this. */
    info->VidPnTargetColorBasis = D3DKMDT_CB_UNINITIALIZED;
    info->VidPnTargetColorCoeffDynamicRanges.FirstChannel = 8;
    info->VidPnTargetColorCoeffDynamicRanges.SecondChannel = 8;
    info->VidPnTargetColorCoeffDynamicRanges.ThirdChannel = 8;
    info->Content = D3DKMDT_VPPC_GRAPHICS;
    info->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
    info->ContentTransformation.ScalingSupport.Identity = 1;
    info->ContentTransformation.RotationSupport.Identity = 1;
    info->CopyProtection.CopyProtectionSupport.NoProtection = 1;
    info->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
}

/* Not of protection: a public driver hands on what it finds there, and supports no path without. */
void vidpn_forget_support(struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        D3DKMDT_VIDPN_PRESENT_PATH *info = &vidpn->paths[i].info;
        if (vidpn->paths[i].support_is_ours) {
            memset(&info->ContentTransformation.ScalingSupport, 0,
                   sizeof info->ContentTransformation.ScalingSupport);
            memset(&info->ContentTransformation.RotationSupport, 0,
                   sizeof info->ContentTransformation.RotationSupport);
            vidpn->paths[i].support_is_ours = false;
        }
    }
}

bool vidpn_add_path(struct dxgk_vidpn *vidpn, UINT source, UINT target)
{
    if (vidpn->path_count == VIDPN_PATHS_MAX || vidpn_path_find(vidpn, source, target)) {
        return false;
    }
    struct vidpn_path *path = &vidpn->paths[vidpn->path_count];
    *path = (struct vidpn_path){0};
    vidpn_path_init(&path->info);
    path->support_is_ours = true;
    path->info.VidPnSourceId = source;
    path->info.VidPnTargetId = target;
    path->info.ImportanceOrdinal =
        (D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE)(D3DKMDT_VPPI_PRIMARY + vidpn->path_count);
    vidpn->path_count++;
    return true;
}
