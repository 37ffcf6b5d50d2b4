/* A driver that reads mapped pages when they are unmapped, and has a handler for what comes. */
#define AT   16
#define LATE 1
#include "mapped_pages.h"
