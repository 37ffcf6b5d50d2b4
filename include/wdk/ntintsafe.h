/*
 * ntintsafe.h: conversions and arithmetic that report overflow: STATUS_INTEGER_OVERFLOW, and a
 * result of all ones.
 *
 * The functions come in families that differ in their types alone, so each family is one macro.
 */

#ifndef _NTINTSAFE_H_INCLUDED_
#define _NTINTSAFE_H_INCLUDED_

#include <ntdef.h>
#include <ntstatus.h>
#include <wdm/limits.h>

#define __INTSAFE_OP(name, type, builtin, error)            \
    FORCEINLINE NTSTATUS name(type a, type b, type *result) \
    {                                                       \
        if (builtin(a, b, result)) {                        \
            *result = (type)(error);                        \
            return STATUS_INTEGER_OVERFLOW;                 \
        }                                                   \
        return STATUS_SUCCESS;                              \
    }
#define __INTSAFE_ARITHMETIC(short_name, type, error)                       \
    __INTSAFE_OP(Rtl##short_name##Add, type, __builtin_add_overflow, error) \
    __INTSAFE_OP(Rtl##short_name##Sub, type, __builtin_sub_overflow, error) \
    __INTSAFE_OP(Rtl##short_name##Mult, type, __builtin_mul_overflow, error)

__INTSAFE_ARITHMETIC(UInt8, UINT8, ~0)
__INTSAFE_ARITHMETIC(UShort, USHORT, ~0)
__INTSAFE_ARITHMETIC(UInt, UINT, ~0)
__INTSAFE_ARITHMETIC(ULong, ULONG, ~0)
__INTSAFE_ARITHMETIC(ULongLong, ULONGLONG, ~0ll)
__INTSAFE_ARITHMETIC(UIntPtr, UINT_PTR, ~0ll)
__INTSAFE_ARITHMETIC(ULongPtr, ULONG_PTR, ~0ll)
__INTSAFE_ARITHMETIC(SizeT, SIZE_T, ~0ll)
__INTSAFE_ARITHMETIC(Int, INT, ~0)
__INTSAFE_ARITHMETIC(Long, LONG, ~0)
__INTSAFE_ARITHMETIC(LongLong, LONGLONG, ~0ll)
#define RtlUInt32Add  RtlUIntAdd
#define RtlUInt32Sub  RtlUIntSub
#define RtlUInt32Mult RtlUIntMult
#define RtlUInt64Add  RtlULongLongAdd
#define RtlUInt64Sub  RtlULongLongSub
#define RtlUInt64Mult RtlULongLongMult
#define RtlDWordAdd   RtlULongAdd
#define RtlDWordMult  RtlULongMult
#define RtlUInt16Add  RtlUShortAdd
#define RtlUInt16Mult RtlUShortMult

#define __INTSAFE_CONVERT(name, from, to, error)              \
    FORCEINLINE NTSTATUS name(from value, to *result)         \
    {                                                         \
        if (__builtin_add_overflow(value, (from)0, result)) { \
            *result = (to)(error);                            \
            return STATUS_INTEGER_OVERFLOW;                   \
        }                                                     \
        return STATUS_SUCCESS;                                \
    }
__INTSAFE_CONVERT(RtlSizeTToULong, SIZE_T, ULONG, ~0)
__INTSAFE_CONVERT(RtlSizeTToUInt, SIZE_T, UINT, ~0)
__INTSAFE_CONVERT(RtlSizeTToUShort, SIZE_T, USHORT, ~0)
__INTSAFE_CONVERT(RtlSizeTToLong, SIZE_T, LONG, ~0)
__INTSAFE_CONVERT(RtlULongLongToULong, ULONGLONG, ULONG, ~0)
__INTSAFE_CONVERT(RtlULongLongToUInt, ULONGLONG, UINT, ~0)
__INTSAFE_CONVERT(RtlULongLongToLong, ULONGLONG, LONG, ~0)
__INTSAFE_CONVERT(RtlULongLongToUShort, ULONGLONG, USHORT, ~0)
__INTSAFE_CONVERT(RtlULongLongToSizeT, ULONGLONG, SIZE_T, ~0ll)
__INTSAFE_CONVERT(RtlULongLongToLongLong, ULONGLONG, LONGLONG, ~0ll)
__INTSAFE_CONVERT(RtlULongToUShort, ULONG, USHORT, ~0)
__INTSAFE_CONVERT(RtlULongToUChar, ULONG, UCHAR, ~0)
__INTSAFE_CONVERT(RtlULongToLong, ULONG, LONG, ~0)
__INTSAFE_CONVERT(RtlUIntToUShort, UINT, USHORT, ~0)
__INTSAFE_CONVERT(RtlUIntToInt, UINT, INT, ~0)
__INTSAFE_CONVERT(RtlLongToULong, LONG, ULONG, ~0)
__INTSAFE_CONVERT(RtlLongToUShort, LONG, USHORT, ~0)
__INTSAFE_CONVERT(RtlIntToUInt, INT, UINT, ~0)
__INTSAFE_CONVERT(RtlIntToUShort, INT, USHORT, ~0)
__INTSAFE_CONVERT(RtlLongLongToULong, LONGLONG, ULONG, ~0)
__INTSAFE_CONVERT(RtlLongLongToULongLong, LONGLONG, ULONGLONG, ~0ll)
__INTSAFE_CONVERT(RtlLongLongToSizeT, LONGLONG, SIZE_T, ~0ll)
#undef __INTSAFE_OP
#undef __INTSAFE_ARITHMETIC
#undef __INTSAFE_CONVERT

#endif /* _NTINTSAFE_H_INCLUDED_ */
