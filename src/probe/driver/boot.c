/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of an emulated machine: make it habitable, run one command on the ports, say how that
 * ended, turn off. Whatever goes wrong is said and ends in turning off as well: the controller
 * sees the end at once, and reads why on the console. */
#include "probe/driver/session.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/module.h>

#include "base/cleanup.h"
#include "base/monotonic.h"

/* --- The file systems programs expect, and the drivers the ports need --- */

#define MODULES "/lab/modules"
#ifndef MODULE_INIT_COMPRESSED_FILE
#define MODULE_INIT_COMPRESSED_FILE 4
#endif

static const struct {
    const char *type, *place, *options;
    bool needed; /* complain when the kernel does not have it */
} mounts[] = {
    {"proc", "/proc", NULL, true},
    {"sysfs", "/sys", NULL, true},
    {"devtmpfs", "/dev", NULL, true},
    {"devpts", "/dev/pts", "ptmxmode=0666", false},
    {"tmpfs", "/dev/shm", "mode=1777", false},
    {"tmpfs", "/tmp", "mode=1777", false},
    {"tmpfs", "/run", "mode=0755", false},
    {"tracefs", "/sys/kernel/tracing", NULL, false},
};

/* --- The plan: reads it and does what can be done while reading --- */

#define PLAN "/lab/plan"

#define BOOT_WORDS 4096 /* most words of a command */

struct boot_plan {
    char *bytes;                 /* the file; what follows points into it */
    char *words[BOOT_WORDS + 1]; /* what to run */
    size_t word_count;
    const char *in, *out, *errors, *status; /* names of ports; NULL: none */
    const char *folder;
    uid_t user;
    int rows, columns; /* of the terminal to give it; 0: none */
};

/* "kernel/perf_user_access=1" */
static int set_sysctl(char *setting, struct failure *failure)
{
    char *value = strchr(setting, '=');
    AUTO_TEXT struct text path = {0};
    if (!value)
        return fail_with(failure, -EINVAL, "the plan sets '%s' to nothing", setting);
    *value++ = '\0';
    text_printf(&path, "/proc/sys/%s", setting);
    AUTO_CLOSE int fd = open(text_string(&path), O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value))
        return 0;
    /* Not every kernel has every one; that is no reason not to measure with it. */
    fprintf(stderr, "assay lab: cannot set %s to %s: %s\n", setting, value, strerror(errno));
    return 0;
}

static int take(struct boot_plan *plan, char *key, char *value, struct failure *failure)
{
    const struct {
        const char *key;
        const char **place;
    } names[] = {{"in", &plan->in},
                 {"out", &plan->out},
                 {"err", &plan->errors},
                 {"status", &plan->status},
                 {"folder", &plan->folder}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(names[i].key, key) == 0) {
            *names[i].place = value;
            return 0;
        }
    }
    if (strcmp(key, "sysctl") == 0)
        return set_sysctl(value, failure);
    if (strcmp(key, "env") == 0)
        return putenv(value) == 0 ? 0 : fail_with(failure, -ENOMEM, "no memory for '%s'", value);
    if (strcmp(key, "user") == 0) {
        plan->user = (uid_t)strtoul(value, NULL, 10);
        return 0;
    }
    if (strcmp(key, "terminal") == 0)
        return sscanf(value, "%dx%d", &plan->rows, &plan->columns) == 2 ? 0 : -EINVAL;
    if (strcmp(key, "run") != 0)
        return fail_with(failure, -EINVAL, "the plan says '%s', which this probe does not know",
                         key);
    if (plan->word_count == BOOT_WORDS)
        return fail_with(failure, -E2BIG, "a command of more than %d words", BOOT_WORDS);
    plan->words[plan->word_count++] = value;
    return 0;
}

