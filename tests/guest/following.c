/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The counter step's follower on programs of known length: this program executes itself with the
 * letter of a piece of assembly, to which it then goes before the C library begins. What is counted
 * beyond an empty piece is that piece, to the instruction. Static, TAP on standard output; skips
 * with the reason where nothing can be stepped.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/command/step.h"

/* --- the pieces: each is called and returns, or ends the process --- */

#define PIECE(name, code)                                                                          \
    void name(char **words);                                                                       \
    __asm__(".pushsection .text\n.balign 16\n.global " #name "\n" #name ":\n" code "\n."           \
            "popsection")

/* What signals and threads need; named by the assembly. */
extern char following_memory[];
char following_memory[1 << 16] __attribute__((aligned(4096)));
extern volatile uint32_t following_flag;
volatile uint32_t following_flag;

#if defined(__x86_64__)
#define CALL(number) "\tmov $" #number ", %eax\n\tsyscall\n" /* 2 */
#define LOOP(n)      "\tmov $" #n ", %ecx\n1:\tdec %ecx\n\tjnz 1b\n"
#define END          "\txor %edi, %edi\n" CALL(60) /* 3 */
#define END_SO       "\tmov $7, %edi\n" CALL(60)   /* 3: with CHILD_STATUS, whoever ends last */
#define RETURN       "\tret\n"
PIECE(empty, RETURN);
PIECE(plain, "\tnop\n\tnop\n\tnop\n" RETURN);
PIECE(looped, LOOP(100) RETURN);
PIECE(own_target, "\tmov $4, %ecx\n1:\tloop 1b\n" RETURN);
PIECE(called, CALL(110) RETURN);
PIECE(called_narrow, "\tmov %rbx, %r8\n\tmov $20, %eax\n\tint $0x80\n\tmov %r8, %rbx\n" RETURN);
#define REPEAT(n) "\tlea following_memory(%rip), %rdi\n\tmov $" #n ", %ecx\n\trep stosb\n"
PIECE(repeated_none, REPEAT(0) RETURN);
PIECE(repeated_once, REPEAT(1) RETURN);
PIECE(repeated, REPEAT(77) RETURN);
PIECE(scanned, "\tlea following_memory(%rip), %rdi\n\tmov $9, %ecx\n\tmov $0, %eax\n"
               "\trepe scasb\n" RETURN);
PIECE(stack_segment, "\tmov %ss, %eax\n\tmov %eax, %ss\n\tnop\n\tnop\n" RETURN);
/* The flag that stepping sets is seen by nobody: the branch is not taken. */
PIECE(flags, "\tpushf\n\tpop %rax\n\ttest $0x100, %eax\n\tjz 1f\n\tnop\n\tnop\n1:\n" RETURN);
PIECE(forked,
      CALL(57) "\ttest %eax, %eax\n\tjz 2f\n" /* 4 */
               "\tmov %eax, %edi\n\txor %esi, %esi\n\txor %edx, %edx\n\txor %r10d, %r10d\n" CALL(61)
                   RETURN "2:\n" LOOP(50) END); /* 4 + 6; the child 2 + 101 + 3 */
PIECE(vforked,
      "\tpop %r12\n" CALL(
          58) "\ttest %eax, %eax\n\tjz 2f\n\tpush %r12\n" /* 6 */
              "\tmov %eax, %edi\n\txor %esi, %esi\n\txor %edx, %edx\n\txor %r10d, %r10d\n" CALL(61)
                  RETURN "2:\n" LOOP(50) END);
/* The child ends meanwhile; its parent neither handles that signal nor notices it. */
PIECE(slept, CALL(57) "\ttest %eax, %eax\n\tjz 2f\n"                      /* 4 */
                      "\tlea 3f(%rip), %rdi\n\txor %esi, %esi\n" CALL(35) /* 4 */
      "\tmov $-1, %rdi\n\txor %esi, %esi\n\txor %edx, %edx\n\txor %r10d, %r10d\n" CALL(61)
          RETURN          /* 6 */
      "2:\n" LOOP(50) END /* 2 + 101 + 3 */
      ".balign 8\n3:\t.quad 0, 100000000");
