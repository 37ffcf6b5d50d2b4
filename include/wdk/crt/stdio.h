/* stdio.h for drivers: printing into buffers. */

#ifndef _INC_STDIO
#define _INC_STDIO

#include <stdarg.h>
#include <stddef.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

int sprintf(char *buffer, const char *format, ...);
int vsprintf(char *buffer, const char *format, va_list list);
int _snprintf(char *buffer, size_t count, const char *format, ...);
int _vsnprintf(char *buffer, size_t count, const char *format, va_list list);
int sprintf_s(char *buffer, size_t count, const char *format, ...);
int vsprintf_s(char *buffer, size_t count, const char *format, va_list list);
int _snprintf_s(char *buffer, size_t size, size_t count, const char *format, ...);
int _vsnprintf_s(char *buffer, size_t size, size_t count, const char *format, va_list list);
int sscanf_s(const char *buffer, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif /* _INC_STDIO */