/* The whole file, with a zero behind it. */
static ssize_t read_file(char **bytes)
{
    AUTO_CLOSE int fd = open(PLAN, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return -errno;
    *bytes = calloc(1, (size_t)facts.st_size + 1);
    if (!*bytes)
        return -ENOMEM;
    ssize_t got = read(fd, *bytes, (size_t)facts.st_size);
    return got < 0 ? -errno : got;
}

/* Reads the plan; its sysctl and env entries take effect here. */
static int read_plan(struct boot_plan *plan, struct failure *failure)
{
    ssize_t length = read_file(&plan->bytes);
    if (length < 0)
        return fail_with(failure, (int)length, "cannot read %s: %s", PLAN, strerror((int)-length));
    int status = 0;
    for (char *entry = plan->bytes; status == 0 && entry < plan->bytes + length;) {
        char *next = entry + strlen(entry) + 1;
        char *value = strchr(entry, '=');
        if (!value)
            return fail_with(failure, -EINVAL, "the plan has an entry without a value: '%s'",
                             entry);
        *value++ = '\0';
        status = take(plan, entry, value, failure);
        entry = next;
    }
    if (status == 0 && plan->word_count == 0)
        return fail_with(failure, -EINVAL, "the plan names nothing to run");
    return status;
}

/* --- Finds the ports by their names. They appear some time after their driver was loaded. --- */

#define PORTS   "/sys/class/virtio-ports"
#define WAIT_MS 5000 /* in the machine's time */
#define TICK_US 2000

struct boot_ports {
    int in, out, errors, status; /* -1: none */
};

static bool is_named(const char *port, const char *name)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s/name", PORTS, port);
    AUTO_FILE FILE *file = fopen(text_string(&path), "re");
    char found[64];
    if (!file || !fgets(found, sizeof(found), file))
        return false;
    found[strcspn(found, "\n")] = '\0';
    return strcmp(found, name) == 0;
}

