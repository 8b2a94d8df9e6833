/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the words of a command to the program: finds it, and what a process of ours does, the
 * last of all things, to become it: a session of its own (so no terminal is within its reach),
 * its three descriptors and no other, default signals, its controls. */
#include "probe/command/command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "probe/sources/program.h"

/* ----------------------------------------------------------------------------------------------
 * Replaces places in the words of a command and finds its program, as a shell would, in PATH of
 * the probe. The path is made absolute: which file it is must not depend on the directory that a
 * setting works in. */

/* NULL: out of memory, or -ENOENT in *result where nothing was brought. */
static char *replace(const struct command_visit *visit, const char *word, int *result)
{
    AUTO_TEXT struct text replaced = {0};
    while (*word) {
        if (strncmp(word, PLACE_KIT, strlen(PLACE_KIT)) == 0) {
            text_puts(&replaced, visit->kit);
            word += strlen(PLACE_KIT);
        } else if (strncmp(word, PLACE_BROUGHT, strlen(PLACE_BROUGHT)) == 0) {
            if (!visit->brought) {
                *result = command_fail(visit, -ENOENT, "%s: no file was brought", word);
                return NULL;
            }
            text_puts(&replaced, visit->brought);
            word += strlen(PLACE_BROUGHT);
        } else {
            text_putc(&replaced, *word++);
        }
    }
    char *taken = replaced.length || replaced.failed ? text_take(&replaced) : strdup("");
    if (!taken)
        *result = command_fail(visit, -ENOMEM, "out of memory");
    return taken;
}

static int split(const struct command_visit *visit, struct execution *execution)
{
    struct failure failure = {0};
    int result = words_split(visit->cell->command.words, &execution->words, &failure);
    if (result < 0)
        return command_fail(visit, result, "%s", failure.text);
    if (result == 0)
        return command_fail(visit, -EINVAL, "the command has no words");
    result = 0;
    for (char **word = execution->words; *word && result == 0; word++) {
        char *replaced = replace(visit, *word, &result);
        if (!replaced)
            return result;
        free(*word);
        *word = replaced;
    }
    return result;
}

/* The file at path, relative to folder (NULL: to where we are) where it does not begin with "/". */
static char *absolute(const char *folder, const char *path)
{
    char *whole = NULL;
    AUTO_FREE char *here = path[0] == '/' || folder ? NULL : getcwd(NULL, 0);
    if (path[0] == '/')
        return strdup(path);
    if (!folder && !here)
        return NULL;
    return asprintf(&whole, "%s/%s", folder ? folder : here, path) < 0 ? NULL : whole;
}

/* Of a path with a slash in it: where the command works, or where the probe is. */
static char *find_file(const struct execution *execution, const char *path)
{
    char *there = execution->directory ? absolute(execution->directory, path) : NULL;
    if (there && access(there, F_OK) == 0)
        return there;
    free(there);
    return absolute(NULL, path);
}

static int find_program(const struct command_visit *visit, struct execution *execution)
{
    const char *word = execution->words[0];
    if (strncmp(word, SUBJECT_WORD, strlen(SUBJECT_WORD)) == 0) {
        const char *name = word + strlen(SUBJECT_WORD);
        char *path = NULL;
        if (!*name || strchr(name, '/') || asprintf(&path, "%s/subject-%s", visit->kit, name) < 0)
            execution->program = NULL;
        else
            execution->program = path;
        if (!execution->program || access(execution->program, F_OK) < 0)
            return command_fail(visit, -ENOENT, "this kit has no %.200s", word);
        free(execution->words[0]);
        execution->words[0] = strdup(execution->program);
        return execution->words[0] ? 0 : command_fail(visit, -ENOMEM, "out of memory");
    }
    execution->program = strchr(word, '/') ? find_file(execution, word) : program_find(word);
    if (!execution->program)
        return command_fail(visit, -ENOENT,
                            "there is no program %.200s: not in PATH of the machine under test",
                            *word ? word : "\"\"");
    return 0;
}