#define ACTION(label)                                                                              \
    "\tmov $8, %r10d\n\txor %edx, %edx\n\tlea " label "(%rip), %rsi\n" CALL(13) /* 5 */
#define RESTORE "3:" CALL(15)                                                   /* 2 */
PIECE(handled, "\tmov $10, %edi\n" ACTION("4f")                                 /* 6 */
      CALL(39) "\tmov %eax, %edi\n\tmov $10, %esi\n" CALL(
          62) "\tnop\n" RETURN                  /* 7 */
              "2:\tnop\n\tnop\n\tret\n" RESTORE /* 5 */
              ".balign 8\n4:\t.quad 2b, 0x04000000, 3b, 0");
/* The handler mends the register that faulted; the instruction is executed once. */
PIECE(mended, "\tmov $11, %edi\n" ACTION("4f")                                       /* 6 */
      "\txor %ecx, %ecx\n\tmov (%rcx), %eax\n\tnop\n" RETURN                         /* 3 */
      "2:\tlea following_memory(%rip), %rcx\n\tmov %rcx, 152(%rdx)\n\tret\n" RESTORE /* 5 */
      ".balign 8\n4:\t.quad 2b, 0x04000004, 3b, 0");
PIECE(trapped, "\tmov $5, %edi\n" ACTION("4f") /* 6 */
      "\tnop\n\tint3\n\tnop\n" RETURN          /* 3 */
      "2:\tret\n" RESTORE                      /* 3 */
      ".balign 8\n4:\t.quad 2b, 0x04000000, 3b, 0");
PIECE(
    threaded,
    "\tmov $0x50f00, %edi\n\tlea following_memory+65536(%rip), %rsi\n\txor %edx, %edx\n"
    "\txor %r10d, %r10d\n\txor %r8d, %r8d\n" CALL(
        56) "\ttest %eax, %eax\n\tjz 2f\n"                                            /* 9 */
            "1:\tmov following_flag(%rip), %eax\n\ttest %eax, %eax\n\tjz 1b\n" RETURN /* 3 a look */
            "2:\n" LOOP(70) "\tmovl $1, following_flag(%rip)\n" END_SO); /* 2 + 141 + 1 + 3 */
PIECE(ended, END);
PIECE(executed, "\tlea following_path(%rip), %rdi\n\tlea following_words(%rip), %rsi\n\tlea "
                "following_environment(%rip), %rdx\n" CALL(59) "\thlt");                /* 5 */
PIECE(crashed, "\tnop\n\txor %eax, %eax\n\tmov (%rax), %eax\n" RETURN);                 /* 2 */
PIECE(killed, CALL(39) "\tmov %eax, %edi\n\tmov $9, %esi\n" CALL(62) "\tnop\n" RETURN); /* 6 */
/* mmap, writes three instructions, calls them; writes others there, twice. */
PIECE(made,
      "\txor %edi, %edi\n\tmov $4096, %esi\n\tmov $7, %edx\n\tmov $0x22, %r10d\n\tmov $-1, %r8\n"
      "\txor %r9d, %r9d\n" CALL(9) "\tmov %rax, %r11\n"                         /* 9 */
                                   "\tmovl $0xc3909090, (%r11)\n\tcall *%r11\n" /* 2 + 4 */
                                   "\tmovl $0xc3aaf390, (%r11)\n\tlea following_memory(%rip), "
                                   "%rdi\n\tmov $7, %ecx\n\tcall *%r11\n"                /* 4 + 3 */
                                   "\tmovl $0xc3909090, (%r11)\n\tcall *%r11\n" RETURN); /* 2 + 4 */
/* The same page, made executable and writable in turns. */
#define PROTECT(rights)                                                                            \
    "\tlea following_memory(%rip), %rdi\n\tmov $4096, %esi\n\tmov $" #rights                       \
    ", %edx\n" CALL(10) /* 5 */
