/* memory.h for drivers: string.h has it. */
#include <string.h>
