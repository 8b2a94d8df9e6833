/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What QEMU's plugin left of an execution: every process that was forked and every program that
 * was executed has an account, and the parents' accounts say how many there must be. */
#include "probe/command/detail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"

/* ----------------------------------------------------------------------------------------------
 * One account. The program ran in the memory in which it was written, so nothing in it is
 * believed before it is looked at. */

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
        const struct edge *edges = ends + first;
        uint64_t lost = unfinished(&flow);
        for (size_t index = 0; index < (end - first) && lost; index++) {
            const struct account_record *record = &account->records[edges[index].record];
            struct executed_instruction *executed = &account->executed[edges[index].record];
            uint64_t most =
                record->inner < executed->executions ? record->inner : executed->executions;
            uint64_t taken = lost < most ? lost : most;
            executed->executions -= taken;
            lost -= taken;
        }
    }
    return true;
}

/* Reads a file and finds what came to its end of what was begun. target: QEMU's name of the ISA
 * that it must be of. 0; 1: it was not begun, because the process was killed before its first
 * instruction; or negative errno with what is wrong. */
static int account_read(struct qemu_account *account, const char *path, const char *target,
                        struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return refuse(failure, strerror(errno));
    if (is_blank(fd))
        return 1;
    struct account_header *header = &account->header;
    struct stat facts;
    if (fstat(fd, &facts) == 0 && facts.st_size == 1)
        return fail_with(failure, -ENOMEM,
                         "QEMU has not the memory to keep an account in (is it limited, ulimit "
                         "-v?): the sources valgrind and step may count it");
    if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode) ||
        (uint64_t)facts.st_size != ACCOUNT_FILE_BYTES ||
        pread(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
        return refuse(failure, "it has another size");
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
    account->maps = read_part(fd, ACCOUNT_MAPS_AT, header->maps, sizeof(*account->maps));
    account->records =
        read_part(fd, ACCOUNT_RECORDS_AT, header->records, sizeof(*account->records));
    account->executed = calloc(header->records + 1, sizeof(*account->executed));
    if (!account->maps || !account->records || !account->executed)
        return fail_with(failure, -ENOMEM, "out of memory for %llu executed instructions",
                         (unsigned long long)header->records);
    for (uint64_t index = 0; index < header->maps; index++)
        account->maps[index].object[sizeof(account->maps->object) - 1] = 0;
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

/* --- All accounts of an execution --- */

int qemu_accounts_read(struct qemu_accounts *accounts, const char *folder, const char *target,
                       struct failure *failure)
{
    uint64_t due;
    AUTO_DIR DIR *entries = opendir(folder);
    int result = 0;
    if (!entries)
        return fail_with(failure, -errno, "the accounts of QEMU cannot be read: %s",
                         strerror(errno));
    for (struct dirent *entry; result == 0 && (entry = readdir(entries));) {
        AUTO_TEXT struct text path = {0};
        if (strncmp(entry->d_name, ACCOUNT_PREFIX, strlen(ACCOUNT_PREFIX)) != 0)
            continue;
        text_printf(&path, "%s/%s", folder, entry->d_name);
        struct qemu_account *fresh = list_add(&accounts->list, &accounts->count, sizeof(*fresh));
        if (!fresh)
            result = fail_with(failure, -ENOMEM, "out of memory");
        else {
            int error = account_read(fresh, text_string(&path), target, failure);
            if (error > 0) {
                accounts->count--;
                accounts->blank++;
            } else {
                for (uint64_t record = 0; error == 0 && record < fresh->header.records; record++)
                    accounts->faulted |= fresh->records[record].about & ACCOUNT_FAULTS &&
                                         fresh->records[record].inner + fresh->records[record].last;
                free(fresh->records); /* many processes may have many: what is executed is enough */
                fresh->records = NULL;
                result = error;
            }
        }
    }
    if (result < 0)
        return result;
    if (!accounts->count)
        return fail_with(failure, -ENOTSUP,
                         "QEMU kept no account: it did not load assay's plugin, or died before. "
                         "What it says is shown with --show-output");
    accounts->processes = due = 1;
    for (size_t index = 0; index < accounts->count; index++) {
        const struct qemu_account *each = &accounts->list[index];
        due += each->header.forks + each->header.followed;
        accounts->processes += each->header.forks;
        accounts->tasks += each->header.tasks;
        accounts->calls += each->header.calls;
        for (uint64_t record = 0; record < each->header.records; record++) {
            accounts->instructions += each->executed[record].executions;
            accounts->repetitions += each->executed[record].repetitions;
        }
        accounts->tasks -= each->header.followed; /* the same thread, in another program */
    }
    if (accounts->count < due) /* these were killed before they could say so */
        accounts->tasks += due - accounts->count;
    for (size_t index = 0; index < accounts->count; index++) {
        const struct account_header *header = &accounts->list[index].header;
        if (header->leaving)
            return fail_with(failure, -ENOTSUP,
                             "the command executes %.200s, which QEMU's user mode cannot run in "
                             "the command's place: it would be missing in the counts. The source "
                             "step follows it",
                             header->other);
        if (!header->records)
            return fail_with(failure, -ENOTSUP,
                             "QEMU could not load the program (is memory limited, ulimit -v?), or "
                             "died before its first instruction: what it says is shown with "
                             "--show-output. The sources "
                             "valgrind and step may count it");
    }
    /* Who was killed before its first instruction may have been counted by its parent, or not. */
    if (accounts->count > due || accounts->count + accounts->blank < due)
        return fail_with(failure, -EIO,
                         "%llu processes and programs were started in QEMU, but %zu have an "
                         "account of what they executed: could a child not make a file? Without "
                         "it the counts would lack something; the source step follows children",
                         (unsigned long long)due, accounts->count);
    return 0;
}

/* --- what was executed --- */

struct image {
    struct executed_instruction *list;
    struct mapped *maps;
    size_t count, map_count;
};

static int by_code(const void *one, const void *other)
{
    const struct executed_instruction *left = one, *right = other;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return memcmp(left->bytes, right->bytes, sizeof(left->bytes));
}

/* Forks inherit what was mapped: each once. */
static void add_map(struct image *image, const struct account_map *map)
{
    for (size_t index = 0; index < image->map_count; index++)
        if (image->maps[index].start == map->start)
            return;
    image->maps[image->map_count++] =
        (struct mapped){map->start, map->end, map->offset, map->object};
}

static int collect(const struct qemu_accounts *accounts, uint64_t id, struct image *image)
{
    size_t records = 0, maps = 0;
    for (size_t index = 0; index < accounts->count; index++)
        if (accounts->list[index].header.image == id) {
            records += (size_t)accounts->list[index].header.records;
            maps += (size_t)accounts->list[index].header.maps;
        }
    image->list = calloc(records + 1, sizeof(*image->list));
    image->maps = calloc(maps + 1, sizeof(*image->maps));
    if (!image->list || !image->maps)
        return -ENOMEM;
    for (size_t index = 0; index < accounts->count; index++) {
        const struct qemu_account *each = &accounts->list[index];
        if (each->header.image != id)
            continue;
        memcpy(image->list + image->count, each->executed,
               (size_t)each->header.records * sizeof(*image->list));
        image->count += (size_t)each->header.records;
        for (uint64_t map = 0; map < each->header.maps; map++)
            add_map(image, &each->maps[map]);
    }
    /* The same instruction of several processes becomes one; what was never executed goes. */
    size_t kept = 0;
    qsort(image->list, image->count, sizeof(*image->list), by_code);
    for (size_t index = 0; index < image->count; index++) {
        const struct executed_instruction *each = &image->list[index];
        if (!each->executions)
            continue;
        if (kept && by_code(&image->list[kept - 1], each) == 0) {
            image->list[kept - 1].executions += each->executions;
            image->list[kept - 1].repetitions += each->repetitions;
        } else {
            image->list[kept++] = *each;
        }
    }
    image->count = kept;
    return 0;
}

int qemu_accounts_tell(const struct qemu_accounts *accounts, const struct command_visit *visit)
{
    int result = 0;
    for (size_t index = 0; index < accounts->count && result == 0; index++) {
        struct image image = {0};
        uint64_t id = accounts->list[index].header.image;
        size_t before = 0;
        while (accounts->list[before].header.image != id)
            before++;
        if (before < index)
            continue;
        result = collect(accounts, id, &image);
        result = result < 0
                     ? command_fail(visit, result, "out of memory")
                     : executed_write(visit, image.list, image.count, image.maps, image.map_count);
        free(image.list);
        free(image.maps);
    }
    return result;
}

void qemu_accounts_free(struct qemu_accounts *accounts)
{
    for (size_t index = 0; index < accounts->count; index++) {
        struct qemu_account *account = &accounts->list[index];
        free(account->maps);
        free(account->records);
        free(account->executed);
        *account = (struct qemu_account){0};
    }
    free(accounts->list);
    *accounts = (struct qemu_accounts){0};
}