/* 64 or 32 of an ELF file, 0 of anything else. */
static int bits_of(const char *program)
{
    unsigned char start[EI_NIDENT] = {0};
    AUTO_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || read(fd, start, sizeof(start)) != (ssize_t)sizeof(start) ||
        memcmp(start, ELFMAG, SELFMAG) != 0)
        return 0;
    return start[EI_CLASS] == ELFCLASS32 ? 32 : 64;
}

/* The interpreter in the first line of a script; false: it is none. */
static bool read_interpreter(const char *program, char *interpreter, size_t size)
{
    char line[PATH_MAX] = "";
    AUTO_CLOSE int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const ssize_t got = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
    if (got < 2 || line[0] != '#' || line[1] != '!')
        return false;
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = '\0';
    snprintf(interpreter, size, "%s", start);
    return true;
}

/* Why this file could not be executed, in a sentence. error: positive errno. */
static void places_explain(const char *program, int error, char *reason, size_t size)
{
    char interpreter[256];
    if (error == ENOENT && read_interpreter(program, interpreter, sizeof(interpreter)))
        snprintf(reason, size, "%.200s cannot be executed: its interpreter %.200s is not there",
                 program, interpreter);
    else if (error == ENOENT && access(program, F_OK) == 0)
        snprintf(reason, size,
                 "%.200s cannot be executed: the loader that it asks for is not there (is it for "
                 "another system?)",
                 program);
    else if (error == ENOENT || error == ENOTDIR)
        snprintf(reason, size, "there is no program %.300s on the machine under test", program);
    else if (error == EISDIR)
        snprintf(reason, size, "%.300s is a folder, not a program", program);
    else if (error == EACCES)
        snprintf(
            reason, size,
            "%.300s may not be executed: it, its interpreter, a folder above or the mount does "
            "not allow it (chmod +x?)",
            program);
    else if (error == ENOEXEC)
        snprintf(reason, size,
                 "%.300s is no program for this machine: neither ELF of its ISA nor a script that "
                 "begins with #!",
                 program);
    else
        snprintf(reason, size, "%.300s cannot be executed: %s", program, strerror(error));
}

static int check_program(const struct command_visit *visit, const struct execution *execution)
{
    struct stat facts;
    char reason[512];
    int error = 0;
    if (stat(execution->program, &facts) < 0)
        error = errno;
    else if (S_ISDIR(facts.st_mode))
        error = EISDIR;
    else if (!S_ISREG(facts.st_mode) || access(execution->program, X_OK) < 0)
        error = EACCES;
    if (!error)
        return 0;
    places_explain(execution->program, error, reason, sizeof(reason));
    return command_fail(visit,
                        error == ENOTDIR  ? -ENOENT
                        : error == EISDIR ? -EACCES
                                          : -error,
                        "%s", reason);
}

static int resolve_files(const struct command_visit *visit, struct execution *execution)
{
    const struct cell_command *command = &visit->cell->command;
    int result = 0;
    if (command->directory && !(execution->directory = replace(visit, command->directory, &result)))
        return result;
    if (!command->input)
        return 0;
    AUTO_FREE char *input = replace(visit, command->input, &result);
    if (!input)
        return result;
    execution->input = find_file(execution, input);
    if (!execution->input)
        return command_fail(visit, -ENOMEM, "out of memory");
    if (access(execution->input, R_OK) < 0)
        return command_fail(visit, -errno, "its input %.300s cannot be read: %s", execution->input,
                            strerror(errno));
    return 0;
}

/* argv[0], where it is controlled, is the file's own name. */
static int settle_name(const struct command_visit *visit, struct execution *execution)
{
    if (!(visit->cell->command.controls & CONTROL_BIT(CONTROL_ARGV0)))
        return 0;
    const char *slash = strrchr(execution->program, '/');
    char *name = strdup(slash ? slash + 1 : execution->program);
    if (!name)
        return command_fail(visit, -ENOMEM, "out of memory");
    free(execution->words[0]);
    execution->words[0] = name;
    return 0;
}

