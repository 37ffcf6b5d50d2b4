/* A workload that misbehaves in the way that the option `how` names. */
#include <d3dkmthk.h>
#include <drydock/workload.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct drydock_workload_host *host;

static void *thread_entry(void *argument)
{
    return argument;
}

/* A function that Drydock does not have. */
static void ask_for_more(void)
{
    D3DKMT_PRESENT_REDIRECTED present = {0};

    if (D3DKMTPresentRedirected(&present) < 0) {
        host->fail(host, "nothing is composed");
    }
}

static void nothing(void *argument)
{
    (void)argument;
}

static void sleep_long(void *argument)
{
    (void)argument;
    host->sleep_until(host, host->now_ns(host) + UINT64_C(1000000000));
    host->note(host, "it woke up");
}

static int recurse(volatile int *outer)
{
    volatile int room[256] = {0};

    room[0] = *outer + 1;
    return *outer < 0 ? 0 : recurse(room) + room[255];
}

static void wait_for_nobody(void *argument)
{
    host->event_wait(host, argument, DRYDOCK_NEVER);
}

static void deadlock(void)
{
    struct drydock_event *event = host->event_create(host);

    host->join(host, host->start_process(host, "waiter", wait_for_nobody, event));
}

/* A fence that nobody signals: waited for by a processor, or by a context with a call behind it
 * that waits for that. */
static void wait_for_fence(bool by_context)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};
    D3DKMT_CREATECONTEXT context = {0};
    UINT64 value = 1;

    D3DKMTOpenAdapterFromLuid(&adapter);
    device.hAdapter = adapter.hAdapter;
    D3DKMTCreateDevice(&device);
    context.hDevice = fence.hDevice = device.hDevice;
    D3DKMTCreateContext(&context);
    D3DKMTCreateSynchronizationObject2(&fence);
    if (by_context) {
        const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 queued = {
            .hContext = context.hContext,
            .ObjectCount = 1,
            .ObjectHandleArray = {fence.hSyncObject},
            .Fence.FenceValue = 1};
        const D3DKMT_WAITFORIDLE idle = {.hDevice = device.hDevice};
        host->note(host, "queued: %x", D3DKMTWaitForSynchronizationObject2(&queued));
        D3DKMTWaitForIdle(&idle);
    } else {
        const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = device.hDevice,
                                                                 .ObjectCount = 1,
                                                                 .ObjectHandleArray =
                                                                     &fence.hSyncObject,
                                                                 .FenceValueArray = &value};
        D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
    }
}

/* Two contexts, each of which would signal what the other one waits for, behind its own wait. */
static void wait_in_a_cycle(void)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fences[2] = {{0}, {0}};
    D3DKMT_CREATECONTEXT contexts[2] = {{0}, {0}};

    D3DKMTOpenAdapterFromLuid(&adapter);
    device.hAdapter = adapter.hAdapter;
    D3DKMTCreateDevice(&device);
    for (int i = 0; i < 2; i++) {
        contexts[i].hDevice = fences[i].hDevice = device.hDevice;
        fences[i].Info.Type = D3DDDI_FENCE;
        D3DKMTCreateContext(&contexts[i]);
        D3DKMTCreateSynchronizationObject2(&fences[i]);
    }
    for (int i = 0; i < 2; i++) {
        const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {
            .hContext = contexts[i].hContext,
            .ObjectCount = 1,
            .ObjectHandleArray = {fences[i].hSyncObject},
            .Fence.FenceValue = 5};
        const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {
            .hContext = contexts[i].hContext,
            .ObjectCount = 1,
            .ObjectHandleArray = {fences[1 - i].hSyncObject},
            .Fence.FenceValue = 5};
        D3DKMTWaitForSynchronizationObject2(&wait);
        D3DKMTSignalSynchronizationObject2(&signal);
    }
    D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){device.hDevice});
}

/* Two processes, two keyed mutexes: each has one and wants the other's. Or the second process waits
 * for a fence that nobody signals, and has what the first wants. */
static D3DKMT_HANDLE mutexes[2];
static struct drydock_event *both;
static int for_fence;

static void acquire(D3DKMT_HANDLE shared)
{
    D3DKMT_OPENKEYEDMUTEX open = {.hSharedHandle = shared};
    D3DKMT_ACQUIREKEYEDMUTEX acquire = {0};

    D3DKMTOpenKeyedMutex(&open);
    acquire.hKeyedMutex = open.hKeyedMutex;
    acquire.Key = 7;
    D3DKMTAcquireKeyedMutex(&acquire);
}

static void other_of_two(void *argument)
{
    (void)argument;
    acquire(mutexes[1]);
    host->event_signal(host, both);
    if (for_fence) {
        wait_for_fence(false);
    } else {
        acquire(mutexes[0]);
    }
}

