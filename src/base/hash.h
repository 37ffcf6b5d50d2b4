/* XXH3, by the widest instructions that the processor has, where the library offers that. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#ifdef HAVE_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#endif
