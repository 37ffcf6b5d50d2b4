/* setjmp.h for drivers: jumps out of functions. A jump runs the __finally blocks that it leaves. */

#ifndef _INC_SETJMP
#define _INC_SETJMP

#ifdef __cplusplus
extern "C" {
#endif

typedef struct __attribute__((aligned(16))) _SETJMP_FLOAT128 {
    unsigned long long Part[2];
} SETJMP_FLOAT128;

typedef struct _JUMP_BUFFER {
    unsigned long long Frame; /* 0: a jump runs no block */
    unsigned long long Rbx, Rsp, Rbp, Rsi, Rdi, R12, R13, R14, R15, Rip;
    unsigned int MxCsr;
    unsigned short FpCsr, Spare;
    SETJMP_FLOAT128 Xmm6, Xmm7, Xmm8, Xmm9, Xmm10, Xmm11, Xmm12, Xmm13, Xmm14, Xmm15;
} _JUMP_BUFFER;

#define _JBLEN 16
typedef SETJMP_FLOAT128 _JBTYPE;
typedef _JBTYPE jmp_buf[_JBLEN];

/* The kernel is told the frame, which it looks for when the jump unwinds. */
__attribute__((returns_twice)) int __cdecl _setjmp(jmp_buf env, void *frame);
__attribute__((returns_twice)) int __cdecl _setjmpex(jmp_buf env, void *frame);
__attribute__((noreturn)) void __cdecl longjmp(jmp_buf env, int value);

#define setjmp(env)   _setjmp((env), __builtin_frame_address(0))
#define setjmpex(env) _setjmpex((env), __builtin_frame_address(0))

#ifdef __cplusplus
}
#endif

#endif /* _INC_SETJMP */
