/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * String instructions that repeat: in the middle of a block, at its beginning, not at all, and twice
 * the same one behind the other. 2 + 11 * 20 + 3 instructions. */
    .globl _start
_start:
    cld
    mov $20, %r12d
1:  lea bytes(%rip), %rdi
    lea bytes + 4096(%rip), %rsi
    mov $1000, %ecx
    rep movsb
    xor %ecx, %ecx
    rep stosb
    rep stosb
    mov $10, %ecx
    repne scasb
    dec %r12d
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
    .bss
bytes:
    .skip 8192
    .text
    .section .note.GNU-stack, "", @progbits
