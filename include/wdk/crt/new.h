/* new.h for drivers: operator new is written by the driver itself; only placement is declared here.
 */
#ifndef _INC_NEW
#define _INC_NEW
#include <stddef.h>
#ifdef __cplusplus
inline void *operator new(size_t, void *place) noexcept
{
    return place;
}
inline void operator delete(void *, void *) noexcept
{
}
#endif
#endif
