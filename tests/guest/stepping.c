/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stepper of source step on code whose counts are known instruction by instruction: what
 * repeats itself, what holds its trap back, what must not be stopped, signals in between. Static,
 * TAP on standard output; skips with the reason where the machine cannot step. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/sources/stepper.h"

/* A function with two labels: what stands between them is counted. */
#define CODE(name, before, counted)                                                                \
    void name(uint64_t *memory);                                                                   \
    extern const char name##_begin[], name##_end[];                                                \
    __asm__(".pushsection .text\n"                                                                 \
            ".balign 16\n"                                                                         \
            ".global " #name ", " #name "_begin, " #name "_end\n" #name ":\n" before "\n" #name    \
            "_begin:\n" counted "\n" #name "_end:\n\t" RETURN "\n"                                 \
            ".popsection")

#if defined(__x86_64__)
#define RETURN            "ret"
#define SOURCE_AND_TARGET "\tmov %rdi, %rsi\n\tadd $64, %rdi\n"
CODE(plain, "", "\tnop\n\tnop\n\tpause");
CODE(system_call, "\tmov $110, %eax", "\tsyscall\n\tnop");
CODE(repeat_none, SOURCE_AND_TARGET "\tmov $0, %ecx", "\trep movsb");
CODE(repeat_once, SOURCE_AND_TARGET "\tmov $1, %ecx", "\trep movsb");
CODE(repeat_five, SOURCE_AND_TARGET "\tmov $5, %ecx\n\tmov $0, %eax", "\tnop\n\trep stosq\n\tnop");
CODE(repeat_wide, SOURCE_AND_TARGET "\tmov $5, %ecx", "\t.byte 0x66\n\trep movsb");
CODE(compare, "\tmov %rdi, %rsi\n\tmov $4, %ecx", "\trepe cmpsb\n\tnop");
CODE(scan, "\tmov $4, %ecx\n\tmov $3, %eax", "\trepne scasb\n\tnop");
CODE(repeat_twice, SOURCE_AND_TARGET "\tmov $3, %ecx\n\tmov $2, %edx",
     "1:\trep movsb\n\tmov $3, %ecx\n\tdec %edx\n\tjnz 1b");
CODE(own_target, "\tmov $4, %ecx", "1:\tloop 1b\n\tnop");
CODE(stack_segment, "\tmov %ss, %eax", "\tmov %eax, %ss\n\tnop\n\tnop");
CODE(int1, "", "\t.byte 0xf1\n\tnop");
#elif defined(__aarch64__)
#define RETURN "ret"
CODE(plain, "", "\tnop\n\tnop\n\tnop");
CODE(system_call, "\tmov x8, #173", "\tsvc #0\n\tnop");
CODE(exclusive_add, "",
     "1:\tldxr x1, [x0]\n\tadd x1, x1, #1\n\tstxr w2, x1, [x0]\n\tcbnz w2, 1b\n\tnop");
CODE(exclusive_pair, "", "1:\tldaxp x1, x3, [x0]\n\tstlxp w2, x1, x3, [x0]\n\tcbnz w2, 1b");
CODE(exclusive_swap, "\tmov x3, #0\n\tstr x3, [x0]",
     "1:\tldaxr x1, [x0]\n\tcmp x1, x3\n\tb.ne 2f\n\tstlxr w2, x3, [x0]\n\tcbnz w2, 1b\n2:\tnop");
CODE(exclusive_left, "\tmov x3, #1\n\tstr xzr, [x0]",
     "1:\tldaxr x1, [x0]\n\tcmp x1, x3\n\tb.ne 2f\n\tstlxr w2, x3, [x0]\n\tcbnz w2, 1b\n2:\tclrex");
CODE(exclusive_loop, "\tmov x4, #100",
     "3:\n1:\tldxr x1, [x0]\n\tadd x1, x1, #1\n\tstxr w2, x1, [x0]\n\tcbnz w2, 1b\n"
     "\tsubs x4, x4, #1\n\tb.ne 3b");
CODE(exclusive_odd, "", "\tldxr x1, [x0]\n\tcbz x1, 1f\n\tnop\n1:\tstxr w2, x1, [x0]\n\tnop");
#else
#define RETURN "ret"
CODE(plain, "", "\tnop\n\tnop\n\tnop");
#endif

#define CASE(name, ...)                                                                            \
    {                                                                                              \
#name, name, name##_begin, name##_end, 0,                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct trial {
    const char *name;
    void (*code)(uint64_t *memory);
    const char *begin, *end;
    int refused; /* the errno of code that cannot be stepped */
    struct steps expected;
} trials[] = {
    CASE(plain, 3, 3, 0),
#if defined(__x86_64__)
    CASE(system_call, 2, 2, 1),   CASE(repeat_none, 1, 1, 0),   CASE(repeat_once, 1, 1, 0),
    CASE(repeat_five, 7, 3, 0),   CASE(repeat_wide, 5, 1, 0),   CASE(compare, 5, 2, 0),
    CASE(scan, 4, 2, 0),          CASE(repeat_twice, 12, 8, 0), CASE(own_target, 5, 5, 0),
    CASE(stack_segment, 2, 3, 0),
#elif defined(__aarch64__)
    CASE(system_call, 2, 2, 1),
    CASE(exclusive_add, 3, 5, 0),
    CASE(exclusive_pair, 2, 3, 0),
    CASE(exclusive_swap, 3, 6, 0),
    CASE(exclusive_left, 2, 4, 0),
    CASE(exclusive_loop, 400, 600, 0),
    {"exclusive_odd", exclusive_odd, exclusive_odd_begin, exclusive_odd_end, ENOTSUP, {0, 0, 0}},
#endif
};

