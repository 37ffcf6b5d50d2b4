/*
 * intsafe.h: conversions and arithmetic that report overflow: INTSAFE_E_ARITHMETIC_OVERFLOW, and a
 * result of all ones.
 *
 * The functions come in families that differ in their types alone, so each family is one macro.
 */

#ifndef _INTSAFE_H_INCLUDED_
#define _INTSAFE_H_INCLUDED_

#include <ntdef.h>
#include <wdm/limits.h>

#ifndef S_OK
#define S_OK ((HRESULT)0L)
#endif

#define INTSAFE_E_ARITHMETIC_OVERFLOW ((HRESULT)0x80070216L)

#define __INTSAFE_U_OP(name, type, builtin, error)         \
    FORCEINLINE HRESULT name(type a, type b, type *result) \
    {                                                      \
        if (builtin(a, b, result)) {                       \
            *result = (type)(error);                       \
            return INTSAFE_E_ARITHMETIC_OVERFLOW;          \
        }                                                  \
        return S_OK;                                       \
    }
#define __INTSAFE_U_ARITHMETIC(short_name, type, error)                  \
    __INTSAFE_U_OP(short_name##Add, type, __builtin_add_overflow, error) \
    __INTSAFE_U_OP(short_name##Sub, type, __builtin_sub_overflow, error) \
    __INTSAFE_U_OP(short_name##Mult, type, __builtin_mul_overflow, error)

__INTSAFE_U_ARITHMETIC(UInt8, UINT8, ~0)
__INTSAFE_U_ARITHMETIC(UShort, USHORT, ~0)
__INTSAFE_U_ARITHMETIC(UInt, UINT, ~0)
__INTSAFE_U_ARITHMETIC(ULong, ULONG, ~0)
__INTSAFE_U_ARITHMETIC(ULongLong, ULONGLONG, ~0ll)
__INTSAFE_U_ARITHMETIC(UIntPtr, UINT_PTR, ~0ll)
__INTSAFE_U_ARITHMETIC(ULongPtr, ULONG_PTR, ~0ll)
__INTSAFE_U_ARITHMETIC(SizeT, SIZE_T, ~0ll)
__INTSAFE_U_ARITHMETIC(Int, INT, ~0)
__INTSAFE_U_ARITHMETIC(Long, LONG, ~0)
__INTSAFE_U_ARITHMETIC(LongLong, LONGLONG, ~0ll)
#define UInt32Add  UIntAdd
#define UInt32Sub  UIntSub
#define UInt32Mult UIntMult
#define UInt64Add  ULongLongAdd
#define UInt64Sub  ULongLongSub
#define UInt64Mult ULongLongMult
#define DWordAdd   ULongAdd
#define DWordMult  ULongMult
#define UInt16Add  UShortAdd
#define UInt16Mult UShortMult

#define __INTSAFE_U_CONVERT(name, from, to, error)            \
    FORCEINLINE HRESULT name(from value, to *result)          \
    {                                                         \
        if (__builtin_add_overflow(value, (from)0, result)) { \
            *result = (to)(error);                            \
            return INTSAFE_E_ARITHMETIC_OVERFLOW;             \
        }                                                     \
        return S_OK;                                          \
    }
__INTSAFE_U_CONVERT(SizeTToULong, SIZE_T, ULONG, ~0)
__INTSAFE_U_CONVERT(SizeTToUInt, SIZE_T, UINT, ~0)
__INTSAFE_U_CONVERT(SizeTToUShort, SIZE_T, USHORT, ~0)
__INTSAFE_U_CONVERT(SizeTToLong, SIZE_T, LONG, ~0)
__INTSAFE_U_CONVERT(ULongLongToULong, ULONGLONG, ULONG, ~0)
__INTSAFE_U_CONVERT(ULongLongToUInt, ULONGLONG, UINT, ~0)
__INTSAFE_U_CONVERT(ULongLongToLong, ULONGLONG, LONG, ~0)
__INTSAFE_U_CONVERT(ULongLongToUShort, ULONGLONG, USHORT, ~0)
__INTSAFE_U_CONVERT(ULongLongToSizeT, ULONGLONG, SIZE_T, ~0ll)
__INTSAFE_U_CONVERT(ULongLongToLongLong, ULONGLONG, LONGLONG, ~0ll)
__INTSAFE_U_CONVERT(ULongToUShort, ULONG, USHORT, ~0)
__INTSAFE_U_CONVERT(ULongToUChar, ULONG, UCHAR, ~0)
__INTSAFE_U_CONVERT(ULongToLong, ULONG, LONG, ~0)
__INTSAFE_U_CONVERT(UIntToUShort, UINT, USHORT, ~0)
__INTSAFE_U_CONVERT(UIntToInt, UINT, INT, ~0)
__INTSAFE_U_CONVERT(LongToULong, LONG, ULONG, ~0)
__INTSAFE_U_CONVERT(LongToUShort, LONG, USHORT, ~0)
__INTSAFE_U_CONVERT(IntToUInt, INT, UINT, ~0)
__INTSAFE_U_CONVERT(IntToUShort, INT, USHORT, ~0)
__INTSAFE_U_CONVERT(LongLongToULong, LONGLONG, ULONG, ~0)
__INTSAFE_U_CONVERT(LongLongToULongLong, LONGLONG, ULONGLONG, ~0ll)
__INTSAFE_U_CONVERT(LongLongToSizeT, LONGLONG, SIZE_T, ~0ll)
#undef __INTSAFE_U_OP
#undef __INTSAFE_U_ARITHMETIC
#undef __INTSAFE_U_CONVERT

#endif /* _INTSAFE_H_INCLUDED_ */
