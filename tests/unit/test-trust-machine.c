/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The library reads of a machine what the doctor's facts say of it: this one, every recorded one,
 * and some that are planted for what they lack. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "case.h"
#include "lib/trust.h"
#include "machine/check.h"
#include "tree.h"

static void compare(const char *what, const struct facts *facts,
                    const struct trust_machine *machine)
{
    for (int i = 0; i < MACHINE_FIELDS; i++) {
        const char *fact = facts_get(facts, machine_fields[i].key);
        const char *field = trust_machine_get(machine, i);
        if (fact ? !field || strcmp(fact, field) != 0 : field != NULL)
            fail_msg("%s: %s is \"%s\" to the library, \"%s\" to the doctor", what,
                     machine_fields[i].key, field ? field : "(none)", fact ? fact : "(none)");
    }
    char expected[17], name[17];
    machine_fingerprint(facts, expected);
    trust_machine_name(machine, name);
    assert_string_equal(name, expected);
}

TEST(this_machine_is_the_doctors)
{
    AUTO_FACTS struct facts facts = {0};
    struct trust_machine machine;
    const struct machine_view here = {.root = ""};
    machine_describe(&here, &facts);
    trust_machine_read("", NULL, &machine);
    compare("here", &facts, &machine);
    assert_true(machine.known[trust_field("isa")]);
    assert_true(machine.known[trust_field("kernel.release")]);
}

TEST(declared_emulation_is_seen_too)
{
    static const char *const values[] = {"lab", "yes", "0", ""};
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        AUTO_FACTS struct facts facts = {0};
        struct trust_machine machine;
        const struct machine_view here = {.root = ""};
        setenv("ASSAY_EMULATED", values[i], 1);
        machine_describe(&here, &facts);
        trust_machine_read("", NULL, &machine);
        compare(values[i], &facts, &machine);
        assert_int_equal(machine.known[trust_field("emulated")], i < 2);
    }
    unsetenv("ASSAY_EMULATED");
}

static void compare_tree(const char *what, const char *root)
{
    AUTO_FACTS struct facts facts = {0}, live = {0};
    struct failure failure = {0};
    struct machine_view view;
    if (view_open_recorded(&view, root, &live, &failure) < 0)
        fail_msg("%s: %s", root, failure.text);
    machine_describe(&view, &facts);
    const struct trust_live told = {.isa = facts_get(&live, "isa"),
                                    .signatures = facts_get(&live, "cpuid.hypervisor"),
                                    .declared = facts_get(&live, "emulated.declared"),
                                    .by = facts_get(&live, "emulated.by")};
    struct trust_machine machine;
    trust_machine_read(root, &told, &machine);
    compare(what, &facts, &machine);
}

TEST(recorded_machines_are_the_doctors)
{
    const char *source = getenv("ASSAY_SOURCE");
    char all[512], root[1024];
    snprintf(all, sizeof(all), "%s/tests/machines", source ? source : ".");
    AUTO_DIR DIR *folder = opendir(all);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        snprintf(root, sizeof(root), "%s/%s/root", all, entry->d_name);
        if (entry->d_name[0] == '.' || access(root, F_OK) < 0)
            continue;
        compare_tree(entry->d_name, root);
        count++;
    }
    assert_true(count >= 6);
}

/* --- planted machines --- */

struct planted_file {
    const char *path, *content;
    size_t size; /* 0: a string */
};

static void plant(const struct tree *tree, const struct planted_file *file)
{
    tree_put_bytes(tree, file->path, file->content,
                   file->size ? file->size : strlen(file->content));
}

#define MOST_FILES 6
struct planted_machine {
    const char *what;
    struct planted_file files[MOST_FILES];
};
#define TEXT(bytes) bytes, sizeof(bytes) - 1

static const struct planted_machine machines[] = {
    {"nothing", {{"/live", "isa = riscv64\n", 0}}},
    {"guest without a name",
     {{"/live", "isa = x86_64\n", 0},
      {"/proc/cpuinfo", "vendor_id : X\nflags : fpu hypervisor sse\n", 0}}},
    {"not quite a guest",
     {{"/live", "isa = x86_64\n", 0},
      {"/proc/cpuinfo", "vendor_id : X\nflags : fpu hypervisors xhypervisor\n", 0}}},
    {"a shy hypervisor", {{"/live", "isa = x86_64\ncpuid.hypervisor = unnamed\n", 0}}},
    {"KVM that poses as Hyper-V",
     {{"/live", "isa = x86_64\ncpuid.hypervisor = Microsoft Hv,KVMKVMKVM\n", 0}}},
    {"metal in a cloud",
     {{"/live", "isa = aarch64\n", 0},
      {"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", 0},
      {"/sys/class/dmi/id/product_name", "c7g.metal\n", 0}}},
    {"a device tree of several words",
     {{"/live", "isa = aarch64\n", 0},
      {"/proc/device-tree/compatible", TEXT("linux,dummy-virt\0other\0")},
      {"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd08\n\nCPU part : 0xd03\n", 0}}},
    {"QEMU by its part number",
     {{"/live", "isa = aarch64\n", 0},
      {"/proc/cpuinfo",
       "CPU implementer\t: 0x00\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0x051\nCPU "
       "revision\t: 0\n",
       0}}},
    {"QEMU by DMI",
     {{"/live", "isa = aarch64\n", 0},
      {"/proc/cpuinfo", "CPU implementer : 0x41\nCPU part : 0xd08\n", 0},
      {"/sys/class/dmi/id/product_name", "QEMU Virtual Machine\n", 0}}},
    {"QEMU's hart",
     {{"/live", "isa = riscv64\n", 0},
      {"/proc/device-tree/model", TEXT("riscv-virtio,qemu\0")},
      {"/proc/cpuinfo", "isa : rv64imafdc\nmvendorid : 0x0\nmarchid : 0x70200\nmimpid : 0x70200\n",
       0}}},
    {"user mode of QEMU",
     {{"/live", "isa = aarch64\nemulated.by = qemu-aarch64\n", 0},
      {"/proc/cpuinfo", "vendor_id : AuthenticAMD\nmodel : 1\n", 0}}},
    {"a foreign CPU",
     {{"/live", "isa = aarch64\n", 0}, {"/proc/cpuinfo", "vendor_id : GenuineIntel\n", 0}}},
    {"a later word first, values twice, no newline at the end",
     {{"/live", "isa = x86_64\n", 0},
      {"/proc/cpuinfo",
       "revision : 7\nCPU revision : 5\nstepping : 3\nstepping : \nstepping : 33\nstepping : 3\n"
       "no colon\n: no word\nmodel name :  A : B  \nmicrocode : 0x1",
       0},
      {"/proc/sys/kernel/osrelease", "6.1.0-13-amd64 \n\n", 0},
      {"/proc/sys/kernel/version", "", 0}}},
};

