/* stddef.h for drivers. */

#ifndef _INC_STDDEF
#define _INC_STDDEF

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif
#ifdef __cplusplus
typedef decltype(__nullptr) nullptr_t;
namespace std
{
typedef decltype(__nullptr) nullptr_t;
}
#endif

#ifndef NULL
#ifdef __cplusplus
#define NULL 0
#else
#define NULL ((void *)0)
#endif
#endif

#define offsetof(type, member) __builtin_offsetof(type, member)

#endif /* _INC_STDDEF */
