/* initguid.h: from here on DEFINE_GUID defines instead of declaring. */

#ifndef INITGUID
#define INITGUID
#endif
#include <guiddef.h>
