/*
 * intrin.h for drivers: the compiler's own functions that kernel sources call. They are declared,
 * not defined: clang knows them by name when it compiles for Windows.
 */

#ifndef __INTRIN_H_
#define __INTRIN_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void __debugbreak(void);
void __fastfail(unsigned int code);
void __nop(void);
void __halt(void);
void __ud2(void);
void __stosb(unsigned char *destination, unsigned char value, size_t count);
void __movsb(unsigned char *destination, const unsigned char *source, size_t count);
void _ReadWriteBarrier(void);
void _ReadBarrier(void);
void _WriteBarrier(void);
void _disable(void);
void _enable(void);
void *_ReturnAddress(void);
void *_AddressOfReturnAddress(void);

unsigned char _BitScanForward(unsigned long *index, unsigned long mask);
unsigned char _BitScanReverse(unsigned long *index, unsigned long mask);
unsigned char _BitScanForward64(unsigned long *index, unsigned long long mask);
unsigned char _BitScanReverse64(unsigned long *index, unsigned long long mask);
unsigned char _bittest(const long *base, long bit);
unsigned char _bittestandset(long *base, long bit);
unsigned char _bittestandreset(long *base, long bit);
unsigned char _interlockedbittestandset(long volatile *base, long bit);
unsigned char _interlockedbittestandreset(long volatile *base, long bit);

long _InterlockedIncrement(long volatile *target);
long _InterlockedDecrement(long volatile *target);
long _InterlockedExchange(long volatile *target, long value);
long _InterlockedExchangeAdd(long volatile *target, long value);
long _InterlockedCompareExchange(long volatile *target, long value, long comparand);
long _InterlockedAnd(long volatile *target, long value);
long _InterlockedOr(long volatile *target, long value);
long _InterlockedXor(long volatile *target, long value);
long long _InterlockedIncrement64(long long volatile *target);
long long _InterlockedDecrement64(long long volatile *target);
long long _InterlockedExchange64(long long volatile *target, long long value);
long long _InterlockedExchangeAdd64(long long volatile *target, long long value);
long long _InterlockedCompareExchange64(long long volatile *target, long long value,
                                        long long comparand);
long long _InterlockedAnd64(long long volatile *target, long long value);
long long _InterlockedOr64(long long volatile *target, long long value);
void *_InterlockedExchangePointer(void *volatile *target, void *value);
void *_InterlockedCompareExchangePointer(void *volatile *target, void *value, void *comparand);

unsigned short _byteswap_ushort(unsigned short value);
unsigned long _byteswap_ulong(unsigned long value);
unsigned long long _byteswap_uint64(unsigned long long value);
unsigned char _rotl8(unsigned char value, unsigned char shift);
unsigned int _rotl(unsigned int value, int shift);
unsigned int _rotr(unsigned int value, int shift);
unsigned long long _rotl64(unsigned long long value, int shift);
unsigned long long _rotr64(unsigned long long value, int shift);
unsigned long long _umul128(unsigned long long a, unsigned long long b, unsigned long long *high);
unsigned long long __umulh(unsigned long long a, unsigned long long b);
long long __mulh(long long a, long long b);
unsigned int __popcnt(unsigned int value);
unsigned long long __popcnt64(unsigned long long value);
unsigned int __lzcnt(unsigned int value);
unsigned long long __rdtsc(void);
unsigned long long __readgsqword(unsigned long offset);
void __cpuid(int info[4], int function);
void __cpuidex(int info[4], int function, int subfunction);
unsigned long long __readcr8(void);
void _mm_pause(void);

#ifdef __cplusplus
}
#endif

#endif /* __INTRIN_H_ */