PIECE(
    remade, "\tmovl $0xc3909090, following_memory(%rip)\n" PROTECT(
                5) "\tcall following_memory\n"                                           /* 7 + 4 */
    PROTECT(3) "\tmovl $0xc3aaf390, following_memory(%rip)\n" PROTECT(5)                 /* 11 */
    "\tlea following_memory+8192(%rip), %rdi\n\tmov $5, %ecx\n\tcall following_memory\n" /* 3 + 3 */
    PROTECT(3) RETURN);                                                                  /* 5 */
/* With one word: goes to its piece, and ends with CHILD_STATUS. Else: the C library's beginning. */
__asm__(".pushsection .text\n.global following_entry\nfollowing_entry:\n"
        "\tcmpq $2, (%rsp)\n\tjne _start\n\tmov 16(%rsp), %rax\n\tmovzbl (%rax), %eax\n"
        "\tsub $65, %eax\n\tlea following_table(%rip), %rcx\n\tlea 8(%rsp), %rdi\n"
        "\tcall *(%rcx,%rax,8)\n\tmov $7, %edi\n" CALL(60) ".popsection");
#define EMPTY_LENGTH 12
#elif defined(__aarch64__)
#define CALL(number)  "\tmov x8, #" #number "\n\tsvc #0\n" /* 2 */
#define LOOP(n)       "\tmov w9, #" #n "\n1:\tsubs w9, w9, #1\n\tb.ne 1b\n"
#define END           "\tmov x0, #0\n" CALL(93) /* 3 */
#define END_SO        "\tmov x0, #7\n" CALL(93) /* 3: with CHILD_STATUS, whoever ends last */
#define RETURN        "\tret\n"
PIECE(empty, RETURN);
PIECE(plain, "\tnop\n\tnop\n\tnop\n" RETURN);
PIECE(looped, LOOP(100) RETURN);
PIECE(called, CALL(173) RETURN);
PIECE(exclusive,
      "\tadrp x10, following_memory\n\tmov w11, #20\n" /* 2 */
      "2:\n1:\tldaxr w12, [x10]\n\tadd w12, w12, #1\n\tstlxr w13, w12, [x10]\n\tcbnz w13, 1b\n"
      "\tsubs w11, w11, #1\n\tb.ne 2b\n" RETURN); /* 20 times 6, and 3 more for every store that
                                                     failed */
PIECE(forked, "\tmov x0, #17\n\tmov x1, #0\n\tmov x2, #0\n\tmov x3, #0\n\tmov x4, #0\n" CALL(
                  220) "\tcbz x0, 2f\n"                                              /* 8 */
                       "\tmov x1, #0\n\tmov x2, #0\n\tmov x3, #0\n" CALL(260) RETURN /* 5 */
      "2:\n" LOOP(50) END); /* 1 + 101 + 3 */
/* The child ends meanwhile; its parent neither handles that signal nor notices it. */
PIECE(slept, "\tmov x0, #17\n\tmov x1, #0\n\tmov x2, #0\n\tmov x3, #0\n\tmov x4, #0\n" CALL(
                 220) "\tcbz x0, 2f\n"                                             /* 8 */
                      "\tadr x0, 3f\n\tmov x1, #0\n" CALL(101)                     /* 4 */
      "\tmov x0, #-1\n\tmov x1, #0\n\tmov x2, #0\n\tmov x3, #0\n" CALL(260) RETURN /* 6 */
      "2:\n" LOOP(50) END                                                          /* 1 + 101 + 3 */
      ".balign 8\n3:\t.quad 0, 100000000\n.balign 4");
#define ACTION(label) "\tadr x1, " label "\n\tmov x2, #0\n\tmov x3, #8\n" CALL(134) /* 5 */
PIECE(handled, "\tmov x0, #10\n" ACTION("4f")                /* 6 */
      CALL(172) "\tmov x1, #10\n" CALL(129) "\tnop\n" RETURN /* 6 */
                                            "2:\tnop\n\tnop\n\tret\n3:" CALL(
                                                139) /* 5: the operating system's own return */
      ".balign 8\n4:\t.quad 2b, 0x04000000, 3b, 0\n.balign 4");
