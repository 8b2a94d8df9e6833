/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds specimens by name, takes their parameters apart, completes these by what the machine
 * claims, and makes specimens ready. */
#include "specimens/specimen.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "specimens/affinity.h"

const char *const truth_grade_names[] = {"proven", "bounded", "model"};

const struct specimen *specimen_find(const char *name)
{
    for (size_t index = 0; specimen_registry[index]; index++)
        if (strcmp(specimen_registry[index]->name, name) == 0)
            return specimen_registry[index];
    return NULL;
}

bool specimen_leaves_turns(const struct specimen *specimen, long cpus)
{
    return !specimen->takes_cpu || cpus > 1;
}

/* --- A specimen's name with its parameters, NAME/key=value,key=value/, taken apart --- */

#define KEY(name)                                                                                  \
    {                                                                                              \
#name, offsetof(struct specimen_parameters, name)                                          \
    }
static const struct {
    const char *key;
    size_t offset;
} keys[] = {
    KEY(line),    KEY(l1d),      KEY(l1i),     KEY(l2),   KEY(llc),    KEY(l1d_ways), KEY(l1i_ways),
    KEY(l2_ways), KEY(llc_ways), KEY(dtlb),    KEY(itlb), KEY(bytes),  KEY(stride),   KEY(huge),
    KEY(spread),  KEY(pair),     KEY(cluster), KEY(seed), KEY(offset), KEY(period),
};

static bool word_in(const char *list, const char *word, size_t length)
{
    for (const char *at = list; at && *at;) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return true;
        at += here + strspn(at + here, " ");
    }
    return false;
}

bool specimen_takes(const struct specimen *specimen, const char *key)
{
    return word_in(specimen->parameters, key, strlen(key));
}

/* A decimal number, with k, m or g for powers of 1024. */
static int take_value(const char *text, size_t length, uint64_t *value)
{
    char *end;
    if (!length || !isdigit((unsigned char)*text))
        return -EINVAL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end < text + length)
        shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
    end += shift ? 1 : 0;
    if (errno || end != text + length || number > UINT64_MAX >> shift)
        return -EINVAL;
    *value = (uint64_t)number << shift;
    return 0;
}

/* One key=value. */
static int take_term(const struct specimen *specimen, const char *term, size_t length,
                     struct specimen_parameters *parameters, struct failure *failure)
{
    size_t key = strcspn(term, "=");
    for (size_t index = 0; key < length && index < sizeof(keys) / sizeof(*keys); index++) {
        if (strlen(keys[index].key) != key || strncmp(keys[index].key, term, key) != 0 ||
            !word_in(specimen->parameters, term, key))
            continue;
        uint64_t *field = (uint64_t *)(void *)((char *)parameters + keys[index].offset);
        if (take_value(term + key + 1, length - key - 1, field) == 0)
            return 0;
        return fail_with(failure, -EINVAL,
                         "specimen %s: %.*s wants a number below 2^64, such as 65536 or 64k",
                         specimen->name, (int)key, term);
    }
    if (!specimen->parameters)
        return fail_with(failure, -EINVAL, "specimen %s takes no parameters", specimen->name);
    return fail_with(failure, -EINVAL,
                     "specimen %s has no parameter %.*s; it takes KEY=VALUE with these keys: %s",
                     specimen->name, (int)(length > 40 ? 40 : length), term, specimen->parameters);
}

static int take_terms(const struct specimen *specimen, const char *terms,
                      struct specimen_parameters *parameters, struct failure *failure)
{
    size_t length = strlen(terms);
    if (!length || terms[length - 1] != '/' || strchr(terms, '/') != terms + length - 1)
        return fail_with(failure, -EINVAL,
                         "parameters of specimen %s end with one slash: %s/KEY=VALUE,KEY=VALUE/",
                         specimen->name, specimen->name);
    for (const char *at = terms, *last = terms + length - 1; at < last;) {
        size_t here = strcspn(at, ",/");
        int result = take_term(specimen, at, here, parameters, failure);
        if (result < 0)
            return result;
        at += here + 1;
    }
    return 0;
}

int specimen_parse(const char *name, const struct specimen **specimen,
                   struct specimen_parameters *parameters, struct failure *failure)
{
    char bare[64];
    size_t length = strcspn(name, "/");
    *parameters = (struct specimen_parameters){0};
    *specimen = NULL;
    if (length < sizeof(bare)) {
        memcpy(bare, name, length);
        bare[length] = '\0';
        *specimen = specimen_find(bare);
    }
    if (!*specimen)
        return fail_with(failure, -ENOENT, "this kit has no specimen %.64s", name);
    if (!name[length])
        return 0;
    return take_terms(*specimen, name + length + 1, parameters, failure);
}

/* ----------------------------------------------------------------------------------------------
 * The machine's claims of its caches: sysfs first, because it is the same on every ISA, then what
 * libc knows. Neither says anything of TLBs. CPUs of one machine differ: what counts is the one to
 * which the thread is bound, or the largest of those it may use. */

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

static uint64_t *field_at(struct specimen_parameters *parameters, size_t offset)
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
        if (bytes > *field_at(largest, places[place].bytes)) {
            *field_at(largest, places[place].bytes) = bytes;
            *field_at(largest, places[place].ways) = claimed_number(where, "ways_of_associativity");
        }
        if (line > largest->line)
            largest->line = line;
    }
    return level != 0;
}

/* Of the CPUs this thread may use; of the first where nobody says which these are. */
static void take_sysfs(struct specimen_parameters *parameters)
{
    struct specimen_parameters largest = {0};
    struct affinity allowed;
    if (affinity_get(&allowed) < 0)
        affinity_single(&allowed, 0);
    for (size_t nth = 0, count = affinity_count(&allowed); nth < count; nth++) {
        struct place_of_claims where = {.cpu = affinity_nth(&allowed, nth)};
        while (where.index < INDEXES && take_larger(&largest, where))
            where.index++;
    }
    for (size_t place = 0; place < sizeof(places) / sizeof(*places); place++) {
        take(field_at(parameters, places[place].bytes), *field_at(&largest, places[place].bytes));
        take(field_at(parameters, places[place].ways), *field_at(&largest, places[place].ways));
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
        if (!*field_at(parameters, places[place].bytes) ||
            !*field_at(parameters, places[place].ways))
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

/* --- Making a specimen ready --- */

/* Geometry is read from dozens of files: only for who takes some of it. */
static bool depends_on_geometry(const struct specimen *specimen)
{
    const char *taken = specimen->parameters ? specimen->parameters : "";
    return strstr(taken, "line") || strstr(taken, "tlb");
}

int specimen_prepare(const struct specimen *specimen, struct specimen_state *state,
                     struct failure *failure)
{
    if (state->n < specimen->min_n)
        return fail_with(failure, -ERANGE, "specimen %s begins at N = %llu", specimen->name,
                         (unsigned long long)specimen->min_n);
    if (state->n > specimen->max_n)
        return fail_with(failure, -ERANGE, "specimen %s goes up to N = %llu", specimen->name,
                         (unsigned long long)specimen->max_n);
    if (depends_on_geometry(specimen))
        geometry_complete(&state->parameters);
    if (!specimen->prepare)
        return 0;
    *failure = (struct failure){0};
    int result = specimen->prepare(state, failure);
    if (result < 0 && !failure->text[0])
        fail_with(failure, result, "specimen %s cannot do N = %llu: %s", specimen->name,
                  (unsigned long long)state->n, strerror(-result));
    return result;
}
