/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One account. The program ran in the memory in which it was written, so nothing in it is believed
 * before it is looked at. */
#include "probe/command/qemu-accounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int refuse(struct failure *failure, const char *what)
{
    return fail_with(failure, -EBADMSG,
                     "the account that the plugin in QEMU kept cannot be used: %s. Is the plugin "
                     "that of this kit?",
                     what);
}

/* --- reading --- */

static void *read_part(int fd, uint64_t at, uint64_t count, size_t size)
{
    char *part = calloc(count + 1, size);
    size_t length = (size_t)count * size, done = 0;
    while (part && done < length) {
        ssize_t got = pread(fd, part + done, length - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(part);
            return NULL;
        }
        done += (size_t)got;
    }
    return part;
}

static int check_header(const struct account_header *header, const char *target,
                        struct failure *failure)
{
    static const char *const lacks[ACCOUNT_LACKS] = {
        [ACCOUNT_TOO_MUCH_CODE] = "executes more different instructions than there is room for",
        [ACCOUNT_TOO_MANY_THREADS] = "has more threads at a time than there is room for",
        [ACCOUNT_NO_MEMORY] = "left QEMU no memory to count in",
        [ACCOUNT_STRANGE_CODE] = "executes code whose bytes QEMU does not show",
        [ACCOUNT_LOST_CHILD] = "has a child that could not make a file to be counted in",
    };
    if (memcmp(header->magic, ACCOUNT_MAGIC, sizeof(header->magic)) != 0)
        return refuse(failure, "it begins otherwise");
    if (strncmp(header->target, target, sizeof(header->target)) != 0)
        return refuse(failure, "it is of another ISA");
    if (header->lack >= ACCOUNT_LACKS || header->records > ACCOUNT_RECORDS ||
        header->maps > ACCOUNT_MAPS)
        return refuse(failure, "its numbers make no sense");
    if (header->lack)
        return fail_with(failure, -ENOTSUP,
                         "the program %s, so QEMU cannot count all of it: the sources valgrind and "
                         "step may",
                         lacks[header->lack]);
    return 0;
}

/* Of a process that was killed before its first instruction: made, and not begun. */
static bool is_blank(int fd)
{
    static const char nothing[sizeof(((struct account_header *)0)->magic)];
    char magic[sizeof(nothing)];
    struct stat facts;
    if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode))
        return false;
    return facts.st_size == 0 || ((uint64_t)facts.st_size == ACCOUNT_FILE_BYTES &&
                                  pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
                                  memcmp(magic, nothing, sizeof(magic)) == 0);
}

static int read_file(struct qemu_account *account, int fd, const char *target,
                     struct failure *failure)
{
    struct account_header *header = &account->header;
    struct stat facts;
    if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode) ||
        (uint64_t)facts.st_size != ACCOUNT_FILE_BYTES ||
        pread(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
        return refuse(failure, "it has another size");
    int result = check_header(header, target, failure);
    if (result < 0)
        return result;
    account->maps = read_part(fd, ACCOUNT_MAPS_AT, header->maps, sizeof(*account->maps));
    account->records =
        read_part(fd, ACCOUNT_RECORDS_AT, header->records, sizeof(*account->records));
    account->executed = calloc(header->records + 1, sizeof(*account->executed));
    if (!account->maps || !account->records || !account->executed)
        return fail_with(failure, -ENOMEM, "out of memory for %llu executed instructions",
                         (unsigned long long)header->records);
    for (uint64_t index = 0; index < header->maps; index++)
        account->maps[index].object[sizeof(account->maps->object) - 1] = 0;
    return 0;
}

/* --- from what was begun to what was executed --- */

static uint64_t length_of(const struct account_record *record)
{
    return record->about & ACCOUNT_LENGTH;
}

