/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tells the system calls of a traced program in the order in which they end, with a sum of what
 * each of them gave: two runs that were given the same have the same sums. */
#include "probe/command/calls.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe/command/calls-given.h"

#define VECTOR_MOST 1024u        /* places of one call; the operating system takes no more */
#define SUMMED_MOST (256u << 20) /* bytes of one call that are summed */
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
    if (length > SUMMED_MOST)
        length = SUMMED_MOST;
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

static uint64_t sum_message(pid_t task, uint64_t address, uint64_t total)
{
    uint64_t header[4]; /* a name and its length, a list and how long it is */
    if (read_memory(task, address, header, sizeof(header)) != sizeof(header))
        return 0;
    return sum_vector(task, header[2], header[3], total);
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
    case GIVEN_MESSAGE:
        return sum_message(task, place, length);
    case GIVEN_FIXED:
        length = given->size;
        break;
    case GIVEN_COUNTED:
        length = counter > SUMMED_MOST ? 0 : counter * given->size;
        break;
    case GIVEN_RESULTED:
        length = length > SUMMED_MOST ? 0 : length * given->size;
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

static char *path_at(pid_t task, uint64_t address)
{
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
    return got && memchr(path, '\0', got) ? strdup(path) : NULL;
}

void call_begin(pid_t task, struct call *call)
{
    const struct given *given = given_find(call->name);
    free(call->what);
    call->what = NULL;
    if (given && given->file >= 0)
        call->what = file_of(task, call->made.arguments[given->file]);
    else if (given && given->path >= 0)
        call->what = path_at(task, call->made.arguments[given->path]);
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
