/* Time-outs of the GPU, told one by one: which packet of which node, what it was, since when it was
 * with the device, and what the driver answered when it was reset. */
#include "observe/internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/status.h"

/* Events behind a time-out among which the driver's answer is looked for. */
#define ANSWER_EVENTS 65536u
#define NS_PER_MS     UINT64_C(1000000)

/* What is known of the packet before the time-out. */
static void look_back(const struct observe *view, uint64_t index, struct observe_timeout *timeout)
{
    while (index-- > view->first_event) {
        const struct event *event = record_event_at(view->record, index);
        if (!event) {
            return;
        }
        if (event->kind == EVENT_PREEMPT_REQUEST && event->b == timeout->node &&
            timeout->asked_ns == 0) {
            timeout->asked_ns = event->time_ns;
        }
        if (timeout->packet == 0 || event->object != timeout->packet) {
            continue;
        }
        if (event->kind == EVENT_PACKET_SUBMIT && timeout->submissions++ == 0) {
            timeout->submitted_ns = event->time_ns;
        }
        if (event->kind == EVENT_PACKET_QUEUED) {
            timeout->packet_kind = view->names->packet_kind((unsigned)(event->b & 0xFF));
            return;
        }
    }
}

static void look_ahead(const struct observe *view, uint64_t index, struct observe_timeout *timeout)
{
    uint64_t end = index + ANSWER_EVENTS, call = 0;

    for (index++; index < end && index < view->event_count; index++) {
        const struct event *event = record_event_at(view->record, index);
        if (!event || event->kind == EVENT_TIMEOUT) {
            return;
        }
        unsigned point = (unsigned)(event->a & 0xFFFF);
        if (event->kind == EVENT_DDI_ENTER && !timeout->reset_by && view->names->resets &&
            view->names->resets(point)) {
            timeout->reset_by = observe_point(view, point);
            call = event->b;
        }
        if (event->kind == EVENT_DDI_LEAVE && timeout->reset_by && event->b == call) {
            timeout->answered = true;
            timeout->answer = (int32_t)(uint32_t)(event->a >> 32);
            return;
        }
    }
}

unsigned observe_timeouts(const struct observe *view,
                          struct observe_timeout timeouts[OBSERVE_TIMEOUTS_MAX])
{
    unsigned count = 0;

    for (uint64_t i = view->first_event; i < view->event_count; i++) {
        const struct event *event = record_event_at(view->record, i);
        if (!event || event->kind != EVENT_TIMEOUT) {
            continue;
        }
        if (count < OBSERVE_TIMEOUTS_MAX) {
            timeouts[count] = (struct observe_timeout){
                .at_ns = event->time_ns, .packet = event->object, .node = (unsigned)event->b};
            look_back(view, i, &timeouts[count]);
            look_ahead(view, i, &timeouts[count]);
        }
        count++;
    }
    return count;
}

static uint64_t since_ms(uint64_t then_ns, uint64_t now_ns)
{
    return now_ns > then_ns ? (now_ns - then_ns) / NS_PER_MS : 0;
}

void observe_timeout_text(const struct observe *view, const struct observe_timeout *timeout,
                          char *text, size_t size)
{
    char packet[64] = "no packet", since[96] = "", asked[96] = "",
         answer[128] = "no reset followed";

    if (timeout->packet) {
        observe_object_text(view, timeout->packet, packet, sizeof packet);
    }
    if (timeout->submissions > 0) {
        snprintf(since, sizeof since, ", submitted %" PRIu64 " ms before%s",
                 since_ms(timeout->submitted_ns, timeout->at_ns),
                 timeout->submissions > 1 ? " for the last of several times" : "");
    }
    if (timeout->asked_ns > 0) {
        snprintf(asked, sizeof asked, ", asked to preempt %" PRIu64 " ms before",
                 since_ms(timeout->asked_ns, timeout->at_ns));
    }
    if (timeout->reset_by) {
        snprintf(answer, sizeof answer, "%s %s", timeout->reset_by,
                 timeout->answered ? status_name((NTSTATUS)timeout->answer) : "did not return");
    }
    snprintf(text, size, "node %u at %" PRIu64 " ms: %s%s%s%s%s%s; %s", timeout->node,
             timeout->at_ns / NS_PER_MS, packet, timeout->packet_kind ? " (" : "",
             timeout->packet_kind ? timeout->packet_kind : "", timeout->packet_kind ? ")" : "",
             since, asked, answer);
}
