/* A driver that takes mapped pages for twice as many, and has a handler for what comes of it. */
#define AT   (3 * PAGE_SIZE)
#define LATE 0
#include "mapped_pages.h"
