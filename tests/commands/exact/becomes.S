/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes its first argument with the others, and the same environment: 7 instructions. */
    .globl _start
_start:
    mov 16(%rsp), %rdi
    lea 16(%rsp), %rsi
    mov (%rsp), %rax
    lea 16(%rsp, %rax, 8), %rdx
    mov $59, %eax
    nop
    syscall
    mov $60, %eax
    mov $99, %edi
    syscall
    .section .note.GNU-stack, "", @progbits
