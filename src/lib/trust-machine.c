/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The fields of the fingerprint, read as cheaply as they can be: /proc/cpuinfo, two files of the
 * operating system, CPUID, and signs of a hypervisor where CPUID has no word for it. src/machine
 * reads the same into facts; tests hold both against each other. */
#include "lib/trust.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/machine-words.h"

#define LINE    8192 /* bytes of a line of /proc/cpuinfo: flags are the longest */
#define SMALL   4096 /* bytes of a file that holds one value */
#define PATH    4200
#define NOWHERE CPUINFO_WORDS

int trust_field(const char *key)
{
    for (int i = 0; i < MACHINE_FIELDS; i++)
        if (strcmp(machine_fields[i].key, key) == 0)
            return i;
    return -1;
}

const char *trust_machine_get(const struct trust_machine *machine, int field)
{
    return field >= 0 && machine->known[field] ? machine->value[field] : NULL;
}

void trust_machine_set(struct trust_machine *machine, int field, const char *value)
{
    machine->known[field] = value != NULL;
    snprintf(machine->value[field], TRUST_VALUE, "%s", value ? value : "");
}

/* --- files --- */

static int open_below(const char *root, const char *path)
{
    char full[PATH];
    int length = snprintf(full, sizeof(full), "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof(full))
        return -1;
    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

static ssize_t read_more(int fd, char *bytes, size_t size)
{
    ssize_t got;
    do
        got = read(fd, bytes, size);
    while (got < 0 && errno == EINTR);
    return got;
}

/* A file's content as one value: a device tree's NUL separators become spaces, trailing blanks go.
 * NULL: it cannot be read. */
static const char *read_small(const char *root, const char *path, char value[SMALL])
{
    AUTO_CLOSE int fd = open_below(root, path);
    size_t length = 0;
    while (fd >= 0 && length < SMALL - 1) {
        ssize_t got = read_more(fd, value + length, SMALL - 1 - length);
        if (got < 0)
            return NULL;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    if (fd < 0)
        return NULL;
    for (size_t i = 0; i < length; i++)
        if (!value[i])
            value[i] = ' ';
    while (length && isspace((unsigned char)value[length - 1]))
        length--;
    value[length] = '\0';
    return value;
}

/* --- /proc/cpuinfo --- */

struct cpuinfo {
    struct trust_machine *machine;
    size_t row[MACHINE_FIELDS]; /* of cpuinfo_words that a value is from */
    bool readable, guest;
};

/* Adds to a list of distinct values joined with commas. */
static void add_distinct(char list[TRUST_VALUE], const char *value)
{
    size_t length = strlen(value), used = strlen(list);
    for (const char *at = list; (at = strstr(at, value)); at++)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return;
    snprintf(list + used, TRUST_VALUE - used, "%s%s", used ? "," : "", value);
}

static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return text;
}

static void take_value(struct cpuinfo *cpuinfo, size_t row, const char *value)
{
    int field = trust_field(cpuinfo_words[row].key);
    if (field < 0 || !value[0] || row > cpuinfo->row[field])
        return;
    if (row < cpuinfo->row[field])
        trust_machine_set(cpuinfo->machine, field, "");
    cpuinfo->row[field] = row;
    add_distinct(cpuinfo->machine->value[field], value);
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

static void take_line(struct cpuinfo *cpuinfo, char *line)
{
    char *colon = strchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    const char *word = trimmed(line), *value = trimmed(colon + 1);
    for (size_t row = 0; row < CPUINFO_WORDS; row++)
        if (strcmp(cpuinfo_words[row].word, word) == 0)
            take_value(cpuinfo, row, value);
    if (strcmp(word, "flags") == 0)
        cpuinfo->guest = cpuinfo->guest || has_word(value, "hypervisor");
}

/* Line by line: the file of a thousand CPUs is long. What does not fit into LINE is passed over. */
static void read_cpuinfo(const char *root, struct cpuinfo *cpuinfo)
{
    char line[LINE] = "";
    size_t have = 0;
    AUTO_CLOSE int fd = open_below(root, "/proc/cpuinfo");
    cpuinfo->readable = fd >= 0;
    for (ssize_t got; fd >= 0 && (got = read_more(fd, line + have, LINE - 1 - have)) > 0;) {
        have += (size_t)got;
        line[have] = '\0';
        char *begin = line, *end;
        while ((end = memchr(begin, '\n', have - (size_t)(begin - line)))) {
            *end = '\0';
            take_line(cpuinfo, begin);
            begin = end + 1;
        }
        have -= (size_t)(begin - line);
        memmove(line, begin, have);
        if (have == LINE - 1)
            have = 0;
    }
    line[have] = '\0';
    take_line(cpuinfo, line);
}

/* --- what the rules of lib/machine-words.h ask for --- */

struct asked {
    const char *root;
    const struct trust_live *live;
    const struct trust_machine *machine;
    const char *guest;
    char value[SMALL]; /* of the last file that was read */
};

static const char *answer(void *context, const char *key)
{
    struct asked *asked = context;
    int field = trust_field(key);
    if (field >= 0)
        return trust_machine_get(asked->machine, field);
    const struct {
        const char *key, *value;
    } known[] = {{"cpuid.hypervisor", asked->live->signatures},
                 {"cpu.guest_flag", asked->guest},
                 {"emulated.declared", asked->live->declared},
                 {"emulated.by", asked->live->by}};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].key, key) == 0)
            return known[i].value;
    for (const struct machine_place *place = hypervisor_places; place->key; place++)
        if (strcmp(place->key, key) == 0)
            return read_small(asked->root, place->path, asked->value);
    return NULL;
}

