/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay's other plugin for QEMU's user mode: counts how often a whole program executes each of its
 * instructions, in an account that is there whatever becomes of the program.
 *
 *     qemu-ISA -plugin assay-qemu-run.so,folder=FOLDER PROGRAM
 *
 * While there is one thread, QEMU adds to the numbers in the code it makes, without a call, which
 * is what makes it fast. When the first thread is about to be created QEMU throws all blocks away,
 * and from then on they call functions that add without losing anything. Later versions of QEMU
 * cannot add to a number of ours: there these functions count from the beginning. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/sources/qemu-plugin/api.h"
#include "probe/sources/qemu-plugin/chain.h"
#include "probe/sources/qemu-plugin/ledger.h"
#include "probe/sources/qemu-plugin/manner.h"

#define THREADS_MOST 32768u /* at a time */
#define PAGE         4096u

/* QEMU reads it after loading; see plugin.c. */
PLUGIN_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = 1;

PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
                                      char **argv);

__attribute__((constructor)) static void choose_version(void)
{
    if (qemu_plugin_scoreboard_new)
        qemu_plugin_version = 2;
}

/* QEMU's callbacks carry no pointer of ours, or one only: this is the plugin's one state. */
static struct {
    char isa[16];
    int64_t leaves[2]; /* system calls that execute another program */
    bool mapping;      /* where code is from is wanted, too */
    bool parallel;     /* there is, or was, more than one thread */
    struct chain chain;
    struct ledger ledger;
    /* The latest string instruction, while there is one thread. */
    const struct account_record *repeated;
    uint64_t repeated_at; /* what header->blocks was then */
    /* Else: what each executed last. */
    const struct account_record *latest[THREADS_MOST];
} plugin;

static void add(uint64_t *number)
{
    __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

static bool adds_inline(void)
{
    return !plugin.parallel && qemu_plugin_register_vcpu_insn_exec_inline &&
           qemu_plugin_register_vcpu_tb_exec_inline;
}

/* --- one thread: numbers are added to in QEMU's code, only these are called --- */

/* A string instruction that begins its block is repeated, if the block before ended with it. */
static void repeats_first(unsigned vcpu, void *data)
{
    (void)vcpu;
    struct account_record *record = data;
    uint64_t blocks = plugin.ledger.header->blocks;
    if (plugin.repeated == record && plugin.repeated_at + 1 == blocks)
        record->repetitions++;
    plugin.repeated = record;
    plugin.repeated_at = blocks;
}

/* Behind others in its block it is not. */
static void repeats_later(unsigned vcpu, void *data)
{
    (void)vcpu;
    plugin.repeated = data;
    plugin.repeated_at = plugin.ledger.header->blocks;
}

/* --- any number of threads --- */

static void follow(unsigned vcpu, struct account_record *record)
{
    if (vcpu < THREADS_MOST)
        plugin.latest[vcpu] = record;
    else
        plugin.ledger.header->lack = ACCOUNT_TOO_MANY_THREADS;
}

static void executes_inner(unsigned vcpu, void *data)
{
    struct account_record *record = data;
    add(&record->inner);
    follow(vcpu, record);
}

static void executes_last(unsigned vcpu, void *data)
{
    struct account_record *record = data;
    add(&record->last);
    if ((record->about & ACCOUNT_REPEATED) && vcpu < THREADS_MOST && plugin.latest[vcpu] == record)
        add(&record->repetitions);
    follow(vcpu, record);
}

static void executes_first_inner(unsigned vcpu, void *data)
{
    add(&((struct account_record *)data)->entries);
    executes_inner(vcpu, data);
}

static void executes_first_last(unsigned vcpu, void *data)
{
    add(&((struct account_record *)data)->entries);
    executes_last(vcpu, data);
}

/* --- instructions at the end of a block that come to their own end with an access --- */

/* QEMU may go on calling for an instruction that ended its block, when later ones access memory
 * in its functions: only what comes while it is executed is its own. After a fault it does not. */
static void arrives(unsigned vcpu, struct account_record *record)
{
    uint64_t *seen = &plugin.ledger.seen[record - plugin.ledger.records];
    if (!adds_inline()) {
        if (vcpu >= THREADS_MOST || plugin.latest[vcpu] != record)
            return;
        plugin.latest[vcpu] = NULL;
    } else {
        if (*seen == record->last)
            return;
        *seen = record->last;
    }
    add(&record->done);
}

static void accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)info, (void)address;
    arrives(vcpu, data);
}

