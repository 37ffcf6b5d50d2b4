/* The trace, read back with the same public format. */
#include "support.h"

#include "observe/perfetto.pb-c.h"

#define TRACKS_MAX 64

struct open_slices {
    uint64_t track;
    int depth, begun;
};

static Perfetto__Trace *trace_of(struct test_run *test)
{
    struct observe *observe = observe_create(&test->run);
    Perfetto__Trace *trace;
    unsigned char *bytes;
    char folder[64], path[128];
    const struct observe_folder to = make_folder(folder);
    size_t size;

    assert_true(observe_write_trace(observe, &to));
    snprintf(path, sizeof path, "%s/" OBSERVE_TRACE_FILE, folder);
    bytes = take_file(path, &size);
    remove_folder(&to, folder);
    trace = perfetto__trace__unpack(NULL, size, bytes);
    assert_non_null(trace);
    free(bytes);
    observe_destroy(observe);
    return trace;
}

static struct open_slices *slices_of(struct open_slices *all, uint64_t track)
{
    for (unsigned i = 0; i < TRACKS_MAX; i++) {
        if (all[i].track == track || all[i].track == 0) {
            all[i].track = track;
            return &all[i];
        }
    }
    fail();
    return NULL;
}

static const char *track_name(const Perfetto__Trace *trace, uint64_t uuid)
{
    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackDescriptor *track = trace->packet[i]->track_descriptor;
        if (track && track->uuid == uuid) {
            return track->thread    ? track->thread->thread_name
                   : track->process ? track->process->process_name
                                    : track->name;
        }
    }
    return NULL;
}

static const char *event_name(const Perfetto__Trace *trace, const Perfetto__TrackEvent *event)
{
    for (size_t i = 0; i < trace->n_packet && event->has_name_iid; i++) {
        const Perfetto__InternedData *data = trace->packet[i]->interned_data;
        if (data && data->n_event_names && data->event_names[0]->iid == event->name_iid) {
            return data->event_names[0]->name;
        }
    }
    return event->name;
}

static const char *stage_name(const Perfetto__Trace *trace, uint64_t iid)
{
    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__InternedData *data = trace->packet[i]->interned_data;
        if (data && data->n_gpu_specifications && data->gpu_specifications[0]->iid == iid) {
            return data->gpu_specifications[0]->name;
        }
    }
    return NULL;
}

static void every_slice_ends_on_a_described_track(void **state)
{
    Perfetto__Trace *trace = trace_of(*state);
    struct open_slices all[TRACKS_MAX] = {{0}};

    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackEvent *event = trace->packet[i]->track_event;
        if (!event) {
            continue;
        }
        struct open_slices *slices = slices_of(all, event->track_uuid);
        assert_non_null(track_name(trace, event->track_uuid));
        slices->depth += event->type == 1 ? 1 : event->type == 2 ? -1 : 0;
        slices->begun += event->type == 1;
        assert_true(slices->depth >= 0);
        if (event->type != 2) {
            assert_non_null(event_name(trace, event));
        }
    }
    for (unsigned i = 0; i < TRACKS_MAX && all[i].track; i++) {
        bool stages = strcmp(track_name(trace, all[i].track), "stages") == 0;
        assert_int_equal(all[i].depth, stages); /* the run did not come to its end */
    }
    perfetto__trace__free_unpacked(trace, NULL);
}

static void hardware_queues_are_render_stages(void **state)
{
    struct test_run *test = *state;
    Perfetto__Trace *trace = trace_of(test);
    unsigned found = 0;

    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__GpuRenderStageEvent *event = trace->packet[i]->gpu_render_stage_event;
        if (!event) {
            continue;
        }
        assert_int_equal(event->event_id, test->packets[found]);
        assert_int_equal(event->submission_id, 11 + found);
        assert_int_equal(event->context, test->context);
        assert_int_equal(trace->packet[i]->timestamp, found == 0 ? 310 : 320);
        assert_int_equal(event->duration, found == 0 ? 100 : 90);
        assert_string_equal(stage_name(trace, event->hw_queue_iid), "node 2 hardware queue");
        assert_string_equal(stage_name(trace, event->stage_iid), "render");
        assert_string_equal(event->extra_data[0]->value,
                            found == 0 ? "STATUS_SUCCESS" : "preempted");
        found++;
    }
    assert_int_equal(found, 2);
    perfetto__trace__free_unpacked(trace, NULL);
}