/* -ENOENT while it is not there. */
static int open_named(const char *name, int flags)
{
    AUTO_DIR DIR *ports = opendir(PORTS);
    const struct dirent *entry;
    while (ports && (entry = readdir(ports))) {
        AUTO_TEXT struct text device = {0};
        if (entry->d_name[0] == '.' || !is_named(entry->d_name, name))
            continue;
        text_printf(&device, "/dev/%s", entry->d_name);
        int fd = open(text_string(&device), flags | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
    }
    return -ENOENT;
}

static int open_port(int *fd, const char *name, int flags, struct failure *failure)
{
    if (!name)
        return 0;
    const int64_t deadline = monotonic_ms() + WAIT_MS;
    while ((*fd = open_named(name, flags)) == -ENOENT && monotonic_ms() < deadline)
        usleep(TICK_US);
    if (*fd >= 0)
        return 0;
    int error = *fd;
    *fd = -1;
    return fail_with(failure, error, "the machine has no port %s: %s", name, strerror(-error));
}

/* ----------------------------------------------------------------------------------------------
 * Becoming the command, and why that failed. execvp would give a program of another ISA to the
 * shell, which reads it as a script. */

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{EM_X86_64, "x86-64"},  {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"},
                 {EM_386, "32-bit x86"}, {EM_ARM, "32-bit arm"},  {EM_PPC64, "ppc64"},
                 {EM_S390, "s390"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another ISA";
}

/* The command as it is found from its own folder; those in PATH are the lab's own. */
static int open_command(const struct boot_plan *plan)
{
    AUTO_CLOSE int folder =
        open(plan->folder ? plan->folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return openat(folder, plan->words[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Why it failed, from errno; the code is -ENOENT only when there is no such file. */
static int explain_exec(const struct boot_plan *plan, int error, struct failure *failure)
{
    const char *command = plan->words[0];
    AUTO_CLOSE int fd = open_command(plan);
    Elf64_Ehdr header = {0};
    ssize_t got = fd < 0 ? -1 : read(fd, &header, sizeof(header));
    bool elf = got >= (ssize_t)offsetof(Elf64_Ehdr, e_version) &&
               memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    struct utsname here = {0};
    uname(&here);
    if (error == ENOEXEC && elf && strcmp(machine_name(header.e_machine), here.machine) != 0)
        return fail_with(failure, -ENOEXEC, "%s is for %s, this machine is %s", command,
                         machine_name(header.e_machine), here.machine);
    if (error == ENOEXEC)
        return fail_with(failure, -ENOEXEC,
                         "cannot run '%s': it is no program for %s, nor a script that begins with "
                         "#!",
                         command, here.machine);
    if (error == ENOENT && fd >= 0 && strchr(command, '/'))
        return fail_with(failure, -ENOEXEC,
                         "cannot run '%s': the interpreter or loader it asks for is not in this "
                         "machine",
                         command);
    return fail_with(failure, -error, "cannot run '%s': %s", command, strerror(error));
}

/* ----------------------------------------------------------------------------------------------
 * Runs the one command of the machine on its ports, or on a terminal that is connected to them,
 * and meanwhile reaps whatever else ends. */

/* Moves what there is; false at the end of `from`. */
static bool move(int from, int to)
{
    char bytes[4096];
    ssize_t got = read(from, bytes, sizeof(bytes));
    if (got <= 0)
        return got < 0 && (errno == EINTR || errno == EAGAIN);
    for (ssize_t sent = 0, now; sent < got; sent += now)
        if ((now = write(to, bytes + sent, (size_t)(got - sent))) <= 0)
            return now < 0 && errno == EINTR;
    return true;
}

/* Between the ports and the terminal, until nobody has the terminal open any more. */
static void relay(const struct boot_ports *ports, int terminal)
{
    bool listening = true;
    for (;;) {
        struct pollfd both[2] = {{.fd = terminal, .events = POLLIN},
                                 {.fd = listening ? ports->in : -1, .events = POLLIN}};
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            return;
        if (both[0].revents && !move(terminal, ports->out))
            return;
        if (both[1].revents && !move(ports->in, terminal)) {
            listening = false;
            if (write(terminal, "\004", 1) < 0) /* end of input, as a terminal says it */
                return;
        }
    }
}

static int wait_for(pid_t child)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended == child)
            return status;
        if (ended < 0 && errno != EINTR)
            return -errno;
    }
}

static int open_terminal(const struct boot_plan *plan, int *ours, int *theirs)
{
    const struct winsize size = {.ws_row = (unsigned short)plan->rows,
                                 .ws_col = (unsigned short)plan->columns};
    if (plan->rows <= 0)
        return 0;
    if (openpty(ours, theirs, NULL, NULL, &size) < 0)
        return -errno;
    fcntl(*ours, F_SETFD, FD_CLOEXEC);
    fcntl(*theirs, F_SETFD, FD_CLOEXEC);
    return 0;
}

/* Runs the command to its end and returns the wait status, or negative errno: -ENOENT, -EACCES …
 * when it could not be run. */
static int run_command(const struct boot_plan *plan, const struct boot_ports *ports,
                       struct failure *failure)
{
    int news[2], ours = -1, theirs = -1, error = 0;
    int status = open_terminal(plan, &ours, &theirs);
    if (status < 0)
        return fail_with(failure, status, "no terminal for '%s': %s", plan->words[0],
                         strerror(-status));
    if (pipe2(news, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "no pipe for '%s': %s", plan->words[0], strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        /* In the child; never returns. The errno of a failed exec goes to `news`. */
        setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin:/work:/kit", 0);
        setenv("HOME", "/work", 0);
        setenv("TERM", "linux", 0);
        int in = theirs >= 0 ? theirs : ports->in;
        int out = theirs >= 0 ? theirs : ports->out;
        int errors = theirs >= 0 ? theirs : ports->errors;
        setsid();
        if (theirs >= 0)
            ioctl(theirs, TIOCSCTTY, 0);
        if (((in < 0 || dup2(in, 0) == 0) && (out < 0 || dup2(out, 1) == 1) &&
             (errors < 0 || dup2(errors, 2) == 2)) &&
            chdir(plan->folder ? plan->folder : "/") == 0 &&
            (plan->user == 0 || (setgroups(0, NULL) == 0 && setgid((gid_t)plan->user) == 0 &&
                                 setuid(plan->user) == 0))) {
            /* Becomes the command, looked up in PATH; what is no program is never taken for a
             * script of the shell. Returns only when that fails, with errno. */
            const char *path = getenv("PATH");
            int result = ENOENT;
            if (strchr(plan->words[0], '/'))
                execv(plan->words[0], plan->words);
            else {
                for (const char *start = path ? path : "/bin"; *start;) {
                    char candidate[PATH_MAX];
                    int length = (int)strcspn(start, ":");
                    if (snprintf(candidate, sizeof(candidate), "%.*s/%s", length, start,
                                 plan->words[0]) < (int)sizeof(candidate))
                        execv(candidate, plan->words);
                    if (errno != ENOENT && errno != ENOTDIR)
                        result = errno;
                    start += length + (start[length] == ':');
                }
                errno = result;
            }
        }
        int result = errno;
        ssize_t told = write(news[1], &result, sizeof(result));
        _exit(told == sizeof(result) ? 127 : 126);
    }
    if (child < 0)
        return fail_with(failure, -errno, "no process for '%s': %s", plan->words[0],
                         strerror(errno));
    close(news[1]);
    cleanup_close(&theirs);
    bool failed = read(news[0], &error, sizeof(error)) == (ssize_t)sizeof(error);
    if (!failed && ours >= 0)
        relay(ports, ours);
    status = wait_for(child);
    return failed ? explain_exec(plan, error, failure) : status;
}

/* --- From the first process's start to the end of the machine --- */

/* As timeout(1) does. */
enum { STATUS_FAILED = 125, STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };

static int status_of(int result)
{
    if (result == -ENOENT)
        return STATUS_NOT_FOUND;
    if (result < 0)
        return result == -ENOMEM ? STATUS_FAILED : STATUS_NOT_RUN;
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

static void live(void)
{
    static struct boot_plan plan;
    struct boot_ports ports = {-1, -1, -1, -1};
    struct failure failure = {0};
    int result = read_plan(&plan, &failure);
    if (result == 0) {
        result = open_port(&ports.errors, plan.errors, O_WRONLY, &failure);
        if (result == 0)
            result = open_port(&ports.status, plan.status, O_WRONLY, &failure);
        if (result == 0)
            result = open_port(&ports.in, plan.in, O_RDONLY, &failure);
        if (result == 0)
            result = open_port(&ports.out, plan.out, O_WRONLY, &failure);
    }
    if (result == 0 && ports.status >= 0)
        dprintf(ports.status, "started\n");
    if (result == 0)
        result = run_command(&plan, &ports, &failure);
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
    /* The last word; it must be out before the machine is turned off. */
    if (failure.code) {
        /* Where the user looks: the port for errors, or the console. */
        dprintf(ports.errors >= 0 ? ports.errors : STDERR_FILENO, "assay lab: %s\n", failure.text);
    } else if (WIFSIGNALED(result))
        dprintf(STDERR_FILENO, "assay lab: the command was ended by signal %d (%s)%s\n",
                WTERMSIG(result), strsignal(WTERMSIG(result)),
                WTERMSIG(result) == SIGKILL ? ", perhaps for want of memory" : "");
    if (ports.status >= 0)
        dprintf(ports.status, "%d%s\n", status_of(result), result == -ENOENT ? " absent" : "");
}

int boot_machine(void)
{
    if (getpid() != 1) {
        fputs("assay-probe: boot is for the first process of an emulated machine; use assay lab\n",
              stderr);
        return 2;
    }
    /* /proc, /sys, /dev and what else programs expect; what cannot be had is said on the
     * console. */
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        mkdir(mounts[i].place, 0755);
        if (mount("lab", mounts[i].place, mounts[i].type, 0, mounts[i].options) < 0 &&
            mounts[i].needed)
            fprintf(stderr, "assay lab: cannot mount %s: %s\n", mounts[i].place, strerror(errno));
    }
    if (sethostname("lab", 3) < 0)
        fprintf(stderr, "assay lab: cannot set the name: %s\n", strerror(errno));
    /* The modules in /lab/modules, in the order of their names. */
    struct dirent **names = NULL;
    int count = scandir(MODULES, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.') {
            AUTO_TEXT struct text path = {0};
            text_printf(&path, "%s/%s", MODULES, names[i]->d_name);
            AUTO_CLOSE int fd = open(text_string(&path), O_RDONLY | O_CLOEXEC);
            const char *end = strrchr(names[i]->d_name, '.');
            int flags = end && strcmp(end, ".ko") != 0 ? MODULE_INIT_COMPRESSED_FILE : 0;
            if (fd < 0 || (syscall(SYS_finit_module, fd, "", flags) < 0 && errno != EEXIST))
                fprintf(stderr, "assay lab: cannot load %s: %s\n", names[i]->d_name,
                        strerror(errno));
        }
        free(names[i]);
    }
    free(names);
    live();
    sync();
    reboot(RB_POWER_OFF);
    for (;;) /* a first process that ends is a panic */
        pause();
}
