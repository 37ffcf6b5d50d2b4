/* What the CPU sees of page tables, where it writes them. */
#include "vidmm/internal.h"

void table_drop_view(struct vidmm *vidmm, struct vidmm_table *table)
{
    if (table->view && vidmm->backend.unmap_segment) {
        vidmm->backend.unmap_segment(vidmm, &table->view_place, table->view, table->size_bytes);
    }
    table->view = NULL;
}

static struct vidmm_table *find_seen(const struct list *tables, const struct vidmm_table *wanted,
                                     unsigned segment)
{
    list_for_each (link, tables) {
        struct vidmm_table *table = container_of(link, struct vidmm_table, link);
        if (table != wanted && table->view && table->view_place.segment == segment) {
            return table;
        }
    }
    return NULL;
}

/* The view of another table of the segment goes, for there may be room for few: each is used while
 * an operation is built alone, and one is at a time. False: there is none. */
static bool drop_another_view(struct vidmm *vidmm, const struct vidmm_table *wanted,
                              unsigned segment)
{
    struct vidmm_table other = {.view = NULL}; /* what of it is needed for that */

    mutex_lock(&vidmm->lock);
    struct vidmm_table *found = find_seen(&vidmm->dead_tables, wanted, segment);
    list_for_each (link, &vidmm->spaces) {
        struct vidmm_space *space = container_of(link, struct vidmm_space, link);
        found = found ? found : find_seen(&space->tables, wanted, segment);
    }
    if (found) {
        other.view = found->view;
        other.view_place = found->view_place;
        other.size_bytes = found->size_bytes;
        found->view = NULL;
    }
    mutex_unlock(&vidmm->lock);
    table_drop_view(vidmm, &other);
    return found != NULL;
}

void *vidmm_op_table_view(struct vidmm_op *op)
{
    struct vidmm *vidmm = op->vidmm;
    struct vidmm_table *table = op->update.table;
    const struct vidmm_location *place = &op->update.place;

    if (place->segment == 0) {
        return ram_at(place->offset, table->size_bytes);
    }
    if (table->view && table->view_place.segment == place->segment &&
        table->view_place.offset == place->offset) {
        return table->view;
    }
    table_drop_view(vidmm, table);
    do {
        table->view = vidmm->backend.map_segment
                          ? vidmm->backend.map_segment(vidmm, NULL, place, table->size_bytes)
                          : NULL;
    } while (!table->view && drop_another_view(vidmm, table, place->segment));
    table->view_place = *place;
    return table->view;
}

uint64_t vidmm_op_table_bytes(const struct vidmm_op *op)
{
    return op->update.table->size_bytes;
}
