/*
 * specstrings.h: the annotations of before sal.h took its present form. The names with two underscores are defined for the
 * Windows target alone: on other systems the C++ library uses some of them for its own parameters.
 */

#ifndef SPECSTRINGS_H
#define SPECSTRINGS_H

#include <sal.h>
#include <driverspecs.h>

#ifdef _WIN32
#define __in
#define __in_opt
#define __in_ecount(count)
#define __in_ecount_opt(count)
#define __in_bcount(size)
#define __in_bcount_opt(size)
#define __in_z
#define __in_range(low, high)
#define __inout
#define __inout_opt
#define __inout_ecount(count)
#define __inout_ecount_opt(count)
#define __inout_ecount_full(count)
#define __inout_bcount(size)
#define __inout_bcount_opt(size)
#define __inout_bcount_full(size)
#define __out
#define __out_opt
#define __out_ecount(count)
#define __out_ecount_opt(count)
#define __out_ecount_full(count)
#define __out_ecount_part(size, count)
#define __out_ecount_part_opt(size, count)
#define __out_bcount(size)
#define __out_bcount_opt(size)
#define __out_bcount_full(size)
#define __out_bcount_part(size, count)
#define __out_bcount_part_opt(size, count)
#define __out_z
#define __deref_in
#define __deref_out
#define __deref_out_opt
#define __deref_opt_out
#define __deref_inout
#define __deref_out_ecount(count)
#define __deref_out_bcount(size)
#define __deref_ecount(count)
#define __deref_bcount(size)
#define __ecount(count)
#define __bcount(size)
#define __field_ecount(count)
#define __field_ecount_opt(count)
#define __field_ecount_full(count)
#define __field_bcount(size)
#define __field_bcount_full(size)
#define __field_range(low, high)
#define __checkReturn
#define __success(condition)
#define __reserved
#define __nullterminated
#define __callback
#define __format_string
#endif

#endif /* SPECSTRINGS_H */
