/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The built plugin in an imitation of QEMU: this program exports the functions a plugin calls,
 * loads it, and plays sequences of instructions to it. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "probe/sources/qemu-plugin/account.h"
#include "probe/sources/qemu-plugin/api.h"

struct qemu_plugin_insn {
    uint64_t address;
    size_t size;
    const char *text;
    qemu_executed *executed;
    qemu_accessed *accessed;
    void *executed_data, *accessed_data;
};

#define AT(where, bytes, words)                                                                    \
    {                                                                                              \
        .address = (where), .size = (bytes), .text = (words)                                       \
    }

struct qemu_plugin_tb {
    struct qemu_plugin_insn *instructions;
    size_t count;
};

static qemu_translated *on_translation;
static qemu_called *on_call;
static qemu_exited *on_exit_of_it;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_translated *callback)
{
    (void)id;
    on_translation = callback;
}
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_called *callback)
{
    (void)id;
    on_call = callback;
}
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_exited *callback, void *data)
{
    (void)id, (void)data;
    on_exit_of_it = callback;
}
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_executed *callback, int flags, void *data)
{
    (void)flags;
    instruction->executed = callback;
    instruction->executed_data = data;
}
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_accessed *callback,
                                      int flags, int accesses, void *data)
{
    (void)flags;
    assert_int_equal(accesses, QEMU_PLUGIN_MEM_RW);
    instruction->accessed = callback;
    instruction->accessed_data = data;
}
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block)
{
    return block->count;
}
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index)
{
    return &block->instructions[index];
}
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction)
{
    return instruction->address;
}
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction)
{
    return instruction->size;
}
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *instruction)
{
    return strdup(instruction->text);
}

/* Where this QEMU puts the directions of an access. */
static unsigned direction_shift = 16;

bool qemu_plugin_mem_is_store(uint32_t info)
{
    return info >> direction_shift & QEMU_PLUGIN_MEM_W;
}

/* A plugin lives as long as QEMU does and gives nothing back. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it */
int __lsan_is_turned_off(void);
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
int __lsan_is_turned_off(void)
{
    return 1;
}

typedef int install_function(uint64_t id, const struct qemu_info *info, int argc, char **argv);

struct qemu {
    void *plugin;
    char output[64];
};

static void *load(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/src/probe/sources/qemu-plugin/assay-qemu.so",
             getenv("ASSAY_BUILD"));
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        print_error("%s\n", dlerror());
    assert_non_null(plugin);
    return plugin;
}

static int install(void *plugin, const char *isa, int count, char **arguments)
{
    install_function *function;
    *(void **)&function = dlsym(plugin, "qemu_plugin_install");
    assert_non_null(function);
    return function(7, &(struct qemu_info){.target_name = isa}, count, arguments);
}

static void begin(struct qemu *qemu, const char *isa)
{
    char output[80], opens[] = "opens=0x1000", closed[] = "closed=0x1100";
    snprintf(qemu->output, sizeof(qemu->output), "/tmp/assay-test-qemu.XXXXXX");
    close(mkstemp(qemu->output));
    snprintf(output, sizeof(output), "output=%s", qemu->output);
    qemu->plugin = load();
    assert_int_equal(install(qemu->plugin, isa, 3, (char *[]){opens, closed, output}), 0);
}

static void translate(struct qemu_plugin_insn *instructions, size_t count)
{
    struct qemu_plugin_tb block = {instructions, count};
    on_translation(7, &block);
}

static void execute(const struct qemu_plugin_insn *instruction, unsigned vcpu)
{
    instruction->executed(vcpu, instruction->executed_data);
}

static void access_as(const struct qemu_plugin_insn *instruction, uint32_t directions)
{
    instruction->accessed(0, directions << direction_shift, 0x9000, instruction->accessed_data);
}

static void access_memory(const struct qemu_plugin_insn *instruction, bool store)
{
    access_as(instruction, store ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_R);
}

static void access_atomically(const struct qemu_plugin_insn *instruction)
{
    access_as(instruction, QEMU_PLUGIN_MEM_RW);
}

/* The counts of pass `number`, from the file; fails when there is none. */
static void counts_of(const struct qemu *qemu, unsigned number, uint64_t counts[QEMU_COLUMN_COUNT])
{
    AUTO_FILE FILE *file = fopen(qemu->output, "re");
    char line[4096];
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "pass ", 5) != 0 || number--)
            continue;
        char *rest = line + 4;
        for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
            counts[column] = strtoull(rest, &rest, 10);
        assert_string_equal(rest, "\n");
        return;
    }
    assert_true(false);
}

