/* acpiioct.h: the buffers in which a driver passes arguments to ACPI methods and gets their
 * results. */

#ifndef _ACPIIOCT_H_
#define _ACPIIOCT_H_

#include <wdm.h>

#define ACPI_EVAL_INPUT_BUFFER_SIGNATURE                0x42696541 /* 'AeiB' */
#define ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER_SIGNATURE 0x49696541 /* 'AeiI' */
#define ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING_SIGNATURE  0x53696541 /* 'AeiS' */
#define ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE        0x43696541 /* 'AeiC' */
#define ACPI_EVAL_INPUT_BUFFER_SIGNATURE_EX             0x41696541 /* 'AeiA' */
#define ACPI_EVAL_INPUT_BUFFER_COMPLEX_SIGNATURE_EX     0x46696541 /* 'AeiF' */
#define ACPI_EVAL_OUTPUT_BUFFER_SIGNATURE               0x426F6541 /* 'AeoB' */

#define ACPI_METHOD_ARGUMENT_INTEGER    0x0
#define ACPI_METHOD_ARGUMENT_STRING     0x1
#define ACPI_METHOD_ARGUMENT_BUFFER     0x2
#define ACPI_METHOD_ARGUMENT_PACKAGE    0x3
#define ACPI_METHOD_ARGUMENT_PACKAGE_EX 0x4

#define IOCTL_ACPI_EVAL_METHOD \
    CTL_CODE(FILE_DEVICE_ACPI, 0, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS)
#define IOCTL_ACPI_EVAL_METHOD_EX \
    CTL_CODE(FILE_DEVICE_ACPI, 6, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS)

typedef struct _ACPI_METHOD_ARGUMENT {
    USHORT Type;
    USHORT DataLength;
    union {
        ULONG Argument;
        UCHAR Data[1];
    };
} ACPI_METHOD_ARGUMENT, *PACPI_METHOD_ARGUMENT;

typedef struct _ACPI_EVAL_INPUT_BUFFER {
    ULONG Signature;
    union {
        UCHAR MethodName[4];
        ULONG MethodNameAsUlong;
    };
} ACPI_EVAL_INPUT_BUFFER, *PACPI_EVAL_INPUT_BUFFER;

typedef struct _ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER {
    ULONG Signature;
    union {
        UCHAR MethodName[4];
        ULONG MethodNameAsUlong;
    };
    ULONG IntegerArgument;
} ACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER, *PACPI_EVAL_INPUT_BUFFER_SIMPLE_INTEGER;

typedef struct _ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING {
    ULONG Signature;
    union {
        UCHAR MethodName[4];
        ULONG MethodNameAsUlong;
    };
    ULONG StringLength;
    UCHAR String[1];
} ACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING, *PACPI_EVAL_INPUT_BUFFER_SIMPLE_STRING;

typedef struct _ACPI_EVAL_INPUT_BUFFER_COMPLEX {
    ULONG Signature;
    union {
        UCHAR MethodName[4];
        ULONG MethodNameAsUlong;
    };
    ULONG Size;
    ULONG ArgumentCount;
    ACPI_METHOD_ARGUMENT Argument[1];
} ACPI_EVAL_INPUT_BUFFER_COMPLEX, *PACPI_EVAL_INPUT_BUFFER_COMPLEX;

typedef struct _ACPI_EVAL_OUTPUT_BUFFER {
    ULONG Signature;
    ULONG Length;
    ULONG Count;
    ACPI_METHOD_ARGUMENT Argument[1];
} ACPI_EVAL_OUTPUT_BUFFER, *PACPI_EVAL_OUTPUT_BUFFER;

#define ACPI_METHOD_ARGUMENT_LENGTH(data_length) \
    (FIELD_OFFSET(ACPI_METHOD_ARGUMENT, Data) +  \
     ((data_length) > sizeof(ULONG) ? (data_length) : sizeof(ULONG)))
#define ACPI_METHOD_ARGUMENT_LENGTH_FROM_ARGUMENT(argument) \
    (ACPI_METHOD_ARGUMENT_LENGTH((argument)->DataLength))
#define ACPI_METHOD_NEXT_ARGUMENT(argument)       \
    ((PACPI_METHOD_ARGUMENT)((PUCHAR)(argument) + \
                             ACPI_METHOD_ARGUMENT_LENGTH_FROM_ARGUMENT(argument)))
#define ACPI_METHOD_SET_ARGUMENT_INTEGER(argument, value)                                     \
    ((argument)->Type = ACPI_METHOD_ARGUMENT_INTEGER, (argument)->DataLength = sizeof(ULONG), \
     (argument)->Argument = (value))

#endif /* _ACPIIOCT_H_ */
