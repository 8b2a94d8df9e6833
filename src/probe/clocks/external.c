/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that a person brings along and that are commands: programs that answer with numbers, the
 * two kinds of clocks that ask them, and opening a clock of any kind. */
#include "probe/clocks/external.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/words.h"

/* ----------------------------------------------------------------------------------------------
 * A program of somebody else's that answers with numbers: started without a shell, listened to for
 * so long and no longer, and gone when we are. Time is taken by bare system calls: where the vDSO
 * faults, this goes on. */

#define COPROCESS_PATIENCE_MS 5000
#define GRACE_MS              200 /* to end by itself when its input has */

struct coprocess {
    pid_t id;         /* 0: none */
    int to;           /* its standard input, -1: that is empty */
    int from;         /* its standard output */
    int64_t deadline; /* ms of CLOCK_MONOTONIC; of the answer that is waited for */
};
#define COPROCESS_NONE ((struct coprocess){.to = -1, .from = -1})

static int64_t now_ms(void)
{
    struct timespec now = {0};
    assay_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Of a process that has ended, or is to. */
static int bury(struct coprocess *coprocess)
{
    int status = 0;
    kill(coprocess->id, SIGKILL);
    while (waitpid(coprocess->id, &status, 0) < 0 && errno == EINTR)
        ;
    coprocess->id = 0;
    return status;
}

/* Waits for its end until the deadline: false where that passed. */
static bool await_end(const struct coprocess *coprocess, int64_t deadline)
{
    for (long pause = 20;; pause = pause < 5000 ? pause * 2 : pause) {
        siginfo_t ended = {0};
        int result = waitid(P_PID, (id_t)coprocess->id, &ended, WEXITED | WNOHANG | WNOWAIT);
        if ((result == 0 && ended.si_pid) || (result < 0 && errno != EINTR))
            return true;
        if (now_ms() >= deadline)
            return false;
        struct timespec time = {.tv_nsec = pause * 1000};
        assay_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&time, 0);
    }
}

/* Closes its input and has it gone: a moment later by force. */
static void coprocess_end(struct coprocess *coprocess)
{
    if (coprocess->to >= 0)
        close(coprocess->to);
    if (coprocess->from >= 0)
        close(coprocess->from);
    coprocess->to = coprocess->from = -1;
    if (!coprocess->id)
        return;
    await_end(coprocess, now_ms() + GRACE_MS);
    bury(coprocess);
}

/* --- Starting it. posix_spawn(3) cannot tie a child to its parent, hence a fork. --- */

#define NOT_STARTED 127

/* Pipes of which either end may be closed by itself. */
struct ends {
    int input[2], output[2]; /* of the child; reading end first */
    int news[2];             /* the errno of a failed exec, or its end */
};

static void close_ends(struct ends *ends)
{
    for (int side = 0; side < 2; side++) {
        cleanup_close(&ends->input[side]);
        cleanup_close(&ends->output[side]);
        cleanup_close(&ends->news[side]);
    }
}

static int make_ends(struct ends *ends, bool listens)
{
    *ends = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(ends->output, O_CLOEXEC) < 0 || pipe2(ends->news, O_CLOEXEC) < 0)
        return -errno;
    if (listens)
        return pipe2(ends->input, O_CLOEXEC) < 0 ? -errno : 0;
    ends->input[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ends->input[0] < 0 ? -errno : 0;
}

/* In the child. Returns when it went wrong. */
static int become(char *const *words, const struct ends *ends, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return EOWNERDEAD; /* it died before it could be said */
    if (dup2(ends->input[0], STDIN_FILENO) < 0 || dup2(ends->output[1], STDOUT_FILENO) < 0)
        return errno;
    execvp(words[0], words);
    return errno;
}

/* 0: the program runs, else the errno of why not. */
static int await_news(struct ends *ends)
{
    int error = 0;
    ssize_t got;
    close(ends->news[1]);
    ends->news[1] = -1;
    do
        got = read(ends->news[0], &error, sizeof(error));
    while (got < 0 && errno == EINTR);
    return got == sizeof(error) ? error : 0;
}

/* Starts words (looked up in PATH); its standard error is ours. It stays in our process group, so
 * that whoever ends that ends what it starts, too: the driver does, when a harness is over. */