PIECE(mended, "\tmov x0, #11\n" ACTION("4f")                                     /* 6 */
      "\tmov x9, #0\n\tldr w10, [x9]\n\tnop\n" RETURN                            /* 3 */
      "2:\tadrp x9, following_memory\n\tstr x9, [x2, #256]\n\tret\n3:" CALL(139) /* 5 */
      ".balign 8\n4:\t.quad 2b, 0x04000004, 3b, 0\n.balign 4");
PIECE(threaded,
      "\tmov x0, #0xf00\n\tmovk x0, #5, lsl #16\n\tadrp x1, following_memory+65536\n\tmov x2, "
      "#0\n\tmov x3, #0\n\tmov x4, #0\n" CALL(
          220) "\tcbz x0, 2f\n\tadrp x9, following_flag\n"                        /* 10 */
               "1:\tldr w10, [x9, #:lo12:following_flag]\n\tcbz w10, 1b\n" RETURN /* 2 a look */
               "2:\n" LOOP(70) "\tadrp x9, following_flag\n\tmov w10, #1\n\tstr w10, [x9, "
                               "#:lo12:following_flag]\n" END_SO); /* 1 + 141 + 3 + 3 */
PIECE(ended, END);
PIECE(executed,
      "\tadrp x0, following_path\n\tadd x0, x0, #:lo12:following_path\n\tadrp x1, following_words\n"
      "\tadd x1, x1, #:lo12:following_words\n\tmov x2, #0\n" CALL(221) "\thlt #0"); /* 7 */
PIECE(crashed, "\tnop\n\tmov x0, #0\n\tldr w0, [x0]\n" RETURN);                     /* 2 */
PIECE(killed, CALL(172) "\tmov x1, #9\n" CALL(129) "\tnop\n" RETURN);               /* 5 */
/* With one word: goes to its piece, and ends with CHILD_STATUS. Else: the C library's beginning. */
__asm__(".pushsection .text\n.global following_entry\nfollowing_entry:\n"
        "\tldr x9, [sp]\n\tcmp x9, #2\n\tb.ne _start\n\tldr x10, [sp, #16]\n\tldrb w10, [x10]\n"
        "\tsub w10, w10, #65\n\tadrp x11, following_table\n\tadd x11, x11, :lo12:following_table\n"
        "\tldr x11, [x11, x10, lsl #3]\n\tadd x0, sp, #8\n\tblr x11\n\tmov x0, #7\n" CALL(
            93) ".popsection");
#define EMPTY_LENGTH  15
#else
static void empty(char **words)
{
    (void)words;
}
#define EMPTY_LENGTH AFTER_PIECE /* nothing can be stepped there */
#endif

#define CHILD_STATUS 7 /* with which a piece that returned ends */
#define AFTER_PIECE  4 /* instructions of an empty program: the return and what follows */

/* What a piece adds to an empty one, or where it does not return to what stands before it. */
#if defined(__x86_64__)
#define PIECES(X)                                                                                  \
    X("nothing", empty, 0, 0, 0, 1, 0, -1, false)                                                  \
    X("an end", ended, 3, 0, 1, 1, 0, 0, false)                                                    \
    X("plain", plain, 3, 0, 0, 1, 0, -1, false)                                                    \
    X("a loop", looped, 201, 0, 0, 1, 0, -1, false)                                                \
    X("a branch to itself", own_target, 5, 0, 0, 1, 0, -1, false)                                  \
    X("a system call", called, 2, 0, 1, 1, 0, -1, false)                                           \
    X("a system call by int 0x80", called_narrow, 4, 0, 1, 1, 0, -1, false)                        \
    X("no repetition", repeated_none, 3, 0, 0, 1, 0, -1, false)                                    \
    X("one repetition", repeated_once, 3, 0, 0, 1, 0, -1, false)                                   \
    X("77 repetitions", repeated, 3, 76, 0, 1, 0, -1, false)                                       \
    X("a comparison that repeats", scanned, 4, 8, 0, 1, 0, -1, false)                              \
    X("the stack segment", stack_segment, 4, 0, 0, 1, 0, -1, false)                                \
    X("pushed flags", flags, 4, 0, 0, 1, 0, -1, false)                                             \
    X("a fork", forked, 10 + 106, 0, 3, 2, 0, -1, false)                                           \
    X("a vfork", vforked, 12 + 106, 0, 3, 2, 0, -1, false)                                         \
    X("a sleep through a signal", slept, 14 + 106, 0, 4, 2, 0, -1, false)                          \
    X("a signal's handler", handled, 13 + 5, 0, 4, 1, 0, -1, false)                                \
    X("a fault that is mended", mended, 9 + 5, 0, 2, 1, 0, -1, false)                              \
    X("a breakpoint of its own", trapped, 9 + 3, 0, 2, 1, 0, -1, false)                            \
    X("a thread", threaded, 9 + 3 + 147, 0, 2, 2, 3, -1, false)                                    \
    X("an exec", executed, 5, 0, 1, 1, 0, -1, true)                                                \
    X("a crash", crashed, 2, 0, 0, 1, 0, SIGSEGV, false)                                           \
    X("a kill", killed, 6, 0, 2, 1, 0, SIGKILL, false)                                             \
    X("code that it makes", made, 9 + 6 + 7 + 6, 6, 1, 1, 0, -1, false)                            \
    X("code that it makes again", remade, 7 + 4 + 11 + 6 + 5, 4, 4, 1, 0, -1, false)
