/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * System calls of a traced program, told in the order in which they end, with a sum of what each
 * of them gave: two runs that were given the same have the same sums. */
#include "probe/command/detail.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------------------
 * What a traced program's system calls are called, and which of them change how it is followed. */

void call_name(const struct stepped_call *made, char *name, size_t size)
{
    const char *const *names = made->narrow ? call_names_narrow : call_names_native;
    const char *found =
        made->number >= 0 && made->number < CALL_NUMBERS - 1 ? names[made->number] : NULL;
    if (found)
        snprintf(name, size, "%s", found);
    else
        snprintf(name, size, "%scall-%" PRId64, made->narrow ? "32-bit-" : "", made->number);
}

enum call_role call_role(const char *name)
{
    static const struct {
        const char *name;
        enum call_role role;
    } roles[] = {
        {"mmap", CALL_MAPS},
        {"mmap2", CALL_MAPS},
        {"mprotect", CALL_MAPS},
        {"pkey_mprotect", CALL_MAPS},
        {"munmap", CALL_UNMAPS},
        {"mremap", CALL_MOVES},
        {"shmat", CALL_MOVES},
        {"shmdt", CALL_MOVES},
        {"ipc", CALL_MOVES},
        {"remap_file_pages", CALL_MOVES},
        {"process_vm_writev", CALL_MOVES},
        {"fork", CALL_FORKS},
        {"vfork", CALL_VFORKS},
        {"clone", CALL_CLONES},
        {"clone3", CALL_CLONES_BY},
        {"sched_getaffinity", CALL_ASKS_CPUS},
        {"sched_setaffinity", CALL_CHOOSES_CPUS},
    };
    for (size_t index = 0; index < sizeof(roles) / sizeof(*roles); index++)
        if (strcmp(roles[index].name, name) == 0)
            return roles[index].role;
    return CALL_OTHER;
}

/* --- what a tool lacks --- */

#define ANSWER_S 2 /* a call that takes longer is there */

