/* Touches each page of a large frame in turn, so that the guard page below the stack is met.
 * %rax is the size; all registers are kept. */
    .text
    .globl __chkstk
    .def __chkstk
    .scl 2
    .type 32
    .endef
    .p2align 4
    .seh_proc __chkstk
__chkstk:
    push %rcx
    .seh_pushreg %rcx
    push %rax
    .seh_pushreg %rax
    .seh_endprologue
    lea 24(%rsp), %rcx
1:
    cmp $0x1000, %rax
    jb 2f
    sub $0x1000, %rcx
    test %rcx, (%rcx)
    sub $0x1000, %rax
    jmp 1b
2:
    sub %rax, %rcx
    test %rcx, (%rcx)
    pop %rax
    pop %rcx
    ret
    .seh_endproc
