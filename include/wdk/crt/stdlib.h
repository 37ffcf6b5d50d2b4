/* stdlib.h for drivers. */

#ifndef _INC_STDLIB
#define _INC_STDLIB

#include <limits.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int abs(int value);
long labs(long value);
int atoi(const char *text);
long atol(const char *text);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
int _itoa_s(int value, char *buffer, size_t size, int radix);
int _itow_s(int value, wchar_t *buffer, size_t size, int radix);
unsigned long wcstoul(const wchar_t *text, wchar_t **end, int base);
int rand(void);
void srand(unsigned int seed);
void qsort(void *base, size_t count, size_t size,
           int(__cdecl *compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size,
              int(__cdecl *compare)(const void *, const void *));

#define _countof(array) (sizeof(array) / sizeof((array)[0]))
#ifndef __cplusplus
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif

#ifdef __cplusplus
}
#endif

#endif /* _INC_STDLIB */
