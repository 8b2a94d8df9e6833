/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin that counts windows, for the source qemu (probe/sources/qemu.c): what a program
 * executes in each pass through a window, written to a file.
 *
 *     qemu-ISA -plugin assay-qemu.so,opens=0x401000,closed=0x401010,output=FILE PROGRAM
 *
 * Loaded by QEMU, on the machine that runs QEMU, whatever ISA it emulates; needs libc only.
 *
 * What is in this folder:
 *
 *     plugin.c     that plugin: instructions, passes through the window, what QEMU calls
 *     traits.c, .h what an instruction is, from the words of QEMU's disassembler: a table per ISA
 *     run.c        the other plugin, for whole programs: how often each instruction is executed,
 *                  and how it goes on where the program executes another one
 *     account.h    what both write and the driver reads: the account of run.c, the text of plugin.c
 *     script.c     files that begin with #!; of the driver as well
 *     api.h        what QEMU offers plugins */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/sources/qemu-plugin/account.h"
#include "probe/sources/qemu-plugin/api.h"
#include "probe/sources/qemu-plugin/traits.h"

/* ----------------------------------------------------------------------------------------------
 * The instructions QEMU has translated, one record each, found by address: a block that is
 * translated again finds its records again, so that memory is bounded by the code. Records never
 * move: QEMU keeps pointers to them. */

struct instruction {
    uint64_t address;
    uint64_t next; /* address behind it */
    struct traits traits;
    /* In the pass under way: */
    struct instruction *touched; /* the one first executed before it; valid while executions */
    uint64_t executions;         /* as QEMU counts them */
    uint64_t repetitions;        /* of these: straight after itself, without a transfer */
    uint64_t taken;              /* of a conditional branch */
    uint64_t loads, stores;      /* executions that did */
    bool loaded, stored;         /* in the latest execution */
};

struct instructions {
    struct instruction **slots; /* open addressing; a power of two */
    size_t capacity, count;
};

#define FIRST_CAPACITY 4096u

static struct instruction **slot_of(const struct instructions *instructions, uint64_t address)
{
    size_t place = (size_t)((address * 0x9e3779b97f4a7c15u) >> 20) & (instructions->capacity - 1);
    while (instructions->slots[place] && instructions->slots[place]->address != address)
        place = (place + 1) & (instructions->capacity - 1);
    return &instructions->slots[place];
}

static bool make_room(struct instructions *instructions)
{
    if (2 * instructions->count < instructions->capacity)
        return true;
    struct instructions grown = {.count = instructions->count};
    grown.capacity = instructions->capacity ? 2 * instructions->capacity : FIRST_CAPACITY;
    grown.slots = calloc(grown.capacity, sizeof(struct instruction *));
    if (!grown.slots)
        return false;
    for (size_t place = 0; place < instructions->capacity; place++)
        if (instructions->slots[place])
            *slot_of(&grown, instructions->slots[place]->address) = instructions->slots[place];
    free(instructions->slots);
    *instructions = grown;
    return true;
}

static bool same_traits(const struct traits *one, const struct traits *two)
{
    return one->known == two->known && one->indirect == two->indirect &&
           one->store_conditional == two->store_conditional && one->transfer == two->transfer &&
           one->target == two->target && one->arithmetic == two->arithmetic &&
           one->precision == two->precision && one->packed == two->packed &&
           one->lanes == two->lanes;
}

/* The record for this address; a fresh one where there is none, or another instruction stood there.
 * NULL: out of memory. */
static struct instruction *instructions_at(struct instructions *instructions, uint64_t address,
                                           uint64_t next, const struct traits *traits)
{
    if (!make_room(instructions))
        return NULL;
    struct instruction **slot = slot_of(instructions, address);
    if (*slot && (*slot)->next == next && same_traits(&(*slot)->traits, traits))
        return *slot;
    struct instruction *fresh = calloc(1, sizeof(*fresh));
    if (!fresh)
        return NULL;
    fresh->address = address;
    fresh->next = next;
    fresh->traits = *traits;
    instructions->count += *slot == NULL;
    *slot = fresh; /* an old record may still be on the list of a pass: it is not freed */
    return fresh;
}

/* ----------------------------------------------------------------------------------------------
 * One pass through the window: what is executed from the instruction at `opens` up to, without, the
 * one at `closed`. The counts stand at each instruction while the pass is under way, and are summed
 * by class when it ends.
 *
 * Aligned instructions: QEMU executes one iteration of a repeated string instruction at a time, and
 * in most cases once more to see that nothing is left. An instruction that transfers no control
 * can only be followed by itself when it was repeated, so what follows itself is not counted again;
 * that needs no list of such instructions. It also holds where QEMU starts an instruction anew.
 *
 * Loads and stores: QEMU splits wide accesses, hardware does not. What is counted is executions
 * that loaded, and executions that stored. */

struct pass {
    uint64_t opens, closed;
    bool open;
    unsigned vcpu; /* the thread that opened it: no other counts */
    struct instruction *previous;
    struct instruction *touched; /* executed ones, the latest found first */
    uint64_t syscalls;
};

static void sum_arithmetic(const struct traits *traits, uint64_t times,
                           uint64_t counts[QEMU_COLUMN_COUNT])
{
    static const enum qemu_column columns[] = {[FP_ADD] = QEMU_FP_ADDS,
                                               [FP_MUL] = QEMU_FP_MULS,
                                               [FP_DIV] = QEMU_FP_DIVS,
                                               [FP_SQRT] = QEMU_FP_SQRTS,
                                               [FP_FMA] = QEMU_FP_FMAS};
    if (traits->arithmetic == FP_NONE)
        return;
    counts[QEMU_FP_INSTRUCTIONS] += times;
    counts[QEMU_FP_OPERATIONS] += times * traits->lanes * (traits->arithmetic == FP_FMA ? 2 : 1);
    if (traits->arithmetic != FP_OTHER)
        counts[columns[traits->arithmetic]] += times;
    if (traits->precision == FP_SINGLE)
        counts[traits->packed ? QEMU_FP_PACKED_SINGLE : QEMU_FP_SCALAR_SINGLE] += times;
    else if (traits->precision == FP_DOUBLE)
        counts[traits->packed ? QEMU_FP_PACKED_DOUBLE : QEMU_FP_SCALAR_DOUBLE] += times;
}

