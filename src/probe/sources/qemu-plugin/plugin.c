/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay's plugin for QEMU's user mode: counts what a program executes in each pass through a
 * window, and writes it to a file.
 *
 *     qemu-ISA -plugin assay-qemu.so,opens=0x401000,closed=0x401010,output=FILE PROGRAM
 *
 * Loaded by QEMU, on the machine that runs QEMU, whatever ISA it emulates; needs libc only. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/sources/qemu-plugin/api.h"
#include "probe/sources/qemu-plugin/pass.h"

/* QEMU reads it after loading. Version 2 of the interface refuses version 1, and the other way
 * round; what we use is the same in both. */
PLUGIN_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = 1;

PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
                                      char **argv);

__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_scoreboard_new)
        qemu_plugin_version = 2;
}

/* Most of QEMU's callbacks carry no pointer of ours: this is the plugin's one state. */
static struct {
    char isa[32];
    int output;
    pid_t owner; /* a child that the program forks writes nothing */
    uint64_t passes;
    bool packed; /* info of accesses says both directions */
    struct instructions instructions;
    struct pass pass;
} plugin = {.output = -1};

/* Dies rather than leave out something: without its last line the output is refused. */
static void give_up(const char *why)
{
    fprintf(stderr, "assay-qemu: %s\n", why);
    _exit(1);
}

static void put(const char *text, size_t length)
{
    while (length && getpid() == plugin.owner) {
        ssize_t written = write(plugin.output, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            give_up("the counts cannot be written");
        text += written;
        length -= (size_t)written;
    }
}

static void put_counts(const uint64_t counts[QEMU_COLUMN_COUNT])
{
    char line[8 + QEMU_COLUMN_COUNT * 21];
    int length = snprintf(line, sizeof(line), "pass");
    for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
        length += snprintf(line + length, sizeof(line) - (size_t)length, " %llu",
                           (unsigned long long)counts[column]);
    line[length++] = '\n';
    put(line, (size_t)length);
}

static void executed(unsigned vcpu, void *data)
{
    uint64_t counts[QEMU_COLUMN_COUNT];
    if (pass_executes(&plugin.pass, vcpu, data, counts)) {
        plugin.passes++;
        put_counts(counts);
    }
}

/* The directions of an access as QEMU packs them into info, which it does not promise; install asks
 * its own function whether they are there. */
#define ACCESS_SHIFT 16

static bool directions_are_packed(void)
{
    return !qemu_plugin_mem_is_store(0) &&
           !qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_R << ACCESS_SHIFT) &&
           qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_W << ACCESS_SHIFT) &&
           qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_RW << ACCESS_SHIFT);
}

/* An atomic access is both, and the function for stores says so of it; there is none for loads. To
 * register for loads alone does not help: QEMU 7.2 chooses wrongly whom to call. */
static void accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)address;
    bool store = qemu_plugin_mem_is_store(info);
    if (store)
        pass_accesses(&plugin.pass, vcpu, data, true);
    if (!store || (plugin.packed && (info >> ACCESS_SHIFT & QEMU_PLUGIN_MEM_R)))
        pass_accesses(&plugin.pass, vcpu, data, false);
}

static void called(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)number;
    (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    pass_calls(&plugin.pass, vcpu);
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t index = 0; index < count; index++) {
        struct qemu_plugin_insn *theirs = qemu_plugin_tb_get_insn(block, index);
        struct traits traits;
        char *text = qemu_plugin_insn_disas(theirs);
        traits_of(plugin.isa, text, &traits);
        free(text);
        uint64_t address = qemu_plugin_insn_vaddr(theirs);
        struct instruction *ours = instructions_at(
            &plugin.instructions, address, address + qemu_plugin_insn_size(theirs), &traits);
        if (!ours)
            give_up("out of memory");
        qemu_plugin_register_vcpu_insn_exec_cb(theirs, executed, QEMU_PLUGIN_CB_NO_REGS, ours);
        qemu_plugin_register_vcpu_mem_cb(theirs, accessed, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW, ours);
    }
}

static void exited(uint64_t id, void *data)
{
    (void)id, (void)data;
    char line[32];
    int length = snprintf(line, sizeof(line), "end %llu\n", (unsigned long long)plugin.passes);
    put(line, (size_t)length);
}

static void put_header(void)
{
    static const char names[] = "columns"
#define NAME(symbol, name) " " name
        QEMU_COLUMNS(NAME) "\n";
#undef NAME
    put(QEMU_OUTPUT_MAGIC, strlen(QEMU_OUTPUT_MAGIC));
    put(plugin.isa, strlen(plugin.isa));
    put("\n", 1);
    put(names, strlen(names));
}

/* KEY=ADDRESS */
static bool take_address(const char *argument, const char *key, uint64_t *address)
{
    size_t length = strlen(key);
    char *end;
    if (strncmp(argument, key, length) != 0 || argument[length] != '=')
        return false;
    errno = 0;
    *address = strtoull(argument + length + 1, &end, 0);
    return !errno && end != argument + length + 1 && !*end;
}

static const char *take_arguments(int count, char **arguments)
{
    const char *output = NULL;
    for (int index = 0; index < count; index++)
        if (strncmp(arguments[index], "output=", 7) == 0)
            output = arguments[index] + 7;
        else if (!take_address(arguments[index], "opens", &plugin.pass.opens) &&
                 !take_address(arguments[index], "closed", &plugin.pass.closed))
            return NULL;
    return plugin.pass.opens && plugin.pass.closed ? output : NULL;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    struct traits traits;
    const char *output = take_arguments(argc, argv);
    if (!output) {
        fputs("assay-qemu: takes opens=ADDRESS,closed=ADDRESS,output=FILE\n", stderr);
        return -1;
    }
    snprintf(plugin.isa, sizeof(plugin.isa), "%s", info->target_name);
    if (info->system_emulation || !traits_of(plugin.isa, NULL, &traits)) {
        fprintf(stderr,
                "assay-qemu: counts programs of user mode on ISAs it has a table for, "
                "not %s\n",
                info->system_emulation ? "machines" : plugin.isa);
        return -1;
    }
    plugin.output = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (plugin.output < 0) {
        fprintf(stderr, "assay-qemu: %s: %s\n", output, strerror(errno));
        return -1;
    }
    plugin.owner = getpid();
    plugin.packed = directions_are_packed();
    put_header();
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_atexit_cb(id, exited, NULL);
    return 0;
}
