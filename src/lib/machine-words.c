/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What makes two machines differ for counting, and how it is recognised: the fields of the
 * fingerprint, which hypervisor is below, and whether a program interprets the CPU. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/machine-words.h"
#include "lib/trust.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* ----------------------------------------------------------------------------------------------
 * The fields a validation depends on, and the words of /proc/cpuinfo for them. Only what every user
 * of the machine can read belongs here, or root and others would store under different names. */

/* Changing this table orphans every stored validation: append only, with a new schema. */
const struct machine_field machine_fields[MACHINE_FIELDS] = {
    {"isa", "ISA"},
    {"cpu.vendor", "CPU vendor"},
    {"cpu.family", "CPU family"},
    {"cpu.model", "CPU model"},
    {"cpu.variant", "CPU variant"},
    {"cpu.stepping", "CPU stepping"},
    {"cpu.model_name", "CPU"},
    {"cpu.microcode", "microcode"},
    {"kernel.release", "kernel"},
    {"kernel.version", "kernel build"},
    {"hypervisor", "hypervisor"},
    {"emulated", "emulation"},
};

void machine_fields_name(machine_value *value, void *context, char name[17])
{
    uint64_t hash = FNV_OFFSET;
    for (size_t i = 0; i < MACHINE_FIELDS; i++) {
        const char *known = value(context, machine_fields[i].key);
        /* A marker before and a terminator behind each value, so that neither absent and empty nor
         * shifted values look alike. */
        hash = fnv1a(hash, known ? "+" : "-", 1);
        hash = fnv1a(hash, known ? known : "", known ? strlen(known) + 1 : 1);
    }
    snprintf(name, 17, "%016" PRIx64, hash);
}

const struct cpuinfo_word cpuinfo_words[CPUINFO_WORDS] = {
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

const struct arm_core arm_cores[] = {
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
    {"0xc0", "0xac4", "Ampere-1A"},          {NULL, NULL, NULL},
};

/* ----------------------------------------------------------------------------------------------
 * Which hypervisor is below, and is the CPU interpreted? Pure: what is known goes in by a function,
 * so that facts, a recorded tree and the machine itself are judged alike. */

const struct machine_place hypervisor_places[] = {
    {"xen.type", "/sys/hypervisor/type"},
    {"dmi.vendor", "/sys/class/dmi/id/sys_vendor"},
    {"dmi.product", "/sys/class/dmi/id/product_name"},
    {"dmi.chassis", "/sys/class/dmi/id/chassis_asset_tag"},
    {"dt.hypervisor", "/proc/device-tree/hypervisor/compatible"},
    {"dt.compatible", "/proc/device-tree/compatible"},
    {"dt.model", "/proc/device-tree/model"},
    {"dt.partition", "/proc/device-tree/ibm,partition-name"},
    {NULL, NULL},
};

/* First match wins; metal instances first, because their vendor also sells virtual ones. */
static const struct machine_sign signs[] = {
    {"xen.type", "xen", "xen"},
    {"dmi.product", ".metal", "none"},
    {"dmi.product", "VMware", "vmware"},
    {"dmi.vendor", "VMware", "vmware"},
    {"dmi.product", "VirtualBox", "virtualbox"},
    {"dmi.vendor", "Parallels", "parallels"},
    {"dmi.product", "KVM", "kvm"},
    {"dmi.vendor", "QEMU", "qemu"},
    {"dmi.vendor", "Xen", "xen"},
    {"dmi.product", "BHYVE", "bhyve"},
    {"dmi.product", "Virtual Machine", "hyper-v"}, /* behind QEMU's and Parallels' of that name */
    {"dmi.vendor", "Amazon EC2", "kvm"},
    {"dmi.product", "Google Compute Engine", "kvm"},
    {"dt.hypervisor", "xen", "xen"},
    {"dt.hypervisor", "kvm", "kvm"},
    {"dt.compatible", "qemu", "qemu"},
    {"dt.compatible", "linux,dummy-virt", "virt"},
    {"dt.model", "qemu", "qemu"},
    {"dt.partition", "", "powervm"},
};

/* In CPUID's hypervisor leaves. Order matters: a hypervisor that poses as Hyper-V for Windows
 * guests also gives its own signature, so Hyper-V stands last. */
static const struct {
    const char *id, *signature;
} signatures_known[] = {
    {"kvm", "KVMKVMKVM"},          {"qemu-tcg", "TCGTCGTCGTCG"},   {"vmware", "VMwareVMware"},
    {"xen", "XenVMMXenVMM"},       {"virtualbox", "VBoxVBoxVBox"}, {"bhyve", "bhyve bhyve "},
    {"parallels", " lrpepyh  vr"}, {"acrn", "ACRNACRNACRN"},       {"jailhouse", "Jailhouse"},
    {"hyper-v", "Microsoft Hv"},
};

/* CPUID is the hypervisor's own word; NULL when it has none that is known. */
static const char *from_cpuid(const char *signatures)
{
    for (size_t i = 0; i < sizeof(signatures_known) / sizeof(*signatures_known); i++)
        if (strstr(signatures, signatures_known[i].signature))
            return signatures_known[i].id;
    return NULL;
}

static const struct machine_sign *first_sign(machine_value *value, void *context)
{
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        const char *known = value(context, signs[i].key);
        if (known && strstr(known, signs[i].word))
            return &signs[i];
    }
    return NULL;
}

