/* Video present networks as objects: a topology of paths, and sets of modes that drivers fill.
 *
 * The objects live in vidpn.c. Drivers work on them through DXGK_VIDPN_INTERFACE and its kin
 * (vidpn_topology.c, vidpn_modes.c); the kernel's own part, choosing modes and committing, is
 * modes.c. Everything a driver may point into lies in memory at
 * addresses that replay. */
#ifndef DXGK_VIDPN_H
#define DXGK_VIDPN_H

#include "dxgk/internal.h"

/* What a source can be made to show: the size and format of its surface, and how that is turned. */
struct dxgk_view {
    UINT width, height;
    D3DDDIFORMAT format;
    D3DDDI_ROTATION rotation;
    bool stereo;
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling;
};

#define VIDPN_PATHS_MAX 16

enum mode_kind { MODE_SOURCE, MODE_TARGET, MODE_MONITOR, MODE_KIND_COUNT };

/* One mode; the driver is given a pointer to `mode`. */
struct mode_node {
    struct list link; /* in its set's modes, or in its drafts until it is added */
    struct mode_set *set;
    UINT id;
    bool added;
    unsigned acquired; /* by the driver, and not released */
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
    bool replaced; /* was assigned, and goes when the driver releases it for the last time */
    unsigned acquired, modes_acquired; /* by the driver, and not released */
};

struct vidpn_path {
    D3DKMDT_VIDPN_PRESENT_PATH info;
    struct mode_set *source_modes, *target_modes; /* assigned; NULL: none yet */
    bool support_is_ours; /* no enumeration yet, in which the driver says what it supports */
};

/* A path that a driver created and did not add yet. */
struct path_draft {
    struct list link; /* in its VidPN's drafts */
    D3DKMDT_VIDPN_PRESENT_PATH info;
};

/* What the driver may change in the DDI that runs. */
enum vidpn_access { VIDPN_READ, VIDPN_CHANGE_SETS, VIDPN_CHANGE_ALL };

struct dxgk_vidpn {
    uint32_t magic;
    enum vidpn_access access;
    struct dxgk_adapter *adapter;
    struct list link;
    unsigned path_count;
    struct vidpn_path paths[VIDPN_PATHS_MAX];
    struct list sets;                                   /* every set made for it */
    struct list drafts;                                 /* struct path_draft */
    unsigned paths_acquired;                            /* by the driver, and not released */
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *enumeration; /* that runs now; NULL: none */
    struct {                   /* what the driver asks to be made: modes, sets, paths */
        unsigned asked, fails; /* so many so far; the one that fails, from 1, or 0 */
    } makings;
};

/* The driver asks for something new in it: is there no memory? */
bool vidpn_making_fails(struct dxgk_vidpn *vidpn);
struct dxgk_vidpn *vidpn_create(struct dxgk_adapter *adapter);
void vidpn_destroy(struct dxgk_vidpn *vidpn);
/* The same paths with the same sets and pins, but for those to a target (D3DDDI_ID_UNINITIALIZED:
 * none); NULL: no memory. */
struct dxgk_vidpn *vidpn_copy(const struct dxgk_vidpn *vidpn, UINT except_target);
/* The living VidPN behind a driver's handle, or NULL. */
struct dxgk_vidpn *vidpn_of(D3DKMDT_HVIDPN handle);
struct vidpn_path *vidpn_path_find(struct dxgk_vidpn *vidpn, UINT source, UINT target);
/* What a path is before anybody chose. */
void vidpn_path_init(D3DKMDT_VIDPN_PRESENT_PATH *info);
/* What a path supports is the driver's to say from now on. */
void vidpn_forget_support(struct dxgk_vidpn *vidpn);
bool vidpn_add_path(struct dxgk_vidpn *vidpn, UINT source, UINT target);
struct mode_set *mode_set_create(struct dxgk_vidpn *vidpn, enum mode_kind kind);
void mode_set_destroy(struct mode_set *set);
struct mode_node *mode_set_draft(struct mode_set *set);
/* The living set behind a driver's handle; NULL if there is none of that kind. */
struct mode_set *mode_set_of(const void *handle, enum mode_kind kind);
/* One of a monitor's sets that a driver acquired and did not release, or NULL. */
struct mode_set *monitor_set_kept(void);
extern const DXGK_VIDPNTOPOLOGY_INTERFACE dxgk_topology_interface;
extern const DXGK_MONITORSOURCEMODESET_INTERFACE dxgk_monitor_set_interface;
/* Makes a draft a member. */
void mode_set_add(struct mode_node *node);
/* A set with the modes of the monitor at a target; NULL: none is connected. The caller destroys it.
 */
