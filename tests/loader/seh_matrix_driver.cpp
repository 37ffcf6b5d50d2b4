/* The same cases, compiled as C++. */
#include "seh_matrix_driver.c"