/* In a child, with arguments that make no sense of anything: only whether it is there is asked. */
static bool kernel_has(int64_t number)
{
    const long none = -1;
    int status = 0;
    pid_t asked = fork();
    if (asked == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(ANSWER_S);
        errno = 0;
        _exit(syscall(number, none, none, none, none, none, none) < 0 && errno == ENOSYS);
    }
    while (asked > 0 && waitpid(asked, &status, 0) < 0 && errno == EINTR)
        ;
    return asked > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

bool call_is_missed(const char *name)
{
    /* What the C library tells the kernel of each thread. */
    static const char *const idle[] = {"rseq", "set_robust_list"};
    for (size_t index = 0; index < sizeof(idle) / sizeof(*idle); index++)
        if (strcmp(idle[index], name) == 0)
            return false;
    for (int64_t number = 0; number < CALL_NUMBERS; number++)
        if (call_names_native[number] && strcmp(call_names_native[number], name) == 0)
            return kernel_has(number);
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * Which system calls give data to a program, and where: what makes two runs differ comes in by
 * these. A table of what they give, ask for and are about. */

enum given_size {
    GIVEN_NOTHING,
    GIVEN_RESULT,   /* as many bytes as the result says */
    GIVEN_FIXED,    /* `size` bytes, of 64-bit programs */
    GIVEN_COUNTED,  /* argument `counter` times `size` */
    GIVEN_RESULTED, /* the result times `size` */
    GIVEN_VECTOR,   /* a list of places, as readv has it; argument `counter` says how many */
    GIVEN_MESSAGE,  /* such a list in the header of a message */
};

#define NO_ARGUMENT (-1)

struct given {
    const char *name;
    enum given_size kind;
    int8_t place;   /* argument that points to it */
    int8_t counter; /* argument that says how many */
    uint16_t size;
    int8_t asked; /* argument that says how many bytes were asked for */
    int8_t file;  /* argument that is a descriptor */
    int8_t path;  /* argument that points to a path */
};

#define NONE                           NO_ARGUMENT
#define UTSNAME_BYTES                  390 /* as the operating system writes it: six names of 65 */
#define SIGINFO_BYTES                  128
#define DATA(asked, file)              GIVEN_RESULT, 1, NONE, 0, asked, file, NONE
#define FIXED(place, size, file, path) GIVEN_FIXED, place, NONE, (uint16_t)(size), NONE, file, path
#define FILE_ONLY(file)                GIVEN_NOTHING, NONE, NONE, 0, NONE, file, NONE
#define PATH_ONLY(path)                GIVEN_NOTHING, NONE, NONE, 0, NONE, NONE, path
#define WRITTEN(asked, file)           GIVEN_NOTHING, NONE, NONE, 0, asked, file, NONE
#define VECTOR(file)                   GIVEN_VECTOR, 1, 2, 0, NONE, file, NONE

static const struct given table[] = {
    {"read", DATA(2, 0)},
    {"pread64", DATA(2, 0)},
    {"readv", VECTOR(0)},
    {"preadv", VECTOR(0)},
    {"preadv2", VECTOR(0)},
    {"recvfrom", DATA(2, 0)},
    {"recvmsg", GIVEN_MESSAGE, 1, NONE, 0, NONE, 0, NONE},
    {"getdents64", DATA(2, 0)},
    {"getdents", DATA(2, 0)},
    {"getrandom", GIVEN_RESULT, 0, NONE, 0, 1, NONE, NONE},
    {"write", WRITTEN(2, 0)},
    {"pwrite64", WRITTEN(2, 0)},
    {"sendto", WRITTEN(2, 0)},
    {"writev", FILE_ONLY(0)},
    {"pwritev", FILE_ONLY(0)},
    {"sendmsg", FILE_ONLY(0)},
    /* time */
    {"clock_gettime", FIXED(1, sizeof(struct timespec), NONE, NONE)},
    {"clock_getres", FIXED(1, sizeof(struct timespec), NONE, NONE)},
    {"gettimeofday", FIXED(0, sizeof(struct timeval), NONE, NONE)},
    {"times", FIXED(0, sizeof(struct tms), NONE, NONE)},
    {"getrusage", FIXED(1, sizeof(struct rusage), NONE, NONE)},
    {"getitimer", FIXED(1, sizeof(struct itimerval), NONE, NONE)},
    {"timer_gettime", FIXED(1, sizeof(struct itimerspec), NONE, NONE)},
    {"timerfd_gettime", FIXED(1, sizeof(struct itimerspec), 0, NONE)},
    /* the machine */
    {"uname", FIXED(0, UTSNAME_BYTES, NONE, NONE)},
    {"sysinfo", FIXED(0, sizeof(struct sysinfo), NONE, NONE)},
    {"getcpu", FIXED(0, sizeof(unsigned), NONE, NONE)},
    {"getrlimit", FIXED(1, sizeof(struct rlimit), NONE, NONE)},
    {"prlimit64", FIXED(3, sizeof(struct rlimit), NONE, NONE)},
    {"sched_getaffinity", GIVEN_RESULT, 2, NONE, 0, 1, NONE, NONE},
    {"getgroups", GIVEN_RESULTED, 1, NONE, sizeof(uint32_t), NONE, NONE, NONE},
    /* files */
    {"stat", FIXED(1, sizeof(struct stat), NONE, 0)},
    {"lstat", FIXED(1, sizeof(struct stat), NONE, 0)},
    {"fstat", FIXED(1, sizeof(struct stat), 0, NONE)},
    {"newfstatat", FIXED(2, sizeof(struct stat), NONE, 1)},
    {"statx", FIXED(4, 256, NONE, 1)},
    {"statfs", FIXED(1, sizeof(struct statfs), NONE, 0)},
    {"fstatfs", FIXED(1, sizeof(struct statfs), 0, NONE)},
    {"readlink", GIVEN_RESULT, 1, NONE, 0, 2, NONE, 0},
    {"readlinkat", GIVEN_RESULT, 2, NONE, 0, 3, NONE, 1},
    {"getcwd", GIVEN_RESULT, 0, NONE, 0, 1, NONE, NONE},
    {"getxattr", GIVEN_RESULT, 2, NONE, 0, 3, NONE, 0},
    {"lgetxattr", GIVEN_RESULT, 2, NONE, 0, 3, NONE, 0},
    {"fgetxattr", GIVEN_RESULT, 2, NONE, 0, 3, 0, NONE},
    {"open", PATH_ONLY(0)},
    {"openat", PATH_ONLY(1)},
    {"openat2", PATH_ONLY(1)},
    {"creat", PATH_ONLY(0)},
    {"access", PATH_ONLY(0)},
    {"faccessat", PATH_ONLY(1)},
    {"faccessat2", PATH_ONLY(1)},
    {"execve", PATH_ONLY(0)},
    {"execveat", PATH_ONLY(1)},
    {"unlink", PATH_ONLY(0)},
    {"unlinkat", PATH_ONLY(1)},
    {"mkdir", PATH_ONLY(0)},
    {"mkdirat", PATH_ONLY(1)},
    {"chdir", PATH_ONLY(0)},
    {"close", FILE_ONLY(0)},
    {"lseek", FILE_ONLY(0)},
    {"ioctl", FILE_ONLY(0)},
    {"fcntl", FILE_ONLY(0)},
    {"mmap", FILE_ONLY(4)},
    {"ftruncate", FILE_ONLY(0)},
    {"fsync", FILE_ONLY(0)},
    /* what becomes of others */
    {"poll", GIVEN_COUNTED, 0, 1, sizeof(struct pollfd), NONE, NONE, NONE},
    {"ppoll", GIVEN_COUNTED, 0, 1, sizeof(struct pollfd), NONE, NONE, NONE},
    {"epoll_wait", GIVEN_RESULTED, 1, NONE, sizeof(struct epoll_event), NONE, NONE, NONE},
    {"epoll_pwait", GIVEN_RESULTED, 1, NONE, sizeof(struct epoll_event), NONE, NONE, NONE},
    {"pipe", FIXED(0, 2 * sizeof(int), NONE, NONE)},
    {"pipe2", FIXED(0, 2 * sizeof(int), NONE, NONE)},
    {"socketpair", FIXED(3, 2 * sizeof(int), NONE, NONE)},
    {"wait4", FIXED(1, sizeof(int), NONE, NONE)},
    {"waitid", FIXED(2, SIGINFO_BYTES, NONE, NONE)},
};

/* NULL: nothing is known of it. */
static const struct given *given_find(const char *name)
{
    for (size_t index = 0; index < sizeof(table) / sizeof(*table); index++)
        if (strcmp(table[index].name, name) == 0)
            return &table[index];
    return NULL;
}

/* --- What a call gave, and what it was about, read in the task and told --- */

#define VECTOR_MOST 1024u        /* places of one call; the operating system takes no more */
#define GIVEN_MOST  (256u << 20) /* bytes of one call that are summed */
#define SUM_BEGINS  0xcbf29ce484222325u
#define SUM_FACTOR  0x100000001b3u

/* --- memory of the task --- */

/* As much as can be read from there, in bytes. */
static size_t read_memory(pid_t task, uint64_t address, void *to, size_t length)
{
    struct iovec here = {to, length}, there = {(void *)(uintptr_t)address, length};
    ssize_t got = process_vm_readv(task, &here, 1, &there, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

static uint64_t add_to_sum(uint64_t sum, pid_t task, uint64_t address, uint64_t length)
{
    uint8_t bytes[4096];
    if (length > GIVEN_MOST)
        length = GIVEN_MOST;
    while (length) {
        size_t part = length < sizeof(bytes) ? (size_t)length : sizeof(bytes);
        size_t got = read_memory(task, address, bytes, part);
        for (size_t index = 0; index < got; index++)
            sum = (sum ^ bytes[index]) * SUM_FACTOR;
        if (got < part)
            break;
        address += part;
        length -= part;
    }
    return sum;
}

/* Only the first `total` bytes of all places hold what was given. */
static uint64_t sum_vector(pid_t task, uint64_t address, uint64_t count, uint64_t total)
{
    uint64_t sum = SUM_BEGINS;
    for (uint64_t index = 0; index < count && index < VECTOR_MOST && total; index++) {
        struct iovec place;
        if (read_memory(task, address + index * sizeof(place), &place, sizeof(place)) !=
            sizeof(place))
            break;
        uint64_t length = place.iov_len < total ? place.iov_len : total;
        sum = add_to_sum(sum, task, (uint64_t)(uintptr_t)place.iov_base, length);
        total -= length;
    }
    return sum;
}

/* Structures of 32-bit programs are others: of these only bytes that the result tells. */
static uint64_t sum_given(pid_t task, const struct given *given, const struct stepped_call *made,
                          int64_t result)
{
    if (result < 0 || given->kind == GIVEN_NOTHING || (made->narrow && given->kind != GIVEN_RESULT))
        return 0;
    uint64_t place = made->arguments[given->place], length = (uint64_t)result;
    uint64_t counter = given->counter < 0 ? 0 : made->arguments[given->counter];
    switch (given->kind) {
    case GIVEN_VECTOR:
        return sum_vector(task, place, counter, length);
    case GIVEN_MESSAGE: {
        uint64_t header[4]; /* a name and its length, a list and how long it is */
        if (read_memory(task, place, header, sizeof(header)) != sizeof(header))
            return 0;
        return sum_vector(task, header[2], header[3], length);
    }
    case GIVEN_FIXED:
        length = given->size;
        break;
    case GIVEN_COUNTED:
        length = counter > GIVEN_MOST ? 0 : counter * given->size;
        break;
    case GIVEN_RESULTED:
        length = length > GIVEN_MOST ? 0 : length * given->size;
        break;
    default:
        break;
    }
    return place && length ? add_to_sum(SUM_BEGINS, task, place, length) : 0;
}

/* --- the file --- */

static char *file_of(pid_t task, uint64_t descriptor)
{
    char link[64], path[PATH_MAX];
    if (descriptor > INT_MAX)
        return NULL;
    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)task, (int)descriptor);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    /* of a pipe or a socket the number says nothing, and is another each time */
    if (path[0] != '/' && strchr(path, ':'))
        *strchr(path, ':') = '\0';
    return strdup(path);
}

void call_begin(pid_t task, struct call *call)
{
    const struct given *given = given_find(call->name);
    free(call->what);
    call->what = NULL;
    if (given && given->file >= 0)
        call->what = file_of(task, call->made.arguments[given->file]);
    else if (given && given->path >= 0) {
        const uint64_t address = call->made.arguments[given->path];
        char path[PATH_MAX] = "";
        size_t got = 0;
        while (address && got < sizeof(path) && !memchr(path, '\0', got)) {
            size_t part = 4096 - ((address + got) & 4095); /* what follows may not be mapped */
            if (part > sizeof(path) - got)
                part = sizeof(path) - got;
            size_t more = read_memory(task, address + got, path + got, part);
            got += more;
            if (more < part)
                break;
        }
        call->what = got && memchr(path, '\0', got) ? strdup(path) : NULL;
    }
    /* an empty path stands for the descriptor before it (AT_EMPTY_PATH) */
    if (given && given->path > 0 && call->what && !call->what[0]) {
        free(call->what);
        call->what = file_of(task, call->made.arguments[given->path - 1]);
    }
}

/* --- telling --- */

static void tell(struct call_record *record, uint32_t number, const char *name, int64_t result,
                 uint64_t asked, uint64_t sum, const char *what)
{
    struct wire_writer *writer = &record->writer;
    wire_begin(writer, DETAIL_CALL);
    wire_put_u64(writer, "position", record->told++);
    wire_put_u64(writer, "task", number);
    wire_put_string(writer, "name", name);
    wire_put_i64(writer, "result", result);
    wire_put_u64(writer, "asked", asked);
    wire_put_u64(writer, "sum", sum);
    wire_put_string(writer, "what", what ? what : "");
    int written = wire_end(writer);
    if (record->result == 0)
        record->result = written;
}

static void release(struct call *call)
{
    free(call->what);
    call->what = NULL;
}

void call_end(struct call_record *record, pid_t task, uint32_t number, struct call *call,
              int64_t result)
{
    const struct given *given = given_find(call->name);
    if (record->told >= DETAIL_MOST_CALLS) {
        record->left_out++;
    } else {
        uint64_t asked = given && given->asked >= 0 ? call->made.arguments[given->asked] : 0;
        uint64_t sum = given ? sum_given(task, given, &call->made, result) : 0;
        tell(record, number, call->name, result, asked, sum, call->what);
    }
    release(call);
}

void call_gone(struct call_record *record, uint32_t number, struct call *call)
{
    bool ends = strcmp(call->name, "exit") == 0 || strcmp(call->name, "exit_group") == 0;
    if (record && ends && record->told >= DETAIL_MOST_CALLS)
        record->left_out++;
    else if (record && ends)
        tell(record, number, call->name, 0, 0, 0, NULL);
    release(call);
}

int call_finish(struct call_record *record)
{
    if (record->left_out)
        tell(record, 0, DETAIL_LEFT_OUT, (int64_t)record->left_out, 0, 0, NULL);
    int written = detail_finish(&record->writer);
    return record->result < 0 ? record->result : written;
}
