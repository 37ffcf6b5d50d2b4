/* A driver that writes behind a pool block. */
#define BLOCK_BYTES 100
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    block[100] = 1;
    free_block(block);
}
