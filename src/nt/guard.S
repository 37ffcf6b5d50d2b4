/* nt_guard: what stands between the kernel and a routine of the driver.
 *
 * Called in the driver's convention with the routine's own arguments, and a struct nt_driver_call in
 * %r10. It keeps the registers that a routine gives back as they were, puts known values into them,
 * calls, and compares. It changes over to the part of the task's stack that is the driver's, which
 * ends, as a kernel's stack does, after 24 KiB at pages that are shut (machine/stack.c). Known values, so that what is found does not depend on what the compiler of
 * the caller had there. Whatever the routine did, the caller gets its own values back.
 *
 * After the call only %rsp is believed, and accesses are aligned: the alignment check may be on.
 */
#define ARGUMENTS 32 /* behind the four that every call has room for */
#define GENERAL   64
#define VECTORS   128
#define CALL      288
#define MXCSR     296
#define X87       300
#define FLAGS     304
#define FRAME     304 /* below the flags */
#define CFA       320

#define FOUND_GENERAL 0
#define FOUND_VECTORS 64
#define FOUND_FLAGS   224
#define FOUND_MXCSR   232
#define FOUND_X87     236
#define FOUND_RAX     240
#define FOUND_BYTES   256

/* What a call from the host's part of a stack finds at the top of the driver's. */
#define BACK         64
#define DRIVER_FRAME 80

#define CALLER_ARGUMENTS (CFA + 32)
#define FLAGS_KEPT       0x40400 /* alignment check, direction */
#define MXCSR_KEPT       0xffc0  /* all but the sticky flags */

.macro each_general operation
    \operation %rbx, 0
    \operation %rbp, 8
    \operation %rsi, 16
    \operation %rdi, 24
    \operation %r12, 32
    \operation %r13, 40
    \operation %r14, 48
    \operation %r15, 56
.endm

.macro each_vector operation
    \operation 6, 0
    \operation 7, 16
    \operation 8, 32
    \operation 9, 48
    \operation 10, 64
    \operation 11, 80
    \operation 12, 96
    \operation 13, 112
    \operation 14, 128
    \operation 15, 144
.endm

.macro keep_general register, at
    mov \register, GENERAL+\at(%rsp)
    .cfi_offset \register, GENERAL+\at-CFA
    mov guard_known+\at(%rip), \register
.endm

.macro keep_vector number, at
    movaps %xmm\number, VECTORS+\at(%rsp)
    .cfi_offset %xmm\number, VECTORS+\at-CFA
    movaps guard_known+FOUND_VECTORS+\at(%rip), %xmm\number
.endm

.macro compare_general register, at
    cmp guard_known+\at(%rip), \register
    jne 2f
.endm

.macro compare_vector number, at
    movaps %xmm\number, %xmm1
    pcmpeqb guard_known+FOUND_VECTORS+\at(%rip), %xmm1
    pand %xmm1, %xmm2
.endm

.macro find_general register, at
    mov \register, FOUND_GENERAL+\at(%rsp)
.endm

.macro find_vector number, at
    movaps %xmm\number, FOUND_VECTORS+\at(%rsp)
.endm

.macro restore_general register, at
    mov GENERAL+\at(%rsp), \register
.endm

.macro restore_vector number, at
    movaps VECTORS+\at(%rsp), %xmm\number
.endm

/* The trap flag, for the next instruction and those behind it: machine/step.h. */
.macro step_if_wanted
    cmpb $0, step_is_wanted(%rip)
    je 7f
    movb $0, step_is_wanted(%rip)
    pushfq
    .cfi_adjust_cfa_offset 8
    orq $0x100, (%rsp)
    popfq
    .cfi_adjust_cfa_offset -8
7:
.endm

    .text
    .globl nt_guard
    .hidden nt_guard
    .type nt_guard, @function
    .p2align 4
nt_guard:
    .cfi_startproc
    endbr64
    pushfq
    .cfi_adjust_cfa_offset 8
    sub $FRAME, %rsp
    .cfi_adjust_cfa_offset FRAME
    mov %r10, CALL(%rsp)
    stmxcsr MXCSR(%rsp)
    fnstcw X87(%rsp)
