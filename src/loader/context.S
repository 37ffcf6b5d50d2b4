/* Processor state: captured, resumed, and carried into and out of driver code.
 *
 * Offsets are those of struct loader_context, the documented x64 CONTEXT. Functions without a word on it
 * follow the host's own calling convention.
 */
#define CONTEXT_MXCSR  0x34
#define CONTEXT_CS     0x38
#define CONTEXT_SS     0x42
#define CONTEXT_EFLAGS 0x44
#define CONTEXT_RAX    0x78
#define CONTEXT_RCX    0x80
#define CONTEXT_RDX    0x88
#define CONTEXT_RBX    0x90
#define CONTEXT_RSP    0x98
#define CONTEXT_RBP    0xa0
#define CONTEXT_RSI    0xa8
#define CONTEXT_RDI    0xb0
#define CONTEXT_R8     0xb8
#define CONTEXT_R9     0xc0
#define CONTEXT_R10    0xc8
#define CONTEXT_R11    0xd0
#define CONTEXT_R12    0xd8
#define CONTEXT_R13    0xe0
#define CONTEXT_R14    0xe8
#define CONTEXT_R15    0xf0
#define CONTEXT_RIP    0xf8
#define CONTEXT_FX     0x100

    .text

.macro function name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
.endm

.macro end name
    .cfi_endproc
    .size \name, . - \name
.endm

/* The state of the caller as it will be after this call returned. */
.macro capture base
    mov %rax, CONTEXT_RAX(\base)
    mov %rcx, CONTEXT_RCX(\base)
    mov %rdx, CONTEXT_RDX(\base)
    mov %rbx, CONTEXT_RBX(\base)
    mov %rbp, CONTEXT_RBP(\base)
    mov %rsi, CONTEXT_RSI(\base)
    mov %rdi, CONTEXT_RDI(\base)
    mov %r8, CONTEXT_R8(\base)
    mov %r9, CONTEXT_R9(\base)
    mov %r10, CONTEXT_R10(\base)
    mov %r11, CONTEXT_R11(\base)
    mov %r12, CONTEXT_R12(\base)
    mov %r13, CONTEXT_R13(\base)
    mov %r14, CONTEXT_R14(\base)
    mov %r15, CONTEXT_R15(\base)
    pushfq
    pop %rax
    mov %eax, CONTEXT_EFLAGS(\base)
    mov (%rsp), %rax
    mov %rax, CONTEXT_RIP(\base)
    lea 8(%rsp), %rax
    mov %rax, CONTEXT_RSP(\base)
    mov %cs, CONTEXT_CS(\base)
    mov %ss, CONTEXT_SS(\base)
    stmxcsr CONTEXT_MXCSR(\base)
    fxsave64 CONTEXT_FX(\base)
.endm

/* void loader_context_capture(struct loader_context *) */
function loader_context_capture
    capture %rdi
    ret
end loader_context_capture

/* void RtlCaptureContext(CONTEXT *), called by drivers: their convention. */
function loader_capture_for_driver
    capture %rcx
    ret
end loader_capture_for_driver

/* int _setjmp(struct jump_buffer *, frame), called by drivers: their convention. */
function loader_setjmp_for_driver
    mov %rdx, (%rcx)
    mov %rbx, 0x08(%rcx)
    lea 8(%rsp), %rax
    mov %rax, 0x10(%rcx)
    mov %rbp, 0x18(%rcx)
    mov %rsi, 0x20(%rcx)
    mov %rdi, 0x28(%rcx)
    mov %r12, 0x30(%rcx)
    mov %r13, 0x38(%rcx)
    mov %r14, 0x40(%rcx)
    mov %r15, 0x48(%rcx)
    mov (%rsp), %rax
    mov %rax, 0x50(%rcx)
    stmxcsr 0x58(%rcx)
    fnstcw 0x5c(%rcx)
    movw $0, 0x5e(%rcx)
    .set at, 0x60
    .irp number, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\number, at(%rcx)
    .set at, at + 16
    .endr
    xor %eax, %eax
    ret
end loader_setjmp_for_driver

/* _Noreturn void loader_context_resume(const struct loader_context *): everything at once, by iret. */
function loader_context_resume
    fxrstor64 CONTEXT_FX(%rdi)
    sub $40, %rsp
    mov CONTEXT_RIP(%rdi), %rax
    mov %rax, (%rsp)
    xor %eax, %eax
    mov %cs, %ax
    mov %rax, 8(%rsp)
    mov CONTEXT_EFLAGS(%rdi), %eax
    and $0xdd5, %eax                    /* arithmetic and direction flags, and the trap flag of who steps */
    or $0x202, %eax
    mov %rax, 16(%rsp)
    mov CONTEXT_RSP(%rdi), %rax
    mov %rax, 24(%rsp)
    xor %eax, %eax
    mov %ss, %ax
    mov %rax, 32(%rsp)
    mov CONTEXT_RAX(%rdi), %rax
    mov CONTEXT_RCX(%rdi), %rcx
    mov CONTEXT_RDX(%rdi), %rdx
    mov CONTEXT_RBX(%rdi), %rbx
    mov CONTEXT_RBP(%rdi), %rbp
    mov CONTEXT_RSI(%rdi), %rsi
    mov CONTEXT_R8(%rdi), %r8
    mov CONTEXT_R9(%rdi), %r9
    mov CONTEXT_R10(%rdi), %r10
    mov CONTEXT_R11(%rdi), %r11
    mov CONTEXT_R12(%rdi), %r12
    mov CONTEXT_R13(%rdi), %r13
    mov CONTEXT_R14(%rdi), %r14
    mov CONTEXT_R15(%rdi), %r15
    mov CONTEXT_RDI(%rdi), %rdi
    iretq
end loader_context_resume

/* uint64_t loader_call_driver(function, a, b, c, d, struct frame_link *): calls a filter, a __finally or a
 * language handler. An unwinder that comes here from the driver's side knows the place by
 * loader_call_driver_return and finds the link at 40(%rsp). */
function loader_call_driver
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $48, %rsp
    mov %r9, 40(%rsp)
    mov %rdi, %rax
    mov %r8, %r9
    mov %rcx, %r8
    mov %rsi, %rcx
    call *%rax
    .globl loader_call_driver_return
    .hidden loader_call_driver_return
loader_call_driver_return:
    leave
    .cfi_def_cfa %rsp, 8
    ret
end loader_call_driver

/* Where a signal handler sends a faulting thread: %rdi is its struct fault_frame, the stack is aligned. */
function loader_fault_entry
    .cfi_undefined %rip
    xor %ebp, %ebp
    call loader_fault_dispatch
    ud2
end loader_fault_entry

/* Where the thunk of an import that was not found goes: %r11 is the import. */
function loader_unresolved_entry
    mov %r11, %rcx
    mov (%rsp), %rdx
    jmp loader_unresolved
end loader_unresolved_entry

    .section .note.GNU-stack, "", @progbits
