/* The screen of a system that a finding stopped, for the picture beside the report.
 *
 * The first finding is the one that counts: it is in the record before this begins, the record
 * takes no other, and whatever goes wrong here, a fault, an endless loop, a service that is not
 * allowed, ends the drawing alone. The driver may be the one that crashed: it is asked all the
 * same, as any driver is by a system that stops, at the highest level, where nobody else runs. It
 * is not asked where it was in one of these calls already, or has no device or no power to draw
 * with. */
#include <string.h>

#include "host/internal.h"

/* The finding that ended the run with a bug check; NULL: it ended otherwise. */
static const struct record_breach *stopping_breach(void)
{
    const struct record_breach *found = NULL;

    for (uint32_t i = 0; i < record_header(host.record)->breach_count; i++) {
        const struct record_breach *breach = record_breach_at(host.record, i);
        if (breach->fatal && breach->bugcheck != 0 && breach->weight == RECORD_COUNTS) {
            found = breach;
        }
    }
    return found;
}

/* It ran out of its stack, or of sense, where it is to be called again. */
static bool was_drawing(const struct record_breach *breach)
{
    static const char *const calls[] = {"DxgkDdiSystemDisplayEnable", "DxgkDdiSystemDisplayWrite",
                                        "DxgkDdiResetDevice"};
    bool found = false;

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        found |= strcmp(breach->ddi, calls[i]) == 0;
    }
    return found;
}

static void draw(void *drawn)
{
    *(bool *)drawn = dxgk_adapter_draw_stop_screen(host.adapter);
}

void host_stop_screen(void)
{
    const struct record_breach *breach = stopping_breach();
    bool drawn = false;

    if (!breach || !host.adapter || host.system_stopped || was_drawing(breach)) {
        return;
    }
    host.speaks_last = true;
    record_seal_breaches();
    (void)machine_speak_last(draw, &drawn);
    if (drawn) {
        record_count("host.stop_screens", 1);
    }
    host.speaks_last = false;
}