/* The same file by a path that is so many bytes longer; NULL: too long, or no memory. */
static char *places_lengthen(const char *path, uint64_t bytes)
{
    const char *slash = strrchr(path, '/');
    const size_t head = slash ? (size_t)(slash - path) : 0;
    AUTO_TEXT struct text longer = {0};
    if (!slash || bytes >= PATH_MAX || strlen(path) + bytes >= PATH_MAX)
        return NULL;
    text_append(&longer, path, head);
    while (bytes--)
        text_putc(&longer, '/');
    text_puts(&longer, slash);
    return text_take(&longer);
}

int places_resolve(const struct command_visit *visit, struct execution *execution)
{
    int result = split(visit, execution);
    if (result == 0)
        result = resolve_files(visit, execution);
    if (result == 0)
        result = find_program(visit, execution);
    if (result == 0)
        result = check_program(visit, execution);
    if (result < 0)
        return result;
    execution->bits = bits_of(execution->program);
    result = settle_name(visit, execution);
    /* The path of what is executed lies at the very beginning of the stack. */
    if (result < 0)
        return result;
    if (visit->cell->command.sweep != SWEEP_STACK || !visit->cell->command.swept)
        return 0;
    if (!execution->bits)
        return command_fail(visit, -ENOTSUP,
                            "%.200s is a script: the way that moves the stack would change its "
                            "interpreter's arguments. Give the interpreter and the script",
                            execution->program);
    char *longer = places_lengthen(execution->program, visit->cell->command.swept);
    if (!longer)
        return command_fail(visit, -ENAMETOOLONG,
                            "the stack of %.200s can be moved by at most %zu bytes",
                            execution->program, PATH_MAX - 1 - strlen(execution->program));
    free(execution->program);
    execution->program = longer;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What a process does to itself so that the program it becomes finds what its setting says. A
 * control that the machine refuses is a failure: a count must not be called controlled when it
 * is not. */

#define MASK_BITS (8 * sizeof(unsigned long))

static int apply_directory(const struct command_visit *visit, const struct execution *execution,
                           struct failure *failure)
{
    if (!control_is_on(visit, CONTROL_DIRECTORY) || !execution->directory ||
        chdir(execution->directory) == 0)
        return 0;
    return fail_with(failure, -errno, "it cannot work in %.300s: %s", execution->directory,
                     strerror(errno));
}

/* A counter may have pinned itself: without the control the program is as free as the driver. */
static int apply_cpu(const struct command_visit *visit, const struct execution *execution,
                     struct failure *failure)
{
    unsigned long mask[GUARD_MASK];
    const int cpu = control_is_on(visit, CONTROL_CPU) ? visit->cell->cpu : -1;
    memcpy(mask, execution->guarded->allowed, sizeof(mask));
    if (cpu >= 0) {
        if ((size_t)cpu >= GUARD_MASK * MASK_BITS)
            return fail_with(failure, -EINVAL, "there is no CPU %d", cpu);
        memset(mask, 0, sizeof(mask));
        mask[(size_t)cpu / MASK_BITS] = 1ul << (size_t)cpu % MASK_BITS;
    }
    if (syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) == 0 || cpu < 0)
        return 0;
    return fail_with(failure, -errno,
                     "it cannot be held on CPU %d: %s (is it online, and allowed by cpuset and "
                     "taskset?)",
                     cpu, strerror(errno));
}

static int apply_stack(const struct command_visit *visit, const struct execution *execution,
                       struct failure *failure)
{
    struct rlimit limit;
    (void)execution;
    if (!control_is_on(visit, CONTROL_STACK))
        return 0;
    if (getrlimit(RLIMIT_STACK, &limit) == 0) {
        limit.rlim_cur = COMMAND_STACK_BYTES;
        if (setrlimit(RLIMIT_STACK, &limit) == 0)
            return 0;
    }
    return fail_with(failure, -errno,
                     "the limit of its stack cannot be set to %u MiB: %s (the hard limit is lower: "
                     "ulimit -H -s)",
                     COMMAND_STACK_BYTES >> 20, strerror(errno));
}