static void wait_for_keys(void)
{
    struct drydock_process *other;

    both = host->event_create(host);
    for (int i = 0; i < 2; i++) {
        D3DKMT_CREATEKEYEDMUTEX create = {.InitialValue = 7};
        D3DKMTCreateKeyedMutex(&create);
        mutexes[i] = create.hSharedHandle;
    }
    acquire(mutexes[0]);
    other = host->start_process(host, "other", other_of_two, NULL);
    host->event_wait(host, both, DRYDOCK_NEVER);
    acquire(mutexes[1]);
    host->join(host, other);
}

/* Released with another key. */
static void wait_for_a_key(void)
{
    D3DKMT_CREATEKEYEDMUTEX create = {.InitialValue = 8};

    D3DKMTCreateKeyedMutex(&create);
    acquire(create.hSharedHandle);
}

static void pass_nothing(void)
{
    D3DKMT_CREATEDEVICE create = {0};

    if (D3DKMTCreateDevice(&create) < 0) {
        host->fail(host, "no device");
    }
}

/* Its calls are right, and it is not content with what it sees. */
static void see_wrong(void)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};

    if (D3DKMTOpenAdapterFromLuid(&adapter) >= 0) {
        const D3DKMT_CLOSEADAPTER close = {adapter.hAdapter};
        host->fail(host, "wrong colours");
        D3DKMTCloseAdapter(&close);
    }
}

/* What no document may hold as it is, and every byte there is. */
static void say_any_bytes(void)
{
    char text[256];

    for (unsigned i = 0; i < sizeof text - 1; i++) {
        text[i] = (char)(i + 1);
    }
    text[sizeof text - 1] = '\0';
    host->note(host, "%s", text);
    host->note(host, "%s", text + 128);
    host->fail(host,
               "]]> & <b a=\"c\"> \xEF\xBF\xBE \xEF\xBF\xBF \xED\xA0\x80 \xC0\xAF \xF4\x90\x80\x80 "
               "\xC2\x9B \x1B[2J \x01\x7F\r\n\t %s",
               text + 128);
}

static void misbehave(const char *how)
{
    void *volatile nowhere = (void *)16;
    volatile int start = 0;
    pthread_t thread = 0;

    if (strcmp(how, "fault") == 0) {
        *(volatile int *)8 = 1;
    } else if (strcmp(how, "library") == 0) {
        memset(nowhere, 1, 100000);
    } else if (strcmp(how, "service") == 0) {
        host->note(host, nowhere);
    } else if (strcmp(how, "jump") == 0) {
        ((void (*)(void))nowhere)();
    } else if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "heap") == 0) {
        char *volatile block = malloc(64), *volatile again = block;
        free(block);
        free(again);
    } else if (strcmp(how, "exit") == 0) {
        exit(0);
    } else if (strcmp(how, "_exit") == 0) {
        _exit(0);
    } else if (strcmp(how, "quick_exit") == 0) {
        quick_exit(0);
    } else if (strcmp(how, "overflow") == 0) {
        recurse(&start);
    } else if (strcmp(how, "loop") == 0) {
        for (;;) {
            start = start + 1;
        }
    } else if (strcmp(how, "not-joined") == 0) {
        host->start_process(host, "sleeper", sleep_long, NULL);
    } else if (strcmp(how, "ended") == 0) {
        host->start_process(host, "quick", nothing, NULL);
        host->sleep_until(host, host->now_ns(host) + 1000000);
    } else if (strcmp(how, "deadlock") == 0) {
        deadlock();
    } else if (strcmp(how, "fence") == 0 || strcmp(how, "queued-fence") == 0) {
        wait_for_fence(strcmp(how, "queued-fence") == 0);
    } else if (strcmp(how, "cycle") == 0) {
        wait_in_a_cycle();
    } else if (strcmp(how, "keyed") == 0) {
        wait_for_keys();
    } else if (strcmp(how, "keyed-fence") == 0) {
        for_fence = 1;
        wait_for_keys();
    } else if (strcmp(how, "key") == 0) {
        wait_for_a_key();
    } else if (strcmp(how, "refused") == 0) {
        pass_nothing();
    } else if (strcmp(how, "lacking") == 0) {
        ask_for_more();
    } else if (strcmp(how, "wrong") == 0) {
        see_wrong();
    } else if (strcmp(how, "bytes") == 0) {
        say_any_bytes();
    } else if (strcmp(how, "pthread") == 0) {
        host->note(host, "pthread_create gives %d",
                   pthread_create(&thread, NULL, thread_entry, NULL));
    }
}

static void run(const struct drydock_workload_host *the_host)
{
    host = the_host;
    misbehave(host->values[0].text ? host->values[0].text : "");
}

static const struct drydock_option options[] = {{"how", "how it misbehaves", 0, 0, 0}, {0}};

DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload;
const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "bad",
    .description = "misbehaves",
    .run = run,
    .options = options,
};
