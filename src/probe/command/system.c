/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operating system tells of a program beside what is counted: how many interrupts its
 * CPU had, and how many tasks were born below it. */
#include "probe/command/command.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* ----------------------------------------------------------------------------------------------
 * Interrupts, from /proc/interrupts: a column for each CPU that is online, a line for each
 * interrupt. */

/* Which column of the first line is this CPU's? *columns: how many there are. -1: none. */
static int find_column(const char *header, int cpu, int *columns)
{
    int column = -1;
    *columns = 0;
    for (const char *word = strstr(header, "CPU"); word; word = strstr(word + 3, "CPU")) {
        if (atoi(word + 3) == cpu && isdigit((unsigned char)word[3]))
            column = *columns;
        (*columns)++;
    }
    return column;
}

/* Errors are counted for the whole machine: their lines hold one number. */
static bool is_of_cpus(const char *line)
{
    line += strspn(line, " ");
    return strncasecmp(line, "ERR:", 4) != 0 && strncasecmp(line, "MIS:", 4) != 0;
}

static uint64_t number_in(const char *line, int column, int columns)
{
    const char *rest = strchr(line, ':');
    uint64_t wanted = 0;
    if (!rest || !is_of_cpus(line))
        return 0;
    rest++;
    for (int index = 0; index < columns; index++) {
        char *end;
        const unsigned long long value = strtoull(rest, &end, 10);
        if (end == rest)
            return 0;
        if (index == column)
            wanted = value;
        rest = end;
    }
    return wanted;
}

int interrupts_parse(FILE *text, int cpu, uint64_t *interrupts)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    int columns = 0;
    const int column = getline(&line, &size, text) > 0 ? find_column(line, cpu, &columns) : -1;
    if (column < 0)
        return -ENOENT;
    *interrupts = 0;
    while (getline(&line, &size, text) > 0)
        *interrupts += number_in(line, column, columns);
    return 0;
}

int interrupts_read(int cpu, uint64_t *interrupts)
{
    AUTO_FILE FILE *text = cpu >= 0 ? fopen("/proc/interrupts", "re") : NULL;
    return text ? interrupts_parse(text, cpu, interrupts) : -ENOENT;
}

/* ----------------------------------------------------------------------------------------------
 * Births, by the records that perf_event keeps of them: an event that counts nothing, on every
 * CPU, inherited by whatever is born. Nothing is sampled and nobody is stopped. */

/* Pages of records of a CPU, a power of two each: about 64 births a page. */
#define MOST_PAGES  64u
#define LEAST_PAGES 2u
#define ALL_PAGES   1024u /* of all CPUs together */

struct ring {
    int fd;
    size_t bytes; /* of records */
    struct perf_event_mmap_page *page;
};
struct task_records {
    struct ring *rings;
    size_t count;
    size_t bytes; /* of a page */
};

/* -1 with errno */
static int open_ring(struct task_records *records, pid_t pid, int cpu, size_t pages)
{
    struct perf_event_attr attr;
    attr = (struct perf_event_attr){.size = sizeof(struct perf_event_attr),
                                    .type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_DUMMY,
                                    .inherit = 1,
                                    .task = 1,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1};
    struct ring *ring = &records->rings[records->count];
    ring->fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (ring->fd < 0)
        return -1;
    ring->bytes = pages * records->bytes;
    void *page =
        mmap(NULL, records->bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (page == MAP_FAILED) {
        close(ring->fd);
        return -1;
    }
    ring->page = page;
    records->count++;
    return 0;
}

/* Those that are held on one CPU are born there, but may let go of it. */
static size_t pages_of(long cpu, int held, long cpus)
{
    size_t pages = MOST_PAGES;
    while (held < 0 && pages > LEAST_PAGES && pages * (size_t)cpus > ALL_PAGES)
        pages /= 2;
    return held >= 0 && cpu != held ? LEAST_PAGES : pages;
}

/* A CPU that is offline has nothing to tell; any other that refuses would hide births. */
static bool open_all(struct task_records *records, pid_t pid, int held, long cpus)
{
    for (long cpu = 0; cpu < cpus; cpu++)
        if (open_ring(records, pid, (int)cpu, pages_of(cpu, held, cpus)) < 0 && errno != ENODEV)
            return false;
    return records->count > 0;
}

struct task_records *tasks_watch(pid_t pid, int cpu)
{
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    struct task_records *records = cpus > 0 ? calloc(1, sizeof(*records)) : NULL;
    if (!records)
        return NULL;
    records->bytes = (size_t)sysconf(_SC_PAGESIZE);
    records->rings = calloc((size_t)cpus, sizeof(*records->rings));
    if (records->rings && open_all(records, pid, cpu, cpus))
        return records;
    tasks_free(records);
    return NULL;
}

struct birth {
    struct perf_event_header header;
    uint32_t pid, ppid, tid, ptid;
};

/* A record may go round the end of its ring. */
static void copy_record(const struct ring *ring, size_t bytes, uint64_t at, void *to, size_t length)
{
    const char *records = (const char *)ring->page + bytes;
    for (size_t index = 0; index < length; index++)
        ((char *)to)[index] = records[(at + index) % ring->bytes];
}

static int count_ring(const struct ring *ring, size_t bytes, uint64_t *tasks, uint64_t *processes)
{
    const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    if (head >= ring->bytes) /* it was never read: the ring may have been full */
        return -ENOENT;
    for (uint64_t at = ring->page->data_tail; at < head;) {
        struct birth birth = {0};
        copy_record(ring, bytes, at, &birth.header, sizeof(birth.header));
        if (birth.header.type == PERF_RECORD_LOST || birth.header.size < sizeof(birth.header))
            return -ENOENT;
        if (birth.header.type == PERF_RECORD_FORK && birth.header.size >= sizeof(birth)) {
            copy_record(ring, bytes, at, &birth, sizeof(birth));
            (*tasks)++;
            *processes += birth.pid != birth.ppid;
        }
        at += birth.header.size;
    }
    return 0;
}

int tasks_count(struct task_records *records, uint64_t *tasks, uint64_t *processes)
{
    int result = records ? 0 : -ENOENT;
    *tasks = *processes = 1;
    for (size_t index = 0; records && index < records->count && result == 0; index++)
        result = count_ring(&records->rings[index], records->bytes, tasks, processes);
    return result;
}

void tasks_free(struct task_records *records)
{
    if (!records)
        return;
    for (size_t index = 0; index < records->count; index++) {
        munmap(records->rings[index].page, records->bytes + records->rings[index].bytes);
        close(records->rings[index].fd);
    }
    free(records->rings);
    free(records);
}