static void end(struct qemu *qemu, const char *last_line)
{
    on_exit_of_it(7, NULL);
    AUTO_FILE FILE *file = fopen(qemu->output, "re");
    char line[4096] = "";
    while (file && fgets(line, sizeof(line), file))
        ;
    assert_string_equal(line, last_line);
    unlink(qemu->output);
    dlclose(qemu->plugin);
}

TEST(a_repeated_instruction_counts_once_and_raw_as_often_as_seen)
{
    struct qemu qemu;
    uint64_t counts[QEMU_COLUMN_COUNT] = {0};
    struct qemu_plugin_insn code[] = {AT(0x1000, 5, "movl $3, %ecx"),
                                      AT(0x1005, 2, "rep movsb (%rsi), (%rdi)"),
                                      AT(0x1007, 2, "loop 0x1007"), AT(0x1100, 1, "nop ")};
    begin(&qemu, "x86_64");
    translate(code, 4);
    for (int pass = 0; pass < 2; pass++) {
        execute(&code[0], 0);
        for (int iteration = 0; iteration < 4; iteration++) {
            execute(&code[1], 0);
            access_memory(&code[1], false);
            access_memory(&code[1], true);
        }
        for (int iteration = 0; iteration < 3; iteration++)
            execute(&code[2], 0); /* a branch to itself is executed each time */
        execute(&code[3], 0);
        counts_of(&qemu, (unsigned)pass, counts);
        assert_int_equal(counts[QEMU_INSTRUCTIONS_RAW], 8);
        assert_int_equal(counts[QEMU_INSTRUCTIONS], 5);
        assert_int_equal(counts[QEMU_COND_BRANCHES], 3);
        assert_int_equal(counts[QEMU_COND_BRANCHES_TAKEN], 3); /* the last one left 0x1009 out */
    }
    end(&qemu, "end 2\n");
}

TEST(branches_are_taken_when_the_next_instruction_is_elsewhere)
{
    struct qemu qemu;
    uint64_t counts[QEMU_COLUMN_COUNT] = {0};
    struct qemu_plugin_insn code[] = {AT(0x1000, 4, "cbz x0, #0x1008"),
                                      AT(0x1004, 4, "b.ne #0x1000"),
                                      AT(0x1008, 4, "blr x4"),
                                      AT(0x2000, 4, "ret "),
                                      AT(0x100c, 4, "b.eq #0x1010"),
                                      AT(0x1010, 4, "b #0x1100"),
                                      AT(0x1100, 4, "nop")};
    begin(&qemu, "aarch64");
    translate(code, 7);
    static const size_t order[] = {0, 1, 0, 2, 3, 4, 5, 6};
    for (size_t index = 0; index < sizeof(order) / sizeof(*order); index++)
        execute(&code[order[index]], 0);
    counts_of(&qemu, 0, counts);
    assert_int_equal(counts[QEMU_BRANCHES], 7);
    assert_int_equal(counts[QEMU_COND_BRANCHES], 4);
    assert_int_equal(counts[QEMU_COND_BRANCHES_TAKEN], 2);
    assert_int_equal(counts[QEMU_COND_BRANCHES_NOT_TAKEN], 2);
    assert_int_equal(counts[QEMU_AMBIGUOUS], 1); /* b.eq to the next instruction */
    assert_int_equal(counts[QEMU_CALLS], 1);
    assert_int_equal(counts[QEMU_RETURNS], 1);
    assert_int_equal(counts[QEMU_INDIRECT_BRANCHES], 1);
    assert_int_equal(counts[QEMU_JUMPS], 1);
    end(&qemu, "end 1\n");
}

static void count_accesses(unsigned shift, uint64_t loads)
{
    struct qemu qemu;
    uint64_t counts[QEMU_COLUMN_COUNT] = {0};
    struct qemu_plugin_insn code[] = {AT(0x1000, 4, "ldp q0, q1, [x1]"),
                                      AT(0x1004, 4, "stxr w3, x2, [x1]"),
                                      AT(0x1008, 4, ".byte 0x23, 0x00, 0x22, 0x00"),
                                      AT(0x100c, 4, "str x0, [x1]"), AT(0x1100, 4, "nop")};
    direction_shift = shift;
    begin(&qemu, "aarch64");
    translate(code, 5);
    execute(&code[0], 0);
    for (int piece = 0; piece < 4; piece++)
        access_memory(&code[0], false);
    execute(&code[1], 0);
    access_memory(&code[1], false); /* the compare of QEMU's compare and swap */
    access_memory(&code[1], true);
    execute(&code[2], 0);
    access_atomically(&code[2]);
    execute(&code[3], 0);
    access_memory(&code[3], true);
    execute(&code[4], 0);
    access_memory(&code[4], true); /* closed */
    counts_of(&qemu, 0, counts);
    assert_int_equal(counts[QEMU_LOADS], loads);
    assert_int_equal(counts[QEMU_STORES], 3);
    direction_shift = 16;
    assert_int_equal(counts[QEMU_UNDECODED], 1);
    end(&qemu, "end 1\n");
}

