/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Walks /proc/self/maps by inline system calls (read() may be a measured symbol) and populates each
 * mapping: by madvise where the operating system knows how (Linux 5.14), else by touching. */
#include "probe/harness/populate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "syscall.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define STACK_RESERVE (256u * 1024) /* windows and libraries go no deeper */
#define MAPS_MAX      (256u * 1024) /* bytes of /proc/self/maps looked at */

struct mapping {
    uintptr_t start, end;
    bool readable, writable;
    bool special; /* [vvar] and its kind: not ours to touch */
};

static bool parse_mapping(const char *line, struct mapping *mapping)
{
    char *rest;
    mapping->start = strtoul(line, &rest, 16);
    if (*rest != '-')
        return false;
    mapping->end = strtoul(rest + 1, &rest, 16);
    if (*rest != ' ' || strlen(rest) < 5)
        return false;
    mapping->readable = rest[1] == 'r';
    /* A shared mapping belongs to others as well: it is read, never written. */
    mapping->writable = rest[2] == 'w' && rest[4] == 'p';
    mapping->special = strstr(rest, "[v") != NULL;
    return mapping->end > mapping->start;
}

static void touch(const struct mapping *mapping)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uintptr_t address = mapping->start; address < mapping->end; address += page) {
        volatile char *byte = (volatile char *)address; /* NOLINT(performance-no-int-to-ptr) */
        char value = *byte;
        if (mapping->writable)
            *byte = value;
    }
}

static void populate(const struct mapping *mapping)
{
    if (!mapping->readable || mapping->special)
        return;
    long advice = mapping->writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
    if (assay_syscall3(SYS_madvise, (long)mapping->start, (long)(mapping->end - mapping->start),
                       advice) == -EINVAL)
        touch(mapping);
}

static void grow_stack(void)
{
    volatile char reserve[STACK_RESERVE];
    for (size_t offset = 0; offset < sizeof(reserve); offset += 1024)
        reserve[offset] = 0;
}

static size_t read_maps(char *text, size_t size)
{
    size_t length = 0;
    long descriptor =
        assay_syscall4(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0)
        return 0;
    long got;
    while (length < size - 1 && (got = assay_syscall3(SYS_read, descriptor, (long)(text + length),
                                                      (long)(size - 1 - length))) > 0)
        length += (size_t)got;
    assay_syscall1(SYS_close, descriptor);
    text[length] = '\0';
    return length;
}

void populate_process(void)
{
    static char text[MAPS_MAX];
    grow_stack();
    read_maps(text, sizeof(text));
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (!end)
            break;
        *end = '\0';
        struct mapping mapping;
        if (parse_mapping(line, &mapping))
            populate(&mapping);
        line = end + 1;
    }
}