static const char *track_of_slice(const Perfetto__Trace *trace, const char *name)
{
    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackEvent *event = trace->packet[i]->track_event;
        if (event && event->type == 1 && strcmp(event_name(trace, event), name) == 0) {
            return track_name(trace, event->track_uuid);
        }
    }
    return NULL;
}

static void calls_are_drawn_where_they_are_made(void **state)
{
    Perfetto__Trace *trace = trace_of(*state);

    assert_string_equal(track_of_slice(trace, "DxgkDdiSecond"), "client");
    assert_string_equal(track_of_slice(trace, "DxgkDdiFirst"), "CPU 0"); /* in an interrupt */
    assert_string_equal(track_of_slice(trace, "interrupt"), "CPU 0");
    assert_string_equal(track_of_slice(trace, "client"), "CPU 0");
    assert_string_equal(track_of_slice(trace, "command 99"), "engine 2");
    assert_string_equal(track_of_slice(trace, "reset"), "recovery");
    perfetto__trace__free_unpacked(trace, NULL);
}

static void waiting_packets_have_rows_of_their_own(void **state)
{
    Perfetto__Trace *trace = trace_of(*state);
    uint64_t rows[3];
    unsigned found = 0;

    for (size_t i = 0; i < trace->n_packet; i++) {
        const Perfetto__TrackEvent *event = trace->packet[i]->track_event;
        if (event && event->type == 1 &&
            strcmp(track_name(trace, event->track_uuid), "context 1 queue") == 0) {
            assert_true(found < 3);
            rows[found++] = event->track_uuid;
        }
    }
    assert_int_equal(found, 3);
    assert_true(rows[0] != rows[1] && rows[1] != rows[2] && rows[0] != rows[2]);
    perfetto__trace__free_unpacked(trace, NULL);
}

static void ends_without_beginnings_are_left_out(void **state)
{
    struct test_run *test = *state;

    /* The ring now holds nothing of the run but ends. */
    for (unsigned i = 0; i < 1024; i++) {
        record_event(EVENT_DDI_LEAVE, 0, 1, 7);
        record_event(EVENT_INTERRUPT_END, 0, 0, 0);
        record_event(EVENT_PACKET_DONE, test->packets[0], 0, 0);
        record_event(EVENT_GPU_END, 0, 0, 0);
        record_event(EVENT_RESET, 0, 1, 0);
    }
    Perfetto__Trace *trace = trace_of(test);
    for (size_t i = 0; i < trace->n_packet; i++) {
        assert_null(trace->packet[i]->track_event);
        assert_null(trace->packet[i]->gpu_render_stage_event);
    }
    perfetto__trace__free_unpacked(trace, NULL);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    struct test_run *test = *state;
    struct observe *observe = observe_create(&test->run);

    assert_false(observe_write_trace(observe, &(struct observe_folder){.folder = -1}));
    observe_destroy(observe);
}

static void a_trace_has_a_time(void **state)
{
    struct test_run *test = *state;
    struct observe *observe = observe_create(&test->run);
    char folder[64];
    struct observe_folder to = make_folder(folder);

    to.deadline_ns = 1; /* long ago */
    record_event(EVENT_MARK, 0, 0, 0);
    assert_false(observe_write_trace(observe, &to));
    assert_int_equal(errno, ETIME);
    assert_int_equal(faccessat(to.folder, OBSERVE_TRACE_FILE, F_OK, 0), -1);
    remove_folder(&to, folder); /* half a trace is none */
    observe_destroy(observe);
}

int main(void)
{
#define RUN(name) cmocka_unit_test_setup_teardown(name, set_up_run, tear_down_run)
    const struct CMUnitTest tests[] = {
        RUN(every_slice_ends_on_a_described_track),
        RUN(hardware_queues_are_render_stages),
        RUN(calls_are_drawn_where_they_are_made),
        RUN(waiting_packets_have_rows_of_their_own),
        RUN(ends_without_beginnings_are_left_out),
        RUN(a_folder_that_is_not_there_is_an_error),
        RUN(a_trace_has_a_time),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