#define UNTRACED 9 /* exit status of a process that nobody may trace */

static int cases, failures;

static void tell(bool holds, const char *what, const char *name)
{
    printf("%s %d - %s %s\n", holds ? "ok" : "not ok", ++cases, name, what);
    failures += !holds;
}

/* --- the process that is stepped --- */

#define FIRST_BYTES 0x0807060504030201u
static uint64_t memory[64] __attribute__((aligned(16)));
extern volatile int handled;
volatile int handled;

/* A handler whose instructions are known, and what libc or the operating system puts behind it to
 * return from the signal: the number of a system call, and the call. */
void on_signal(int number);
#define RETURN_FROM_SIGNAL 2
#if defined(__x86_64__)
#define HANDLER 2
__asm__(".pushsection .text\n.global on_signal\non_signal:\n\tmovl $1, "
        "handled(%rip)\n\tret\n.popsection");
#elif defined(__aarch64__)
#define HANDLER 5
__asm__(".pushsection .text\n.global on_signal\non_signal:\n\tadrp x9, handled\n\tadd x9, x9, "
        ":lo12:handled\n"
        "\tmov w10, #1\n\tstr w10, [x9]\n\tret\n.popsection");
#else
#define HANDLER 0
void on_signal(int number)
{
    handled = number != 0;
}
#endif

static pid_t start(const struct trial *trial)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    signal(SIGUSR1, on_signal); /* NOLINT(bugprone-signal-handler): assembly that stores one word */
    memory[0] =
        FIRST_BYTES; /* its own copy now: an exclusive store that faults would be tried again */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
        _exit(UNTRACED);
    raise(SIGSTOP);
    trial->code(memory);
    _exit(handled ? 8 : 7);
}

/* 0 with what was counted, or negative errno. interrupted: a signal comes in between. */
static int count(const struct trial *trial, bool interrupted, struct steps *steps, int *status)
{
    struct stepper stepper;
    *steps = (struct steps){0};
    pid_t pid = start(trial);
    int result = stepper_begin(&stepper, pid);
    if (result == 0)
        result = stepper_run_to(&stepper, (uintptr_t)trial->begin);
    if (result == 0 && interrupted)
        kill(pid, SIGUSR1);
    if (result == 0)
        result = stepper_step_to(&stepper, (uintptr_t)trial->end, steps);
    if (result == 0)
        result = stepper_run_to_end(&stepper) == -ECHILD ? 0 : -EIO;
    else if (result != -ECHILD) {
        kill(pid, SIGKILL);
        waitpid(pid, &stepper.status, 0);
    }
    *status = stepper.status;
    return result;
}

/* --- what is tried --- */

static void try_one(const struct trial *trial)
{
    struct steps steps;
    int status;
    int result = count(trial, false, &steps, &status);
    if (trial->refused) {
        tell(result == -trial->refused, "is refused, not miscounted", trial->name);
        return;
    }
    if (result == 0 && memcmp(&steps, &trial->expected, sizeof(steps)) != 0)
        printf("# %llu steps, %llu instructions, %llu system calls\n",
               (unsigned long long)steps.steps, (unsigned long long)steps.instructions,
               (unsigned long long)steps.system_calls);
    tell(result == 0 && memcmp(&steps, &trial->expected, sizeof(steps)) == 0,
         "is counted instruction by instruction", trial->name);
    tell(WIFEXITED(status) && WEXITSTATUS(status) == 7, "then runs to its end", trial->name);
}

/* The handler's own instructions count, entering it does not. */
static void try_signal(void)
{
    struct steps steps = {0};
    int status = 0;
    int result = count(&trials[0], true, &steps, &status);
    uint64_t expected = trials[0].expected.instructions + HANDLER + RETURN_FROM_SIGNAL;
    if (steps.instructions != expected || steps.system_calls != 1)
        printf("# %llu instructions, %llu system calls\n", (unsigned long long)steps.instructions,
               (unsigned long long)steps.system_calls);
    tell(result == 0 && steps.instructions == expected && steps.system_calls == 1,
         "adds what its handler executes", "a signal in between");
    tell(WIFEXITED(status) && WEXITSTATUS(status) == 8, "reaches the process",
         "a signal in between");
}

/* Under some hypervisors int1 never advances; then it is refused, and nothing hangs. */
static void try_int1(void)
{
#if defined(__x86_64__)
    const struct trial trial = {"int1", int1, int1_begin, int1_end, ENOEXEC, {2, 2, 0}};
    struct steps steps;
    int status;
    int result = count(&trial, false, &steps, &status);
    bool counted = result == 0 && memcmp(&steps, &trial.expected, sizeof(steps)) == 0;
    tell(counted || result == -trial.refused, "is counted or refused", trial.name);
#endif
}

static bool possible(void)
{
    struct steps steps;
    int status;
    int result = count(&trials[0], false, &steps, &status);
    bool untraced = result == -ECHILD && WIFEXITED(status) && WEXITSTATUS(status) == UNTRACED;
    if (!untraced && result != -EIO)
        return true;
    printf("1..0 # SKIP this machine cannot %s\n", untraced ? "trace" : "single-step");
    return false;
}

int main(void)
{
    if (!possible())
        return 0;
    for (size_t index = 0; index < sizeof(trials) / sizeof(*trials); index++)
        try_one(&trials[index]);
    try_signal();
    try_int1();
    printf("1..%d\n", cases);
    return failures != 0;
}
