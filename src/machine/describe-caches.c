/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the machine claims of its caches and pages: claims only, which virtual machines often get
 * wrong. `assay caches` sets what it measures beside them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/describe.h"

#define FOLDER "/sys/devices/system/cpu/cpu0/cache"

/* "32K", "8M" or "64" as bytes; 0 for anything else. */
static unsigned long long number(const char *text)
{
    unsigned long long value = 0;
    char unit = '\0';
    if (sscanf(text, "%15llu%c", &value, &unit) < 1)
        return 0;
    return value << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

static void read_file(const struct machine_view *view, const char *index, const char *file,
                      struct text *content)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, FOLDER "/%s/%s", index, file);
    if (path.failed || view_text(view, text_string(&path), content) < 0)
        text_puts(content, "");
    char *end = content->bytes ? content->bytes + strcspn(content->bytes, "\n") : NULL;
    if (end)
        *end = '\0';
}

/* The files of a cache, and the end of the fact that each becomes. */
static const struct {
    const char *file, *fact;
} properties[] = {
    {"size", "bytes"}, {"coherency_line_size", "line_bytes"}, {"ways_of_associativity", "ways"}};

/* "l1d", "l1i", "l2" …; "" for what is no cache we know. */
static void name_cache(const struct machine_view *view, const char *index, char *name, size_t size)
{
    AUTO_TEXT struct text level = {0}, type = {0};
    read_file(view, index, "level", &level);
    read_file(view, index, "type", &type);
    unsigned long long which = number(text_string(&level));
    const char *kind = strcmp(text_string(&type), "Data") == 0          ? "d"
                       : strcmp(text_string(&type), "Instruction") == 0 ? "i"
                                                                        : "";
    name[0] = '\0';
    if (which >= 1 && which <= 9)
        snprintf(name, size, "l%llu%s", which, kind);
}

static void describe_cache(const struct machine_view *view, const char *index, struct facts *facts)
{
    char name[8], key[48];
    name_cache(view, index, name, sizeof(name));
    for (size_t i = 0; name[0] && i < sizeof(properties) / sizeof(*properties); i++) {
        AUTO_TEXT struct text content = {0};
        read_file(view, index, properties[i].file, &content);
        unsigned long long value = number(text_string(&content));
        snprintf(key, sizeof(key), "cache.%s.%s", name, properties[i].fact);
        if (value)
            facts_setf(facts, key, "%llu", value);
    }
    if (!name[0])
        return;
    AUTO_TEXT struct text cpus = {0};
    read_file(view, index, "shared_cpu_list", &cpus);
    snprintf(key, sizeof(key), "cache.%s.cpus", name);
    if (cpus.length && text_string(&cpus)[0])
        facts_set(facts, key, text_string(&cpus), 0);
}

/* Where the operating system lists none, libc may know some from the CPU itself. */
static void ask_libc(struct facts *facts)
{
#ifdef _SC_LEVEL1_DCACHE_SIZE
    static const struct {
        int name;
        const char *key;
    } questions[] = {{_SC_LEVEL1_DCACHE_SIZE, "cache.l1d.bytes"},
                     {_SC_LEVEL1_DCACHE_LINESIZE, "cache.l1d.line_bytes"},
                     {_SC_LEVEL1_DCACHE_ASSOC, "cache.l1d.ways"},
                     {_SC_LEVEL1_ICACHE_SIZE, "cache.l1i.bytes"},
                     {_SC_LEVEL2_CACHE_SIZE, "cache.l2.bytes"},
                     {_SC_LEVEL2_CACHE_LINESIZE, "cache.l2.line_bytes"},
                     {_SC_LEVEL2_CACHE_ASSOC, "cache.l2.ways"},
                     {_SC_LEVEL3_CACHE_SIZE, "cache.l3.bytes"},
                     {_SC_LEVEL3_CACHE_LINESIZE, "cache.l3.line_bytes"},
                     {_SC_LEVEL3_CACHE_ASSOC, "cache.l3.ways"}};
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
        long answer = sysconf(questions[i].name);
        if (answer > 0)
            facts_setf(facts, questions[i].key, "%ld", answer);
    }
#else
    (void)facts;
#endif
}

/* "always [madvise] never": what is chosen stands in brackets. */
static void describe_huge_pages(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text enabled = {0};
    int error = view_text(view, "/sys/kernel/mm/transparent_hugepage/enabled", &enabled);
    const char *begin = error ? NULL : strchr(text_string(&enabled), '[');
    size_t length = begin ? strcspn(begin + 1, "]") : 0;
    if (length)
        facts_setf(facts, "memory.huge_pages", "%.*s", (int)length, begin + 1);
    else
        facts_set(facts, "memory.huge_pages", NULL, error ? -error : ENODATA);
    view_read(view, facts, "memory.huge_page_bytes",
              "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
}

void describe_caches(const struct machine_view *view, struct facts *facts)
{
    AUTO_NAMES struct view_names names = {0};
    int error = view_names(view, FOLDER, "index*", &names);
    for (size_t i = 0; error == 0 && i < names.count; i++)
        describe_cache(view, names.list[i], facts);
    if ((error < 0 || !names.count) && !view_recorded(view))
        ask_libc(facts);
    if (!facts_find(facts, "cache.l1d.bytes"))
        facts_set(facts, "cache.l1d.bytes", NULL, error < 0 ? -error : ENODATA);
    describe_huge_pages(view, facts);
}
