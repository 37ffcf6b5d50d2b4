/* __chkstk for images from elsewhere: touches each page of the %rax bytes below the caller's stack
 * pointer, from the top down, so that a frame of many pages meets the guard and not what lies
 * behind it. Keeps every register. */
    .text
    .globl crt_chkstk
    .type crt_chkstk, @function
    .p2align 4
crt_chkstk:
    .cfi_startproc
    push %r10
    .cfi_adjust_cfa_offset 8
    push %r11
    .cfi_adjust_cfa_offset 8
    lea 24(%rsp), %r10
    mov %r10, %r11
    sub %rax, %r11
    jae 1f
    xor %r11d, %r11d
1:  sub $4096, %r10
    cmp %r11, %r10
    jb 2f
    orb $0, (%r10)
    jmp 1b
2:  pop %r11
    .cfi_adjust_cfa_offset -8
    pop %r10
    .cfi_adjust_cfa_offset -8
    ret
    .cfi_endproc
    .globl crt_chkstk_end
    .hidden crt_chkstk_end
crt_chkstk_end:
    .size crt_chkstk, . - crt_chkstk

    .section .note.GNU-stack, "", @progbits
