/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Changes an instruction ahead in the block that runs, and one behind. 1 + 9 * 100 + 3 instructions. */
    .globl _start
_start:
    mov $100, %ecx
1:  movb $1, 2f + 1(%rip)
    nop
2:  mov $0, %al
    movb $2, 2b + 1(%rip)
    nop
    push %rcx
    pop %rcx
    dec %ecx
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
    .section .note.GNU-stack, "", @progbits
