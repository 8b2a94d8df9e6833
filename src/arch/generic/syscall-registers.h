/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The bare system calls of an ISA that takes number and arguments in registers, and gives the
 * result in that of the first argument. Its syscall.h says which these are, how the instruction is
 * called (ASSAY_SYSCALL_INSTRUCTION) and what it overwrites (ASSAY_SYSCALL_CLOBBERS). */
#pragma once

static inline __attribute__((always_inline)) long assay_syscall0(long number)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = 0;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall1(long number, long first)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall2(long number, long first,
                                                                 long second)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    register long in1 __asm__(ASSAY_SYSCALL_SECOND) = second;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which), "r"(in1)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall3(long number, long first,
                                                                 long second, long third)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    register long in1 __asm__(ASSAY_SYSCALL_SECOND) = second;
    register long in2 __asm__(ASSAY_SYSCALL_THIRD) = third;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which), "r"(in1), "r"(in2)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long
assay_syscall4(long number, long first, long second, long third, long fourth)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    register long in1 __asm__(ASSAY_SYSCALL_SECOND) = second;
    register long in2 __asm__(ASSAY_SYSCALL_THIRD) = third;
    register long in3 __asm__(ASSAY_SYSCALL_FOURTH) = fourth;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which), "r"(in1), "r"(in2), "r"(in3)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long
assay_syscall5(long number, long first, long second, long third, long fourth, long fifth)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    register long in1 __asm__(ASSAY_SYSCALL_SECOND) = second;
    register long in2 __asm__(ASSAY_SYSCALL_THIRD) = third;
    register long in3 __asm__(ASSAY_SYSCALL_FOURTH) = fourth;
    register long in4 __asm__(ASSAY_SYSCALL_FIFTH) = fifth;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which), "r"(in1), "r"(in2), "r"(in3), "r"(in4)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall6(long number, long first,
                                                                 long second, long third,
                                                                 long fourth, long fifth,
                                                                 long sixth)
{
    register long which __asm__(ASSAY_SYSCALL_NUMBER) = number;
    register long result __asm__(ASSAY_SYSCALL_FIRST) = first;
    register long in1 __asm__(ASSAY_SYSCALL_SECOND) = second;
    register long in2 __asm__(ASSAY_SYSCALL_THIRD) = third;
    register long in3 __asm__(ASSAY_SYSCALL_FOURTH) = fourth;
    register long in4 __asm__(ASSAY_SYSCALL_FIFTH) = fifth;
    register long in5 __asm__(ASSAY_SYSCALL_SIXTH) = sixth;
    __asm__ volatile(ASSAY_SYSCALL_INSTRUCTION
                     : "+r"(result)
                     : "r"(which), "r"(in1), "r"(in2), "r"(in3), "r"(in4), "r"(in5)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}
