/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Three children that count down from 100000, each waited for: 600059 instructions. */
    .globl _start
_start:
    mov $3, %r12d
1:  mov $57, %eax
    syscall
    test %eax, %eax
    jz 2f
    mov $-1, %rdi
    xor %esi, %esi
    xor %edx, %edx
    xor %r10d, %r10d
    mov $61, %eax
    syscall
    dec %r12d
    jnz 1b
    mov $7, %edi
    jmp 4f
2:  mov $100000, %ecx
3:  dec %ecx
    jnz 3b
    xor %edi, %edi
4:  mov $60, %eax
    syscall
    .section .note.GNU-stack, "", @progbits
