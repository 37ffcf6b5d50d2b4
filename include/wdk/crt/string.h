/* string.h for drivers: what the kernel exports. */

#ifndef _INC_STRING
#define _INC_STRING

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _ERRNO_T_DEFINED
#define _ERRNO_T_DEFINED
typedef int errno_t;
typedef size_t rsize_t;
#endif

void *memcpy(void *destination, const void *source, size_t size);
void *memmove(void *destination, const void *source, size_t size);
void *memset(void *destination, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *buffer, int value, size_t size);
errno_t memcpy_s(void *destination, rsize_t destination_size, const void *source, rsize_t count);
errno_t memmove_s(void *destination, rsize_t destination_size, const void *source, rsize_t count);

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
int _stricmp(const char *a, const char *b);
int _strnicmp(const char *a, const char *b, size_t count);
char *strcpy(char *destination, const char *source);
char *strncpy(char *destination, const char *source, size_t count);
char *strcat(char *destination, const char *source);
char *strncat(char *destination, const char *source, size_t count);
char *strchr(const char *text, int value);
char *strrchr(const char *text, int value);
char *strstr(const char *text, const char *part);
size_t strspn(const char *text, const char *set);
errno_t strcpy_s(char *destination, rsize_t size, const char *source);
errno_t strncpy_s(char *destination, rsize_t size, const char *source, rsize_t count);
errno_t strcat_s(char *destination, rsize_t size, const char *source);
errno_t strncat_s(char *destination, rsize_t size, const char *source, rsize_t count);
char *strtok_s(char *string, const char *delimiters, char **context);
char *_strupr(char *text);
char *_strlwr(char *text);

#ifdef __cplusplus
}
#endif

#include <wchar.h>

#endif /* _INC_STRING */
