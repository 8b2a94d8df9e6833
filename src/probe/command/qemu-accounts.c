/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All accounts of an execution: every process that was forked and every program that was executed
 * has one, and the parents' accounts say how many there must be. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/command/qemu-accounts.h"

static int take(struct qemu_accounts *accounts, const char *path, const char *target,
                struct failure *failure)
{
    struct qemu_account *grown =
        realloc(accounts->list, (accounts->count + 1) * sizeof(*accounts->list));
    if (!grown)
        return fail_with(failure, -ENOMEM, "out of memory");
    accounts->list = grown;
    struct qemu_account *fresh = &accounts->list[accounts->count++];
    *fresh = (struct qemu_account){0};
    int result = qemu_account_read(fresh, path, target, failure);
    if (result > 0) {
        accounts->count--;
        accounts->blank++;
        return 0;
    }
    free(fresh->records); /* many processes may have many: what is executed is enough */
    fresh->records = NULL;
    return result;
}

static int read_folder(struct qemu_accounts *accounts, const char *folder, const char *target,
                       struct failure *failure)
{
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
        result = take(accounts, text_string(&path), target, failure);
    }
    return result;
}

static void sum(struct qemu_accounts *accounts, uint64_t *due)
{
    accounts->processes = *due = 1;
    for (size_t index = 0; index < accounts->count; index++) {
        const struct qemu_account *each = &accounts->list[index];
        *due += each->header.forks + each->header.followed;
        accounts->processes += each->header.forks;
        accounts->tasks += each->header.tasks;
        accounts->calls += each->header.calls;
        for (uint64_t record = 0; record < each->header.records; record++) {
            accounts->instructions += each->executed[record].executions;
            accounts->repetitions += each->executed[record].repetitions;
        }
        accounts->tasks -= each->header.followed; /* the same thread, in another program */
    }
    if (accounts->count < *due) /* these were killed before they could say so */
        accounts->tasks += *due - accounts->count;
}

static int check(const struct qemu_accounts *accounts, uint64_t due, struct failure *failure)
{
    for (size_t index = 0; index < accounts->count; index++) {
        const struct account_header *header = &accounts->list[index].header;
        if (header->leaving)
            return fail_with(failure, -ENOTSUP,
                             "the command executes %.200s, which QEMU's user mode cannot run in "
                             "the command's place: it would be missing in the counts. The source "
                             "step follows it",
                             header->other);
        if (!header->records)
            return fail_with(failure, -ENOEXEC,
                             "QEMU could not load the program, or died before its first "
                             "instruction: what it says is shown with --show-output. The sources "
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

int qemu_accounts_read(struct qemu_accounts *accounts, const char *folder, const char *target,
                       struct failure *failure)
{
    uint64_t due;
    int result = read_folder(accounts, folder, target, failure);
    if (result < 0)
        return result;
    if (!accounts->count)
        return fail_with(failure, -ENOTSUP,
                         "QEMU kept no account: it did not load assay's plugin, or died before. "
                         "What it says is shown with --show-output");
    sum(accounts, &due);
    return check(accounts, due, failure);
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

/* The same instruction of several processes becomes one; what was never executed goes. */
static void join(struct image *image)
{
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
    join(image);
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
    for (size_t index = 0; index < accounts->count; index++)
        qemu_account_free(&accounts->list[index]);
    free(accounts->list);
    *accounts = (struct qemu_accounts){0};
}
