/* ntverp.h: the numbers that version resources carry. */

#ifndef VER_H
#define VER_H

#define VER_PRODUCTBUILD        26100
#define VER_PRODUCTBUILD_QFE    1
#define VER_PRODUCTMAJORVERSION 10
#define VER_PRODUCTMINORVERSION 0
#define VER_PRODUCTVERSION_STR  "10.0.26100.1"

#endif /* VER_H */