/* An instruction is about to be executed. True when that ended the pass: counts are filled. */
static bool pass_executes(struct pass *pass, unsigned vcpu, struct instruction *now,
                          uint64_t counts[QEMU_COLUMN_COUNT])
{
    if (!pass->open) {
        if (now->address != pass->opens)
            return false;
        pass->open = true;
        pass->vcpu = vcpu;
        pass->previous = NULL;
        pass->touched = NULL;
        pass->syscalls = 0;
    } else if (vcpu != pass->vcpu) {
        return false;
    }
    /* Where the instruction before went is known when the next one comes. */
    if (pass->previous && pass->previous->traits.transfer == TRANSFER_CONDITIONAL &&
        now->address != pass->previous->next)
        pass->previous->taken++;
    if (now->address == pass->closed) { /* the empty window closes where it opens */
        memset(counts, 0, QEMU_COLUMN_COUNT * sizeof(*counts));
        counts[QEMU_SYSCALLS] = pass->syscalls;
        for (struct instruction *each = pass->touched; each; each = each->touched) {
            uint64_t times = each->executions - each->repetitions;
            counts[QEMU_INSTRUCTIONS_RAW] += each->executions;
            counts[QEMU_INSTRUCTIONS] += times;
            counts[QEMU_LOADS] += each->loads;
            counts[QEMU_STORES] += each->stores;
            if (!each->traits.known)
                counts[QEMU_UNDECODED] += times;
            static const enum qemu_column columns[] = {[TRANSFER_CONDITIONAL] = QEMU_COND_BRANCHES,
                                                       [TRANSFER_JUMP] = QEMU_JUMPS,
                                                       [TRANSFER_CALL] = QEMU_CALLS,
                                                       [TRANSFER_RETURN] = QEMU_RETURNS};
            const struct traits *traits = &each->traits;
            if (traits->transfer != TRANSFER_NONE) {
                counts[QEMU_BRANCHES] += times;
                if (traits->indirect)
                    counts[QEMU_INDIRECT_BRANCHES] += times;
                if (!(traits->indirect &&
                      traits->transfer == TRANSFER_JUMP)) /* `jumps` are direct ones */
                    counts[columns[traits->transfer]] += times;
                if (traits->transfer == TRANSFER_CONDITIONAL) {
                    counts[QEMU_COND_BRANCHES_TAKEN] += each->taken;
                    counts[QEMU_COND_BRANCHES_NOT_TAKEN] += times - each->taken;
                    if (!traits->target || traits->target == each->next)
                        counts[QEMU_AMBIGUOUS] += times;
                }
            }
            sum_arithmetic(&each->traits, times, counts);
            each->executions = each->repetitions = each->taken = each->loads = each->stores = 0;
        }
        pass->open = false;
        return true;
    }
    if (now->executions++ == 0) {
        now->touched = pass->touched;
        pass->touched = now;
    }
    if (pass->previous == now && now->traits.transfer == TRANSFER_NONE)
        now->repetitions++;
    now->loaded = now->stored = false;
    pass->previous = now;
    return false;
}

static void pass_accesses(const struct pass *pass, unsigned vcpu, struct instruction *now,
                          bool store)
{
    if (!pass->open || vcpu != pass->vcpu || now != pass->previous)
        return;
    bool load = now->traits.atomic || !(store || now->traits.store_conditional);
    if (store && !now->stored) {
        now->stored = true;
        now->stores++;
    }
    if (load && !now->loaded) {
        now->loaded = true;
        now->loads++;
    }
}

/* --- The plugin itself: its state, what QEMU calls, what it writes --- */

PLUGIN_OF_EITHER_VERSION

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

static void executed(unsigned vcpu, void *data)
{
    uint64_t counts[QEMU_COLUMN_COUNT];
    if (pass_executes(&plugin.pass, vcpu, data, counts)) {
        plugin.passes++;
        char line[8 + QEMU_COLUMN_COUNT * 21];
        int length = snprintf(line, sizeof(line), "pass");
        for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
            length += snprintf(line + length, sizeof(line) - (size_t)length, " %llu",
                               (unsigned long long)counts[column]);
        line[length++] = '\n';
        put(line, (size_t)length);
    }
}

/* The directions of an access as QEMU packs them into info, which it does not promise; install asks
 * its own function whether they are there. */
#define ACCESS_SHIFT 16

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
    if (plugin.pass.open && vcpu == plugin.pass.vcpu)
        plugin.pass.syscalls++;
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
    plugin.packed = !qemu_plugin_mem_is_store(0) &&
                    !qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_R << ACCESS_SHIFT) &&
                    qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_W << ACCESS_SHIFT) &&
                    qemu_plugin_mem_is_store(QEMU_PLUGIN_MEM_RW << ACCESS_SHIFT);
    static const char names[] = "columns"
#define NAME(symbol, name) " " name
        QEMU_COLUMNS(NAME) "\n";
#undef NAME
    put(QEMU_OUTPUT_MAGIC, strlen(QEMU_OUTPUT_MAGIC));
    put(plugin.isa, strlen(plugin.isa));
    put("\n", 1);
    put(names, strlen(names));
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_atexit_cb(id, exited, NULL);
    return 0;
}
