/* stdbool.h for drivers. */

#ifndef _STDBOOL
#define _STDBOOL

#ifndef __cplusplus
#define bool  _Bool
#define true  1
#define false 0
#endif
#define __bool_true_false_are_defined 1

#endif /* _STDBOOL */