TEST(accesses_are_counted_once_an_execution)
{
    count_accesses(16, 2);
    count_accesses(20, 1); /* not where it is looked for: an atomic access is a store alone */
}

TEST(an_empty_window_counts_nothing)
{
    struct qemu qemu;
    uint64_t counts[QEMU_COLUMN_COUNT] = {0};
    char opens[] = "opens=0x1000", closed[] = "closed=0x1000", output[80];
    struct qemu_plugin_insn code[] = {AT(0x1000, 1, "nop "), AT(0x1001, 1, "nop ")};
    snprintf(qemu.output, sizeof(qemu.output), "/tmp/assay-test-qemu.XXXXXX");
    close(mkstemp(qemu.output));
    snprintf(output, sizeof(output), "output=%s", qemu.output);
    qemu.plugin = load();
    assert_int_equal(install(qemu.plugin, "x86_64", 3, (char *[]){opens, closed, output}), 0);
    translate(code, 2);
    execute(&code[0], 0);
    execute(&code[1], 0);
    counts_of(&qemu, 0, counts);
    assert_int_equal(counts[QEMU_INSTRUCTIONS], 0);
    end(&qemu, "end 1\n");
}

TEST(other_threads_do_not_count)
{
    struct qemu qemu;
    uint64_t counts[QEMU_COLUMN_COUNT] = {0};
    struct qemu_plugin_insn code[] = {AT(0x1000, 2, "syscall "), AT(0x1002, 1, "nop "),
                                      AT(0x1100, 1, "nop ")};
    begin(&qemu, "x86_64");
    translate(code, 3);
    execute(&code[0], 0);
    on_call(7, 0, 39, 0, 0, 0, 0, 0, 0, 0, 0);
    on_call(7, 1, 39, 0, 0, 0, 0, 0, 0, 0, 0);
    execute(&code[1], 1);
    execute(&code[2], 1);
    execute(&code[2], 0);
    counts_of(&qemu, 0, counts);
    assert_int_equal(counts[QEMU_INSTRUCTIONS], 1);
    assert_int_equal(counts[QEMU_SYSCALLS], 1);
    end(&qemu, "end 1\n");
}

TEST(wrong_arguments_are_refused)
{
    char opens[] = "opens=0x1000", closed[] = "closed=0x1100", word[] = "closed=0x11zz";
    char nowhere[] = "output=/nonexistent/folder/file", file[] = "output=/dev/null";
    void *plugin = load();
    assert_int_not_equal(install(plugin, "x86_64", 0, NULL), 0);
    assert_int_not_equal(install(plugin, "x86_64", 2, (char *[]){opens, closed}), 0);
    assert_int_not_equal(install(plugin, "x86_64", 3, (char *[]){opens, word, file}), 0);
    assert_int_not_equal(install(plugin, "x86_64", 3, (char *[]){opens, closed, nowhere}), 0);
    assert_int_not_equal(install(plugin, "sparc64", 3, (char *[]){opens, closed, file}), 0);
    dlclose(plugin);
}

/* QEMU 9 and later refuse version 1 of the interface, 7 and 8 refuse version 2. The imitation of
 * the later one is a library with what is new there. */
TEST(the_version_follows_the_host)
{
    char later[4096];
    snprintf(later, sizeof(later), "%s/tests/unit/libqemu-later.so", getenv("ASSAY_BUILD"));
    void *plugin = load();
    assert_int_equal(*(int *)dlsym(plugin, "qemu_plugin_version"), 1);
    dlclose(plugin);
    void *host = dlopen(later, RTLD_NOW | RTLD_GLOBAL);
    assert_non_null(host);
    plugin = load();
    assert_int_equal(*(int *)dlsym(plugin, "qemu_plugin_version"), 2);
    dlclose(plugin);
}
