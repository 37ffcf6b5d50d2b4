/* second.h: what a second monitor shows while the desktop works on the first. */
#ifndef WORKLOADS_SECOND_H
#define WORKLOADS_SECOND_H

#include "gpu.h"
#include "picture.h"

struct second {
    struct gpu *gpu;
    bool shown; /* there is a second source, and it shows the picture */
    struct surface surface;
    struct picture picture;
};

/* Shows it, if the adapter has a second source with a mode. False: something went wrong. */
bool second_show(struct second *second, struct gpu *gpu);
/* Asks for it once more, where it is shown, and waits for nothing. False: that failed. */
bool second_flip(const struct second *second);
/* Its mode, once more: what the first monitor shows stays. */
bool second_set_mode(const struct second *second);
/* Turns it, has a picture drawn that is turned with it, and turns it back. False: that failed. */
bool second_turn(struct second *second);
/* Does the monitor show it? True where the device cannot tell, or nothing is shown. */
bool second_compare(const struct second *second);
void second_destroy(struct second *second); /* accepts a zeroed one */

#endif