static int coprocess_start(struct coprocess *coprocess, char *const *words, bool listens,
                           struct failure *failure)
{
    __attribute__((cleanup(close_ends))) struct ends ends;
    pid_t parent = getpid();
    *coprocess = COPROCESS_NONE;
    int result = make_ends(&ends, listens);
    if (result < 0)
        return fail_with(failure, result, "cannot make a pipe: %s", strerror(-result));
    pid_t child = fork();
    if (child < 0)
        return fail_with(failure, -errno, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        int error = become(words, &ends, parent);
        (void)!write(ends.news[1], &error, sizeof(error));
        _exit(NOT_STARTED);
    }
    *coprocess = (struct coprocess){.id = child, .to = ends.input[1], .from = ends.output[0]};
    ends.input[1] = ends.output[0] = -1;
    int error = await_news(&ends);
    if (!error)
        return 0;
    coprocess_end(coprocess);
    return fail_with(failure, -error, "the command '%.100s' cannot be run: %s", words[0],
                     strerror(error));
}

/* --- Asking it, and hearing what it says --- */

#define ANSWER_BYTES 256
#define SPOKE_TOO_MUCH                                                                             \
    "the command said more than one line for an empty line that it got, or spoke before it did"

/* Its answer is over, and no number came. */
static int report_death(struct coprocess *coprocess, struct failure *failure)
{
    if (!await_end(coprocess, coprocess->deadline))
        return fail_with(failure, -ETIMEDOUT,
                         "the command closed its output without an answer, and did not end within "
                         "%d s",
                         COPROCESS_PATIENCE_MS / 1000);
    int status = bury(coprocess);
    if (WIFSIGNALED(status))
        return fail_with(failure, -EPIPE, "the command was ended by %s (%d) instead of answering",
                         trial_signal_name(WTERMSIG(status)), WTERMSIG(status));
    return fail_with(failure, -EPIPE,
                     "the command ended with exit status %d instead of answering: it must answer "
                     "every empty line with a number",
                     WEXITSTATUS(status));
}

