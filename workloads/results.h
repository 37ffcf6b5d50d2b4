/* results.h: what a driver did wrong and only the result of work shows: each is a piece of work
 * whose result names the rule. */
#ifndef WORKLOADS_RESULTS_H
#define WORKLOADS_RESULTS_H

#include "gpu.h"

/* Does the driver make surfaces, and copy within them, or from one to another? If not it is
 * noted. */
bool work_can_copy(const struct drydock_workload_host *host);
/* Rows of a surface that the CPU sees are as far apart as the driver told [ALLOC-025]. */
bool result_of_pitch(struct gpu *gpu);
/* A Blt by a list of sub-rectangles leaves what lies between them as it was [PRES-028]. */
bool result_of_sub_rects(struct gpu *gpu);
/* The same of a list that no DMA buffer has room for, by Blt and by ColorFill. */
bool result_of_many_rects(struct gpu *gpu);
/* Presents that other windows lie upon: stretched with a list of what is seen, and moved within a
 * surface, each way [PRES-028]; and by the surfaces that windows are drawn in. */
bool result_of_kinds(struct gpu *gpu);
/* Of the software GPU's driver: fills, keys and copies on surfaces of other formats than a screen's
 * [PRES-025]. */
bool result_of_formats(struct gpu *gpu);
/* What the CPU writes through swizzling ranges, and at addresses that outlive an eviction. */
bool result_of_ranges(struct gpu *gpu);
/* Rectangles that a Present moves within a surface, while work comes that is more urgent: each is
 * moved once [SUBMIT-045]. */
bool result_of_moved_rects(struct gpu *gpu);
/* Of the software GPU's driver: commands that it must not let through [RENDER-003]. */
bool result_of_refusals(const struct drydock_workload_host *host);
/* Of the software GPU's driver: a command buffer that is preempted again and again, in which each
 * command must run once and in its place [SUBMIT-045]. */
bool result_of_preemption(const struct drydock_workload_host *host);
/* The same of a buffer that is submitted by its virtual address; true, too, where there are none
 * [SUBMIT-045, SUBV-008]. */
bool result_of_virtual_preemption(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: clients that use addresses where nothing is mapped lose their
 * devices, with work queued behind, and nobody else is the worse for it [INT-015]. */
bool result_of_page_faults(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: properties that clients ask for and it must not grant; true, too,
 * where there are no addresses, and nobody is asked [ALLOC-011]. */
bool result_of_properties(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: a client's hardware queue hangs. Its device alone is called hung,
 * and what others have in their queues is done behind the reset [HWQ-022, HWQ-023]. Nothing, where
 * the node has no hardware queues. */
void result_of_a_hung_queue(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: command buffers that are submitted once for two contexts, each of
 * which runs them [VALID-001, VALID-011]. */
bool result_of_broadcasts(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: submissions by virtual address that it must not let through; the
 * last thing that the node is given [SUBV-002, SUBV-003]. */
bool result_of_malformed_submissions(const struct drydock_workload_host *host, unsigned node);
/* Of the software GPU's driver: command buffers that are submitted and not run, as those do that
 * measure the overhead alone; the work around them is done, and each ends [SUBMIT-038]. */
bool result_of_null_rendering(const struct drydock_workload_host *host);
/* The same by virtual address, in every second pair of rounds without private data; true, too,
 * where there are none. */
bool result_of_virtual_null_rendering(const struct drydock_workload_host *host, unsigned node);

/* So many Presents at random, each compared with what documents say that it means: scenes.c. */
bool result_of_scenes(const struct drydock_workload_host *host, unsigned count);
/* The same by GPU virtual addresses; nothing, where the driver has none. */
bool result_of_placed_scenes(const struct drydock_workload_host *host, unsigned count);

#endif