#elif defined(__aarch64__)
#define PIECES(X)                                                                                  \
    X("nothing", empty, 0, 0, 0, 1, 0, -1, false)                                                  \
    X("an end", ended, 3, 0, 1, 1, 0, 0, false)                                                    \
    X("plain", plain, 3, 0, 0, 1, 0, -1, false)                                                    \
    X("a loop", looped, 201, 0, 0, 1, 0, -1, false)                                                \
    X("a system call", called, 2, 0, 1, 1, 0, -1, false)                                           \
    X("exclusive sequences", exclusive, 2 + 20 * 6, 0, 0, 1, 4, -1, false)                         \
    X("a fork", forked, 13 + 105, 0, 3, 2, 0, -1, false)                                           \
    X("a sleep through a signal", slept, 18 + 105, 0, 4, 2, 0, -1, false)                          \
    X("a signal's handler", handled, 12 + 5, 0, 4, 1, 0, -1, false)                                \
    X("a fault that is mended", mended, 9 + 5, 0, 2, 1, 0, -1, false)                              \
    X("a thread", threaded, 10 + 2 + 148, 0, 2, 2, 2, -1, false)                                   \
    X("an exec", executed, 7, 0, 1, 1, 0, -1, true)                                                \
    X("a crash", crashed, 2, 0, 0, 1, 0, SIGSEGV, false)                                           \
    X("a kill", killed, 5, 0, 2, 1, 0, SIGKILL, false)
#else
#define PIECES(X) X("nothing", empty, 0, 0, 0, 1, 0, -1, false)
#endif

static const struct piece {
    const char *name;
    uint64_t instructions, repetitions, calls, tasks;
    uint64_t each; /* instructions of a look in vain, or of a store that failed; 0: none */
    int status;    /* as of waitpid; -1: CHILD_STATUS */
    bool executes; /* the empty program again, so as much as all of that */
} pieces[] = {
#define ROW(name, code, ...) {name, __VA_ARGS__},
    PIECES(ROW)};

/* For the entry, in the same order. */
extern void (*const following_table[])(char **words);
void (*const following_table[])(char **words) = {
#define CODE(name, code, ...) code,
    PIECES(CODE)};

/* For a piece that executes this program again: as it is executed for the empty one. */
#define FIRST_WORD 'A'
extern char following_path[], *following_words[], *following_environment[];
char following_path[] = "/proc/self/exe";
static char own_name[] = "following", own_word[] = {FIRST_WORD, '\0'};
char *following_words[] = {own_name, own_word, NULL}, *following_environment[] = {NULL};

/* --- what the follower needs of who starts programs --- */

static char reason[512];

int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    va_list arguments;
    (void)visit;
    va_start(arguments, format);
    vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    return code;
}

int launch_release(const struct command_visit *visit, struct execution *execution)
{
    (void)visit;
    close(execution->hold);
    return 0;
}