/* Sends an empty line. -EPROTO where it said something before, unasked. */
static int coprocess_ask(struct coprocess *coprocess, struct failure *failure)
{
    struct pollfd output = {.fd = coprocess->from, .events = POLLIN};
    coprocess->deadline = now_ms() + COPROCESS_PATIENCE_MS;
    if (poll(&output, 1, 0) > 0 && (output.revents & POLLIN))
        return fail_with(failure, -EPROTO, SPOKE_TOO_MUCH);
    /* Where it is gone already, the signal of that is for this thread alone, and taken back. */
    sigset_t broken_pipe, before;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    ssize_t written = write(coprocess->to, "\n", 1);
    int error = errno;
    if (written < 0 && error == EPIPE)
        sigtimedwait(&broken_pipe, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (written == 1)
        return 0;
    if (error == EPIPE)
        return report_death(coprocess, failure);
    return fail_with(failure, -error, "the command cannot be asked: %s", strerror(error));
}

/* Digits alone, and one newline behind them at most. */
static int take_number(const char *answer, size_t length, uint64_t *number, struct failure *failure)
{
    char quoted[64];
    size_t end = length && answer[length - 1] == '\n' ? length - 1 : length;
    bool good = end > 0;
    *number = 0;
    for (size_t at = 0; at < end && good; at++) {
        unsigned digit = (unsigned char)answer[at] - (unsigned)'0';
        good = digit <= 9 && !__builtin_mul_overflow(*number, 10u, number) &&
               !__builtin_add_overflow(*number, digit, number);
    }
    if (good)
        return 0;
    printable_copy(quoted, sizeof(quoted), answer, strnlen(answer, end));
    quoted[strcspn(quoted, "\n")] = '\0';
    return fail_with(failure, -EPROTO,
                     "the command answered '%s', which is no number: digits alone, at most "
                     "18446744073709551615",
                     quoted);
}

/* What it says next, at most until the deadline; 0: nothing more. */
static ssize_t hear_some(struct coprocess *coprocess, char *bytes, size_t size,
                         struct failure *failure)
{
    for (;;) {
        struct pollfd output = {.fd = coprocess->from, .events = POLLIN};
        int64_t left = coprocess->deadline - now_ms();
        int ready = left > 0 ? poll(&output, 1, (int)left) : 0;
        if (ready == 0)
            return fail_with(failure, -ETIMEDOUT, "the command did not answer within %d s",
                             COPROCESS_PATIENCE_MS / 1000);
        ssize_t got = ready < 0 ? -1 : read(coprocess->from, bytes, size);
        if (got >= 0)
            return got;
        if (errno != EINTR)
            return fail_with(failure, -errno, "the command cannot be heard: %s", strerror(errno));
    }
}

static int end_well(struct coprocess *coprocess, struct failure *failure)
{
    if (!await_end(coprocess, coprocess->deadline))
        return fail_with(failure, -ETIMEDOUT, "the command did not end within %d s",
                         COPROCESS_PATIENCE_MS / 1000);
    int status = bury(coprocess);
    if (WIFSIGNALED(status))
        return fail_with(failure, -EPIPE, "the command was ended by %s (%d)",
                         trial_signal_name(WTERMSIG(status)), WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fail_with(failure, -EPIPE, "the command ended with exit status %d",
                         WEXITSTATUS(status));
    return 0;
}

/* Until it is silent for good or, with `stop`, says that; what does not fit is no number, and needs
 * no more of it. Returns the length of answer, which is a string. */
static ssize_t hear(struct coprocess *coprocess, char stop, char answer[ANSWER_BYTES],
                    struct failure *failure)
{
    size_t length = 0;
    while (length < ANSWER_BYTES - 1) {
        ssize_t got = hear_some(coprocess, answer + length, ANSWER_BYTES - 1 - length, failure);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        length += (size_t)got;
        if (stop && memchr(answer, stop, length))
            break;
    }
    answer[length] = '\0';
    return (ssize_t)length;
}

/* The number that is the next line. -ETIMEDOUT, -EPIPE where it ended, -EPROTO where it is none. */
static int coprocess_hear_line(struct coprocess *coprocess, uint64_t *number,
                               struct failure *failure)
{
    char answer[ANSWER_BYTES];
    ssize_t length = hear(coprocess, '\n', answer, failure);
    if (length < 0)
        return (int)length;
    const char *newline = memchr(answer, '\n', (size_t)length);
    if (!newline && length < ANSWER_BYTES - 1)
        return report_death(coprocess, failure);
    if (newline && newline + 1 < answer + length)
        return fail_with(failure, -EPROTO, SPOKE_TOO_MUCH);
    return take_number(answer, (size_t)length, number, failure);
}

/* ----------------------------------------------------------------------------------------------
 * Clocks that are commands: one that runs on and is asked, one that runs for each reading. */

struct command {
    char **words;
    struct coprocess coprocess; /* of the one that runs on */
};

static uint64_t give_up(struct clock_reader *reader, int result, const struct failure *failure)
{
    return clock_fails(reader, -result, "%s", failure->text);
}

/* What failed once is not asked again: its next answer would be that of an earlier question. */
static uint64_t ask(struct clock_reader *reader)
{
    struct command *command = external_state(reader);
    struct failure failure = {0};
    uint64_t number = 0;
    if (reader->error)
        return 0;
    int result = coprocess_ask(&command->coprocess, &failure);
    if (result == 0)
        result = coprocess_hear_line(&command->coprocess, &number, &failure);
    return result < 0 ? give_up(reader, result, &failure) : number;
}

/* One that hangs is waited for once. */
static uint64_t run(struct clock_reader *reader)
{
    struct command *command = external_state(reader);
    struct failure failure = {0};
    struct coprocess coprocess;
    uint64_t number = 0;
    if (reader->error)
        return 0;
    int result = coprocess_start(&coprocess, command->words, false, &failure);
    if (result == 0) {
        /* The number that is all it prints until it ends, which it must do well. */
        char answer[ANSWER_BYTES];
        coprocess.deadline = now_ms() + COPROCESS_PATIENCE_MS;
        ssize_t length = hear(&coprocess, '\0', answer, &failure);
        int error = length < 0 ? (int)length : 0;
        if (error == 0 && length < ANSWER_BYTES - 1)
            error = end_well(&coprocess, &failure);
        result = error < 0 ? error : take_number(answer, (size_t)length, &number, &failure);
    }
    coprocess_end(&coprocess);
    return result < 0 ? give_up(reader, result, &failure) : number;
}

CLOCK_READ_AND_FILL(ask, ask(reader))
CLOCK_READ_AND_FILL(run, run(reader))

static void command_close(void *state)
{
    struct command *command = state;
    if (!command)
        return;
    coprocess_end(&command->coprocess);
    words_free(command->words);
    free(command);
}

static int split(struct external *external, const char *what, char *reason, size_t size)
{
    struct command *command = external->state = calloc(1, sizeof(*command));
    struct failure failure = {0};
    if (!command)
        return clock_says(reason, size, -ENOMEM, "out of memory");
    command->coprocess = COPROCESS_NONE;
    int count = words_split(what, &command->words, &failure);
    if (count < 0)
        return clock_says(reason, size, count, "%s", failure.text);
    return count ? 0 : clock_says(reason, size, -EINVAL, "the command has no words");
}

static int ask_open(struct external *external, const char *what, char *reason, size_t size)
{
    struct failure failure = {0};
    int result = split(external, what, reason, size);
    if (result < 0)
        return result;
    struct command *command = external->state;
    result = coprocess_start(&command->coprocess, command->words, true, &failure);
    return result < 0 ? clock_says(reason, size, result, "%s", failure.text) : 0;
}

static const struct external_kind external_ask = {
    .like = {.kind = CLOCK_WALL,
             .way = "ask",
             .note = "",
             .slow = true,
             .hardware = EXTERNAL_HARDWARE,
             .read = ask_read,
             .fill = ask_fill},
    .open = ask_open,
    .close = command_close,
};

static const struct external_kind external_run = {
    .like = {.kind = CLOCK_WALL,
             .way = "run",
             .note = "",
             .slow = true,
             .hardware = EXTERNAL_HARDWARE,
             .read = run_read,
             .fill = run_fill},
    .open = split,
    .close = command_close,
};

/* ----------------------------------------------------------------------------------------------
 * Opening a clock that a person brought along, and having it read once: whoever gets it open can
 * count on a reading. */

static void external_close(struct clock_reader *reader)
{
    struct external *external = reader->own;
    external->kind->close(external->state);
    free(external);
}

static int read_first(struct clock_reader *reader, char *reason, size_t size)
{
    const struct external *external = reader->own;
    int result = external->kind->may_kill ? clock_try(reader, reason, size) : 0;
    if (result < 0)
        return result;
    reader->clock->read(reader);
    return reader->error ? clock_says(reason, size, -reader->error, "%s", reader->why) : 0;
}

int external_open(struct clock_reader *reader, const char *text, bool objects, char *claim,
                  char *reason, size_t size)
{
    struct external_clock parsed;
    struct failure failure = {0};
    int result = external_clock_parse(text, &parsed, &failure);
    if (result < 0)
        return clock_says(reason, size, result, "%s", failure.text);
    if (result == 0)
        return clock_says(reason, size, -ENOENT, "this machine has no clock '%.64s'", text);
    if (parsed.way == EXTERNAL_OBJECT && (!objects || !&external_object))
        return clock_says(reason, size, -ENOTSUP,
                          "the clock %s is a shared object, which a static program cannot load",
                          parsed.name);
    const struct external_kind *const kinds[] = {
        [EXTERNAL_OBJECT] = &external_object,
        [EXTERNAL_ASK] = &external_ask,
        [EXTERNAL_RUN] = &external_run,
    };
    const struct external_kind *kind = kinds[parsed.way];
    struct external *external = calloc(1, sizeof(*external));
    if (!external)
        result = clock_says(reason, size, -ENOMEM, "out of memory");
    else {
        memcpy(external->name, parsed.name, sizeof(external->name));
        external->kind = kind;
        external->clock = kind->like;
        external->clock.name = external->name;
        external->clock.close = external_close;
        reader->own = external;
        reader->clock = &external->clock;
        result = kind->open(external, parsed.what, reason, size);
    }
    if (result == 0)
        result = read_first(reader, reason, size);
    if (result < 0)
        return result;
    reader->hz = parsed.hz;
    return clock_says(claim, CLOCK_CLAIM, 0, "%s", parsed.hz ? "whoever named it" : "");
}