TEST(planted_machines_are_the_doctors)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        struct tree tree;
        tree_make(&tree);
        for (size_t j = 0; j < MOST_FILES && machines[i].files[j].path; j++)
            plant(&tree, &machines[i].files[j]);
        compare_tree(machines[i].what, tree.root);
        tree_remove(&tree);
    }
}

/* Lines arrive in pieces: a file of many CPUs is longer than what is read at once. */
TEST(a_long_cpuinfo_is_read_whole)
{
    struct tree tree;
    AUTO_FREE char *text = malloc(400 * (size_t)4000);
    tree_make(&tree);
    assert_non_null(text);
    size_t length = 0;
    for (int cpu = 0; cpu < 400; cpu++) {
        length += (size_t)sprintf(text + length, "processor : %d\nstepping : %d\nflags :", cpu,
                                  cpu / 100);
        for (int flag = 0; flag < 37 * (cpu % 7); flag++)
            length += (size_t)sprintf(text + length, " flag%d", flag);
        length += (size_t)sprintf(text + length, "%s\n\n", cpu == 399 ? " hypervisor" : "");
    }
    const struct planted_file files[] = {{"/live", "isa = x86_64\n", 0},
                                         {"/proc/cpuinfo", text, length}};
    plant(&tree, &files[0]);
    plant(&tree, &files[1]);
    compare_tree("400 CPUs", tree.root);
    struct trust_machine machine;
    trust_machine_read(tree.root, &(struct trust_live){.isa = "x86_64"}, &machine);
    assert_string_equal(machine.value[trust_field("cpu.stepping")], "0,1,2,3");
    assert_string_equal(machine.value[trust_field("hypervisor")], "unknown");
    tree_remove(&tree);
}

/* --- two machines --- */

static const struct trust_machine base = {
    .known = {true, true, true, true, false, true, true, true, true, true, true, false},
    .value = {"x86_64", "GenuineIntel", "6", "85", "", "4", "A CPU", "0x1", "6.1.0-13", "#1 SMP",
              "none", ""},
};

TEST(differences_are_said_in_words)
{
    struct trust_machine now = base;
    char text[256];
    assert_int_equal(trust_machine_difference(&base, &now, text, sizeof(text)), 0);
    assert_string_equal(text, "");
    trust_machine_set(&now, trust_field("kernel.version"), "#2 SMP");
    assert_int_equal(trust_machine_difference(&base, &now, text, sizeof(text)), 1);
    assert_string_equal(text, "kernel build #1 SMP -> #2 SMP");
    trust_machine_set(&now, trust_field("kernel.release"), "6.18.5");
    assert_int_equal(trust_machine_difference(&base, &now, text, sizeof(text)), 2);
    assert_string_equal(text, "kernel 6.1.0-13 -> 6.18.5");
    trust_machine_set(&now, trust_field("cpu.microcode"), NULL);
    trust_machine_set(&now, trust_field("hypervisor"), "kvm");
    assert_int_equal(trust_machine_difference(&base, &now, text, sizeof(text)), 4);
    assert_string_equal(text,
                        "microcode 0x1 -> none, kernel 6.1.0-13 -> 6.18.5, hypervisor none -> kvm");
    for (size_t size = 1; size < sizeof(text); size++) {
        memset(text, '#', sizeof(text));
        assert_int_equal(trust_machine_difference(&base, &now, text, size), 4);
        assert_true(strlen(text) < size);
        assert_int_equal(text[size], '#');
    }
}

TEST(the_cpu_is_the_same_by_vendor_family_and_model)
{
    static const char *const matter[] = {"isa", "cpu.vendor", "cpu.family", "cpu.model",
                                         "emulated"};
    for (int i = 0; i < MACHINE_FIELDS; i++) {
        struct trust_machine now = base;
        bool expected = true;
        trust_machine_set(&now, i, "other");
        for (size_t j = 0; j < sizeof(matter) / sizeof(*matter); j++)
            expected = expected && strcmp(matter[j], machine_fields[i].key) != 0;
        assert_int_equal(trust_machine_same_cpu(&base, &now), expected);
    }
    struct trust_machine unknown = base;
    trust_machine_set(&unknown, trust_field("cpu.vendor"), NULL);
    trust_machine_set(&unknown, trust_field("cpu.model"), NULL);
    assert_false(trust_machine_same_cpu(&unknown, &unknown));
}
