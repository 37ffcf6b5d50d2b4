/* winapifamily.h: which programs headers are for. A driver sees all of a header. */

#ifndef _INC_WINAPIFAMILY
#define _INC_WINAPIFAMILY

#define WINAPI_FAMILY_DESKTOP_APP 100

#ifndef WINAPI_FAMILY
#define WINAPI_FAMILY WINAPI_FAMILY_DESKTOP_APP
#endif

#define WINAPI_PARTITION_DESKTOP           1
#define WINAPI_PARTITION_APP               1
#define WINAPI_PARTITION_SYSTEM            1
#define WINAPI_FAMILY_PARTITION(partition) (partition)

#endif /* _INC_WINAPIFAMILY */
