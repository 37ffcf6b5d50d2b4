/* duty_screens.h: what a kernel that mistook what a source shows, and how, would have handed to the
 * driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_SCREENS_H
#define TESTS_CONTRACT_DUTY_SCREENS_H

SPOIL(palette_too_long, DXGKARG_SETPALETTE, true, a->FirstEntry = 1 + 256 - a->NumEntries)
SPOIL(format_of_no_source, DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT, true, a->VidPnSourceId = 15)
SPOIL(format_of_nobody, DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT, true, a->PrimaryAllocation = NOBODY)

SPOIL(capture_of_nobody, DXGKARG_STOPCAPTURE, true, a->hAllocation = NOBODY)

#define SCREEN_ROWS                                                                            \
    TESTS_RULE(SHOW_010, SetPalette, palette_too_long, SCENE_MODES),                           \
        TESTS_RULE(SHOW_012, SetDisplayPrivateDriverFormat, format_of_no_source, SCENE_PLAIN), \
        TESTS_RULE(SHOW_012, SetDisplayPrivateDriverFormat, format_of_nobody, SCENE_PLAIN),    \
        TESTS_RULE(CAPTURE_002, StopCapture, capture_of_nobody, SCENE_PLAIN)

#endif