static void stored(unsigned vcpu, uint32_t info, uint64_t address, void *data)
{
    (void)address;
    if (qemu_plugin_mem_is_store(info))
        arrives(vcpu, data);
}

/* --- translation --- */

struct place {
    struct qemu_plugin_tb *block;
    struct qemu_plugin_insn *theirs;
    struct account_record *record;
    enum manner manner;
    bool first, last;
    bool apart; /* begins a block, whatever QEMU says */
};

static void count_inline(const struct place *place)
{
    struct account_record *record = place->record;
    if (place->first) {
        qemu_plugin_register_vcpu_tb_exec_inline(place->block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &plugin.ledger.header->blocks, 1);
        qemu_plugin_register_vcpu_tb_exec_inline(place->block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                 &record->entries, 1);
    }
    if (place->apart) /* where it is executed here after all, that is an entry */
        qemu_plugin_register_vcpu_insn_exec_inline(place->theirs, QEMU_PLUGIN_INLINE_ADD_U64,
                                                   &record->entries, 1);
    qemu_plugin_register_vcpu_insn_exec_inline(place->theirs, QEMU_PLUGIN_INLINE_ADD_U64,
                                               place->last ? &record->last : &record->inner, 1);
    if (place->manner == MANNER_REPEATED)
        qemu_plugin_register_vcpu_insn_exec_cb(place->theirs,
                                               place->first ? repeats_first : repeats_later,
                                               QEMU_PLUGIN_CB_NO_REGS, record);
}

static void count_by_calls(const struct place *place)
{
    static qemu_executed *const functions[2][2] = {{executes_inner, executes_last},
                                                   {executes_first_inner, executes_first_last}};
    qemu_plugin_register_vcpu_insn_exec_cb(place->theirs,
                                           functions[place->first || place->apart][place->last],
                                           QEMU_PLUGIN_CB_NO_REGS, place->record);
}

static void watch_end(const struct place *place)
{
    qemu_plugin_register_vcpu_mem_cb(place->theirs,
                                     place->manner == MANNER_STORE ? stored : accessed,
                                     QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, place->record);
}

static void count(struct place *place)
{
    static const uint8_t marks[] = {[MANNER_REPEATED] = ACCOUNT_REPEATED,
                                    [MANNER_ACCESS] = ACCOUNT_WATCHED,
                                    [MANNER_STORE] = ACCOUNT_WATCHED,
                                    [MANNER_FAULT] = ACCOUNT_FAULTS};
    struct account_record *record = place->record;
    place->manner = manner_of(plugin.isa, record->bytes, (size_t)(record->about & ACCOUNT_LENGTH));
    record->about = (uint8_t)(record->about | marks[place->manner]);
    if (adds_inline())
        count_inline(place);
    else
        count_by_calls(place);
    if (place->manner == MANNER_ACCESS || place->manner == MANNER_STORE)
        watch_end(place);
}

/* Of an instruction that begins on one page and ends on the next QEMU makes a block of its own. It
 * may nevertheless tell of it at the end of the block before, as far as it had read its bytes, and
 * then not execute it there. So whatever could be such a one is taken for a block of its own. */
