/* The built-in driver, as the build made it. */
        .section .rodata
        .global builtin_driver
        .global builtin_driver_end
        .balign 64
builtin_driver:
        .incbin DRYDOCK_BUILTIN
builtin_driver_end:
        .byte 0
        .section .note.GNU-stack, "", @progbits