/* ADDR_LIMIT_3GB matters to 32-bit programs alone: others do without where it is refused. */
static int apply_personality(const struct command_visit *visit, const struct execution *execution,
                             struct failure *failure)
{
    const int found = personality(0xffffffff);
    unsigned long wanted = found < 0 ? 0 : (unsigned long)found;
    if (control_is_on(visit, CONTROL_ASLR))
        wanted |= ADDR_NO_RANDOMIZE;
    if (visit->cell->command.sweep == SWEEP_ASLR)
        wanted &= ~(unsigned long)ADDR_NO_RANDOMIZE;
    const unsigned long limited =
        control_is_on(visit, CONTROL_LAYOUT) ? wanted | ADDR_LIMIT_3GB : wanted;
    if ((found >= 0 && limited == (unsigned long)found) || personality(limited) >= 0)
        return 0;
    if (execution->bits != 32 &&
        ((found >= 0 && wanted == (unsigned long)found) || personality(wanted) >= 0))
        return 0;
    return fail_with(failure, -errno,
                     "its addresses cannot be controlled: personality() is refused (%s), as "
                     "filters of containers do. Switch off the controls aslr and layout",
                     strerror(errno));
}

/* What is standard input where it is not controlled: a pipe in which nothing comes. */
static int open_ended_pipe(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    close(ends[1]);
    return ends[0];
}

/* A pipe with its input in it was laid there already, where there is a feeder. */
static int apply_stdin(const struct command_visit *visit, const struct execution *execution,
                       struct failure *failure)
{
    const bool controlled = control_is_on(visit, CONTROL_STDIN);
    const char *file = execution->input ? execution->input : "/dev/null";
    if (!controlled && execution->input)
        return 0;
    AUTO_CLOSE int fd = controlled ? open(file, O_RDONLY | O_CLOEXEC) : open_ended_pipe();
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return fail_with(failure, -errno, "it has no standard input: %.300s: %s",
                         controlled ? file : "a pipe", strerror(errno));
    return 0;
}

/* A program that crashes leaves no file. 1 byte, because 0 does not stop who takes dumps by a
 * pipe. */
static int apply_no_dumps(const struct command_visit *visit, const struct execution *execution,
                          struct failure *failure)
{
    struct rlimit limit;
    (void)visit, (void)execution, (void)failure;
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < 1 ? limit.rlim_max : 1;
        setrlimit(RLIMIT_CORE, &limit);
    }
    return 0;
}

/* In the process that becomes the program. Negative errno with the reason. */
static int controls_apply(const struct command_visit *visit, const struct execution *execution,
                          struct failure *failure)
{
    static int (*const steps[])(const struct command_visit *, const struct execution *,
                                struct failure *) = {
        apply_stdin, apply_directory, apply_cpu, apply_stack, apply_no_dumps, apply_personality};
    int result = 0;
    for (size_t index = 0; index < sizeof(steps) / sizeof(*steps) && result == 0; index++)
        result = steps[index](visit, execution, failure);
    return result;
}

/* --- From a fork of the counting process to the program --- */

#define FIRST_FOREIGN 3
#define FED_BYTES     65536

static void __attribute__((noreturn))
give_up(const struct becoming *becoming, const struct failure *failure)
{
    if (write(becoming->said, failure, sizeof(*failure)) < 0)
        _exit(126);
    _exit(127);
}

/* Those that the C library keeps to itself too: who was started by its posix_spawn, as by make, has
 * them ignored. Of the operating system's structure, whose order differs, all is zero. */
static void default_signals(void)
{
    static const uint64_t by_default[8] = {0};
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++)
        syscall(SYS_rt_sigaction, number, by_default, NULL, (NSIG - 1) / 8);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Whatever was open in the driver, or in whoever started it, ends at the exec. */