struct mode_set *dxgk_monitor_modes(struct dxgk_adapter *adapter, UINT target);

/* ---- Asking the driver: modes.c ----------------------------------------------------------- */

/* One path from source i to the i-th connected output. */
void dxgk_vidpn_connect_outputs(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                                bool crossed);
/* The VidPN that the driver would choose for the targets of its paths, which are taken out before.
 */
NTSTATUS dxgk_vidpn_recommend(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                              DXGK_RECOMMENDFUNCTIONALVIDPN_REASON reason);
/* Whether the driver says so. */
bool dxgk_vidpn_supported(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
/* The path says which source, target or transformation is the pivot. */
NTSTATUS dxgk_vidpn_enumerate(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                              D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot,
                              const struct vidpn_path *path);
NTSTATUS dxgk_vidpn_commit_source(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                                  UINT source, HANDLE primary);

/* The enumerated sets become modes that are pinned, one after the other; the driver supports the
 * result. Pins that are there stay. The first time its answers are examined. */
NTSTATUS dxgk_vidpn_agree(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn, bool first,
                          struct dxgk_failure *failure);
/* The monitor of the target is offered to the driver's RecommendMonitorModes. */
void dxgk_vidpn_recommend_modes(struct dxgk_adapter *adapter, UINT target);
/* The committed modes of the path are those of its source. */
void dxgk_vidpn_keep_mode(struct dxgk_adapter *adapter, const struct vidpn_path *path);
NTSTATUS dxgk_vidpn_refuse(struct dxgk_failure *failure, const char *what, NTSTATUS status);

/* The preferred mode of that size, else the first one; NULL: there is none. */
struct mode_node *dxgk_vidpn_target_of_size(struct mode_set *set, D3DKMDT_2DREGION size);
/* The preferred mode, else the largest; the first of equals. */
struct mode_node *dxgk_vidpn_target_liked(struct mode_set *set);

/* ---- What clients hear of: modes_list.c ---------------------------------------------------- */

/* Keeps with each source the modes that its path offers; nothing is pinned. */
void dxgk_modes_list(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn);
/* Is there room for such a picture, with two equal halves around it? No page says where an odd
 * pixel goes. */
/* True, too, of what is no scaling. */
bool dxgk_vidpn_can_scale(const struct vidpn_path *path,
                          D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling);
/* One that the path supports between its pinned modes; IDENTITY, too, where there is none. */
D3DKMDT_VIDPN_PRESENT_PATH_SCALING dxgk_vidpn_scaling_between(const struct vidpn_path *path);
bool dxgk_vidpn_has_middle(const D3DKMDT_VIDEO_SIGNAL_INFO *signal, D3DKMDT_2DREGION size);
/* 0: the driver does not say. */
UINT dxgk_vidpn_millihertz(const D3DKMDT_VIDEO_SIGNAL_INFO *signal);

/* ---- Changes of what is shown: modes_change.c ---------------------------------------------- */

/* Commits the present VidPN without the target's path for the source that it showed. */
NTSTATUS dxgk_vidpn_drop_path(struct dxgk_adapter *adapter, UINT source, UINT target);
/* Makes the driver agree again on a path from the source to its target, everything else being as it
 * is, and commits it. */
NTSTATUS dxgk_vidpn_restore_path(struct dxgk_source *source, struct dxgk_failure *failure);
/* A second path from the source, to a target that has none, in the size that it shows, or `scaled`
 * to the mode that its monitor likes best: the driver agrees on it, the source goes dark, and it is
 * committed. */
NTSTATUS dxgk_vidpn_add_clone(struct dxgk_source *source, UINT target, bool scaled);
/* Its picture is described by Format.Graphics, of one eye or of two. */
static inline bool dxgk_mode_is_graphics(const D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    return mode->Type == D3DKMDT_RMT_GRAPHICS || mode->Type == D3DKMDT_RMT_GRAPHICS_STEREO ||
           mode->Type == D3DKMDT_RMT_GRAPHICS_STEREO_ADVANCED_SCAN;
}
static inline bool dxgk_format_has_palette(const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format)
{
    return format->PixelFormat == D3DDDIFMT_P8 &&
           format->PixelValueAccessMode == D3DKMDT_PVAM_SETTABLEPALETTE;
}
/* Agrees on another mode or orientation of the source's path, everything else being as it is.
 * *out is to be committed, and taken or destroyed; NULL: UpdateActiveVidPnPresentPath does it. */
NTSTATUS dxgk_vidpn_open_change(struct dxgk_source *source, const struct dxgk_view *view,
                                struct dxgk_vidpn **out);
/* It was committed: it is the active one, and the source has its mode. */
void dxgk_vidpn_take(struct dxgk_source *source, struct dxgk_vidpn *vidpn);
/* The orientation of the active path alone. */
NTSTATUS dxgk_vidpn_turn(struct dxgk_source *source, D3DDDI_ROTATION rotation);
/* Its scaling alone: sizes differ, and go on to. */
NTSTATUS dxgk_vidpn_rescale(struct dxgk_source *source, D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling);

/* ---- What else a kernel asks: modes_exam.c ------------------------------------------------ */

/* Nothing is pinned. */
void dxgk_modes_exam_offer(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
/* On copies: one request of the driver after the other fails for want of memory; modes_scarce.c. */
void dxgk_modes_exam_scarce(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn);
/* The targets' modes are pinned, those of the sources are not. */
void dxgk_modes_exam_sources(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
/* The VidPN is supported and will be committed. */
void dxgk_modes_exam_rest(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
void dxgk_modes_exam_committed(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
/* Each kind of pivot of the first path, on a copy; modes_pivot.c. */
void dxgk_modes_turn_pivots(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn);
/* Each scaling that the first path supports, pinned, on copies; modes_pivot.c. */
void dxgk_modes_pin_scalings(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn);
/* Behind an enumeration with such a pivot of the first path; NULL: without one [VIDPN-007]. */
void dxgk_modes_judge_support(const struct vidpn_path *path, const char *pivot);
/* Identity, and no pair of sizes for it [VIDPN-007]. */
void dxgk_modes_judge_identity(const struct vidpn_path *path);
/* Another VidPN of the first paths, with the sets that the driver offers for it; NULL: none. */
struct dxgk_vidpn *dxgk_modes_copy_open(struct dxgk_adapter *adapter,
                                        const struct dxgk_vidpn *vidpn, unsigned path_count);
bool vidpn_has_sets(const struct vidpn_path *path);

static inline const char *mode_kind_name(enum mode_kind kind)
{
    return kind == MODE_SOURCE ? "source" : kind == MODE_TARGET ? "target" : "monitor";
}

/* ---- Judging what a driver does to it: vidpn_judge.c ------------------------------------- */

/* A mode that is about to be added to its set [VIDPN-004]. */
void vidpn_judge_mode(const struct mode_node *node);
/* The driver assigns another set to the source or target `id`, with the mode that is pinned or
 * without it [VIDPN-002]. */
void vidpn_judge_replacement(const struct dxgk_vidpn *vidpn, const struct mode_set *before,
                             bool keeps_pinned, UINT id);
/* The DDI returned; what it acquired and did not release is told and forgotten [VIDPN-005]. */
void vidpn_judge_kept(struct dxgk_vidpn *vidpn, const char *ddi);
/* The driver gives something to `function` that it does not hold: it was released, or added or
 * assigned, which takes it over [VIDPN-015]. */
void vidpn_judge_released(const char *what, const char *function, const char *why);
/* It names to `function` what it released before [VIDPN-015]. */
void vidpn_judge_held(const char *what, const char *function, bool released);
/* The driver said that it made a functional one. */
void vidpn_judge_functional(struct dxgk_vidpn *vidpn);
/* CommitVidPn of what IsSupportedVidPn had called supported returned [VIDPN-006]. */
void vidpn_judge_commit(const struct dxgk_vidpn *vidpn, NTSTATUS status);
/* IsSupportedVidPn supports sizes that differ, and no scaling is offered for them [VIDPN-006]. */
void vidpn_judge_no_scaling(const struct dxgk_vidpn *vidpn);
void vidpn_judge_monitor_set(struct mode_set *set, const char *ddi);

/* ---- What the driver holds: vidpn_lent.c ----------------------------------------------------
 * The owner is a VidPN, of paths, or a set, of modes. */

/* A copy of `size` bytes, for the driver to see. */
const void *vidpn_lend(const void *owner, void *original, size_t size, const char *what);
/* What the driver means; what was not lent is itself. */
const void *vidpn_lent_original(const void *owner, const void *seen, bool *released);
void vidpn_lent_back(const void *owner, const void *seen);
void vidpn_lent_changed(const void *owner, const void *original);
/* The DDI returned, or the owner goes. */
void vidpn_lent_forget(const void *owner);

static inline D3DKMDT_HVIDPN vidpn_handle(struct dxgk_vidpn *vidpn)
{
    return (D3DKMDT_HVIDPN)(void *)vidpn;
}

/* beside.c: now and then, when what this source shows was given colours of its own; nobody draws.
 * May switch. */
void dxgk_commit_beside(const struct dxgk_source *shown);

#endif