.irp at, 0, 8, 16, 24
    mov CALLER_ARGUMENTS+\at(%rsp), %rax
    mov %rax, ARGUMENTS+\at(%rsp)
.endr
    each_general keep_general
    each_vector keep_vector
    mov task_driver_stack(%rip), %r11
    cmp %r11, %rsp
    jbe 3f
    /* The driver's part of the stack begins further down; how far back is kept above its frame. */
.irp at, 0, 8, 16, 24
    mov ARGUMENTS+\at(%rsp), %rax
    mov %rax, ARGUMENTS+\at-DRIVER_FRAME(%r11)
.endr
    mov %rsp, BACK-DRIVER_FRAME(%r11)
    lea -DRIVER_FRAME(%r11), %rsp
    /* The frame is where BACK(%rsp) says, and its caller's ends CFA behind. */
    .cfi_escape 0x0f, 7, 0x77, BACK + 0x80, 0, 0x06, 0x23, CFA % 128 + 0x80, CFA / 128
    step_if_wanted
    call *(%r10)
    mov BACK(%rsp), %rsp
    .cfi_def_cfa %rsp, CFA

4:  each_general compare_general
    pcmpeqd %xmm2, %xmm2
    each_vector compare_vector
    pmovmskb %xmm2, %ecx
    cmp $0xffff, %ecx
    jne 2f
    /* What the routine found as room for its first arguments is free now. */
    stmxcsr (%rsp)
    mov (%rsp), %ecx
    xor MXCSR(%rsp), %ecx
    test $MXCSR_KEPT, %ecx
    jne 2f
    fnstcw 8(%rsp)
    mov X87(%rsp), %cx
    cmp 8(%rsp), %cx
    jne 2f
    pushfq
    .cfi_adjust_cfa_offset 8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    xor FLAGS(%rsp), %ecx
    test $FLAGS_KEPT, %ecx
    jne 2f

1:  each_vector restore_vector
    each_general restore_general
    add $CFA-8, %rsp
    .cfi_remember_state
    .cfi_def_cfa_offset 8
    ret
    .cfi_restore_state

    /* Something is not as it was: first the state that compiled code relies on, then the words. */
2:  pushfq
    .cfi_adjust_cfa_offset 8
    pop %rcx
    .cfi_adjust_cfa_offset -8
    xor FLAGS(%rsp), %ecx
    and $FLAGS_KEPT, %ecx
    pushq FLAGS(%rsp)
    .cfi_adjust_cfa_offset 8
    popfq
    .cfi_adjust_cfa_offset -8
    sub $FOUND_BYTES, %rsp
    .cfi_adjust_cfa_offset FOUND_BYTES
    mov %rcx, FOUND_FLAGS(%rsp)
    mov %rax, FOUND_RAX(%rsp)
    each_general find_general
    each_vector find_vector
    stmxcsr FOUND_MXCSR(%rsp)
    mov FOUND_BYTES+MXCSR(%rsp), %ecx
    xor %ecx, FOUND_MXCSR(%rsp)
    andl $MXCSR_KEPT, FOUND_MXCSR(%rsp)
    ldmxcsr FOUND_BYTES+MXCSR(%rsp)
    movl $0, FOUND_X87(%rsp)
    fnstcw FOUND_X87(%rsp)
    mov FOUND_BYTES+X87(%rsp), %cx
    xor %cx, FOUND_X87(%rsp)
    fnclex
    fldcw FOUND_BYTES+X87(%rsp)
    mov FOUND_BYTES+CALL(%rsp), %rdi
    mov %rsp, %rsi
    call guard_tell
    mov FOUND_RAX(%rsp), %rax
    add $FOUND_BYTES, %rsp
    .cfi_adjust_cfa_offset -FOUND_BYTES
    jmp 1b

    /* From a driver's part of the stack, or on none that has one. */
3:  .cfi_def_cfa %rsp, CFA
    step_if_wanted
    call *(%r10)
    jmp 4b
    .cfi_endproc
    .size nt_guard, . - nt_guard

    .section .note.GNU-stack, "", @progbits
