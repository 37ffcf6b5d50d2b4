/* Zero-terminated strings of bytes. */
#define CHARACTER          char
#define CHARACTER_BITS     u8
#define CHARACTER_ARGUMENT int

#define LENGTH           strlen
#define LENGTH_N         strnlen
#define COMPARE          strcmp
#define COMPARE_N        strncmp
#define COMPARE_FOLDED   _stricmp
#define COMPARE_FOLDED_N _strnicmp
#define COPY             strcpy
#define COPY_N           strncpy
#define APPEND           strcat
#define APPEND_N         strncat
#define FIND             strchr
#define FIND_LAST        strrchr
#define FIND_TEXT        strstr
#define COPY_SAFE        strcpy_s
#define APPEND_SAFE      strcat_s

#include "string_functions.h"
