/* Pageable memory behind a protection key: pageable.h. */
#include "machine/pageable.h"

#include <sys/mman.h>

#include "machine/internal.h"

_Static_assert((ADDRESS_WINDOW & (ADDRESS_WINDOW - 1)) == 0 && ADDRESS_VIEWS % ADDRESS_WINDOW == 0,
               "as pageable_window() says");

#define KEY_UNKNOWN (-2)
#define KEY_NONE    (-1)

static int key = KEY_UNKNOWN; /* the process's, for good */
static bool used;             /* this machine has memory behind it */

static int key_now(void)
{
    if (key == KEY_UNKNOWN) {
        key = pkey_alloc(0, 0);
        key = key < 0 ? KEY_NONE : key;
    }
    return key;
}

bool pageable_is_guarded(void)
{
    return key_now() != KEY_NONE;
}

void pageable_level(uint8_t irql)
{
    int wanted = irql > MACHINE_IRQL_APC ? PKEY_DISABLE_ACCESS : 0;

    /* The register, not what was written last: signal handlers begin with a value of their own. */
    if (used && pkey_get(key) != wanted) {
        pkey_set(key, (unsigned)wanted);
    }
}

static void set_key(void *address, size_t size, int to)
{
    /* Where the system refuses, nothing is guarded. */
    if (pkey_mprotect(address, size, PROT_READ | PROT_WRITE, to) == 0 && to) {
        used = true;
        pageable_level(irql_current());
    }
}

void pageable_guard(void *address, size_t size)
{
    if (pageable_is_guarded()) {
        set_key(address, size, key);
    }
}

void pageable_release(void *address, size_t size)
{
    if (used) {
        set_key(address, size, 0);
    }
}

void pageable_window(uint64_t *address, uint64_t *size)
{
    *address = ADDRESS_VIEWS;
    *size = ADDRESS_WINDOW;
}

void pageable_reset(void)
{
    pageable_level(MACHINE_IRQL_PASSIVE);
    used = false;
}
