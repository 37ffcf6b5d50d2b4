/* Memory of fences that the GPU reads and writes by virtual address: a page of system memory for
 * each word, and where spaces show it.
 *
 *     a fence ──> its memory <── a view for each process that has it open ──> the process's space
 *
 * A view keeps its address when its fence is closed, for the GPU may be about to write there: it
 * goes when work lets go of the page, and is looked for with the next fence of the process, and at
 * the process's end. */
#ifndef DXGK_FENCE_MEMORY_H
#define DXGK_FENCE_MEMORY_H

#include "dxgk/space.h"
#include "sync/sync.h"

struct dxgk_adapter;
struct dxgk_packet;

/* One word, at the begin of a page of its own. */
struct dxgk_word {
    bool has_frame, has_memory;
    uint64_t frame;
    void *view; /* the kernel's */
    struct vidmm_allocation memory;
};

/* Zeroed before; what is half made is freed, too. `flags`: more of enum vidmm_allocation_flags. */
NTSTATUS MUST_CHECK dxgk_word_make(struct dxgk_word *word, struct dxgk_adapter *adapter,
                                   uint32_t object, uint32_t flags);
/* No space shows it, and nobody uses it. */
void dxgk_word_free(struct dxgk_word *word);
/* The space shows it at the address from now on; `writes`: the GPU may write there. May switch. */
NTSTATUS MUST_CHECK dxgk_word_map(struct dxgk_word *word, struct dxgk_space *space, bool writes,
                                  uint64_t *address);

/* The word of a fence that several processes may have open. */
struct dxgk_fence_memory {
    struct list link; /* the adapter's: of those that nobody has any more */
    struct dxgk_adapter *adapter;
    unsigned reference_count; /* its fence, and views */
    struct dxgk_word word;
};

/* NULL: no memory. With a reference. `flags` as of dxgk_word_make(). */
struct dxgk_fence_memory *dxgk_fence_memory_new(struct dxgk_adapter *adapter, uint32_t object,
                                                uint32_t flags);
void dxgk_fence_memory_put(struct dxgk_fence_memory *memory);

struct dxgk_fence_view {
    struct list link; /* the space's */
    struct dxgk_space *space;
    struct dxgk_fence_memory *memory; /* a reference */
    struct sync_object *fence;        /* whose value it shows; NULL: closed, or it is no value */
    uint64_t address;                 /* 0: it is shown no more */
    bool closed;
};

/* Shows it in the space, from now on; `writes`: the GPU may write there. May switch. */
NTSTATUS MUST_CHECK dxgk_fence_view_new(struct dxgk_space *space, struct dxgk_fence_memory *memory,
                                        bool writes, struct dxgk_fence_view **out);
/* Nobody names it any more. Any IRQL up to DISPATCH_LEVEL. */
void dxgk_fence_view_close(struct dxgk_fence_view *view);
/* All of a space whose contexts are gone, and all that is left on an adapter. May switch. */
void dxgk_fence_views_end(struct dxgk_space *space);
void dxgk_fence_memories_end(struct dxgk_adapter *adapter);

/* All that the packet's process sees is in place for it; as the other parts of prepare. */
enum vidsch_prepare dxgk_fences_prepare(struct dxgk_packet *packet, NTSTATUS *status);

/* Work that may have written fences of the space, or of anybody, has ended: who waits for what they
 * are now is let go [FENCE-002]. DISPATCH_LEVEL or below. */
void dxgk_fences_look(struct dxgk_space *space);
void dxgk_fences_look_all(struct dxgk_adapter *adapter);

#endif
