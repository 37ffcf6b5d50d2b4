/* Video present networks as objects: a topology of paths, and sets of modes that drivers fill.
 *
 * The objects live in vidpn.c. Drivers work on them through DXGK_VIDPN_INTERFACE and its kin
 * (vidpn_topology.c, vidpn_modes.c); the kernel's own part, choosing modes and committing, is
 * modes.c. Everything a driver may point into lies in memory at
 * addresses that replay. */
#ifndef DXGK_VIDPN_H
#define DXGK_VIDPN_H

#include "dxgk/internal.h"

#define VIDPN_PATHS_MAX 16

enum mode_kind { MODE_SOURCE, MODE_TARGET, MODE_MONITOR, MODE_KIND_COUNT };

/* One mode; the driver is given a pointer to `mode`. */
struct mode_node {
    struct list link; /* in its set's modes, or in its drafts until it is added */
    struct mode_set *set;
    UINT id;
    bool added;
    union {
        D3DKMDT_VIDPN_SOURCE_MODE source;
        D3DKMDT_VIDPN_TARGET_MODE target;
        D3DKMDT_MONITOR_SOURCE_MODE monitor;
    } mode;
};

struct mode_set {
    uint32_t magic;
    enum mode_kind kind;
    struct dxgk_vidpn *vidpn; /* NULL: a monitor's */
    struct list link;         /* in its VidPN's sets */
    struct list modes, drafts;
    unsigned count;
    UINT next_id;
    struct mode_node *pinned;
    bool assigned;
};

struct vidpn_path {
    D3DKMDT_VIDPN_PRESENT_PATH info;
    struct mode_set *source_modes, *target_modes; /* assigned; NULL: none yet */
};

/* A path that a driver created and did not add yet. */
struct path_draft {
    struct list link; /* in its VidPN's drafts */
    D3DKMDT_VIDPN_PRESENT_PATH info;
};

struct dxgk_vidpn {
    uint32_t magic;
    struct dxgk_adapter *adapter;
    struct list link;
    unsigned path_count;
    struct vidpn_path paths[VIDPN_PATHS_MAX];
    struct list sets;   /* every set made for it */
    struct list drafts; /* struct path_draft */
};

struct dxgk_vidpn *vidpn_create(struct dxgk_adapter *adapter);
void vidpn_destroy(struct dxgk_vidpn *vidpn);
/* The living VidPN behind a driver's handle, or NULL. */
struct dxgk_vidpn *vidpn_of(D3DKMDT_HVIDPN handle);
struct vidpn_path *vidpn_path_find(struct dxgk_vidpn *vidpn, UINT source, UINT target);
/* What a path is before anybody chose. */
void vidpn_path_init(D3DKMDT_VIDPN_PRESENT_PATH *info);
bool vidpn_add_path(struct dxgk_vidpn *vidpn, UINT source, UINT target);
struct mode_set *mode_set_create(struct dxgk_vidpn *vidpn, enum mode_kind kind);
void mode_set_destroy(struct mode_set *set);
struct mode_node *mode_set_draft(struct mode_set *set);
/* The living set behind a driver's handle; NULL if there is none of that kind. */
struct mode_set *mode_set_of(const void *handle, enum mode_kind kind);
extern const DXGK_VIDPNTOPOLOGY_INTERFACE dxgk_topology_interface;
extern const DXGK_MONITORSOURCEMODESET_INTERFACE dxgk_monitor_set_interface;
/* Makes a draft a member. */
void mode_set_add(struct mode_node *node);
/* A set with the modes of the monitor at a target; NULL: none is connected. The caller destroys it.
 */
struct mode_set *dxgk_monitor_modes(struct dxgk_adapter *adapter, UINT target);
static inline D3DKMDT_HVIDPN vidpn_handle(struct dxgk_vidpn *vidpn)
{
    return (D3DKMDT_HVIDPN)(void *)vidpn;
}

#endif