static bool may_cross(const struct qemu_plugin_insn *theirs)
{
    return qemu_plugin_insn_vaddr(theirs) % PAGE + ACCOUNT_BYTES > PAGE;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t length = qemu_plugin_tb_n_insns(block);
    bool apart = length > 1 && may_cross(qemu_plugin_tb_get_insn(block, length - 1));
    for (size_t index = 0; index < length; index++) {
        struct place place = {.block = block, .theirs = qemu_plugin_tb_get_insn(block, index)};
        uint64_t address = qemu_plugin_insn_vaddr(place.theirs);
        const uint8_t *bytes = qemu_plugin_insn_haddr(place.theirs);
        if (bytes)
            plugin.ledger.header->base = (uint64_t)(uintptr_t)bytes - address;
        place.record =
            ledger_record(&plugin.ledger, address, bytes, qemu_plugin_insn_size(place.theirs));
        if (!place.record)
            return; /* the account says that it is not whole */
        place.first = index == 0;
        place.last = index + 1 == length || (apart && index + 2 == length);
        place.apart = apart && index + 1 == length;
        if (place.first && plugin.mapping)
            ledger_map(&plugin.ledger, address);
        count(&place);
    }
}

/* --- what else happens to a process --- */

static void thread_begun(uint64_t id, unsigned vcpu)
{
    (void)id, (void)vcpu;
    struct account_header *header = plugin.ledger.header;
    add(&header->tasks);
    plugin.parallel = plugin.parallel || header->tasks > 1;
}

static bool leaves(int64_t number)
{
    return number == plugin.leaves[0] || number == plugin.leaves[1];
}

/* A program that executes another one would leave QEMU, and what follows be counted by nobody: so
 * that one is executed in QEMU, too, where it can be. */
static void called(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
    struct account_header *header = plugin.ledger.header;
    add(&header->calls);
    if (!leaves(number))
        return;
    plugin.chain.base = header->base;
    chain_read_name(&plugin.chain, number == plugin.leaves[0] ? a1 : a2, header->other,
                    sizeof(header->other));
    if (number == plugin.leaves[0]) {
        add(&header->followed);
        chain_execute(&plugin.chain, header->other, a2, a3);
        __atomic_fetch_sub(&header->followed, 1, __ATOMIC_RELAXED);
    }
    add(&header->leaving);
}

static void returned(uint64_t id, unsigned vcpu, int64_t number, int64_t result)
{
    (void)id, (void)vcpu, (void)result;
    if (leaves(number))
        __atomic_fetch_sub(&plugin.ledger.header->leaving, 1, __ATOMIC_RELAXED);
}

static void in_child(void)
{
    memset(plugin.latest, 0, sizeof(plugin.latest));
    plugin.repeated = NULL;
    (void)ledger_fork(&plugin.ledger);
}

/* --- being loaded --- */

static const char *take_arguments(int count_of, char **arguments)
{
    const char *folder = NULL;
    for (int index = 0; index < count_of; index++)
        if (strncmp(arguments[index], "folder=", 7) == 0)
            folder = arguments[index] + 7;
        else if (strcmp(arguments[index], "maps=on") == 0)
            plugin.mapping = true;
        else
            return NULL;
    return folder;
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
    const char *folder = take_arguments(argc, argv);
    if (!folder) {
        fputs("assay-qemu-run: takes folder=FOLDER[,maps=on]\n", stderr);
        return -1;
    }
    snprintf(plugin.isa, sizeof(plugin.isa), "%s", info->target_name);
    if (info->system_emulation || !manner_leaves(plugin.isa, plugin.leaves)) {
        fprintf(stderr, "assay-qemu-run: counts programs of user mode on ISAs it knows, not %s\n",
                info->system_emulation ? "machines" : plugin.isa);
        return -1;
    }
    if (!ledger_open(&plugin.ledger, folder, plugin.isa) ||
        pthread_atfork(NULL, NULL, in_child) != 0) {
        fprintf(stderr, "assay-qemu-run: %s: %s\n", folder, strerror(errno));
        return -1;
    }
    chain_open(&plugin.chain, plugin.isa);
    qemu_plugin_register_vcpu_init_cb(id, thread_begun);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, returned);
    return 0;
}
