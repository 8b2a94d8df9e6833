/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads where nothing is, as the third instruction: two come to their end. */
    .globl _start
_start:
    xor %eax, %eax
    nop
    mov (%rax), %ecx
    nop
    .section .note.GNU-stack, "", @progbits
