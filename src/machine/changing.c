/* Memory of a client that changes while it is read, as another thread of the client can do: a word
 * of a view has its old value while it is read for the first time, and its new one ever after.
 *
 *     ram_view_change ─> the view is shut ──touch──> open for one instruction ──> shut again
 *                              └─touch, after the word was read─> changed, open for good
 *
 * The instruction runs with the trap flag set, so that the processor tells its end. */
#include "machine/internal.h"

#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TRAP_FLAG   0x100
#define TRAP_DEBUG  1 /* exceptions of the processor */
#define TRAP_PAGE   14
#define TOUCHES_MAX 4096 /* then the word stays as it is */
#define COPY_BYTES  24   /* of code, from one load to the next */

static struct {
    uint8_t *view; /* NULL: nothing changes */
    size_t size;
    uint8_t *word;
    uint32_t value;
    unsigned touches;
    greg_t code, stack; /* of the last touch */
    bool stepping, was_read, changed;
} changing;

/* In the signal handler: nothing but system calls. */
static void protect(int protection)
{
    CHECK_THAT(mprotect(changing.view, changing.size, protection) == 0);
}

bool ram_view_change(void *view, size_t size, size_t offset, uint32_t value)
{
    CHECK_THAT(range_fits(offset, sizeof value, size));
    if (changing.view) {
        return false;
    }
    changing.view = view;
    changing.size = size;
    changing.word = changing.view + offset;
    changing.value = value;
    changing.touches = 0;
    changing.stepping = changing.was_read = changing.changed = false;
    protect(PROT_NONE);
    return true;
}

bool ram_view_change_end(void)
{
    CHECK_THAT(changing.view);
    protect(PROT_READ | PROT_WRITE);
    changing.view = NULL;
    return changing.changed;
}

/* A byte behind the first of the word: of a string move, or of a word that is read in parts. */
static bool reads_on(const uint8_t *address)
{
    return address > changing.word && address < changing.word + sizeof changing.value;
}

/* The next load of one copy: those of a few bytes read them from the front and from the back, and
 * may read all twice. */
static bool is_same_copy(const greg_t *registers)
{
    greg_t ahead = registers[REG_RIP] - changing.code;

    return ahead > 0 && ahead < COPY_BYTES && registers[REG_RSP] == changing.stack;
}

/* The instruction that was let through meets a fault of its own, elsewhere: that is for others, who
 * keep its registers and may resume it at any time. The view stays open, and the word as it is. */
static void give_up(greg_t *registers)
{
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    changing.stepping = false;
}

static bool begin_step(greg_t *registers, const uint8_t *address)
{
    if (address < changing.view || address >= changing.view + changing.size) {
        return false;
    }
    protect(PROT_READ | PROT_WRITE);
    if (changing.was_read && !reads_on(address) && !is_same_copy(registers)) {
        memcpy(changing.word, &changing.value, sizeof changing.value);
        changing.changed = true; /* and stays open */
    } else if (++changing.touches < TOUCHES_MAX) {
        changing.was_read = changing.was_read || address == changing.word;
        changing.code = registers[REG_RIP];
        changing.stack = registers[REG_RSP];
        changing.stepping = true;
        registers[REG_EFL] |= TRAP_FLAG;
    }
    return true;
}

static bool end_step(greg_t *registers)
{
    if (!changing.stepping) {
        return false;
    }
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    changing.stepping = false;
    protect(PROT_NONE);
    return true;
}

bool ram_change_fault(void *ucontext, const void *address)
{
    greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

    if (!changing.view) {
        return false;
    }
    if (registers[REG_TRAPNO] == TRAP_DEBUG) {
        return end_step(registers);
    }
    if (changing.stepping) {
        give_up(registers);
        return false;
    }
    return registers[REG_TRAPNO] == TRAP_PAGE && begin_step(registers, address);
}
