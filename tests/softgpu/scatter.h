/* scatter.h: a started GPU whose aperture leads to pages that lie about in memory.
 *
 * Aperture and lists of pages are made of "shuffled" frames: frame i of them is anywhere. dma_map
 * of the mock gives no more than a page, so nothing can be done in one piece by luck. */
#ifndef TESTS_SOFTGPU_SCATTER_H
#define TESTS_SOFTGPU_SCATTER_H

#include "mock.h"

#define SCATTER_PAGES (MOCK_RAM_BASE + 0x100000ull) /* where the frames are */
#define SCATTER_TABLE 0xF00000ull                   /* the aperture's table, in video memory */

/* cmocka's setup and teardown: *state becomes a struct mock. */
int scatter_setup(void **state);
int scatter_teardown(void **state);

void scatter_randomise(uint8_t *bytes, size_t size, uint64_t seed);

/* Number and memory of shuffled frame i. */
uint64_t scatter_frame(uint32_t i);
uint8_t *scatter_page(struct mock *mock, uint32_t i);

/* Maps `count` aperture pages from `first` on to shuffled frames from `frame` on. */
void scatter_map(struct mock *mock, uint32_t first, uint32_t frame, uint32_t count);

/* What such pages hold, gathered, and the way back. */
void scatter_read(struct mock *mock, uint32_t frame, uint8_t *bytes, uint32_t pages);
void scatter_write(struct mock *mock, uint32_t frame, const uint8_t *bytes, uint32_t pages);

#endif
