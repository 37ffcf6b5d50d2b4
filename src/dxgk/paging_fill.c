/* Paging buffers that are filled up on purpose (full-paging): what changes nothing is asked for
 * again and again in one buffer, so that the driver meets every rest of room. */
#include "dxgk/paging_room.h"

#define FILLED_UP_MAX   1  /* buffers that are filled up on purpose, by one kind of operation */
#define TABLES_MAX      8  /* the same, by entries of page tables */
#define FLUSHES_MAX     12 /* the same, by flushes, but for a little */
#define ENTRIES_MIN     4  /* of those: a buffer may end between two of them */
#define ROUNDS_MAX      UINT64_C(2048)
#define AGAIN_BYTES_MAX (UINT64_C(2800) << 20) /* what the device fills for one of them */

static bool is_fill(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_FILL || op->kind == VIDMM_OP_VIRTUAL_FILL;
}

/* Where what is asked for again, as often as the buffer has room, is counted; NULL: it is not. To
 * fill what nobody has used yet once more changes nothing, nor does an entry that is written
 * again. Where entries are alike, a wrong one is not seen. */
static unsigned *refill(struct dxgk_adapter *adapter, const struct vidmm_op *op, uint64_t rounds)
{
    bool fills = is_fill(op);
    unsigned *done = fills ? &adapter->paging.filled_up : &adapter->paging.tables_up;

    if (adapter->state != DXGK_ADAPTER_RUNNING ||
        rounds > (fills ? AGAIN_BYTES_MAX / (op->fill.size_bytes + 1) : ROUNDS_MAX) ||
        *done == (fills ? FILLED_UP_MAX : TABLES_MAX)) {
        return NULL;
    }
    return fills || (op->kind == VIDMM_OP_UPDATE_TABLE && op->update.count >= ENTRIES_MIN &&
                     !op->update.repeat && !op->update.eviction)
               ? done
               : NULL;
}

/* A flush may come as often as it likes. It leaves little room to those that come next. */
static bool flushes_again(struct dxgk_adapter *adapter, struct paging_operation *operation,
                          UINT bytes)
{
    const struct paging_buffer *buffer = adapter->paging.current;
    UINT rest = adapter->paging_buffer_size - buffer->used;

    if (bytes == 0 || buffer->used > adapter->paging_buffer_size || rest / bytes > ROUNDS_MAX) {
        return false;
    }
    if (operation->filled_up != buffer) {
        if (operation->filled_up || adapter->state != DXGK_ADAPTER_RUNNING ||
            adapter->paging.flushes_up == FLUSHES_MAX || !vary_happens(VARY_FULL_PAGING, 4)) {
            return false;
        }
        adapter->paging.flushes_up++;
        operation->filled_up = buffer;
        operation->rest = dxgk_paging_little_rest(adapter);
    }
    return rest >= bytes && rest - bytes >= operation->rest;
}

bool dxgk_paging_fills_up(struct dxgk_adapter *adapter, struct paging_operation *operation,
                          UINT bytes)
{
    const struct paging_buffer *buffer = adapter->paging.current;

    if (operation->op->kind == VIDMM_OP_FLUSH_TLB) {
        return flushes_again(adapter, operation, bytes);
    }
    if (buffer->used >= adapter->paging_buffer_size) {
        return false;
    }
    if (operation->filled_up || bytes == 0) {
        return operation->filled_up == buffer && bytes > 0 &&
               !(operation->leaves_rest && adapter->paging_buffer_size - buffer->used < bytes);
    }
    unsigned *done =
        refill(adapter, operation->op, (adapter->paging_buffer_size - buffer->used) / bytes + 1);
    if (!done || !vary_happens(VARY_FULL_PAGING, 4)) {
        return false;
    }
    (*done)++;
    operation->filled_up = buffer;
    operation->leaves_rest = !is_fill(operation->op) && vary_below(VARY_FULL_PAGING, 2) == 0;
    return true;
}
