/* Parts of addresses. See part.h. */
#include "contract/part.h"

static bool is_part(const struct contract_source *source, uint64_t address,
                    char text[PART_TEXT_MAX])
{
    for (unsigned i = source->pending_count; i > 0; i--) { /* the newest first */
        if (part_of(address, source->pending[i - 1], text)) {
            return true;
        }
    }
    return source->shown_known && part_of(address, source->shown, text);
}

bool contract_part_of_given(const struct contract_tracker *tracker, uint64_t address,
                            char text[PART_TEXT_MAX])
{
    text[0] = '\0';
    for (unsigned i = 0; i < tracker->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        if (is_part(&tracker->sources[i], address, text)) {
            return true;
        }
    }
    return false;
}
