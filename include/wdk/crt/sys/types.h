/* sys/types.h: the few types that Microsoft's C library has in this header. */

#ifndef WDK_CRT_SYS_TYPES_H
#define WDK_CRT_SYS_TYPES_H

typedef unsigned short _ino_t;
typedef unsigned int _dev_t;
typedef long _off_t;

typedef _ino_t ino_t;
typedef _dev_t dev_t;
typedef _off_t off_t;

#endif /* WDK_CRT_SYS_TYPES_H */