static void close_others(void)
{
#if defined(SYS_close_range) && defined(CLOSE_RANGE_CLOEXEC)
    if (syscall(SYS_close_range, FIRST_FOREIGN, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return;
#endif
    struct rlimit limit = {.rlim_cur = 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int most = limit.rlim_cur > 65536 ? 65536 : (int)limit.rlim_cur;
    for (int fd = FIRST_FOREIGN; fd < most; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int lay_descriptors(const struct becoming *becoming, struct failure *failure)
{
    const int *outputs = becoming->visit->line->outputs;
    if ((becoming->input >= 0 && dup2(becoming->input, STDIN_FILENO) < 0) ||
        dup2(outputs[0], STDOUT_FILENO) < 0 || dup2(outputs[1], STDERR_FILENO) < 0)
        return fail_with(failure, -errno, "its descriptors cannot be laid: %s", strerror(errno));
    return 0;
}

/* Prefix and words; the program's path stands for its first word behind a prefix. */
static char **join(const struct becoming *becoming)
{
    const char *emulator[EMULATOR_WORDS];
    const char *const *prefix = becoming->launch->prefix;
    const struct execution *execution = becoming->execution;
    size_t before = 0, words = 0;
    if (!prefix && program_prefix(emulator))
        prefix = emulator;
    while (prefix && prefix[before])
        before++;
    while (execution->words[words])
        words++;
    char **joined = calloc(before + words + 1, sizeof(*joined));
    if (!joined)
        return NULL;
    for (size_t index = 0; index < before; index++)
        joined[index] = strdup(prefix[index]);
    for (size_t index = 0; index < words; index++)
        joined[before + index] = execution->words[index];
    if (before)
        joined[before] = execution->program;
    return joined;
}

static char **environment_with(const struct becoming *becoming)
{
    char *const *list = becoming->execution->environment;
    size_t count = 0;
    while (list[count])
        count++;
    char **joined = calloc(count + 2, sizeof(*joined));
    if (!joined)
        return NULL;
    memcpy(joined, list, count * sizeof(*joined));
    joined[count] = becoming->launch->kept ? strdup(becoming->launch->kept) : NULL;
    return joined;
}

void become_program(const struct becoming *becoming)
{
    const struct execution *execution = becoming->execution;
    struct failure failure = {0};
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != becoming->counting)
        _exit(127);
    default_signals();
    if (lay_descriptors(becoming, &failure) < 0 ||
        controls_apply(becoming->visit, execution, &failure) < 0)
        give_up(becoming, &failure);
    char **words = join(becoming), **environment = environment_with(becoming);
    if (!words || !environment) {
        fail_with(&failure, -ENOMEM, "out of memory");
        give_up(becoming, &failure);
    }
    const bool direct = words[0] == execution->words[0];
    const char *file = direct ? execution->program : words[0];
    close_others();
    /* Everything but the exec itself is done and paid for before. */
    const struct failure ready = {0};
    char byte;
    if (write(becoming->said, &ready, sizeof(ready)) < 0)
        _exit(127);
    while (read(becoming->hold, &byte, 1) < 0 && errno == EINTR)
        ;
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    execution->guarded->spent.minor_faults = (uint64_t)usage.ru_minflt;
    execution->guarded->spent.major_faults = (uint64_t)usage.ru_majflt;
    execution->guarded->spent.voluntary = (uint64_t)usage.ru_nvcsw;
    execution->guarded->spent.involuntary = (uint64_t)usage.ru_nivcsw;
    execution->guarded->spent_ns = cpu_ns_of(&usage);
    execve(file, words, environment);
    failure.code = -errno;
    places_explain(file, errno, failure.text, sizeof(failure.text));
    give_up(becoming, &failure);
}

void become_feeder(const char *file, int to)
{
    static char buffer[FED_BYTES];
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    default_signals();
    AUTO_CLOSE int from = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while (from >= 0 && (got = read(from, buffer, sizeof(buffer))) > 0)
        for (ssize_t written = 0, more; written < got; written += more)
            if ((more = write(to, buffer + written, (size_t)(got - written))) <= 0)
                _exit(0);
    _exit(0);
}
