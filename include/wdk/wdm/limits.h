/* wdm/limits.h: what the integers hold whose conversions intsafe.h and ntintsafe.h check. */

#ifndef _WDM_LIMITS_H_
#define _WDM_LIMITS_H_

#ifndef USHORT_MAX
#define BYTE_MAX   0xff
#define SHORT_MAX  32767
#define SHORT_MIN  (-32768)
#define USHORT_MAX 0xffff
#define WORD_MAX   USHORT_MAX
#define DWORD_MAX  0xffffffffUL
#endif

#endif /* _WDM_LIMITS_H_ */
