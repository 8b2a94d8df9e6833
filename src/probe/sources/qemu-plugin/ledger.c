/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes and fills the account of a process. Called by QEMU's translator, which one thread at a time
 * is in, and around a fork, which waits for it. No descriptor stays open: the program may close,
 * count or limit its own as it likes. */
#include "probe/sources/qemu-plugin/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_CAPACITY 16384u
#define PATH_BYTES     4096
#define NUMBERS_MOST   65536u /* programs that one process executes */

/* --- the file --- */

/* A fresh file as large as an account; its descriptor, -1 with errno. *number: which of this
 * process it is. */
static int make_file(const struct ledger *ledger, uint64_t *number)
{
    char path[PATH_BYTES];
    for (*number = 0; *number < NUMBERS_MOST; ++*number) {
        int length = snprintf(path, sizeof(path), "%s%ld.%llu", ledger->prefix, (long)getpid(),
                              (unsigned long long)*number);
        if (length < 0 || length >= PATH_BYTES) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 && ftruncate(fd, (off_t)ACCOUNT_FILE_BYTES) == 0)
            return fd;
        if (fd >= 0) {
            int reason = errno;
            close(fd);
            unlink(path);
            errno = reason;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* at NULL: anywhere; else exactly there, in place of what is. */
static void *map_file(int fd, void *at)
{
    void *memory = mmap(at, ACCOUNT_FILE_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Zero, and memory only where it is written to. */
static uint64_t *make_seen(void *at)
{
    void *memory = mmap(at, ACCOUNT_RECORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void name_process(struct account_header *header)
{
    header->process = (uint64_t)getpid();
    header->parent = (uint64_t)getppid();
}

bool ledger_open(struct ledger *ledger, const char *folder, const char *target)
{
    char prefix[PATH_BYTES];
    int length = snprintf(prefix, sizeof(prefix), "%s/" ACCOUNT_PREFIX, folder);
    ledger->prefix = length > 0 && length < PATH_BYTES ? strdup(prefix) : NULL;
    uint64_t number = 0;
    int fd = ledger->prefix ? make_file(ledger, &number) : -1;
    char *memory = fd >= 0 ? map_file(fd, NULL) : NULL;
    ledger->seen = make_seen(NULL);
    bool ready = memory && ledger->seen;
    if (fd >= 0 && !ready)
        (void)!ftruncate(fd, 1); /* no account, and not that of who was killed before its first
                                    instruction either */
    if (fd >= 0)
        close(fd);
    if (!ready)
        return false;
    ledger->header = (struct account_header *)(void *)memory;
    ledger->maps = (struct account_map *)(void *)(memory + ACCOUNT_MAPS_AT);
    ledger->records = (struct account_record *)(void *)(memory + ACCOUNT_RECORDS_AT);
    memcpy(ledger->header->magic, ACCOUNT_MAGIC, sizeof(ledger->header->magic));
    snprintf(ledger->header->target, sizeof(ledger->header->target), "%s", target);
    name_process(ledger->header);
    ledger->header->image = ledger->header->process * NUMBERS_MOST + number;
    return true;
}

/* What a child takes over: the instructions and where they are from, and no counts. */
static void copy_description(const struct ledger *from, char *to)
{
    struct account_header *header = (struct account_header *)(void *)to;
    const struct account_header *old = from->header;
    struct account_record *records = (struct account_record *)(void *)(to + ACCOUNT_RECORDS_AT);
    memcpy(header->target, old->target, sizeof(header->target));
    header->lack = old->lack;
    header->image = old->image;
    header->base = old->base;
    header->records = old->records;
    header->maps = old->maps;
    header->tasks = 1;
    name_process(header);
    memcpy(to + ACCOUNT_MAPS_AT, from->maps, old->maps * sizeof(*from->maps));
    for (uint64_t index = 0; index < old->records; index++) {
        records[index].address = from->records[index].address;
        memcpy(records[index].bytes, from->records[index].bytes, ACCOUNT_BYTES);
        records[index].about = from->records[index].about;
    }
    /* At last: who is killed before has executed nothing, and its account does not begin. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(header->magic, old->magic, sizeof(header->magic));
}

bool ledger_fork(struct ledger *ledger)
{
    uint64_t number;
    (void)make_seen(ledger->seen);
    int fd = make_file(ledger, &number);
    __atomic_fetch_add(&ledger->header->forks, 1, __ATOMIC_RELAXED); /* its parent's, still */
    char *fresh = fd >= 0 ? map_file(fd, NULL) : NULL;
    if (fresh) {
        copy_description(ledger, fresh);
        munmap(fresh, ACCOUNT_FILE_BYTES);
    }
    bool mapped = fresh && map_file(fd, ledger->header);
    if (fd >= 0)
        close(fd);
    if (mapped)
        return true;
    /* It must not count in its parent's account, which says so: in memory of its own then. */
    ledger->header->lack = ACCOUNT_LOST_CHILD;
    (void)mmap(ledger->header, ACCOUNT_FILE_BYTES, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    memset(ledger->slots, 0, ledger->capacity * sizeof(*ledger->slots));
    return false;
}

/* --- records --- */

static size_t home(uint64_t address, size_t capacity)
{
    return (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
}

static bool is_it(const struct account_record *record, uint64_t address, const uint8_t *bytes,
                  size_t length)
{
    return record->address == address && (record->about & ACCOUNT_LENGTH) == length &&
           memcmp(record->bytes, bytes, length) == 0;
}

static uint32_t *find_slot(const struct ledger *ledger, uint64_t address, const uint8_t *bytes,
                           size_t length)
{
    size_t place = home(address, ledger->capacity);
    while (ledger->slots[place] &&
           !is_it(&ledger->records[ledger->slots[place] - 1], address, bytes, length))
        place = (place + 1) & (ledger->capacity - 1);
    return &ledger->slots[place];
}

static bool make_room(struct ledger *ledger)
{
    uint64_t count = ledger->header->records;
    if (2 * count < ledger->capacity)
        return true;
    struct ledger grown = *ledger;
    grown.capacity = ledger->capacity ? 2 * ledger->capacity : FIRST_CAPACITY;
    grown.slots = calloc(grown.capacity, sizeof(*grown.slots));
    if (!grown.slots)
        return false;
    for (uint32_t index = 0; index < count; index++) {
        const struct account_record *each = &ledger->records[index];
        *find_slot(&grown, each->address, each->bytes, each->about & ACCOUNT_LENGTH) = index + 1;
    }
    free(ledger->slots);
    *ledger = grown;
    return true;
}

struct account_record *ledger_record(struct ledger *ledger, uint64_t address, const uint8_t *bytes,
                                     size_t length)
{
    struct account_header *header = ledger->header;
    if (!bytes || length > ACCOUNT_BYTES)
        header->lack = ACCOUNT_STRANGE_CODE;
    else if (!make_room(ledger))
        header->lack = ACCOUNT_NO_MEMORY;
    else {
        uint32_t *slot = find_slot(ledger, address, bytes, length);
        if (*slot)
            return &ledger->records[*slot - 1];
        if (header->records < ACCOUNT_RECORDS) {
            struct account_record *record = &ledger->records[header->records];
            record->address = address;
            memcpy(record->bytes, bytes, length);
            record->about = (uint8_t)length;
            *slot = (uint32_t)++header->records;
            return record;
        }
        header->lack = ACCOUNT_TOO_MUCH_CODE;
    }
    return NULL;
}

/* --- where code is from --- */

static bool is_mapped(const struct ledger *ledger, uint64_t address)
{
    for (uint64_t index = ledger->header->maps; index > 0; index--)
        if (address >= ledger->maps[index - 1].start && address < ledger->maps[index - 1].end)
            return true;
    return false;
}

void ledger_map(struct ledger *ledger, uint64_t address)
{
    struct account_header *header = ledger->header;
    if (is_mapped(ledger, address) || header->maps == ACCOUNT_MAPS)
        return;
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_BYTES + 128];
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long long start, end, offset;
        int path = 0;
        uint64_t there = address + header->base;
        if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &offset, &path) < 3 ||
            there < start || there >= end)
            continue;
        struct account_map *map = &ledger->maps[header->maps];
        line[strcspn(line, "\n")] = 0;
        *map = (struct account_map){start - header->base, end - header->base, offset, ""};
        if (path)
            snprintf(map->object, sizeof(map->object), "%s", line + path);
        header->maps++;
        break;
    }
    if (maps)
        fclose(maps);
}
