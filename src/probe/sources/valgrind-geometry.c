/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Caches and TLBs in cachegrind's words: bytes, ways, bytes of a line. It simulates what has a
 * power of two of sets; a TLB is a cache whose lines are pages, every entry able to hold any. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/sources/valgrind.h"
#include "specimens/specimen.h"

struct cache {
    const char *option; /* of cachegrind */
    const char *key;    /* of the specimen's parameters */
    uint64_t bytes, ways, line;
    uint64_t usual_bytes; /* where its size makes no difference */
    bool needed;
};

static bool is_power_of_two(uint64_t number)
{
    return number && !(number & (number - 1));
}

static bool possible(const struct cache *cache)
{
    uint64_t way = cache->ways * cache->line;
    return cache->bytes && cache->ways && is_power_of_two(cache->line) && cache->line >= 16 &&
           cache->ways <= cache->bytes && cache->bytes % way == 0 &&
           is_power_of_two(cache->bytes / way);
}

static int put(const struct specimen *specimen, struct cache cache, char word[64],
               struct failure *failure)
{
    /* What a specimen that does not ask for its size misses there is the same in any. */
    if (!possible(&cache) && (!cache.needed || !specimen_takes(specimen, cache.key))) {
        cache.bytes = cache.usual_bytes;
        cache.ways = 8;
        cache.line = 64;
    }
    if (!cache.bytes)
        return geometry_require(specimen->name, cache.key, 0, failure);
    if (!possible(&cache))
        return fail_with(failure, -ENOTSUP,
                         "cachegrind simulates caches with a power of two of sets, not %s = %llu "
                         "bytes in %llu ways of lines of %llu: give others as %s/%s=BYTES,"
                         "%s_ways=WAYS/",
                         cache.key, (unsigned long long)cache.bytes, (unsigned long long)cache.ways,
                         (unsigned long long)cache.line, specimen->name, cache.key, cache.key);
    snprintf(word, 64, "--%s=%llu,%llu,%llu", cache.option, (unsigned long long)cache.bytes,
             (unsigned long long)cache.ways, (unsigned long long)cache.line);
    return 0;
}

/* Was a class whose name begins so asked for? */
static bool asked(uint32_t needed, const char *start)
{
    for (unsigned index = 0; valgrind_classes[index].name; index++)
        if ((needed >> index & 1) &&
            strncmp(valgrind_classes[index].name, start, strlen(start)) == 0)
            return true;
    return false;
}

int valgrind_geometry(enum valgrind_tool tool, const struct specimen *specimen,
                      struct specimen_parameters parameters, uint32_t needed,
                      char words[GEOMETRY_WORDS][64], struct failure *failure)
{
    struct specimen_parameters *has = &parameters;
    geometry_complete(has);
    if (specimen->form == SPECIMEN_NULL) /* misses nothing, whatever the caches */
        needed = 0;
    long page = sysconf(_SC_PAGESIZE);
    uint64_t line = tool == TOOL_TLB && page > 0 ? (uint64_t)page : has->line;
    struct cache code = {"I1", "l1i", has->l1i, has->l1i_ways, line, 32768, asked(needed, "l1i")};
    struct cache data = {"D1", "l1d", has->l1d, has->l1d_ways, line, 32768, asked(needed, "l1d")};
    struct cache last = {
        "LL", "llc", has->llc, has->llc_ways, line, 8u << 20, asked(needed, "llc")};
    if (tool == TOOL_CACHE_L2)
        last = (struct cache){"LL", "l2", has->l2, has->l2_ways, line, 8u << 20, needed != 0};
    if (tool == TOOL_TLB) {
        code = (struct cache){"I1", "itlb", has->itlb * line,     has->itlb,
                              line, 32768,  asked(needed, "itlb")};
        data = (struct cache){"D1", "dtlb", has->dtlb * line,     has->dtlb,
                              line, 32768,  asked(needed, "dtlb")};
    }
    int result = put(specimen, code, words[0], failure);
    if (result == 0)
        result = put(specimen, data, words[1], failure);
    return result < 0 ? result : put(specimen, last, words[2], failure);
}
