/* winddi.h: the names of the older display interface that miniports use. */
#ifndef _WINDDI_
#define _WINDDI_

#include <windef.h>
#include <wingdi.h>

#endif
