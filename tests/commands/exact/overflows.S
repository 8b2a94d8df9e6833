/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pushes by a call where nothing is, as the third instruction: two come to their end. */
    .globl _start
_start:
    xor %eax, %eax
    mov %rax, %rsp
    call _start
    .section .note.GNU-stack, "", @progbits
