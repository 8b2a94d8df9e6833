/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Its stack lies on the page of its code, so that calls write to what runs. 2 + 6 * 100 + 3
 * instructions. */
    .globl _start
_start:
    lea top(%rip), %rsp
    mov $100, %ecx
1:  call 2f
    dec %ecx
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
2:  push %rax
    pop %rax
    ret
    .skip 256
top:
    .skip 16
    .section .note.GNU-stack, "", @progbits
