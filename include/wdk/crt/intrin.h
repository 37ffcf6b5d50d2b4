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

/* The following are no functions that clang knows: they are instructions here. Those of the
 * processor's own state fault when they are reached, for a driver runs without privileges; the
 * ports of a device are served. */
#define INTRIN_OWN static __inline__ __attribute__((always_inline, unused))

INTRIN_OWN void __stosw(unsigned short *destination, unsigned short value, size_t count)
{
    __asm__ volatile("rep stosw" : "+D"(destination), "+c"(count) : "a"(value) : "memory");
}
INTRIN_OWN void __stosd(unsigned long *destination, unsigned long value, size_t count)
{
    __asm__ volatile("rep stosl" : "+D"(destination), "+c"(count) : "a"(value) : "memory");
}
INTRIN_OWN void __stosq(unsigned long long *destination, unsigned long long value, size_t count)
{
    __asm__ volatile("rep stosq" : "+D"(destination), "+c"(count) : "a"(value) : "memory");
}

#define INTRIN_MOVS(name, type, instruction)                                       \
    INTRIN_OWN void name(type *destination, const type *source, size_t count)      \
    {                                                                              \
        __asm__ volatile("rep " instruction                                        \
                         : "+D"(destination), "+S"(source), "+c"(count)            \
                         :                                                         \
                         : "memory");                                              \
    }
INTRIN_MOVS(__movsw, unsigned short, "movsw")
INTRIN_MOVS(__movsd, unsigned long, "movsl")
INTRIN_MOVS(__movsq, unsigned long long, "movsq")

INTRIN_OWN unsigned long long __rdtscp(unsigned int *processor)
{
    unsigned long low, high;

    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*processor));
    return (unsigned long long)high << 32 | low;
}
INTRIN_OWN unsigned long long __readeflags(void)
{
    unsigned long long flags;

    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags) : : "memory");
    return flags;
}
INTRIN_OWN void __writeeflags(unsigned long long flags)
{
    __asm__ volatile("pushq %0\n\tpopfq" : : "r"(flags) : "memory", "cc");
}
INTRIN_OWN unsigned long long __readmsr(unsigned long number)
{
    unsigned long low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (unsigned long long)high << 32 | low;
}
INTRIN_OWN void __writemsr(unsigned long number, unsigned long long value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(number), "a"((unsigned long)value), "d"((unsigned long)(value >> 32))
                     : "memory");
}

/* The descriptor tables, and the bases of the segments fs and gs. */
#define INTRIN_TABLE(name, instruction) \
    INTRIN_OWN void name(void *table)   \
    { __asm__ volatile(instruction " %0" : "=m"(*(unsigned char(*)[10])table)); }
INTRIN_TABLE(__sidt, "sidt")
INTRIN_TABLE(_sgdt, "sgdt")
#undef INTRIN_TABLE

#define INTRIN_TABLE(name, instruction) \
    INTRIN_OWN void name(void *table)   \
    { __asm__ volatile(instruction " %0" : : "m"(*(unsigned char(*)[10])table)); }
INTRIN_TABLE(__lidt, "lidt")
INTRIN_TABLE(_lgdt, "lgdt")
#undef INTRIN_TABLE

