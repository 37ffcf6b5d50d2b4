/* Zero-terminated strings of 16-bit characters. */
#define CHARACTER          wchar_t
#define CHARACTER_BITS     u16
#define CHARACTER_ARGUMENT wchar_t

#define LENGTH           wcslen
#define LENGTH_N         wcsnlen
#define COMPARE          wcscmp
#define COMPARE_N        wcsncmp
#define COMPARE_FOLDED   _wcsicmp
#define COMPARE_FOLDED_N _wcsnicmp
#define COPY             wcscpy
#define COPY_N           wcsncpy
#define APPEND           wcscat
#define APPEND_N         wcsncat
#define FIND             wcschr
#define FIND_LAST        wcsrchr
#define FIND_TEXT        wcswcs
#define COPY_SAFE        wcscpy_s
#define APPEND_SAFE      wcscat_s

#include "string_functions.h"
