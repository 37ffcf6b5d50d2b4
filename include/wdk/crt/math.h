/* math.h for drivers: the kernel subset. Floating point in a driver needs KeSaveFloatingPointState
 * on some systems. */

#ifndef _INC_MATH
#define _INC_MATH

#ifdef __cplusplus
extern "C" {
#endif

double fabs(double x);
double floor(double x);
double ceil(double x);
double sqrt(double x);
double pow(double x, double y);
float fabsf(float x);
float floorf(float x);
float ceilf(float x);
float sqrtf(float x);

#ifdef __cplusplus
}
#endif

#endif /* _INC_MATH */
