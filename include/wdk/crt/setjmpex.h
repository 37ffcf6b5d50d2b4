/* setjmpex.h for drivers: setjmp already unwinds. */

#include <setjmp.h>
