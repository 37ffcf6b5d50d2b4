/* evntprov.h: wdm/etw.h has it. */
#include <wdm/etw.h>
