/* A driver that reads behind a pool block. */
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    DbgPrint("the byte is %u\n", block[BLOCK_BYTES]);
    free_block(block);
}
