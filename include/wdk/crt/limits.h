/* limits.h for drivers. */

#ifndef _INC_LIMITS
#define _INC_LIMITS

#define CHAR_BIT   8
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  0xff
#define CHAR_MIN   SCHAR_MIN
#define CHAR_MAX   SCHAR_MAX
#define SHRT_MIN   (-32768)
#define SHRT_MAX   32767
#define USHRT_MAX  0xffff
#define INT_MIN    (-2147483647 - 1)
#define INT_MAX    2147483647
#define UINT_MAX   0xffffffffU
#define LONG_MIN   (-2147483647L - 1)
#define LONG_MAX   2147483647L
#define ULONG_MAX  0xffffffffUL
#define LLONG_MIN  (-9223372036854775807LL - 1)
#define LLONG_MAX  9223372036854775807LL
#define ULLONG_MAX 0xffffffffffffffffULL
#define _I8_MAX    SCHAR_MAX
#define _UI8_MAX   UCHAR_MAX
#define _I16_MAX   SHRT_MAX
#define _UI16_MAX  USHRT_MAX
#define _I32_MAX   INT_MAX
#define _UI32_MAX  UINT_MAX
#define _I64_MAX   LLONG_MAX
#define _UI64_MAX  ULLONG_MAX
#ifndef SIZE_MAX
#define SIZE_MAX _UI64_MAX
#endif
#define MB_LEN_MAX 5

#endif /* _INC_LIMITS */
