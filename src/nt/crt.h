/* nt/crt.h: what the files of the C library's functions share. */
#ifndef NT_CRT_H
#define NT_CRT_H

#include "nt/internal.h"

#define CRT_EINVAL   22
#define CRT_ERANGE   34
#define CRT_CUT      80       /* STRUNCATE */
#define CRT_TRUNCATE SIZE_MAX /* a count: as much as fits */

/* The functions have no other declaration; drivers find them through the table alone. */
#define EXPORTED(type, name, ...)       \
    type NTAPI crt_##name(__VA_ARGS__); \
    type NTAPI crt_##name(__VA_ARGS__)

/* The body of a printing function: what `call` makes of the arguments in `list`. */
#define PRINTS(call)                     \
    NT_VA_LIST list;                     \
    int length;                          \
    __builtin_ms_va_start(list, format); \
    length = call;                       \
    __builtin_ms_va_end(list);           \
    return length

#endif
