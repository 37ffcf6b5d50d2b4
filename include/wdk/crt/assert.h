/* assert.h for drivers: in a debug build it stops as NT_ASSERT does. */

#undef assert
#if defined(DBG) && DBG
#ifdef __cplusplus
extern "C"
#endif
    __declspec(dllimport) void __stdcall RtlAssert(void *assertion, void *file, unsigned long line,
                                                   char *message);
#define assert(condition) \
    ((condition) ? (void)0 : RtlAssert((void *)#condition, (void *)__FILE__, __LINE__, 0))
#else
#define assert(condition) ((void)0)
#endif
#ifndef __cplusplus
#undef static_assert
#define static_assert _Static_assert
#endif
