/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * By process_vm_readv, pidfd_getfd and /proc. What is read and written this way faults in the
 * liar's account, never in the target's. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096u

int target_read(pid_t task, uint64_t address, void *bytes, size_t size)
{
    struct iovec here = {bytes, size}, there = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(task, &here, 1, &there, 1, 0);
    return got < 0 ? -errno : (size_t)got == size ? 0 : -EFAULT;
}

int target_write(pid_t task, uint64_t address, const void *bytes, size_t size)
{
    struct iovec here = {(void *)(uintptr_t)bytes, size};
    struct iovec there = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_writev(task, &here, 1, &there, 1, 0);
    return got < 0 ? -errno : (size_t)got == size ? 0 : -EFAULT;
}

ssize_t target_read_some(pid_t task, uint64_t address, void *bytes, size_t size)
{
    size_t whole = PAGE - address % PAGE;
    if (whole < size && target_read(task, address, bytes, size) < 0)
        size = whole;
    else if (whole < size)
        return (ssize_t)size;
    int result = target_read(task, address, bytes, size);
    return result < 0 ? result : (ssize_t)size;
}

int target_read_string(pid_t task, uint64_t address, char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = PAGE - (address + at) % PAGE;
        if (step > size - at)
            step = size - at;
        int result = target_read(task, address + at, text + at, step);
        if (result < 0)
            return result;
        if (memchr(text + at, 0, step))
            return 0;
        at += step;
    }
    return -ENAMETOOLONG;
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -errno;
    ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got;
}

pid_t target_process(pid_t task)
{
    char path[64], text[2048];
    snprintf(path, sizeof(path), "/proc/%d/status", (int)task);
    const char *line = read_file(path, text, sizeof(text)) > 0 ? strstr(text, "\nTgid:") : NULL;
    return line ? (pid_t)strtol(line + 6, NULL, 10) : task;
}

bool target_has_descriptor(pid_t process, int descriptor)
{
    char path[64];
    struct stat facts;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)process, descriptor);
    return lstat(path, &facts) == 0;
}

int target_take_descriptor(pid_t process, int descriptor)
{
    long handle = syscall(SYS_pidfd_open, process, 0);
    if (handle < 0)
        return -errno;
    long taken = syscall(SYS_pidfd_getfd, handle, descriptor, 0);
    int error = errno;
    close((int)handle);
    return taken < 0 ? -error : (int)taken;
}

bool target_is_called(pid_t process, const char *name)
{
    char path[64], file[4096];
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
    ssize_t length = readlink(path, file, sizeof(file) - 1);
    if (length < 0)
        return false;
    file[length] = '\0';
    const char *slash = strrchr(file, '/');
    return strncmp(slash ? slash + 1 : file, name, strlen(name)) == 0;
}

/* Numbers of fields as in proc(5), counted from the state, which is the third. */
enum { FIELD_STATE = 3, FIELD_MINOR = 10, FIELD_MAJOR = 12, FIELD_CPU = 39 };

int target_account(pid_t task, struct target_account *account)
{
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)task, (int)task);
    if (read_file(path, text, sizeof(text)) <= 0)
        return -ESRCH;
    char *field = strrchr(text, ')'), *rest;
    field = field ? strtok_r(field + 1, " ", &rest) : NULL;
    *account = (struct target_account){.cpu = -1};
    for (int number = FIELD_STATE; field; number++, field = strtok_r(NULL, " ", &rest)) {
        if (number == FIELD_MINOR)
            account->minor_faults = strtoull(field, NULL, 10);
        else if (number == FIELD_MAJOR)
            account->major_faults = strtoull(field, NULL, 10);
        else if (number == FIELD_CPU)
            account->cpu = (int)strtol(field, NULL, 10);
    }
    return 0;
}
