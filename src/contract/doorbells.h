/* doorbells.h: what the tracker follows of doorbells; see tracker.h. */
#ifndef CONTRACT_DOORBELLS_H
#define CONTRACT_DOORBELLS_H

#include "contract/tracker.h"

track_fn track_create_doorbell, track_connect_doorbell, track_end_connect_doorbell,
    track_disconnect_doorbell, track_destroy_doorbell, track_doorbell_taken_back;
void track_user_nodes(struct contract_tracker *tracker, const DXGKARG_GETNODEMETADATA *answer);
/* That of a hardware queue, by either's handle; NULL: it has none. */
struct contract_object *contract_doorbell_of(struct contract_tracker *tracker, HANDLE queue);

#endif
