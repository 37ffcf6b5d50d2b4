/* A driver that reads behind a pool block and hopes that a handler mends it. */
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    __try {
        DbgPrint("the byte is %u\n", block[BLOCK_BYTES]);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("no byte\n");
    }
    free_block(block);
}