static pid_t start(size_t index, int *hold)
{
    int ends[2];
    char byte, word[] = {(char)(FIRST_WORD + index), '\0'}, *words[] = {own_name, word, NULL};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        personality(ADDR_NO_RANDOMIZE);
        if (read(ends[0], &byte, 1) < 0)
            _exit(126);
        execve(following_path, words, following_environment);
        _exit(127);
    }
    close(ends[0]);
    *hold = ends[1];
    return pid;
}

/* --- counting --- */

struct counted {
    uint64_t instructions, repetitions, calls, tasks;
    int status;
};

static int count(size_t index, bool stepping, struct counted *counted)
{
    struct cell cell = {.cpu = -1};
    struct command_visit visit = {.cell = &cell, .detail = -1};
    struct execution execution = {0};
    struct following following = {.visit = &visit, .execution = &execution, .stepping = stepping};
    execution.pid = start(index, &execution.hold);
    int result = follow(&following, &counted->status);
    counted->instructions = following.instructions;
    counted->repetitions = following.repetitions;
    counted->calls = following.calls;
    counted->tasks = following.tasks.tasks;
    follow_free(&following);
    if (result < 0) {
        kill(execution.pid, SIGKILL);
        waitpid(execution.pid, NULL, __WALL);
    }
    return result;
}

/* --- what is tried --- */

static int cases, failures;

static void tell(bool holds, const char *name, const char *what)
{
    printf("%s %d - %s %s\n", holds ? "ok" : "not ok", ++cases, name, what);
    failures += !holds;
}

static int expected_status(const struct piece *piece)
{
    return piece->status < 0 ? CHILD_STATUS << 8 : piece->status;
}

static bool as_expected(const struct piece *piece, uint64_t instructions, uint64_t base)
{
    if (instructions < base + piece->instructions)
        return false;
    uint64_t more = instructions - base - piece->instructions;
    return piece->each ? more % piece->each == 0 : more == 0;
}

/* What a program with this piece executes beside it. */
static struct counted beside(const struct piece *piece, const struct counted *empty,
                             const struct counted *before)
{
    struct counted base = piece->status < 0 && !piece->executes ? *empty : *before;
    if (piece->executes) {
        base.instructions += empty->instructions;
        base.repetitions += empty->repetitions;
        base.calls += empty->calls;
    }
    return base;
}

static void try_one(const struct piece *piece, const struct counted *empty,
                    const struct counted *before)
{
    struct counted counted = {0}, calls = {0}, base = beside(piece, empty, before);
    size_t index = (size_t)(piece - pieces);
    reason[0] = '\0';
    int result = count(index, true, &counted);
    bool right = result == 0 && as_expected(piece, counted.instructions, base.instructions) &&
                 counted.repetitions == base.repetitions + piece->repetitions &&
                 counted.tasks == piece->tasks;
    tell(right, piece->name, "is counted to the instruction");
    if (!right)
        printf("# %s %" PRId64 " instructions, %" PRId64 " repetitions, %" PRIu64 " tasks\n",
               reason, (int64_t)(counted.instructions - base.instructions),
               (int64_t)(counted.repetitions - base.repetitions), counted.tasks);
    tell(result == 0 && counted.status == expected_status(piece), piece->name,
         "ends as it does by itself");
    tell(counted.calls - base.calls == piece->calls, piece->name, "makes so many system calls");
    result = count(index, false, &calls);
    tell(result == 0 && calls.calls == counted.calls && calls.status == counted.status &&
             calls.instructions == 0,
         piece->name, "makes as many when it is not stepped");
}

static bool possible(struct counted *empty)
{
    int result = count(0, true, empty);
    if (result == 0)
        return true;
    printf("1..0 # SKIP this machine cannot trace or single-step: %s\n", reason);
    return false;
}

int main(void)
{
    struct counted empty, before;
    if (!possible(&empty))
        return 0;
    tell(empty.instructions == EMPTY_LENGTH, "a program", "is as long as it is");
    before = (struct counted){.instructions = EMPTY_LENGTH - AFTER_PIECE};
    for (size_t index = 0; index < sizeof(pieces) / sizeof(*pieces); index++)
        try_one(&pieces[index], &empty, &before);
    printf("1..%d\n", cases);
    return failures != 0;
}
