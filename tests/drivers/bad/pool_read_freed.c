/* A driver that reads a pool block that it has freed. */
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    block[7] = 1;
    free_block(block);
    DbgPrint("the byte is %u\n", block[7]);
}
