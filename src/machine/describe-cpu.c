/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hardware as the machine describes it: CPU, caches, and the counter of time. */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/machine-words.h"
#include "machine/check.h"

/* ----------------------------------------------------------------------------------------------
 * Which CPU: from /proc/cpuinfo, whose words differ per ISA (lib/machine-words.h), to the same few
 * facts everywhere. Machines with several core types list the distinct values of each, joined with
 * commas. */

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

static void read_line(char *line, struct text values[CPUINFO_WORDS], bool *guest)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    const char *word = trimmed(line);
    char *value = trimmed(colon + 1);
    for (size_t i = 0; i < CPUINFO_WORDS; i++)
        if (strcmp(cpuinfo_words[i].word, word) == 0)
            distinct_add(&values[i], value);
    if (strcmp(word, "flags") == 0) {
        char *save = NULL;
        for (char *flag = strtok_r(value, " ", &save); flag; flag = strtok_r(NULL, " ", &save))
            *guest = *guest || strcmp(flag, "hypervisor") == 0;
    }
}

static void name_arm_cores(struct facts *facts)
{
    const char *implementer = facts_get(facts, "cpu.vendor");
    const char *parts = facts_get(facts, "cpu.model");
    if (facts_get(facts, "cpu.model_name") || !implementer || !parts)
        return;
    AUTO_TEXT struct text names = {0};
    for (const struct arm_core *core = arm_cores; core->name; core++)
        if (strcmp(core->implementer, implementer) == 0 && strstr(parts, core->part))
            distinct_add(&names, core->name);
    if (names.length > 0)
        facts_set(facts, "cpu.model_name", text_string(&names), 0);
}

