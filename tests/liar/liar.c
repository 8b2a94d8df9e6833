/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * liar [OPTION]... -- PROGRAM ARGS...: runs a program that is told lies about its counters, below
 * the probe and in sight of nobody. A test of the judge that shares no code with it: see README.md.
 * Ends as the program ends; 2 for wrong use, 77 where the operating system does not let it. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answers.h"
#include "filter.h"

#define EXIT_USAGE   2
#define EXIT_CANNOT  77
#define EXIT_NO_EXEC 127

static int usage(FILE *out, int status)
{
    char lies[2048];
    lies_help(lies, sizeof(lies));
    fprintf(
        out,
        "usage: liar [OPTION]... -- PROGRAM ARGS...\n"
        "  --lie SPEC     what is told; several are told one after the other\n"
        "  --on KIND      only of events of that kind: hardware, software, tracepoint,\n"
        "                 breakpoint, others; or instructions, branches, cycles of\n"
        "                 --emulate; may be given several times\n"
        "  --emulate      a PMU with instructions:u, branches:u, cycles:u and stalls that\n"
        "                 are always 0, by stepping the task\n"
        "  --kernel K     system calls execute K instructions: events without :u count them\n"
        "  --step NAME    step only programs whose file's name begins so, and only events that\n"
        "                 are started after they were opened; others count nanoseconds\n"
        "  --seed N       of what is drawn\n"
        "Lies:\n%s",
        lies);
    return status;
}

/* --- options --- */

static const struct {
    const char *name;
    unsigned bit;
} kinds[] = {
    {"hardware", 1u << PERF_TYPE_HARDWARE | 1u << PERF_TYPE_HW_CACHE | 1u << PERF_TYPE_RAW},
    {"software", 1u << PERF_TYPE_SOFTWARE},
    {"tracepoint", 1u << PERF_TYPE_TRACEPOINT},
    {"breakpoint", 1u << PERF_TYPE_BREAKPOINT},
    {"others", LIED_ABOUT_OTHERS},
};

static const struct {
    const char *name;
    unsigned bit;
} configs[] = {
    {"instructions", 1u << PERF_COUNT_HW_INSTRUCTIONS},
    {"branches", 1u << PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"cycles", 1u << PERF_COUNT_HW_CPU_CYCLES},
};

static bool read_kind(const char *name, struct liar *liar)
{
    unsigned *kind = &liar->lied_about;
    for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++)
        if (strcmp(configs[i].name, name) == 0) {
            liar->lied_about_configs |= configs[i].bit;
            *kind |= 1u << PERF_TYPE_HARDWARE;
            return true;
        }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind |= kinds[i].bit;
            return true;
        }
    fprintf(stderr, "liar: --on %s: not a kind of event that I know\n", name);
    return false;
}

/* 0 to go on, else the exit status plus one. */
static int read_options(struct liar *liar, int count, char **arguments)
{
    static const struct option options[] = {
        {"lie", required_argument, NULL, 'l'},  {"on", required_argument, NULL, 'o'},
        {"emulate", no_argument, NULL, 'e'},    {"kernel", required_argument, NULL, 'k'},
        {"step", required_argument, NULL, 's'}, {"seed", required_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},       {NULL, 0, NULL, 0},
    };
    char why[256];
    int option;
    while ((option = getopt_long(count, arguments, "+", options, NULL)) != -1) {
        if (option == 'h')
            return usage(stdout, 0) + 1;
        else if (option == 'e')
            liar->emulate = true;
        else if (option == 'k')
            liar->kernel = strtod(optarg, NULL);
        else if (option == 's')
            liar->step_in = optarg;
        else if (option == 'r')
            liar->lies.state = strtoull(optarg, NULL, 0);
        else if (option == 'o' && !read_kind(optarg, liar))
            return EXIT_USAGE + 1;
        else if (option == 'l' && lies_add(&liar->lies, optarg, why, sizeof(why)) < 0)
            return fprintf(stderr, "liar: %s\n", why), EXIT_USAGE + 1;
        else if (option == '?')
            return usage(stderr, EXIT_USAGE) + 1;
    }
    if (!liar->lied_about)
        liar->lied_about = ~0u;
    return optind < count ? 0 : usage(stderr, EXIT_USAGE) + 1;
}

