/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Instructions of every group that a compiler or a library uses, a thousand times round. What each
 * does to memory and whether it is a conditional branch, return or call stands before it, and the
 * sums are symbols (rounds, loads, stores, conditionals, calls, returns) for whoever compares. */
        .set    rounds, 1000
        .set    loads, 0
        .set    stores, 0
        .set    conditionals, 1 /* that closes the loop */
        .set    calls, 0
        .set    returns, 0
        .global rounds, loads, stores, conditionals, calls, returns
        .macro  L words:vararg
        .set    loads, loads + 1
        \words
        .endm
        .macro  S words:vararg
        .set    stores, stores + 1
        \words
        .endm
        .macro  M words:vararg
        .set    loads, loads + 1
        .set    stores, stores + 1
        \words
        .endm
        .macro  C words:vararg
        .set    conditionals, conditionals + 1
        \words
        .endm

        .globl  _start
        .text
_start:
        mov     $rounds, %r15
        lea     memory(%rip), %rbx
again:
        /* MMX */
        L movq  (%rbx), %mm0
        L paddb 8(%rbx), %mm0
        L pshufw $1, (%rbx), %mm1
        S movq  %mm0, (%rbx)
        S movd  %mm0, (%rbx)
        S movntq %mm0, 8(%rbx)
        lea     64(%rbx), %rdi
        S maskmovq %mm1, %mm0
        pmovmskb %mm0, %eax
        L cvtpi2ps (%rbx), %xmm0
        emms
        /* SSE */
        L movaps (%rbx), %xmm0
        L movhps (%rbx), %xmm1
        L movlps (%rbx), %xmm1
        L addps 16(%rbx), %xmm0
        L cmpltps (%rbx), %xmm0
        L minps (%rbx), %xmm0
        L cvttss2si (%rbx), %eax
        L cvtss2si (%rbx), %rax
        S movaps %xmm0, 32(%rbx)
        S movups %xmm0, 33(%rbx)
        S movhps %xmm0, (%rbx)
        S movlps %xmm0, (%rbx)
        S movss %xmm0, (%rbx)
        S movntps %xmm0, (%rbx)
        S stmxcsr control(%rip)
        L ldmxcsr control(%rip)
        prefetcht0 (%rbx)
        prefetchnta (%rbx)
        sfence
        L ucomiss (%rbx), %xmm0
        movmskps %xmm0, %eax
        L rcpps (%rbx), %xmm2
        L rsqrtss (%rbx), %xmm2
        /* SSE2 */
        L movdqu 1(%rbx), %xmm3
        S movdqa %xmm3, 48(%rbx)
        S movq  %xmm3, (%rbx)
        S movd  %xmm3, (%rbx)
        S movsd %xmm3, (%rbx)
        S movhpd %xmm3, (%rbx)
        S movntdq %xmm3, (%rbx)
        S movnti %rax, (%rbx)
        S maskmovdqu %xmm3, %xmm4
        L pshufd $3, (%rbx), %xmm4
        L psadbw (%rbx), %xmm4
        L pinsrw $1, (%rbx), %xmm4
        L cvtdq2pd (%rbx), %xmm5
        pextrw  $1, %xmm4, %eax
        clflush (%rbx)
        lfence
        /* SSE3, SSSE3, SSE4 */
        L lddqu 1(%rbx), %xmm6
        L haddps (%rbx), %xmm6
        L addsubpd (%rbx), %xmm6
        L pshufb (%rbx), %xmm6
        L pabsw (%rbx), %xmm6
        L palignr $3, (%rbx), %xmm6
        S pextrb $1, %xmm6, (%rbx)
        S pextrw $1, %xmm6, (%rbx)
        S pextrd $1, %xmm6, (%rbx)
        S pextrq $1, %xmm6, (%rbx)
        S extractps $1, %xmm6, (%rbx)
        L pinsrb $1, (%rbx), %xmm6
        L insertps $1, (%rbx), %xmm6
        L ptest (%rbx), %xmm6
        L dpps  $15, (%rbx), %xmm6
        L mpsadbw $1, (%rbx), %xmm6
        L roundss $1, (%rbx), %xmm6
        L movntdqa (%rbx), %xmm6
        L phminposuw (%rbx), %xmm6
        L pmovzxbw (%rbx), %xmm6
        L blendvps %xmm0, (%rbx), %xmm6
        L pcmpistri $0, (%rbx), %xmm6
        L crc32q (%rbx), %rax
        L popcnt (%rbx), %rax
        /* AES, PCLMULQDQ */
        L aesenc (%rbx), %xmm7
        L aesimc (%rbx), %xmm7
        L aeskeygenassist $1, (%rbx), %xmm7
        L pclmulqdq $1, (%rbx), %xmm7
        /* AVX, AVX2, F16C, FMA */
        L vmovups (%rbx), %ymm8
        L vbroadcastss (%rbx), %ymm9
        L vperm2f128 $1, (%rbx), %ymm8, %ymm10
        L vaddpd (%rbx), %ymm8, %ymm10
        L vfmadd231pd (%rbx), %ymm8, %ymm10
        L vmaskmovps (%rbx), %ymm8, %ymm11
        S vmaskmovps %ymm8, %ymm9, (%rbx)
        S vpmaskmovd %ymm8, %ymm9, (%rbx)
        S vextractf128 $1, %ymm8, (%rbx)
        S vextracti128 $1, %ymm8, (%rbx)
        S vmovdqu %ymm8, (%rbx)
        S vpextrq $1, %xmm8, (%rbx)
        S vcvtps2ph $0, %ymm8, (%rbx)
        L vcvtph2ps (%rbx), %ymm8
        S vstmxcsr control(%rip)
        L vldmxcsr control(%rip)
        vpxor   %xmm12, %xmm12, %xmm12
        vpcmpeqd %xmm13, %xmm13, %xmm13
        L vpgatherdd %xmm13, (%rbx,%xmm12,4), %xmm14
        vzeroupper
        /* x87 */
        fninit
        fld1
        L fldl  (%rbx)
        L flds  (%rbx)
        L fldt  (%rbx)
        L fbld  (%rbx)
        L fildll (%rbx)
        L fadds (%rbx)
        L fidivs (%rbx)
        L ficoml (%rbx)
        S fistpll (%rbx)
        S fisttpl (%rbx)
        S fstl  (%rbx)
        S fstpt 64(%rbx)
        S fbstp 64(%rbx)
        fninit
        fld1
        fldpi
        f2xm1
        fyl2x
        fld1
        fyl2xp1
        fld1
        fpatan
        fsin
        fcos
        fptan
        fscale
        fprem
        fprem1
        frndint
        fxtract
        fucomi  %st(1), %st
        fcmovb  %st(1), %st
        fxam
        ftst
        fnstsw  %ax
        fdecstp
        ffree   %st(2)
        S fnstsw (%rbx)
        S fnstcw control(%rip)
        L fldcw control(%rip)
        S fnstenv 128(%rbx)
        L fldenv 128(%rbx)
        S fnsave 128(%rbx)
        L frstor 128(%rbx)
        S fxsave 512(%rbx)
        L fxrstor 512(%rbx)
        fnclex
        fninit
        /* BMI, ADX */
        L andn  (%rbx), %rax, %rcx
        L bextr %rax, (%rbx), %rcx
        L blsi  (%rbx), %rcx
        L pext  (%rbx), %rax, %rcx
        L pdep  (%rbx), %rax, %rcx
        L mulx  (%rbx), %rax, %rcx
        L rorx  $3, (%rbx), %rcx
        L sarx  %rax, (%rbx), %rcx
        L tzcnt (%rbx), %rcx
        L lzcnt (%rbx), %rcx
        L adcx  (%rbx), %rcx
        L adox  (%rbx), %rcx
        /* strings */
        lea     (%rbx), %rsi
        lea     256(%rbx), %rdi
        M movsb
        M movsl
        S stosq
        L lodsl
        L scasw
        L cmpsb
        L cmpsl
        mov     $4, %ecx
        M rep movsb
        mov     $4, %ecx
        L repe cmpsl
        mov     $4, %ecx
        L repne scasb
        /* others */
        push    %rbx
        .set    stores, stores + 1
        xor     %eax, %eax
        L xlatb
        L pop   %rbx
        S enter $16, $0
        L leave
        S pushf
        L popf
        M xchg  %rax, (%rbx)
        M lock cmpxchg %rcx, (%rbx)
        M lock cmpxchg16b (%rbx)
        M lock xaddl %eax, (%rbx)
        L btl   $3, (%rbx)
        M btsl  $3, (%rbx)
        S setc  (%rbx)
        L movbe (%rbx), %rax
        S movbe %rax, (%rbx)
        M shldq $3, %rax, (%rbx)
        M rclq  (%rbx)
        M rolq  (%rbx)
        M notq  (%rbx)
        L imul  (%rbx), %rax
        L testq $1, (%rbx)
        L cmpq  $1, (%rbx)
        L cmovc (%rbx), %rax
        L movzbl (%rbx), %eax
        L movslq (%rbx), %rax
        nopl    (%rbx)
        bswap   %rax
        lahf
        cqto
        /* transfers */
        xor     %ecx, %ecx
        C jrcxz 1f
1:      C je    1f
1:      C jp    1f
1:      mov     $3, %ecx
1:      loop    1b
        .set    conditionals, conditionals + 3
        S call  inner
        S call  *inner_at(%rip)
        L jmp   *next_at(%rip)
next:
        jmp     1f
1:      mov     %cs, %eax
        S push  %rax
        lea     1f(%rip), %rax
        S push  %rax
        L lretq
1:      .set    loads, loads + 1 /* of call *inner_at */
        .set    calls, 2
        .set    returns, 3
        .set    loads, loads + 2 /* of inner's returns */
        dec     %r15
        jnz     again
        mov     $60, %eax
        xor     %edi, %edi
        syscall
inner:
        ret

        .data
        .balign 64
memory: .fill   2048, 1, 1
control: .long  0x1f80
inner_at: .quad inner
next_at: .quad next
        .section .note.GNU-stack, "", @progbits
