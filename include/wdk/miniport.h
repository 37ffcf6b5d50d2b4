/* miniport.h: what all miniport drivers share. */

#ifndef _MINIPORT_
#define _MINIPORT_

#include <wdm.h>

#define MINIPORT_API

#endif /* _MINIPORT_ */
