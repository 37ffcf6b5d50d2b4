/* learned.c: a driver's own format, as far as it compares what it is given. */
#ifndef DXGK_LEARNED_H
#define DXGK_LEARNED_H

#include "dxgk/internal.h"

#define LEARNED_BYTES  660u /* at first; no driver's length, one hopes */
#define LEARNED_MAX    2048u
#define LEARNED_VALUES 32u

struct dxgk_learned {
    bool tried;       /* the rest says something */
    bool small;       /* words that nobody compared are small numbers */
    UINT size, count; /* how many of its words are known; 0: nothing was learned */
    uint8_t bytes[LEARNED_MAX];
    bool known[LEARNED_MAX];
    /* What words were compared with besides, and the known ones with. */
    struct compared values[LEARNED_VALUES];
    UINT value_count;
};

/* A DDI that is asked with the client's bytes. True: it took them. */
struct dxgk_learner {
    enum contract_point point;
    const char *what; /* "a client's command buffer" */
    bool (*ask)(void *context, void *bytes, UINT size);
    void *context;
};
/* Once in a run: asked again it does nothing. */
void dxgk_learn(struct dxgk_learned *learned, const struct dxgk_learner *learner);
/* A client's bytes that are as the driver wants them in what is known, mostly, and anything in the
 * rest; for nt_memory_free(). NULL: none. */
void *dxgk_learned_made(const struct dxgk_learned *learned, const char *what,
                        enum variation variation, UINT *size);

#endif