/* As far as one record tells by itself. */
static bool settle(const struct account_record *record, struct executed_instruction *executed)
{
    executed->address = record->address;
    memcpy(executed->bytes, record->bytes, ACCOUNT_BYTES);
    executed->length = (uint8_t)length_of(record);
    executed->repetitions = record->repetitions;
    uint64_t last = record->last;
    if (!executed->length || record->repetitions > last || record->done > last ||
        record->inner > UINT64_MAX - last)
        return false;
    if (record->about & ACCOUNT_WATCHED)
        last = record->done;
    if (record->about & ACCOUNT_FAULTS)
        last = 0;
    executed->executions = record->inner + last - record->repetitions;
    return true;
}

/* A record as something at its address, or as something before the next one. */
struct edge {
    uint64_t address;
    size_t record;
};

static int by_address(const void *one, const void *other)
{
    const struct edge *left = one, *right = other;
    return (left->address > right->address) - (left->address < right->address);
}

/* What came to an address from before it and by blocks that begin there, and what began there. */
struct flow {
    uint64_t before, entries, begun;
};

/* So many of those before did not come to their end. */
static uint64_t unfinished(const struct flow *flow)
{
    uint64_t lost = flow->before + flow->entries - flow->begun;
    return lost < flow->before ? lost : flow->before; /* it was killed at the edge of a block */
}

static void take_away(struct qemu_account *account, const struct edge *edges, size_t count,
                      uint64_t lost)
{
    for (size_t index = 0; index < count && lost; index++) {
        const struct account_record *record = &account->records[edges[index].record];
        struct executed_instruction *executed = &account->executed[edges[index].record];
        uint64_t most = record->inner < executed->executions ? record->inner : executed->executions;
        uint64_t taken = lost < most ? lost : most;
        executed->executions -= taken;
        lost -= taken;
    }
}

/* Both lists by address: instructions where they begin, and where they end. */
static bool balance(struct qemu_account *account, const struct edge *begins,
                    const struct edge *ends, size_t count)
{
    size_t begin = 0, end = 0;
    while (end < count) {
        struct flow flow = {0};
        size_t first = end;
        uint64_t address = ends[end].address;
        for (; end < count && ends[end].address == address; end++)
            flow.before += account->records[ends[end].record].inner;
        while (begin < count && begins[begin].address < address)
            begin++;
        for (; begin < count && begins[begin].address == address; begin++) {
            const struct account_record *record = &account->records[begins[begin].record];
            flow.entries += record->entries;
            flow.begun += record->inner + record->last;
        }
        if (flow.begun > flow.before + flow.entries)
            return false;
        take_away(account, ends + first, end - first, unfinished(&flow));
    }
    return true;
}

static int find_executed(struct qemu_account *account, struct failure *failure)
{
    size_t count = (size_t)account->header.records;
    AUTO_FREE struct edge *begins = calloc(count + 1, sizeof(*begins));
    AUTO_FREE struct edge *ends = calloc(count + 1, sizeof(*ends));
    if (!begins || !ends)
        return fail_with(failure, -ENOMEM, "out of memory");
    for (size_t index = 0; index < count; index++) {
        const struct account_record *record = &account->records[index];
        if (!settle(record, &account->executed[index]))
            return refuse(failure, "an instruction's counts contradict each other");
        begins[index] = (struct edge){record->address, index};
        ends[index] = (struct edge){record->address + length_of(record), index};
    }
    qsort(begins, count, sizeof(*begins), by_address);
    qsort(ends, count, sizeof(*ends), by_address);
    if (!balance(account, begins, ends, count))
        return refuse(failure, "more was executed than was come to");
    return 0;
}

int qemu_account_read(struct qemu_account *account, const char *path, const char *target,
                      struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return refuse(failure, strerror(errno));
    if (is_blank(fd))
        return 1;
    int result = read_file(account, fd, target, failure);
    return result < 0 ? result : find_executed(account, failure);
}

void qemu_account_free(struct qemu_account *account)
{
    free(account->maps);
    free(account->records);
    free(account->executed);
    *account = (struct qemu_account){0};
}
