/* wdkrt: what is linked into every .sys, because it must fault inside the image.
 *
 * A structured exception is found by walking from the faulting frame outwards. A memcpy that the
 * host served would fault in host code, where the driver's __try cannot see it; so the functions
 * that touch memory on the driver's behalf are here, in the driver. So are the names that the
 * compiler calls by itself.
 *
 * Built for the Windows target and on its own: nothing is included but this.
 */
#ifndef WDKRT_WDKRT_H
#define WDKRT_WDKRT_H

typedef unsigned long long size_t;
typedef unsigned short wchar_t;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define NULL ((void *)0)

/* The status codes that Windows' own versions return; there is no errno in a kernel. */
enum {
    ERROR_INVALID = 22, /* EINVAL */
    ERROR_RANGE = 34,   /* ERANGE */
};

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

#endif
