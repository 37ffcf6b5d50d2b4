/* Steps: one call of the driver, instruction by instruction, and an interrupt between two of them.
 *
 *     step_begin ──> stepped ──┬── the instruction ──> step_stand: time passes, who can run does
 *                     │   ^    └── the call ends ────> step_end
 *          step_pause │   │ step_resume
 *                     v   │
 *              what the driver called
 *
 * The processor's trap flag is set while the driver's own code runs, and step_trapped() is asked
 * behind each instruction. What the driver calls runs freely where it pauses the steps by itself,
 * and is stepped through, and not counted, where it does not. Nothing but the driver's instructions
 * is counted, so that what happens hangs on the driver and the seed alone, and on no build of
 * Drydock's; an instruction that repeats itself, and one that the machine performs in its place,
 * counts once or with the next.
 *
 * Shared memory is what the interrupt's side was seen to touch: calls of the interrupt routine and
 * its DPC are stepped now and then and learned from. A call that touches the same, where one of the
 * two writes, is best interrupted right before that: all that it has read is old then.
 *
 * Between clients it is what calls for other ones were seen to write (`client`). A call stands
 * there before it writes what it has read, or reads what it has written: what others change then is
 * lost, or taken for its own.
 *
 * One call at a time is stepped. A routine of the driver's own, a thread behind a wait among them,
 * is as well, where no call is: nobody tells its end, so that it makes way for the next.
 * Where the build cannot (ThreadSanitizer), step_begin() says no. */
#ifndef MACHINE_STEP_H
#define MACHINE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/compared.h"

/* Below DISPATCH_LEVEL, at it, and above. */
enum step_level { STEP_LEVEL_LOW, STEP_LEVEL_DISPATCH, STEP_LEVEL_HIGH, STEP_LEVEL_COUNT };

/* The access that it stands before, of a call that has a client: up to eight bytes of one word. */
#define STEP_BLIND_MAX 4u
struct step_access {
    const void *word;
    uint64_t mask;  /* which bits of it */
    bool writes;    /* it has read them before; or else has written them, and reads */
    bool mapped;    /* in memory of the machine, not in the driver's own image */
    unsigned blind; /* where it reads: words in a row, up to STEP_BLIND_MAX and it among them, that
                       it has all written, without a look at what was there */
};

/* Neither number: its instructions are counted alone. */
struct step_trap;
struct step_request {
    uint64_t after;  /* it stands behind so many instructions of the driver; 0: not there ... */
    unsigned shared; /* ... or before its so manieth access to shared memory; 0: not there */
    uint64_t instructions_max; /* it runs freely behind so many; 0: never */
    bool learns; /* what it touches is shared memory from now on: it is the interrupt's side */
    bool yields; /* no call but a routine of the driver's own, whose end nobody tells: while it is
                    not running, the next step_begin() has its place */
    bool goes_on; /* ... behind a wait: it is in the host, and step_resume() is to come */
    uint64_t
        patience_ns[STEP_LEVEL_COUNT]; /* it stands until an interrupt was served, or so long */
    uint64_t afterwards_ns; /* then, for what comes of it: a DPC, whom that wakes, a second one */
    bool anothers;          /* if none came, another device on the line asks */
    void (*looks)(const struct step_trap *); /* in the handler, before each instruction of the
                                                driver's; nothing else is learned then; or NULL */
    void (*came)(void);     /* told when the instruction is reached, before time passes; or NULL */
    /* Whose call it is, if it is looked at with those for other clients; 0: with interrupts. Then
     * it stands until over() says so, and no interrupt ends that. */
    uint64_t client;
    bool (*over)(void);
    bool (*is_about)(const struct step_access *); /* asked in the handler: may it stand there? */
};

#define STEP_SHARED_MAX 64
struct step_result {
    uint64_t executed; /* instructions */
    unsigned shared;   /* accesses to shared memory, of which one side writes */
    /* Behind how many instructions they are, of the first ones. */
    uint64_t shared_at[STEP_SHARED_MAX];
    /* Where it writes, plainly and with nobody kept out, what the interrupt routine was seen to
     * write plainly at the other place; NULL: nowhere. The first of such. */
    const void *unguarded, *others;
    /* The same, but for what it stores without a look at what was there, and accesses registers of
     * the device behind: there it may be the first that anybody hears of it. */
    const void *changed, *changed_others;
    bool whole; /* all of them: the call was stepped to its end */
    bool stood; /* at the instruction */
};

/* The running task calls the driver next. False: another call is stepped, or none can be. */
bool step_begin(const struct step_request *request);
/* The call of this task has returned; of another task's nothing is said. */
bool step_end(struct step_result *out);
/* Ends what yields, whoever's it is, where it is not running. False: there is no such. */
bool step_take_back(struct step_result *out);

/* True while the trap flag is set; in the open, since each export asks. */
extern bool step_is_on;
/* For who calls the driver: he sets the flag, and this back, right before (nt/guard.S). */
extern bool step_is_wanted __attribute__((visibility("hidden")));
void step_off(void);
/* What the driver called begins: true, if it was stepped until here. Then it ends with
 * step_resume(), if it ends. */
static inline bool step_pause(void)
{
    if (__builtin_expect(step_is_on, 0)) {
        step_off();
        return true;
    }
    return false;
}
void step_resume(void);

/* In the signal handler of the trap: what stopped, before its next instruction. STEP_NONE: no call
 * is stepped. */
struct step_trap {
    const void *place;
    const uint64_t *gpr; /* as instructions number them */
    bool is_drivers;     /* its code */
};
enum step_answer { STEP_NONE, STEP_ON, STEP_OFF, STEP_CALL };
enum step_answer step_trapped(const struct step_trap *trap);
/* After STEP_CALL, outside the handler, on the task's stack. May switch. */
void step_stand(void);
/* Where the call stands, or stood last: the next instruction, and how many came before. */
const void *step_place(uint64_t *executed);
const struct step_access *step_access(void); /* the latest such place */
/* While it stands there: has it written the value elsewhere, where it still is? */
bool step_has_written(uint64_t value, bool (*read)(const void *word, uint64_t *out));
/* Is there any shared memory? */
bool step_has_learned(void);
/* Has an interrupt been served, of the device's own, while the last one stood? *waited_ns: how long
 * it stood until then, or for nothing; NULL: that is no matter. */
bool step_was_interrupted(uint64_t *waited_ns);

#endif
