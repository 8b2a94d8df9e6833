/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of system calls with what they give, ask for and are about. */
#include "probe/command/calls-given.h"

#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

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

const struct given *given_find(const char *name)
{
    for (size_t index = 0; index < sizeof(table) / sizeof(*table); index++)
        if (strcmp(table[index].name, name) == 0)
            return &table[index];
    return NULL;
}
