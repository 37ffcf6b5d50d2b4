/* wchar.h for drivers: strings of 16-bit characters. */

#ifndef _INC_WCHAR
#define _INC_WCHAR

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _ERRNO_T_DEFINED
#define _ERRNO_T_DEFINED
typedef int errno_t;
typedef size_t rsize_t;
#endif
#ifndef _WCTYPE_T_DEFINED
#define _WCTYPE_T_DEFINED
typedef unsigned short wint_t;
typedef unsigned short wctype_t;
#endif

size_t wcslen(const wchar_t *text);
size_t wcsnlen(const wchar_t *text, size_t limit);
int wcscmp(const wchar_t *a, const wchar_t *b);
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count);
int _wcsicmp(const wchar_t *a, const wchar_t *b);
int _wcsnicmp(const wchar_t *a, const wchar_t *b, size_t count);
wchar_t *wcscpy(wchar_t *destination, const wchar_t *source);
wchar_t *wcsncpy(wchar_t *destination, const wchar_t *source, size_t count);
wchar_t *wcscat(wchar_t *destination, const wchar_t *source);
wchar_t *wcsncat(wchar_t *destination, const wchar_t *source, size_t count);
wchar_t *wcschr(const wchar_t *text, wchar_t value);
wchar_t *wcsrchr(const wchar_t *text, wchar_t value);
wchar_t *wcsstr(const wchar_t *text, const wchar_t *part);
errno_t wcscpy_s(wchar_t *destination, rsize_t count, const wchar_t *source);
errno_t wcsncpy_s(wchar_t *destination, rsize_t size, const wchar_t *source, rsize_t count);
errno_t wcscat_s(wchar_t *destination, rsize_t count, const wchar_t *source);
errno_t wcsncat_s(wchar_t *destination, rsize_t size, const wchar_t *source, rsize_t count);
wchar_t *wcstok_s(wchar_t *string, const wchar_t *delimiters, wchar_t **context);
int swprintf(wchar_t *buffer, const wchar_t *format, ...);
int _snwprintf(wchar_t *buffer, size_t count, const wchar_t *format, ...);
int _vsnwprintf(wchar_t *buffer, size_t count, const wchar_t *format, va_list list);
int _snwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, ...);
int _vsnwprintf_s(wchar_t *buffer, size_t size, size_t count, const wchar_t *format, va_list list);
unsigned long wcstoul(const wchar_t *text, wchar_t **end, int base);
int _itow_s(int value, wchar_t *buffer, size_t size, int radix);
int swprintf_s(wchar_t *buffer, size_t count, const wchar_t *format, ...);

#ifdef __cplusplus
}
#endif

#endif /* _INC_WCHAR */
