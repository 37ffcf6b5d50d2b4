/* What the supervisor knows of a child's end, for whoever judges it. */
#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "drydock.h"

#define SUPERVISE_WORDS 3 /* the descriptor by which a child speaks, packets of one size */

size_t supervise_packet_bytes(void);

enum end_reason { END_CHILD, END_STILL, END_TIME, END_INTERRUPTED };

struct child_end {
    enum end_reason reason;
    int status;                   /* as waitpid() says it */
    struct record_statement said; /* the outcome that stands; NONE: none was said */
    struct record_statement last; /* while closed: what was said at the host's own end */
    bool closed;
    bool forged;            /* somebody spoke who does not know the secret */
    uint32_t breaches_seen; /* most that count, as the record ever showed */
    const struct host_options *host; /* what ran there; the user plugged in what has a path */
};

/* Gives the record its outcome, from what was said and how the child ended. */
void judge_end(struct record *record, const struct child_end *end);

#endif
