/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which CPU: from /proc/cpuinfo, whose words differ per ISA, to the same few facts everywhere.
 * Machines with several core types list the distinct values of each, joined with commas. */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "machine/describe.h"

/* One word of /proc/cpuinfo, and the fact it becomes. The first row that has a value wins. */
static const struct {
    const char *word;
    const char *key;
} words[] = {
    {"vendor_id", "cpu.vendor"},        /* x86, s390 */
    {"CPU implementer", "cpu.vendor"},  /* arm64 */
    {"mvendorid", "cpu.vendor"},        /* riscv */
    {"cpu family", "cpu.family"},       /* x86 */
    {"CPU architecture", "cpu.family"}, /* arm64 */
    {"CPU Family", "cpu.family"},       /* loongarch */
    {"isa", "cpu.family"},              /* riscv: rv64imafdc... */
    {"model", "cpu.model"},             /* x86 */
    {"CPU part", "cpu.model"},          /* arm64 */
    {"marchid", "cpu.model"},           /* riscv */
    {"CPU variant", "cpu.variant"},     /* arm64 */
    {"stepping", "cpu.stepping"},       /* x86 */
    {"CPU revision", "cpu.stepping"},   /* arm64 */
    {"mimpid", "cpu.stepping"},         /* riscv */
    {"revision", "cpu.stepping"},       /* ppc */
    {"model name", "cpu.model_name"},   /* x86 */
    {"Model Name", "cpu.model_name"},   /* loongarch */
    {"cpu", "cpu.model_name"},          /* ppc */
    {"uarch", "cpu.model_name"},        /* riscv */
    {"microcode", "cpu.microcode"},     /* x86 */
};
#define WORD_COUNT (sizeof(words) / sizeof(words[0]))

/* arm64 names no model: the common ones by implementer and part. */
static const struct {
    const char *implementer, *part, *name;
} arm_cores[] = {
    {"0x41", "0xd03", "Arm Cortex-A53"},     {"0x41", "0xd05", "Arm Cortex-A55"},
    {"0x41", "0xd07", "Arm Cortex-A57"},     {"0x41", "0xd08", "Arm Cortex-A72"},
    {"0x41", "0xd09", "Arm Cortex-A73"},     {"0x41", "0xd0a", "Arm Cortex-A75"},
    {"0x41", "0xd0b", "Arm Cortex-A76"},     {"0x41", "0xd0c", "Arm Neoverse-N1"},
    {"0x41", "0xd0d", "Arm Cortex-A77"},     {"0x41", "0xd40", "Arm Neoverse-V1"},
    {"0x41", "0xd41", "Arm Cortex-A78"},     {"0x41", "0xd44", "Arm Cortex-X1"},
    {"0x41", "0xd46", "Arm Cortex-A510"},    {"0x41", "0xd47", "Arm Cortex-A710"},
    {"0x41", "0xd48", "Arm Cortex-X2"},      {"0x41", "0xd49", "Arm Neoverse-N2"},
    {"0x41", "0xd4f", "Arm Neoverse-V2"},    {"0x41", "0xd84", "Arm Neoverse-V3"},
    {"0x41", "0xd8e", "Arm Neoverse-N3"},    {"0x46", "0x001", "Fujitsu A64FX"},
    {"0x48", "0xd01", "HiSilicon TSV110"},   {"0x61", "0x022", "Apple M1 Icestorm"},
    {"0x61", "0x023", "Apple M1 Firestorm"}, {"0xc0", "0xac3", "Ampere-1"},
    {"0xc0", "0xac4", "Ampere-1A"},
};

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

static void read_line(char *line, struct text values[WORD_COUNT], bool *guest)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    const char *word = trimmed(line);
    char *value = trimmed(colon + 1);
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (strcmp(words[i].word, word) == 0)
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
    for (size_t i = 0; i < sizeof(arm_cores) / sizeof(arm_cores[0]); i++)
        if (strcmp(arm_cores[i].implementer, implementer) == 0 && strstr(parts, arm_cores[i].part))
            distinct_add(&names, arm_cores[i].name);
    if (names.length > 0)
        facts_set(facts, "cpu.model_name", text_string(&names), 0);
}

static void describe_cpuinfo(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text cpuinfo = {0};
    int error = view_text(view, "/proc/cpuinfo", &cpuinfo);
    struct text values[WORD_COUNT] = {0};
    bool guest = false;
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(cpuinfo.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        read_line(line, values, &guest);
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (!facts_get(facts, words[i].key))
            facts_set(facts, words[i].key, values[i].length ? text_string(&values[i]) : NULL,
                      error ? -error : ENOENT);
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
