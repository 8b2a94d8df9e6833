/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Four threads that count down from 100000, while the first has ended: 800078 instructions, in
 * whatever order. */
    .globl _start
_start:
    mov $4, %r12d
    lea stacks(%rip), %r13
1:  mov $0x50f00, %edi /* VM FS FILES SIGHAND THREAD SYSVSEM */
    add $4096, %r13
    mov %r13, %rsi
    xor %edx, %edx
    xor %r10d, %r10d
    xor %r8d, %r8d
    mov $56, %eax
    syscall
    test %eax, %eax
    jz 2f
    dec %r12d
    jnz 1b
    jmp 4f
2:  mov $100000, %ecx
3:  dec %ecx
    jnz 3b
4:  mov $60, %eax
    xor %edi, %edi
    syscall
    .bss
stacks:
    .skip 5 * 4096
    .text
    .section .note.GNU-stack, "", @progbits
