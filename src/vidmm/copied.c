/* Entries of a mapping that is a copy: from the tables that show its pages already. */
#include "vidmm/internal.h"

/* How many pages from this one on are written in one leaf that entries may be copied from, as the
 * mapping that is made shows them; *leaf: that one. 0: none. */
static uint64_t copied_pages(struct vidmm *vidmm, const struct vidmm_mapping *mapping,
                             uint64_t page, struct vidmm_table **leaf) HOLDS(vidmm->lock)
{
    struct vidmm_mapping *source = mapping_from(mapping->space, page);

    if (!source || source->page_first > page || !source->valid || source->valid_64k ||
        source->allocation != mapping->allocation || source->protection != mapping->protection) {
        return 0;
    }
    *leaf = table_find(mapping->space, page, 0, false);
    if (!*leaf || !table_is_copied(vidmm, *leaf)) {
        return 0;
    }
    uint64_t end = table_page_end(*leaf);
    return (end < mapping_end(source) ? end : mapping_end(source)) - page;
}

bool mapping_copy_run_locked(struct vidmm *vidmm, struct vidmm_mapping *mapping,
                             struct vidmm_table *leaf, const struct page_span *run)
{
    uint64_t from = mapping->copied_from + (run->first - mapping->page_first);
    struct vidmm_table *sources[VIDMM_COPY_RANGES];
    uint64_t counts[VIDMM_COPY_RANGES], done = 0, length = run->end - run->first;
    unsigned ranges = 0;

    for (; table_is_copied(vidmm, leaf) && ranges < VIDMM_COPY_RANGES && done < length; ranges++) {
        counts[ranges] = copied_pages(vidmm, mapping, from + done, &sources[ranges]);
        if (counts[ranges] == 0) {
            return false;
        }
        if (counts[ranges] > length - done) {
            counts[ranges] = length - done;
        }
        done += counts[ranges];
    }
    if (done < length) {
        return false;
    }
    struct vidmm_op *op = table_copy_locked(vidmm, leaf, mapping->allocation);
    done = 0;
    for (unsigned i = 0; i < ranges; done += counts[i], i++) {
        const struct vidmm_copy_range range = {
            .source_first = (uint32_t)(from + done - sources[i]->page_first),
            .destination_first = (uint32_t)(run->first + done - leaf->page_first),
            .count = (uint32_t)counts[i],
        };
        table_copy_range_locked(vidmm, op, sources[i], &range);
    }
    return true;
}