/* --- the program --- */

/* In the child. It never outlives the liar, and neither does what it starts where that is tied to
 * it in the same way. */
static void run_program(int socket, bool emulate, pid_t parent, const sigset_t *mask,
                        char *const *arguments)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(EXIT_CANNOT);
    int listener = filter_install(emulate);
    if (listener < 0) {
        fprintf(stderr, "liar: seccomp with user notification is not to be had: %s\n",
                strerror(-listener));
        _exit(EXIT_CANNOT);
    }
    if (descriptor_send(socket, listener) < 0)
        _exit(EXIT_CANNOT);
    close(listener);
    close(socket);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(arguments[0], arguments);
    fprintf(stderr, "liar: %s: %s\n", arguments[0], strerror(errno));
    _exit(EXIT_NO_EXEC);
}

/* Its process id; the listener is in *listener, or a negative errno when it gave none. */
static pid_t start_program(struct liar *liar, const sigset_t *mask, char *const *arguments)
{
    int ends[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    pid_t program = fork();
    if (program == 0) {
        close(ends[0]);
        run_program(ends[1], liar->emulate, parent, mask, arguments);
    }
    close(ends[1]);
    liar->listener = program < 0 ? -1 : descriptor_receive(ends[0]);
    close(ends[0]);
    return program;
}

/* --- the loop --- */

struct loop {
    struct liar *liar;
    pid_t program;
    int signals;
    bool ended;
    int status; /* of the program, once it has ended */
};

static void take_notification(struct loop *loop)
{
    struct liar *liar = loop->liar;
    struct seccomp_notif asked;
    struct seccomp_notif_resp response;
    memset(&asked, 0, sizeof(asked));
    if (ioctl(liar->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
        return; /* who asked has ended */
    answer(liar, &asked, &response);
    ioctl(liar->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void take_status(struct loop *loop, pid_t task, int status)
{
    stepping_stopped(&loop->liar->stepping, task, status);
    if (task != loop->program || WIFSTOPPED(status))
        return;
    loop->ended = true;
    loop->status = status;
}

static void reap(struct loop *loop)
{
    int status;
    pid_t task;
    while ((task = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
        take_status(loop, task, status);
}

/* A terminal sends its signals to the program as well; what was sent to the liar alone is passed
 * on. */
static void take_signals(struct loop *loop)
{
    struct signalfd_siginfo info;
    while (read(loop->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
            kill(loop->program, (int)info.ssi_signo);
    reap(loop);
}

static void run_loop(struct loop *loop)
{
    struct stepping *stepping = &loop->liar->stepping;
    struct pollfd ends[] = {{.fd = loop->signals, .events = POLLIN},
                            {.fd = loop->liar->listener, .events = POLLIN}};
    bool more = false;
    while (!loop->ended) {
        if (poll(ends, 2, more ? 0 : -1) < 0 && errno != EINTR)
            break;
        if (ends[0].revents & POLLIN)
            take_signals(loop);
        if (ends[1].revents & POLLIN)
            take_notification(loop);
        else if (ends[1].revents)
            ends[1].fd = -1; /* nobody is left under the filter */
        more = stepping_go_on(stepping);
        if (stepping->ended) {
            take_status(loop, stepping->ended, stepping->ended_status);
            stepping->ended = 0;
        }
    }
}

/* As the program ended. */
static int end_like(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    sigset_t none;
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return 128 + number;
}

int main(int count, char **arguments)
{
    static struct liar liar;
    int wrong = read_options(&liar, count, arguments);
    if (wrong)
        return wrong - 1;
    liar.stepping.lies = &liar.lies;
    sigset_t watched, before;
    sigemptyset(&watched);
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&watched, numbers[i]);
    sigprocmask(SIG_BLOCK, &watched, &before);
    struct loop loop = {.liar = &liar,
                        .signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC)};
    loop.program = start_program(&liar, &before, arguments + optind);
    if (loop.program < 0 || loop.signals < 0) {
        fprintf(stderr, "liar: no process can be started: %s\n", strerror(errno));
        return EXIT_CANNOT;
    }
    reap(&loop); /* it may have ended before anybody watched */
    run_loop(&loop);
    return end_like(loop.status);
}
