/*
 * wdm/atomic.h: interlocked operations and memory barriers, as inline functions over the compiler's
 * atomics. All are sequentially consistent: the Acquire, Release and NoFence names may not be
 * weaker than the driver asks, and on x64 a locked instruction orders everything anyway.
 */

#ifndef _WDM_ATOMIC_H_
#define _WDM_ATOMIC_H_

#include <ntdef.h>

#define __WDM_INTERLOCKED(type, suffix)                                                    \
    FORCEINLINE type InterlockedIncrement##suffix(type volatile *target)                   \
    {                                                                                      \
        return (type)((u_##type)__atomic_fetch_add(target, 1, __ATOMIC_SEQ_CST) + 1u);     \
    }                                                                                      \
    FORCEINLINE type InterlockedDecrement##suffix(type volatile *target)                   \
    {                                                                                      \
        return (type)((u_##type)__atomic_fetch_sub(target, 1, __ATOMIC_SEQ_CST) - 1u);     \
    }                                                                                      \
    FORCEINLINE type InterlockedExchange##suffix(type volatile *target, type value)        \
    {                                                                                      \
        return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);                       \
    }                                                                                      \
    FORCEINLINE type InterlockedExchangeAdd##suffix(type volatile *target, type value)     \
    {                                                                                      \
        return __atomic_fetch_add(target, value, __ATOMIC_SEQ_CST);                        \
    }                                                                                      \
    FORCEINLINE type InterlockedAdd##suffix(type volatile *target, type value)             \
    {                                                                                      \
        return (type)((u_##type)__atomic_fetch_add(target, value, __ATOMIC_SEQ_CST) +      \
                      (u_##type)value);                                                    \
    }                                                                                      \
    FORCEINLINE type InterlockedAnd##suffix(type volatile *target, type value)             \
    {                                                                                      \
        return __atomic_fetch_and(target, value, __ATOMIC_SEQ_CST);                        \
    }                                                                                      \
    FORCEINLINE type InterlockedOr##suffix(type volatile *target, type value)              \
    {                                                                                      \
        return __atomic_fetch_or(target, value, __ATOMIC_SEQ_CST);                         \
    }                                                                                      \
    FORCEINLINE type InterlockedXor##suffix(type volatile *target, type value)             \
    {                                                                                      \
        return __atomic_fetch_xor(target, value, __ATOMIC_SEQ_CST);                        \
    }                                                                                      \
    FORCEINLINE type InterlockedCompareExchange##suffix(type volatile *target, type value, \
                                                        type comparand)                    \
    {                                                                                      \
        __atomic_compare_exchange_n(target, &comparand, value, 0, __ATOMIC_SEQ_CST,        \
                                    __ATOMIC_SEQ_CST);                                     \
        return comparand;                                                                  \
    }

typedef ULONG u_LONG;
typedef ULONGLONG u_LONG64;
typedef USHORT u_SHORT;
__WDM_INTERLOCKED(LONG, )
__WDM_INTERLOCKED(LONG64, 64)
__WDM_INTERLOCKED(SHORT, 16)

FORCEINLINE PVOID InterlockedExchangePointer(PVOID volatile *target, PVOID value)
{
    return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}

FORCEINLINE PVOID InterlockedCompareExchangePointer(PVOID volatile *target, PVOID value,
                                                    PVOID comparand)
{
    __atomic_compare_exchange_n(target, &comparand, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return comparand;
}

FORCEINLINE UCHAR InterlockedBitTestAndSet(LONG volatile *base, LONG bit)
{
    LONG mask = (LONG)(1u << (bit & 31));
    return (InterlockedOr(base + (bit >> 5), mask) & mask) != 0;
}

FORCEINLINE UCHAR InterlockedBitTestAndReset(LONG volatile *base, LONG bit)
{
    LONG mask = (LONG)(1u << (bit & 31));
    return (InterlockedAnd(base + (bit >> 5), ~mask) & mask) != 0;
}

#define InterlockedIncrementAcquire       InterlockedIncrement
#define InterlockedIncrementRelease       InterlockedIncrement
#define InterlockedIncrementNoFence       InterlockedIncrement
#define InterlockedDecrementAcquire       InterlockedDecrement
#define InterlockedDecrementRelease       InterlockedDecrement
#define InterlockedDecrementNoFence       InterlockedDecrement
#define InterlockedExchangeAcquire        InterlockedExchange
#define InterlockedExchangeNoFence        InterlockedExchange
#define InterlockedCompareExchangeAcquire InterlockedCompareExchange
#define InterlockedCompareExchangeRelease InterlockedCompareExchange
#define InterlockedCompareExchangeNoFence InterlockedCompareExchange
#define InterlockedExchangeAdd64Acquire   InterlockedExchangeAdd64
#define InterlockedOrAcquire              InterlockedOr
#define InterlockedOrRelease              InterlockedOr
#define InterlockedOrNoFence              InterlockedOr
#define InterlockedAndAcquire             InterlockedAnd
#define InterlockedAndRelease             InterlockedAnd
#define InterlockedAndNoFence             InterlockedAnd
#define InterlockedExchangeAddSizeT(target, value) \
    ((SIZE_T)InterlockedExchangeAdd64((LONG64 volatile *)(target), (LONG64)(value)))
#define InterlockedIncrementSizeT(target) \
    ((SIZE_T)InterlockedIncrement64((LONG64 volatile *)(target)))
#define InterlockedDecrementSizeT(target) \
    ((SIZE_T)InterlockedDecrement64((LONG64 volatile *)(target)))

#define KeMemoryBarrier()             __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define KeMemoryBarrierWithoutFence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define MemoryBarrier()               KeMemoryBarrier()
#define YieldProcessor()              __builtin_ia32_pause()

/* The fences of a processor by their own names, which wdm.h declares of x64. */
#ifdef _MSC_VER
#ifdef __cplusplus
extern "C" {
#endif
void __faststorefence(void);
void _mm_lfence(void);
void _mm_mfence(void);
void _mm_sfence(void);
void _mm_pause(void);
void _mm_clflush(void const *address);
void _ReadWriteBarrier(void);
#ifdef __cplusplus
}
#endif
#define FastFence               __faststorefence
#define LoadFence               _mm_lfence
#define MemoryFence             _mm_mfence
#define StoreFence              _mm_sfence
#define SpeculationFence        _mm_lfence
#define CacheLineFlush(address) _mm_clflush(address)
#endif

#define __WDM_READ(name, type)                                               \
    FORCEINLINE type Read##name##Acquire(type const volatile *source)        \
    {                                                                        \
        return __atomic_load_n(source, __ATOMIC_ACQUIRE);                    \
    }                                                                        \
    FORCEINLINE type Read##name##NoFence(type const volatile *source)        \
    {                                                                        \
        return __atomic_load_n(source, __ATOMIC_RELAXED);                    \
    }                                                                        \
    FORCEINLINE void Write##name##Release(type volatile *target, type value) \
    {                                                                        \
        __atomic_store_n(target, value, __ATOMIC_RELEASE);                   \
    }                                                                        \
    FORCEINLINE void Write##name##NoFence(type volatile *target, type value) \
    {                                                                        \
        __atomic_store_n(target, value, __ATOMIC_RELAXED);                   \
    }
__WDM_READ(, LONG)
__WDM_READ(64, LONG64)
__WDM_READ(ULong, ULONG)
__WDM_READ(ULong64, ULONG64)
__WDM_READ(UShort, USHORT)
__WDM_READ(UChar, UCHAR)
#undef __WDM_READ

#endif /* _WDM_ATOMIC_H_ */
