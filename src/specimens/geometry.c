/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the machine's claims: sysfs first, because it is the same on every ISA, then what libc
 * knows. Neither says anything of TLBs. CPUs of one machine differ: what counts is the one to which
 * the thread is bound, or the largest of those it may use. */
#include "specimens/geometry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "specimens/affinity.h"

#define INDEX   "/sys/devices/system/cpu/cpu%u/cache/index%u/%s"
#define INDEXES 8u

/* Where the claims of one cache stand. */
struct place_of_claims {
    unsigned cpu, index;
};

/* One line of a file, without its newline; "" where there is none. */
static void read_claim(struct place_of_claims where, const char *name, char *value, size_t size)
{
    char path[96];
    snprintf(path, sizeof(path), INDEX, where.cpu, where.index, name);
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(value, (int)size, file))
        value[0] = '\0';
    value[strcspn(value, "\n")] = '\0';
    fclose(file);
}

/* "32K", "1024K", "8M"; 0 for anything else. */
static uint64_t claimed_number(struct place_of_claims where, const char *name)
{
    char value[32], unit = '\0';
    unsigned long long number = 0;
    read_claim(where, name, value, sizeof(value));
    int got = sscanf(value, "%18llu%c", &number, &unit);
    return got < 1 ? 0 : number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

static void take(uint64_t *field, uint64_t value)
{
    if (!*field)
        *field = value;
}

struct level_place {
    unsigned level;
    const char *type; /* as sysfs says it */
    size_t bytes, ways;
};

#define PLACE(level, type, name)                                                                   \
    {                                                                                              \
        level, type, offsetof(struct specimen_parameters, name),                                   \
            offsetof(struct specimen_parameters, name##_ways)                                      \
    }
static const struct level_place places[] = {
    PLACE(1, "Data", l1d),   PLACE(1, "Instruction", l1i), PLACE(1, "Unified", l1d),
    PLACE(2, "Unified", l2), PLACE(3, "Unified", llc),
};

static uint64_t *field(struct specimen_parameters *parameters, size_t offset)
{
    return (uint64_t *)(void *)((char *)parameters + offset);
}

/* The larger of two caches, with its own ways. Returns whether there was one to ask. */
static bool take_larger(struct specimen_parameters *largest, struct place_of_claims where)
{
    char type[32];
    unsigned level = (unsigned)claimed_number(where, "level");
    read_claim(where, "type", type, sizeof(type));
    for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++) {
        if (places[place].level != level || strcmp(places[place].type, type) != 0)
            continue;
        uint64_t bytes = claimed_number(where, "size");
        uint64_t line = claimed_number(where, "coherency_line_size");
        if (bytes > *field(largest, places[place].bytes)) {
            *field(largest, places[place].bytes) = bytes;
            *field(largest, places[place].ways) = claimed_number(where, "ways_of_associativity");
        }
        if (line > largest->line)
            largest->line = line;
    }
    return level != 0;
}

static void take_cpu(struct specimen_parameters *largest, unsigned cpu)
{
    struct place_of_claims where = {.cpu = cpu};
    while (where.index < INDEXES && take_larger(largest, where))
        where.index++;
}

/* Of the CPUs this thread may use; of the first where nobody says which these are. */
static void take_sysfs(struct specimen_parameters *parameters)
{
    struct specimen_parameters largest = {0};
    struct affinity allowed;
    if (affinity_get(&allowed) < 0)
        affinity_single(&allowed, 0);
    for (size_t nth = 0, count = affinity_count(&allowed); nth < count; nth++)
        take_cpu(&largest, affinity_nth(&allowed, nth));
    for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++) {
        take(field(parameters, places[place].bytes), *field(&largest, places[place].bytes));
        take(field(parameters, places[place].ways), *field(&largest, places[place].ways));
    }
    take(&parameters->line, largest.line);
}

static uint64_t libc_claim(int name)
{
    long value = sysconf(name);
    return value > 0 ? (uint64_t)value : 0;
}

static bool is_complete(struct specimen_parameters *parameters)
{
    for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++)
        if (!*field(parameters, places[place].bytes) || !*field(parameters, places[place].ways))
            return false;
    return parameters->line != 0;
}

void geometry_complete(struct specimen_parameters *parameters)
{
    if (is_complete(parameters)) /* before every run but the first */
        return;
    take_sysfs(parameters);
#ifdef _SC_LEVEL1_DCACHE_SIZE
    take(&parameters->line, libc_claim(_SC_LEVEL1_DCACHE_LINESIZE));
    take(&parameters->l1d, libc_claim(_SC_LEVEL1_DCACHE_SIZE));
    take(&parameters->l1d_ways, libc_claim(_SC_LEVEL1_DCACHE_ASSOC));
    take(&parameters->l1i, libc_claim(_SC_LEVEL1_ICACHE_SIZE));
    take(&parameters->l1i_ways, libc_claim(_SC_LEVEL1_ICACHE_ASSOC));
    take(&parameters->l2, libc_claim(_SC_LEVEL2_CACHE_SIZE));
    take(&parameters->l2_ways, libc_claim(_SC_LEVEL2_CACHE_ASSOC));
    take(&parameters->llc, libc_claim(_SC_LEVEL3_CACHE_SIZE));
    take(&parameters->llc_ways, libc_claim(_SC_LEVEL3_CACHE_ASSOC));
#endif
}

int geometry_require(const char *specimen, const char *key, uint64_t value, struct failure *failure)
{
    if (value)
        return 0;
    return fail_with(failure, -ENODATA,
                     "the machine does not say its %s, on which specimen %s depends: give it as "
                     "%s/%s=VALUE/, or let `assay caches` measure it",
                     key, specimen, specimen, key);
}
