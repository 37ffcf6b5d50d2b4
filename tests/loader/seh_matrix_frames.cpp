/* The same as C++. */
#include "seh_matrix_frames.c"
