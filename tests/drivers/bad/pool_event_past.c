/* A driver that puts an event into the last bytes of a pool block, which are too few. */
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    KeInitializeEvent((PKEVENT)(ULONG_PTR)(block + 80), NotificationEvent, FALSE);
    free_block(block);
}
