/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which CPU: from /proc/cpuinfo, whose words differ per ISA (lib/machine-words.h), to the same few
 * facts everywhere.
 * Machines with several core types list the distinct values of each, joined with commas. */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "lib/machine-words.h"
#include "machine/describe.h"

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

static void describe_cpuinfo(const struct machine_view *view, struct facts *facts)
{
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

/* "0-3,8": those that this process may run on. */
static void describe_allowed(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text list = {0};
    unsigned long mask[MOST_CPUS / (8 * sizeof(unsigned long))] = {0};
    const unsigned bits = 8 * sizeof(unsigned long);
    int error = sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask) < 0 ? errno : 0;
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
}

void describe_cpu(const struct machine_view *view, struct facts *facts)
{
    struct utsname name;
    view_live(view, facts, "isa", uname(&name) == 0 ? name.machine : NULL, errno);
    describe_cpuinfo(view, facts);
    view_read(view, facts, "cpu.online", "/sys/devices/system/cpu/online");
    describe_allowed(view, facts);
    unsigned count = count_cpus(facts_get(facts, "cpu.online"));
    if (count > 0)
        facts_setf(facts, "cpu.count", "%u", count);
    else
        facts_set(facts, "cpu.count", NULL, facts_error(facts, "cpu.online"));
}
