/* basetsd.h: the integer types of fixed width are in ntdef.h. */

#ifndef _BASETSD_H_
#define _BASETSD_H_
#include <ntdef.h>
#endif