/* "0-3,8" holds five CPUs; 0 when it is no such list. */
static unsigned count_cpus(const char *list)
{
    unsigned count = 0;
    for (const char *at = list; at && *at;) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return 0;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (last < first || last > 1u << 20 || (*end != ',' && *end != '\0'))
            return 0;
        count += (unsigned)(last - first + 1);
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

#define MOST_CPUS 8192

void describe_cpu(const struct machine_view *view, struct facts *facts)
{
    struct utsname name;
    view_live(view, facts, "isa", uname(&name) == 0 ? name.machine : NULL, errno);
    AUTO_TEXT struct text cpuinfo = {0};
    int error = view_text(view, "/proc/cpuinfo", &cpuinfo);
    struct text values[CPUINFO_WORDS] = {0};
    bool guest = false;
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(cpuinfo.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        read_line(line, values, &guest);
    for (size_t i = 0; i < CPUINFO_WORDS; i++) {
        if (!facts_get(facts, cpuinfo_words[i].key))
            facts_set(facts, cpuinfo_words[i].key,
                      values[i].length ? text_string(&values[i]) : NULL, error ? -error : ENOENT);
        text_free(&values[i]);
    }
    name_arm_cores(facts);
    facts_set(facts, "cpu.guest_flag", error ? NULL : guest ? "1" : "0", -error);
    view_read(view, facts, "cpu.online", "/sys/devices/system/cpu/online");
    /* "0-3,8": those that this process may run on. */
    AUTO_TEXT struct text list = {0};
    unsigned long mask[MOST_CPUS / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof(unsigned long);
    error = sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask) < 0 ? errno : 0;
    for (unsigned cpu = 0, first = 0; cpu < MOST_CPUS; cpu++) {
        bool here = mask[cpu / bits] >> cpu % bits & 1;
        bool next = cpu + 1 < MOST_CPUS && (mask[(cpu + 1) / bits] >> (cpu + 1) % bits & 1);
        if (!here)
            first = cpu + 1;
        else if (!next && first == cpu)
            text_printf(&list, "%s%u", list.length ? "," : "", cpu);
        else if (!next)
            text_printf(&list, "%s%u-%u", list.length ? "," : "", first, cpu);
    }
    view_live(view, facts, "cpu.allowed", list.length ? text_string(&list) : NULL,
              error ? error : ENODATA);
    unsigned count = count_cpus(facts_get(facts, "cpu.online"));
    if (count > 0)
        facts_setf(facts, "cpu.count", "%u", count);
    else
        facts_set(facts, "cpu.count", NULL, facts_error(facts, "cpu.online"));
}

/* ----------------------------------------------------------------------------------------------
 * What the machine claims of its caches and pages: claims only, which virtual machines often get
 * wrong. `assay caches` sets what it measures beside them. */

#define CACHE_FOLDER "/sys/devices/system/cpu/cpu0/cache"

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
    text_printf(&path, CACHE_FOLDER "/%s/%s", index, file);
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

static void describe_cache(const struct machine_view *view, const char *index, struct facts *facts)
{
    char name[8], key[48];
    /* "l1d", "l1i", "l2" …; "" for what is no cache we know. */
    AUTO_TEXT struct text level = {0}, type = {0};
    read_file(view, index, "level", &level);
    read_file(view, index, "type", &type);
    unsigned long long which = number(text_string(&level));
    const char *kind = strcmp(text_string(&type), "Data") == 0          ? "d"
                       : strcmp(text_string(&type), "Instruction") == 0 ? "i"
                                                                        : "";
    name[0] = '\0';
    if (which >= 1 && which <= 9)
        snprintf(name, sizeof(name), "l%llu%s", which, kind);
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

void describe_caches(const struct machine_view *view, struct facts *facts)
{
    AUTO_NAMES struct view_names names = {0};
    int error = view_names(view, CACHE_FOLDER, "index*", &names);
    for (size_t i = 0; error == 0 && i < names.count; i++)
        describe_cache(view, names.list[i], facts);
    if ((error < 0 || !names.count) && !view_recorded(view)) {
        /* Where the operating system lists none, libc may know some from the CPU itself. */
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
    if (!facts_find(facts, "cache.l1d.bytes"))
        facts_set(facts, "cache.l1d.bytes", NULL, error < 0 ? -error : ENODATA);
    /* "always [madvise] never": what is chosen stands in brackets. */
    AUTO_TEXT struct text enabled = {0};
    error = view_text(view, "/sys/kernel/mm/transparent_hugepage/enabled", &enabled);
    const char *begin = error ? NULL : strchr(text_string(&enabled), '[');
    size_t length = begin ? strcspn(begin + 1, "]") : 0;
    if (length)
        facts_setf(facts, "memory.huge_pages", "%.*s", (int)length, begin + 1);
    else
        facts_set(facts, "memory.huge_pages", NULL, error ? -error : ENODATA);
    view_read(view, facts, "memory.huge_page_bytes",
              "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
}

/* ----------------------------------------------------------------------------------------------
 * What is claimed of the counter of time, and what is done to it: flags of the CPU, by how much the
 * operating system steers its clocks, and whether programs may read ticks at all. `assay clocks`
 * sets what it measures beside them. */

#ifndef PR_GET_TSC
#define PR_GET_TSC     25
#define PR_TSC_ENABLE  1
#define PR_TSC_SIGSEGV 2
#endif

/* Which line of /proc/cpuinfo lists what a CPU of that ISA can do, what separates its words, and
 * which of them concern time. */
static const struct dialect {
    const char *isa, *line, *separators;
    const char *const *words;
} dialects[] = {
    {"x86_64", "flags", " ",
     (const char *const[]){"tsc", "constant_tsc", "nonstop_tsc", "nonstop_tsc_s3", "tsc_reliable",
                           "tsc_known_freq", "tsc_adjust", "tsc_scale", "art", "rdtscp", NULL}},
    {"aarch64", "Features", " ", (const char *const[]){"evtstrm", "ecv", NULL}},
    {"riscv64", "isa", "_", (const char *const[]){"zicntr", "sstc", "smcntrpmf", NULL}},
};
#define MOST_WORDS 16

static const struct dialect *find_dialect(const char *isa)
{
    for (size_t i = 0; isa && i < sizeof(dialects) / sizeof(*dialects); i++)
        if (strcmp(dialects[i].isa, isa) == 0)
            return &dialects[i];
    return NULL;
}

/* Counts each word of the dialect that the line lists. */
static void count_words(const struct dialect *dialect, char *list, unsigned counts[MOST_WORDS])
{
    bool seen[MOST_WORDS] = {false};
    char *save = NULL;
    for (char *flag = strtok_r(list, dialect->separators, &save); flag;
         flag = strtok_r(NULL, dialect->separators, &save))
        for (size_t i = 0; dialect->words[i]; i++)
            seen[i] = seen[i] || strcmp(flag, dialect->words[i]) == 0;
    for (size_t i = 0; dialect->words[i]; i++)
        counts[i] += seen[i];
}

/* What follows the colon, when the line is about that; else NULL. */
static char *after_colon(char *line, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0)
        return NULL;
    char *colon = line + length + strspn(line + length, " \t");
    return *colon == ':' ? colon + 1 + strspn(colon + 1, " \t") : NULL;
}

/* Only what every CPU has: a flag that one core lacks is no claim of the machine. */
static void describe_flags(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text cpuinfo = {0}, flags = {0};
    const struct dialect *dialect = find_dialect(facts_get(facts, "isa"));
    int error = dialect ? view_text(view, "/proc/cpuinfo", &cpuinfo) : -EOPNOTSUPP;
    unsigned counts[MOST_WORDS] = {0}, cpus = 0;
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(cpuinfo.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *list = after_colon(line, dialect->line);
        if (!list)
            continue;
        cpus++;
        count_words(dialect, list, counts);
    }
    for (size_t i = 0; cpus && dialect->words[i]; i++)
        if (counts[i] == cpus)
            text_printf(&flags, "%s%s", flags.length ? " " : "", dialect->words[i]);
    facts_set(facts, "clock.flags", cpus ? text_string(&flags) : NULL, error ? -error : ENODATA);
}

#define USUAL_TICK_US 10000 /* a hundredth of a second, whatever the kernel's own rate is */

void describe_clock(const struct machine_view *view, struct facts *facts)
{
    describe_flags(view, facts);
    /* The rate that was set, in ppm: the frequency, and what another length of the tick adds.
     * Neither the slewing of an offset nor a leap second is in it. */
    struct timex state = {.modes = 0};
    char ppm[32] = "", tick[32] = "";
    int error = adjtimex(&state) < 0 ? errno : 0;
    if (!error) {
        double whole = (double)state.freq / 65536.0 +
                       ((double)state.tick - USUAL_TICK_US) * (1e6 / USUAL_TICK_US);
        snprintf(ppm, sizeof(ppm), "%.6g", whole);
        if (state.tick != USUAL_TICK_US)
            snprintf(tick, sizeof(tick), "%ld", (long)state.tick);
    }
    view_live(view, facts, "clock.steered_ppm", ppm[0] ? ppm : NULL, error);
    if (tick[0] && !view_recorded(view))
        facts_set(facts, "clock.tick_us", tick, 0);
    /* "forbidden": reading the counter kills the process, and so do clocks of the vDSO, which read
     * it. Processes inherit that, so it is what our parents wished. */
    int mode = 0;
    error = prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0 ? errno : 0;
    const char *answer = mode == PR_TSC_SIGSEGV ? "forbidden" : "allowed";
    view_live(view, facts, "clock.ticks", error ? NULL : answer, error);
}
