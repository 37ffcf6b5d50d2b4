/* A scheduling policy that does something terrible, or answers what is none: HOSTILE_DEED in the
 * environment says what. The fault is its own. */
#include <drydock/policy.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *name)
{
    const char *deed = getenv("HOSTILE_DEED");

    return deed && strcmp(deed, name) == 0;
}

static void recurse(volatile char *before)
{
    volatile char room[1024];

    room[0] = *before;
    recurse(room);
    room[1] = 0;
}

static void block_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void do_deed(void)
{
    jmp_buf wild;
    char room = 0;

    if (is("faults") || is("blocks_signals")) {
        if (is("blocks_signals")) {
            block_signals();
        }
        *(volatile int *)8 = 1;
    } else if (is("aborts")) {
        abort();
    } else if (is("exits")) {
        exit(0);
    } else if (is("exits_now")) {
        _exit(0);
    } else if (is("spins")) {
        for (;;) {
            __asm__ volatile("pause");
        }
    } else if (is("recurses")) {
        recurse(&room);
    } else if (is("jumps")) {
        memset(&wild, 0x41, sizeof wild);
        longjmp(wild, 1);
    } else if (is("loses_thread")) {
        __asm__ volatile("wrfsbase %0" : : "r"(0ul));
    }
}

static uint32_t pick(void *state, const struct drydock_context *ready, uint32_t count,
                     uint64_t now_ns)
{
    static unsigned calls;

    if (++calls == 3) {
        do_deed();
    }
    if (is("picks_wild")) {
        return UINT32_MAX;
    }
    if (is("picks_behind")) {
        return count;
    }
    if (is("writes_behind")) {
        memset(state, 0x41, 4096);
    }
    if (is("writes_contexts")) {
        memset((void *)(uintptr_t)ready, 0x41, count * sizeof *ready);
    }
    if (is("writes_words")) {
        ready[0].words[0] = ready[0].words[1] = UINT64_MAX;
    }
    return 0;
}

static uint64_t should_preempt(void *state, const struct drydock_context *running,
                               uint64_t since_ns, const struct drydock_context *next,
                               uint64_t now_ns)
{
    return is("preempts_always") ? 0
           : is("asks_always")   ? now_ns + 1
           : is("asks_late")     ? UINT64_MAX - 1
                                 : DRYDOCK_NEVER;
}

DRYDOCK_POLICY const struct drydock_policy drydock_policy;
const struct drydock_policy drydock_policy = {
    .abi = DRYDOCK_POLICY_ABI,
    .name = "odd",
    .state_bytes = 64,
    .pick = pick,
    .should_preempt = should_preempt,
};
