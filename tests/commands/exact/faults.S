/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instructions that fault and are begun again, or skipped: a store in the middle of a block, a jump
 * and a call through memory that end one, and one that is illegal. 20 + 72 * 20 come to
 * their end. */
    .globl _start
_start:
    mov $11, %edi
    call catch
    mov $4, %edi
    call catch
    mov $20, %r12d
1:  call hide
    nop
    movl $5, page(%rip)
    nop
    lea 2f(%rip), %rax
    mov %rax, page(%rip)
    call hide
    jmp *page(%rip)
2:  lea nothing(%rip), %rax
    mov %rax, page(%rip)
    call hide
    call *page(%rip)
    ud2
    dec %r12d
    jnz 1b
    mov $60, %eax
    xor %edi, %edi
    syscall
nothing:
    ret
hide:
    xor %edx, %edx
protect:
    lea page(%rip), %rdi
    mov $4096, %esi
    mov $10, %eax
    syscall
    ret
catch:
    lea action(%rip), %rsi
    xor %edx, %edx
    mov $8, %r10d
    mov $13, %eax
    syscall
    ret
handler:
    cmp $4, %edi
    je 3f
    mov $3, %edx
    jmp protect
3:  addq $2, 168(%rdx) /* the instruction pointer */
    ret
restorer:
    mov $15, %eax
    syscall
    .data
action:
    .quad handler, 0x44000004, restorer, 0
    .bss
    .balign 4096
page:
    .skip 4096
    .text
    .section .note.GNU-stack, "", @progbits
