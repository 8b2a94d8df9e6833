/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What QEMU offers a plugin, as far as ours needs it: declared here, because no distribution
 * packages the header. Everything below exists with these signatures from version 1 of the
 * interface (QEMU 6.2) on; what later versions removed is weak at the end, to be looked at before
 * it is called. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* The beginning of what install is told; the rest is of no interest. */
struct qemu_info {
    const char *target_name; /* "x86_64", "aarch64", "riscv64" */
    struct {
        int min, cur;
    } version;
    bool system_emulation;
};

enum { QEMU_PLUGIN_CB_NO_REGS = 0 };
enum { QEMU_PLUGIN_INLINE_ADD_U64 = 0 };
enum { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W = 2, QEMU_PLUGIN_MEM_RW = 3 };

typedef void qemu_translated(uint64_t id, struct qemu_plugin_tb *block);
typedef void qemu_executed(unsigned vcpu, void *data);
typedef void qemu_accessed(unsigned vcpu, uint32_t info, uint64_t address, void *data);
typedef void qemu_called(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
                         uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
                         uint64_t a8);
typedef void qemu_returned(uint64_t id, unsigned vcpu, int64_t number, int64_t result);
typedef void qemu_begun(uint64_t id, unsigned vcpu);
typedef void qemu_exited(uint64_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_translated *callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            qemu_executed *callback, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_accessed *callback,
                                      int flags, int accesses, void *data);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_called *callback);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_returned *callback);
void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_begun *callback);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_exited *callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
/* In user mode the address at which QEMU itself has the instruction's bytes. */
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *instruction); /* to be freed */
bool qemu_plugin_mem_is_store(uint32_t info);

/* Version 1 only: adds to a number without a call, and without care for other vCPUs. */
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *instruction, int operation,
                                                void *number, uint64_t addend)
    __attribute__((weak));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *number, uint64_t addend) __attribute__((weak));

/* Came with version 2 (QEMU 9.0), which refuses plugins of version 1: seen, never called. */
void *qemu_plugin_scoreboard_new(size_t size) __attribute__((weak));

/* What QEMU reads after loading, and calls. Version 2 of the interface refuses version 1, and the
 * other way round; what we use is the same in both. */
#define PLUGIN_OF_EITHER_VERSION                                                                   \
    PLUGIN_EXPORT extern int qemu_plugin_version;                                                  \
    int qemu_plugin_version = 1;                                                                   \
    PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,     \
                                          char **argv);                                            \
    __attribute__((constructor)) static void choose_version(void)                                  \
    {                                                                                              \
        if (qemu_plugin_scoreboard_new)                                                            \
            qemu_plugin_version = 2;                                                               \
    }