#define INTRIN_BASE(segment)                                             \
    INTRIN_OWN unsigned long long _read##segment##base_u64(void)         \
    {                                                                    \
        unsigned long long base;                                         \
                                                                         \
        __asm__ volatile("rd" #segment "base %0" : "=r"(base));          \
        return base;                                                     \
    }                                                                    \
    INTRIN_OWN void _write##segment##base_u64(unsigned long long base)   \
    { __asm__ volatile("wr" #segment "base %0" : : "r"(base)); }
INTRIN_BASE(fs)
INTRIN_BASE(gs)
#undef INTRIN_BASE
INTRIN_OWN void __invlpg(void *address)
{
    __asm__ volatile("invlpg %0" : : "m"(*(char *)address) : "memory");
}
INTRIN_OWN void __wbinvd(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
}

#define INTRIN_REGISTER(read_name, write_name, register_name)                  \
    INTRIN_OWN unsigned long long read_name(void)                              \
    {                                                                          \
        unsigned long long value;                                              \
                                                                               \
        __asm__ volatile("movq %%" register_name ", %0" : "=r"(value));        \
        return value;                                                          \
    }                                                                          \
    INTRIN_OWN void write_name(unsigned long long value)                       \
    {                                                                          \
        __asm__ volatile("movq %0, %%" register_name : : "r"(value) : "memory"); \
    }
INTRIN_REGISTER(__readcr0, __writecr0, "cr0")
INTRIN_REGISTER(__readcr3, __writecr3, "cr3")
INTRIN_REGISTER(__readcr4, __writecr4, "cr4")
INTRIN_OWN unsigned long long __readcr2(void)
{
    unsigned long long value;

    __asm__ volatile("movq %%cr2, %0" : "=r"(value));
    return value;
}

/* The number is a constant, as the instruction wants it. */
#define INTRIN_DEBUG(number)                                       \
    case number:                                                   \
        __asm__ volatile("movq %%dr" #number ", %0" : "=r"(value)); \
        break;
INTRIN_OWN unsigned long long __readdr(unsigned int number)
{
    unsigned long long value = 0;

    switch (number) {
        INTRIN_DEBUG(0)
        INTRIN_DEBUG(1)
        INTRIN_DEBUG(2)
        INTRIN_DEBUG(3)
        INTRIN_DEBUG(6)
        INTRIN_DEBUG(7)
    default:
        break;
    }
    return value;
}
#undef INTRIN_DEBUG
#define INTRIN_DEBUG(number)                                      \
    case number:                                                  \
        __asm__ volatile("movq %0, %%dr" #number : : "r"(value)); \
        break;
INTRIN_OWN void __writedr(unsigned int number, unsigned long long value)
{
    switch (number) {
        INTRIN_DEBUG(0)
        INTRIN_DEBUG(1)
        INTRIN_DEBUG(2)
        INTRIN_DEBUG(3)
        INTRIN_DEBUG(6)
        INTRIN_DEBUG(7)
    default:
        break;
    }
}
#undef INTRIN_DEBUG

#define INTRIN_PORT(suffix, type, letter, reg)                                                    \
    INTRIN_OWN type __in##suffix(unsigned short port)                                             \
    {                                                                                             \
        type value;                                                                               \
                                                                                                  \
        __asm__ volatile("in" letter " %%dx, %%" reg : "=a"(value) : "d"(port) : "memory");       \
        return value;                                                                             \
    }                                                                                             \
    INTRIN_OWN void __out##suffix(unsigned short port, type value)                                \
    {                                                                                             \
        __asm__ volatile("out" letter " %%" reg ", %%dx" : : "a"(value), "d"(port) : "memory");   \
    }                                                                                             \
    INTRIN_OWN void __in##suffix##string(unsigned short port, type *buffer, unsigned long count)  \
    {                                                                                             \
        while (count-- > 0)                                                                       \
            *buffer++ = __in##suffix(port);                                                       \
    }                                                                                             \
    INTRIN_OWN void __out##suffix##string(unsigned short port, type *buffer, unsigned long count) \
    {                                                                                             \
        while (count-- > 0)                                                                       \
            __out##suffix(port, *buffer++);                                                       \
    }
INTRIN_PORT(byte, unsigned char, "b", "al")
INTRIN_PORT(word, unsigned short, "w", "ax")
INTRIN_PORT(dword, unsigned long, "l", "eax")

#undef INTRIN_PORT
#undef INTRIN_REGISTER
#undef INTRIN_MOVS
#undef INTRIN_OWN

#ifdef __cplusplus
}
#endif

#endif /* __INTRIN_H_ */