static const char *if_set(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && value[0] && strcmp(value, "0") != 0 ? value : NULL;
}

static void read_with(const char *root, const struct trust_live *live,
                      struct trust_machine *machine)
{
    struct cpuinfo cpuinfo = {.machine = machine};
    for (size_t i = 0; i < MACHINE_FIELDS; i++)
        cpuinfo.row[i] = NOWHERE;
    read_cpuinfo(root, &cpuinfo);
    int name = trust_field("cpu.model_name");
    const char *implementer = trust_machine_get(machine, trust_field("cpu.vendor"));
    const char *parts = trust_machine_get(machine, trust_field("cpu.model"));
    if (!machine->known[name] && implementer && parts)
        for (const struct arm_core *core = arm_cores; core->name; core++)
            if (strcmp(core->implementer, implementer) == 0 && strstr(parts, core->part)) {
                machine->known[name] = true;
                add_distinct(machine->value[name], core->name);
            }
    struct asked asked = {.root = root, .live = live, .machine = machine};
    asked.guest = !cpuinfo.readable ? NULL : cpuinfo.guest ? "1" : "0";
    trust_machine_set(machine, trust_field("isa"), live->isa);
    trust_machine_set(machine, trust_field("kernel.release"),
                      read_small(root, "/proc/sys/kernel/osrelease", asked.value));
    trust_machine_set(machine, trust_field("kernel.version"),
                      read_small(root, "/proc/sys/kernel/version", asked.value));
    const struct machine_sign *found;
    trust_machine_set(machine, trust_field("hypervisor"),
                      machine_hypervisor(answer, &asked, &found));
    trust_machine_set(machine, trust_field("emulated"), machine_emulation(answer, &asked));
}

void trust_machine_read(const char *root, const struct trust_live *live,
                        struct trust_machine *machine)
{
    memset(machine, 0, sizeof(*machine));
    struct utsname name;
    char signatures[128];
    struct trust_live here = {0};
    if (!live) {
        here.isa = uname(&name) == 0 ? name.machine : NULL;
        here.signatures = cpuid_hypervisor(signatures, sizeof(signatures)) == 0 ? signatures : NULL;
        here.declared = if_set("ASSAY_EMULATED");
        here.by = if_set("ASSAY_EMULATOR");
    }
    read_with(root, live ? live : &here, machine);
}

/* --- two machines --- */

static const char *field_of(void *machine, const char *key)
{
    return trust_machine_get(machine, trust_field(key));
}

void trust_machine_name(const struct trust_machine *machine, char name[17])
{
    machine_fields_name(field_of, (struct trust_machine *)(uintptr_t)machine, name);
}

static bool differs(const struct trust_machine *then, const struct trust_machine *now, int field)
{
    return then->known[field] != now->known[field] ||
           strcmp(then->value[field], now->value[field]) != 0;
}

bool trust_machine_same_cpu(const struct trust_machine *then, const struct trust_machine *now)
{
    static const char *const keys[] = {"isa", "cpu.vendor", "cpu.family", "cpu.model", "emulated"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (differs(then, now, trust_field(keys[i])))
            return false;
    /* Two CPUs of which nothing is known are not the same. */
    return now->known[trust_field("cpu.vendor")] || now->known[trust_field("cpu.model")];
}

size_t trust_machine_difference(const struct trust_machine *then, const struct trust_machine *now,
                                char *text, size_t size)
{
    size_t count = 0, used = 0;
    int kernel = trust_field("kernel.release"), build = trust_field("kernel.version");
    text[0] = '\0';
    for (int i = 0; i < MACHINE_FIELDS; i++) {
        if (!differs(then, now, i))
            continue;
        count++;
        if (i == build && differs(then, now, kernel))
            continue;
        int put = snprintf(text + used, size - used, "%s%s %s -> %s", used ? ", " : "",
                           machine_fields[i].label, then->known[i] ? then->value[i] : "none",
                           now->known[i] ? now->value[i] : "none");
        used = put < 0 || (size_t)put >= size - used ? size - 1 : used + (size_t)put;
    }
    return count;
}
