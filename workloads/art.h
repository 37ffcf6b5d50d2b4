/* art.h: pictures made by arithmetic, for workloads that were given none.
 *
 * Only additions, multiplications, divisions and square roots of doubles are used, in one order, so
 * that every build draws the same pixels. */
#ifndef WORKLOADS_ART_H
#define WORKLOADS_ART_H

#include "picture.h"

#define ART_KEY 0x00FF00FFu /* the colour that is left out by keyed copies */

#define ART_PHOTO_COUNT   4
#define ART_ICON_COUNT    6
#define ART_ICON_SIZE     56
#define ART_CURSOR_WIDTH  15
#define ART_CURSOR_HEIGHT 23

uint32_t art_mix(uint32_t a, uint32_t b, double share); /* share of b, 0 to 1 */
double art_sine(double turns);
double art_noise(double x, double y, uint32_t seed); /* smooth, -1 to 1 */

void art_wallpaper(struct picture *picture, uint32_t seed); /* hills at dusk */
void art_photo(struct picture *picture, unsigned kind, uint32_t seed);
/* Every pixel another than its neighbours, in no time: for runs too short to be looked at. */
void art_pattern(struct picture *picture, uint32_t seed);
/* The same in squares of one colour: where it is scaled their middles keep it. */
void art_tiles(struct picture *picture, uint32_t seed);
void art_icon(struct picture *picture, unsigned kind); /* keyed, ART_ICON_SIZE squared */
void art_cursor(struct picture *picture);              /* keyed */
/* A window's top: gradient, three buttons, corners keyed. */
void art_title_bar(struct picture *picture, uint32_t colour);
/* Part of the soft shadow around a window: dots of black that grow sparse, keyed. */
void art_shadow(struct picture *picture, int margin);
/* A round dial without hands. */
void art_dial(struct picture *picture, uint32_t colour);
/* Its hands, over a copy of it; turns: where the quicker one points. */
void art_hands(struct picture *dial, double turns, double slow_turns);

#endif
