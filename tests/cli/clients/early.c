/* A workload that does nothing but what EARLY says, in its constructor: with what is Drydock's. */
#include <drydock/workload.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static inline void block_all(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static inline void ignore_children(void)
{
    signal(SIGCHLD, SIG_IGN);
}

/* Says its process in a file, and stays. */
static inline void hang(void)
{
    FILE *file = fopen("hanging.new", "w");

    block_all();
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    rename("hanging.new", "hanging");
    for (;;) {
        pause();
    }
}

static inline void nothing(void)
{
}

static inline void cut(void)
{
    (void)!truncate("cut.so", 0);
}

/* In the run's process, before it has given up a right. */
static inline void cut_later(void)
{
    pthread_atfork(NULL, NULL, cut);
}

__attribute__((constructor)) static void begin(void)
{
    EARLY();
}

static void run(const struct drydock_workload_host *host)
{
    (void)host;
}

const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "early", .description = "is early", .run = run};
