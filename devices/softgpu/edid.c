/* edid.c: what the made-up monitors say of themselves.
 *
 * EDID 1.4, one block: digital input, one detailed timing (the preferred mode), a name, a serial
 * text and the range limits. All of them have 60 Hz. */
#include "internal.h"

#include <string.h>

struct timing {
    uint32_t clock_10khz;
    uint32_t width, horizontal_blank, front, sync;
    uint32_t height, vertical_blank, vertical_front, vertical_sync;
    uint32_t width_mm, height_mm;
    bool stereo; /* field sequential, by shutter glasses */
    const char *name;
};

static const struct timing timings[] = {
    [EDID_ONE] = {14850, 1920, 280, 88, 44, 1080, 45, 4, 5, 527, 296, true, "Drydock One"},
    [EDID_TWO] = {10800, 1280, 408, 48, 112, 1024, 42, 1, 3, 376, 301, false, "Drydock Two"},
    /* A row of it is a multiple of eight bytes and of nothing more. */
    [EDID_ODD] = {8550, 1366, 426, 70, 143, 768, 30, 3, 3, 410, 230, true, "Drydock Odd"},
    [EDID_SMALL] = {4000, 800, 256, 40, 128, 600, 28, 1, 4, 270, 203, true, "Drydock Small"},
};

static void put_detailed_timing(uint8_t *to, const struct timing *t)
{
    to[0] = (uint8_t)t->clock_10khz;
    to[1] = (uint8_t)(t->clock_10khz >> 8);
    to[2] = (uint8_t)t->width;
    to[3] = (uint8_t)t->horizontal_blank;
    to[4] = (uint8_t)(t->width >> 8 << 4 | t->horizontal_blank >> 8);
    to[5] = (uint8_t)t->height;
    to[6] = (uint8_t)t->vertical_blank;
    to[7] = (uint8_t)(t->height >> 8 << 4 | t->vertical_blank >> 8);
    to[8] = (uint8_t)t->front;
    to[9] = (uint8_t)t->sync;
    to[10] = (uint8_t)(t->vertical_front << 4 | t->vertical_sync);
    to[12] = (uint8_t)t->width_mm;
    to[13] = (uint8_t)t->height_mm;
    to[14] = (uint8_t)(t->width_mm >> 8 << 4 | t->height_mm >> 8);
    to[17] = 0x1E; /* separate digital sync, both positive */
    if (t->stereo)
        to[17] |= 0x40; /* the left image while the stereo sync is up */
}

/* A text of at most 13 characters, ended by a new line and filled with blanks. */
static void put_text(uint8_t *to, uint8_t tag, const char *text)
{
    size_t length = strlen(text);
    to[3] = tag;
    memset(to + 5, ' ', 13);
    memcpy(to + 5, text, length < 13 ? length : 13);
    if (length < 13)
        to[5 + length] = '\n';
}

static void put_range_limits(uint8_t *to)
{
    static const uint8_t limits[] = {0,  0, 0,    0xFD, 0,   24,  240, 30,  160,
                                     30, 1, '\n', ' ',  ' ', ' ', ' ', ' ', ' '};
    memcpy(to, limits, sizeof(limits));
}

void edid_make(const struct monitor *monitor, uint8_t edid[SOFTGPU_EDID_SIZE])
{
    static const uint8_t head[] = {0x00, 0xFF, 0xFF, 0xFF, 0xFF,
                                   0xFF, 0xFF, 0x00, 0x12, 0x59}; /* manufacturer "DRY" */
    static const uint8_t chromaticity[] = {0xEE, 0x91, 0xA3, 0x54, 0x4C,
                                           0x99, 0x26, 0x0F, 0x50, 0x54}; /* sRGB */
    const struct timing *timing = &timings[monitor->kind];
    memset(edid, 0, SOFTGPU_EDID_SIZE);
    memcpy(edid, head, sizeof(head));
    edid[10] = (uint8_t)(monitor->kind + 1); /* product */
    edid[12] = (uint8_t)(monitor->kind + 1); /* serial number: this, and which one it is */
    edid[13] = (uint8_t)monitor->number;
    edid[16] = 1; /* week */
    edid[17] = 2024 - 1990;
    edid[18] = 1;
    edid[19] = 4;
    edid[20] = 0xA0; /* digital, 8 bits a colour */
    edid[21] = (uint8_t)(timing->width_mm / 10);
    edid[22] = (uint8_t)(timing->height_mm / 10);
    edid[23] = 120;  /* gamma 2.2 */
    edid[24] = 0x06; /* sRGB; the first timing is the preferred one */
    memcpy(edid + 25, chromaticity, sizeof(chromaticity));
    edid[35] = 0x21;             /* 640x480, 800x600 at 60 Hz */
    edid[36] = 0x08;             /* 1024x768 at 60 Hz */
    memset(edid + 38, 0x01, 16); /* no standard timings */
    put_detailed_timing(edid + 54, timing);
    put_text(edid + 72, 0xFC, timing->name);
    char text[] = "DRY0001";
    text[6] = (char)('1' + monitor->kind);
    put_text(edid + 90, 0xFF, text);
    put_range_limits(edid + 108);
    uint8_t sum = 0;
    for (unsigned i = 0; i < SOFTGPU_EDID_SIZE - 1; i++)
        sum = (uint8_t)(sum + edid[i]);
    edid[127] = (uint8_t)-sum;
}
