/* A driver that reads in front of a pool block. */
#include "pool_block.h"

static void misuse(volatile UCHAR *block)
{
    DbgPrint("the byte is %u\n", *(block - 1));
    free_block(block);
}