const char *machine_hypervisor(machine_value *value, void *context,
                               const struct machine_sign **found)
{
    *found = NULL;
    const char *signatures = value(context, "cpuid.hypervisor");
    bool present = signatures != NULL;
    const char *id = signatures ? from_cpuid(signatures) : NULL;
    if (id)
        return id;
    if (signatures && !signatures[0])
        return "none";
    *found = first_sign(value, context);
    if (*found)
        return (*found)->id;
    const char *guest = value(context, "cpu.guest_flag");
    if (present || (guest && guest[0] == '1'))
        return "unknown";
    return guest ? "none" : NULL;
}

/* --- emulation --- */

static bool is(machine_value *value, void *context, const char *key, const char *expected)
{
    const char *known = value(context, key);
    return known && strcmp(known, expected) == 0;
}

/* QEMU's own RISC-V core gives QEMU's version as architecture id: 0x70200 is 7.2.0. */
static bool riscv_core_of_qemu(machine_value *value, void *context)
{
    if (!is(value, context, "cpu.vendor", "0x0"))
        return false;
    const char *architecture = value(context, "cpu.model");
    unsigned long version = architecture ? strtoul(architecture, NULL, 16) : 0;
    if (version < 0x40000 || version > 0xffffff)
        return false;
    const char *model = value(context, "dt.model");
    return model && strstr(model, "qemu");
}

/* /proc/cpuinfo is the host's under qemu-user: x86 words on a machine that claims another ISA. */
static bool foreign_cpuinfo(machine_value *value, void *context)
{
    const char *isa = value(context, "isa");
    bool x86 = isa && (strcmp(isa, "x86_64") == 0 || (isa[0] == 'i' && strstr(isa, "86")));
    return isa && !x86 &&
           (is(value, context, "cpu.vendor", "GenuineIntel") ||
            is(value, context, "cpu.vendor", "AuthenticAMD"));
}

static const char *evidence(machine_value *value, void *context)
{
    if (is(value, context, "hypervisor", "qemu-tcg"))
        return "QEMU TCG, says CPUID";
    if (is(value, context, "cpu.vendor", "0x00") && is(value, context, "cpu.model", "0x051"))
        return "QEMU TCG, says the CPU's part number";
    /* QEMU says so whenever KVM is not below, also on macOS' hypervisor: but it emulates no core of
     * Apple's (0x61). */
    if (is(value, context, "isa", "aarch64") &&
        is(value, context, "dmi.product", "QEMU Virtual Machine") &&
        !is(value, context, "cpu.vendor", "0x61"))
        return "QEMU TCG, says DMI";
    if (riscv_core_of_qemu(value, context))
        return "QEMU TCG, says the hart's architecture id";
    if (value(context, "emulated.by"))
        return "qemu-user: the transport qemu: runs the probe in it";
    if (foreign_cpuinfo(value, context))
        return "qemu-user: the program's ISA is not the machine's";
    return NULL;
}

const char *machine_emulation(machine_value *value, void *context)
{
    if (is(value, context, "emulated.declared", "lab"))
        return "QEMU TCG, in assay's lab";
    return value(context, "emulated.declared") ? "declared by ASSAY_EMULATED"
                                               : evidence(value, context);
}

/* ----------------------------------------------------------------------------------------------
 * Asks CPUID which hypervisor runs below. On every other ISA: not supported. */

#if defined(__x86_64__) || defined(__i386__)
#define FIRST_LEAF  0x40000000u
#define LEAF_STRIDE 0x100u /* each interface a hypervisor offers starts at a multiple of this */
#define INTERFACES  8u
#define GUEST_BIT   (1u << 31) /* of leaf 1, ECX: a hypervisor is present */

/* The signature of one interface, 12 bytes; false when the leaf holds none. */
static bool read_signature(unsigned leaf, char signature[13])
{
    unsigned highest, words[3];
    __cpuid(leaf, highest, words[0], words[1], words[2]);
    memcpy(signature, words, 12);
    signature[12] = '\0';
    for (size_t i = 0; signature[i]; i++)
        if (!isprint((unsigned char)signature[i]) || signature[i] == ',')
            signature[i] = '?';
    return highest >= leaf && highest < leaf + LEAF_STRIDE && signature[0] != '\0';
}

int cpuid_hypervisor(char *signatures, size_t size)
{
    signatures[0] = '\0';
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & GUEST_BIT))
        return 0;
    for (unsigned i = 0; i < INTERFACES; i++) {
        char signature[13];
        if (!read_signature(FIRST_LEAF + i * LEAF_STRIDE, signature) ||
            strstr(signatures, signature))
            continue;
        size_t used = strlen(signatures);
        if (used + sizeof(signature) + 1 > size)
            break;
        if (used > 0)
            signatures[used++] = ',';
        memcpy(signatures + used, signature, strlen(signature) + 1);
    }
    if (!signatures[0] && size > 8)
        memcpy(signatures, "unnamed", 8); /* present, but shy */
    return 0;
}
#else
int cpuid_hypervisor(char *signatures, size_t size)
{
    (void)size;
    signatures[0] = '\0';
    return -ENOTSUP;
}
#endif

/* The fields of the fingerprint, read as cheaply as they can be: /proc/cpuinfo, two files of the
 * operating system, CPUID, and signs of a hypervisor where CPUID has no word for it. src/machine
 * reads the same into facts; tests hold both against each other. */

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
