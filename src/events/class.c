/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What an event claims to count, in words that are the same on every ISA (docs/classes.md). A
 * specimen's truth is stated per class, so these tables decide which truth an event is held
 * against: an event that is not certainly of a class has none. */
#include <string.h>
#include <strings.h>

#include <linux/hw_breakpoint.h>

#include "events/form.h"

/* ----------------------------------------------------------------------------------------------
 * What perf's generic events claim to count: hardware, cache and software events, whose numbers
 * mean the same on every machine. */

static const char *const hardware[] = {
    [PERF_COUNT_HW_CPU_CYCLES] = "cycles",
    [PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
    [PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
    [PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
    [PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
    [PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "frontend-stalls",
    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "backend-stalls",
    [PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software[] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
    [PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
    [PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
    [PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
    [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
    [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
    [PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
    [PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
};

/* [cache][operation][result] */
static const char *const cache[][3][2] = {
    [PERF_COUNT_HW_CACHE_L1D] = {{"l1d-loads", "l1d-load-misses"},
                                 {"l1d-stores", "l1d-store-misses"},
                                 {"l1d-prefetches", "l1d-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_L1I] = {{"l1i-loads", "l1i-load-misses"},
                                 {NULL, NULL},
                                 {"l1i-prefetches", "l1i-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_LL] = {{"llc-loads", "llc-load-misses"},
                                {"llc-stores", "llc-store-misses"},
                                {"llc-prefetches", "llc-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_DTLB] = {{"dtlb-loads", "dtlb-load-misses"},
                                  {"dtlb-stores", "dtlb-store-misses"},
                                  {"dtlb-prefetches", "dtlb-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_ITLB] = {{"itlb-loads", "itlb-load-misses"}, {NULL, NULL}, {NULL, NULL}},
    [PERF_COUNT_HW_CACHE_BPU] = {{"branches", "branch-misses"}, {NULL, NULL}, {NULL, NULL}},
    [PERF_COUNT_HW_CACHE_NODE] = {{"node-loads", "node-load-misses"},
                                  {"node-stores", "node-store-misses"},
                                  {"node-prefetches", "node-prefetch-misses"}},
};

/* The types whose configs mean the same everywhere. On hybrid CPUs the upper half of config says
 * which cores, not what is counted. */
static const char *class_of_generic(const struct perf_event_attr *attr)
{
    uint64_t config = attr->config & 0xffffffffu;
    switch (attr->type) {
    case PERF_TYPE_HARDWARE:
        return config < sizeof(hardware) / sizeof(hardware[0]) ? hardware[config] : NULL;
    case PERF_TYPE_SOFTWARE:
        return config < sizeof(software) / sizeof(software[0]) ? software[config] : NULL;
    case PERF_TYPE_HW_CACHE: {
        uint64_t level = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16;
        if (level >= sizeof(cache) / sizeof(cache[0]) || operation > 2 || (result & 0xff) > 1)
            return NULL;
        return cache[level][operation][result & 0xff];
    }
    default:
        return NULL;
    }
}

#define CLASS_TABLE(name, of, table)                                                               \
    const struct class_table name = {of, table, sizeof(table) / sizeof((table)[0])}

/* ----------------------------------------------------------------------------------------------
 * libpfm4's names of Intel's events, EVENT:UMASK without the PMU in front, from Nehalem to Sapphire
 * Rapids and the Atoms. A name stands here only when it means the same in every table that has it.
 * Retired load and store micro-operations are loads and stores: the instructions of a specimen have
 * one each. Not here: what is counted speculatively (*_EXEC, MISALIGN_MEM_REF), what covers one
 * width of vectors or one size of page only, and cache events that count prefetches along. */

static const struct class_row intel_rows[] = {
    {"INSTRUCTION_RETIRED", "instructions"},
    {"INSTRUCTIONS_RETIRED", "instructions"},
    {"INST_RETIRED:ANY", "instructions"},
    {"INST_RETIRED:ANY_P", "instructions"},
    {"INST_RETIRED:PREC_DIST", "instructions"},
    {"UNHALTED_CORE_CYCLES", "cycles"},
    {"CPU_CLK_UNHALTED:THREAD", "cycles"},
    {"CPU_CLK_UNHALTED:THREAD_P", "cycles"},
    {"UNHALTED_REFERENCE_CYCLES", "ref-cycles"},
    {"CPU_CLK_UNHALTED:REF_TSC", "ref-cycles"},
    {"BRANCH_INSTRUCTIONS_RETIRED", "branches"},
    {"BR_INST_RETIRED:ALL_BRANCHES", "branches"},
    {"BR_INST_RETIRED:COND", "cond-branches"},
    {"BR_INST_RETIRED:CONDITIONAL", "cond-branches"},
    {"BR_INST_RETIRED:JCC", "cond-branches"},
    {"BR_INST_RETIRED:COND_TAKEN", "cond-branches-taken"},
    {"BR_INST_RETIRED:TAKEN_JCC", "cond-branches-taken"},
    {"BR_INST_RETIRED:COND_NTAKEN", "cond-branches-not-taken"},
    {"BR_INST_RETIRED:NOT_TAKEN", "cond-branches-not-taken"}, /* no other branch can be */
    {"BR_INST_RETIRED:NEAR_CALL", "calls"},
    {"BR_INST_RETIRED:CALL", "calls"},
    {"BR_INST_RETIRED:NEAR_RETURN", "returns"},
    {"BR_INST_RETIRED:RETURN", "returns"},
    {"BR_INST_RETIRED:INDIRECT", "indirect-branches"},
    {"BR_INST_RETIRED:NON_RETURN_IND", "indirect-branches"},
    {"MISPREDICTED_BRANCH_RETIRED", "branch-misses"},
    {"BR_MISP_RETIRED:ALL_BRANCHES", "branch-misses"},
    {"BR_MISP_RETIRED:COND", "cond-branch-misses"},
    {"BR_MISP_RETIRED:CONDITIONAL", "cond-branch-misses"},
    {"BR_MISP_RETIRED:JCC", "cond-branch-misses"},
    {"MEM_INST_RETIRED:ALL_LOADS", "loads"},
    {"MEM_INST_RETIRED:ALL_STORES", "stores"},
    {"MEM_INST_RETIRED:LOADS", "loads"},
    {"MEM_INST_RETIRED:STORES", "stores"},
    {"MEM_UOPS_RETIRED:ALL_LOADS", "loads"},
    {"MEM_UOPS_RETIRED:ALL_STORES", "stores"},
    {"MEM_INST_RETIRED:SPLIT_LOADS", "split-loads"},
    {"MEM_UOPS_RETIRED:SPLIT_LOADS", "split-loads"},
    {"FP_ARITH:SCALAR_SINGLE", "fp-scalar-single"},
    {"FP_ARITH:SCALAR_DOUBLE", "fp-scalar-double"},
    {"FP_ARITH_INST_RETIRED:SCALAR_SINGLE", "fp-scalar-single"},
    {"FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "fp-scalar-double"},
    {"MEM_LOAD_RETIRED:L1_MISS", "l1d-load-misses"},
    {"MEM_LOAD_RETIRED:L2_MISS", "l2-load-misses"},
    {"MEM_LOAD_RETIRED:L3_MISS", "llc-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L1_MISS", "l1d-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L2_MISS", "l2-load-misses"},
    {"MEM_LOAD_UOPS_RETIRED:L3_MISS", "llc-load-misses"},
    {"L2_RQSTS:DEMAND_DATA_RD_MISS", "l2-load-misses"},
    {"L2_RQSTS:CODE_RD_MISS", "l2i-misses"},
    {"ICACHE:MISSES", "l1i-load-misses"},
    {"ICACHE_64B:IFTAG_MISS", "l1i-load-misses"},
    {"LONGEST_LAT_CACHE:MISS", "cache-misses"},
    {"LONGEST_LAT_CACHE:REFERENCE", "cache-references"},
    {"LAST_LEVEL_CACHE_MISSES", "cache-misses"},
    {"LAST_LEVEL_CACHE_REFERENCES", "cache-references"},
    {"DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK", "dtlb-load-misses"},
    {"DTLB_LOAD_MISSES:WALK_COMPLETED", "dtlb-load-misses"},
    {"MEM_INST_RETIRED:STLB_MISS_LOADS", "dtlb-load-misses"},
    {"MEM_UOPS_RETIRED:STLB_MISS_LOADS", "dtlb-load-misses"},
    {"DTLB_STORE_MISSES:MISS_CAUSES_A_WALK", "dtlb-store-misses"},
    {"DTLB_STORE_MISSES:WALK_COMPLETED", "dtlb-store-misses"},
    {"ITLB_MISSES:MISS_CAUSES_A_WALK", "itlb-load-misses"},
    {"ITLB_MISSES:WALK_COMPLETED", "itlb-load-misses"},
    {"ITLB:MISS", "itlb-load-misses"},
};

CLASS_TABLE(class_table_intel, "libpfm4 on Intel", intel_rows);

/* ----------------------------------------------------------------------------------------------
 * libpfm4's names of AMD's events, EVENT:UMASK without the PMU in front, for Zen 1 to 4. Zen counts
 * no retired loads and stores (LS_DISPATCH is speculative), and what it says of indirect branches
 * leaves open whether returns are among them. Its floating-point operations are those of SSE and
 * AVX, which is what compilers and specimens use. */

static const struct class_row amd_rows[] = {
    {"RETIRED_INSTRUCTIONS", "instructions"},
    {"CYCLES_NOT_IN_HALT", "cycles"},
    {"RETIRED_BRANCH_INSTRUCTIONS", "branches"},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", "cond-branches"},
    {"RETIRED_NEAR_RETURNS", "returns"},
    {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "branch-misses"},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS_MISPREDICTED", "cond-branch-misses"},
    {"RETIRED_BRANCH_MISPREDICTED_DIRECTION_MISMATCH", "cond-branch-misses"},
    {"RETIRED_SSE_AVX_FLOPS:ANY", "fp-operations"},
    {"MISALIGNED_LOADS:MA64", "split-loads"},
    {"IC_TAG_HIT_MISS:IC_MISS", "l1i-load-misses"},
    {"CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C", "l2d-misses"},
    {"CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS", "l2i-misses"},
};

CLASS_TABLE(class_table_amd, "libpfm4 on AMD", amd_rows);

/* ----------------------------------------------------------------------------------------------
 * Arm's architectural event names: in sysfs as the driver armv8_pmuv3 publishes them, and in
 * libpfm4's tables of Cortex and Neoverse cores in capitals. What is counted speculatively (LD_SPEC
 * and its kin) is not what was executed and has no class, but for INST_SPEC, which claims just
 * that. BR_IMMED_RETIRED mixes conditional branches, jumps and calls. */

static const struct class_row arm_rows[] = {
    {"inst_retired", "instructions"},
    {"inst_spec", "instructions-issued"},
    {"cpu_cycles", "cycles"},
    {"bus_cycles", "bus-cycles"},
    {"stall_frontend", "frontend-stalls"},
    {"stall_backend", "backend-stalls"},
    {"ld_retired", "loads"},
    {"st_retired", "stores"},
    {"br_retired", "branches"},
    {"br_return_retired", "returns"},
    {"br_mis_pred_retired", "branch-misses"},
    {"l1d_cache", "l1d-accesses"},
    {"l1d_cache_access", "l1d-accesses"},
    {"l1d_cache_rd", "l1d-loads"},
    {"l1d_cache_wr", "l1d-stores"},
    {"l1d_cache_refill", "l1d-misses"},
    {"l1d_cache_refill_rd", "l1d-load-misses"},
    {"l1d_cache_refill_wr", "l1d-store-misses"},
    {"l1i_cache", "l1i-loads"},
    {"l1i_cache_access", "l1i-loads"},
    {"l1i_cache_refill", "l1i-load-misses"},
    {"l2d_cache", "l2-accesses"},
    {"l2d_cache_access", "l2-accesses"},
    {"l2d_cache_refill", "l2-misses"},
    {"ll_cache_rd", "llc-loads"},
    {"ll_cache_miss_rd", "llc-load-misses"},
    {"l1d_tlb_refill", "dtlb-misses"},
    {"l1d_tlb_refill_rd", "dtlb-load-misses"},
    {"l1d_tlb_refill_wr", "dtlb-store-misses"},
    {"dtlb_walk", "dtlb-misses"},
    {"l1i_tlb_refill", "itlb-load-misses"},
    {"itlb_walk", "itlb-load-misses"},
};

CLASS_TABLE(class_table_arm, "Arm", arm_rows);

/* ----------------------------------------------------------------------------------------------
 * What PAPI's presets claim to count, by the words PAPI itself describes them with. Which events of
 * the CPU stand behind a preset PAPI decides; whether they keep the claim is what is measured.
 *
 * Left out on purpose: presets whose class no code can be known to have (stalls, idle units,
 * snoops, hits of caches), sums of classes (PAPI_LST_INS, PAPI_L1_TCM, PAPI_BR_UCN), and those of
 * a third level, which is the last one on some CPUs only. */

static const struct class_row papi_rows[] = {
    {"PAPI_TOT_INS", "instructions"},
    {"PAPI_TOT_IIS", "instructions-issued"},
    {"PAPI_TOT_CYC", "cycles"},
    {"PAPI_REF_CYC", "ref-cycles"},
    {"PAPI_LD_INS", "loads"},
    {"PAPI_SR_INS", "stores"},
    {"PAPI_BR_INS", "branches"},
    {"PAPI_BR_CN", "cond-branches"},
    {"PAPI_BR_TKN", "cond-branches-taken"},
    {"PAPI_BR_NTK", "cond-branches-not-taken"},
    {"PAPI_BR_MSP", "cond-branch-misses"},
    {"PAPI_FP_INS", "fp-instructions"},
    {"PAPI_FP_OPS", "fp-operations"},
    {"PAPI_FAD_INS", "fp-adds"},
    {"PAPI_FML_INS", "fp-muls"},
    {"PAPI_FDV_INS", "fp-divs"},
    {"PAPI_FSQ_INS", "fp-sqrts"},
    {"PAPI_FMA_INS", "fp-fmas"},
    {"PAPI_VEC_SP", "fp-packed-single"},
    {"PAPI_VEC_DP", "fp-packed-double"},
    {"PAPI_L1_DCA", "l1d-accesses"},
    {"PAPI_L1_DCR", "l1d-loads"},
    {"PAPI_L1_DCW", "l1d-stores"},
    {"PAPI_L1_DCM", "l1d-misses"},
    {"PAPI_L1_LDM", "l1d-load-misses"},
    {"PAPI_L1_STM", "l1d-store-misses"},
    {"PAPI_L1_ICR", "l1i-loads"},
    {"PAPI_L1_ICM", "l1i-load-misses"},
    {"PAPI_L2_TCA", "l2-accesses"},
    {"PAPI_L2_TCM", "l2-misses"},
    {"PAPI_L2_DCM", "l2d-misses"},
    {"PAPI_L2_LDM", "l2-load-misses"},
    {"PAPI_L2_ICM", "l2i-misses"},
    {"PAPI_TLB_DM", "dtlb-misses"},
    {"PAPI_TLB_IM", "itlb-load-misses"},
    {"PAPI_TLB_TL", "tlb-misses"},
};

CLASS_TABLE(class_table_papi, "PAPI", papi_rows);

/* ----------------------------------------------------------------------------------------------
 * Tracepoints and the aliases in sysfs; and from an event to its class by all of these tables. */

/* A system call's own tracepoint counts calls of it: NAME-calls. */
static const struct class_row tracepoint_rows[] = {
    {"raw_syscalls:sys_enter", "syscalls"},
    {"syscalls:sys_enter_getppid", "getppid-calls"},
    {"syscalls:sys_enter_getpid", "getpid-calls"},
    {"syscalls:sys_enter_getuid", "getuid-calls"},
    {"syscalls:sys_enter_sched_yield", "sched_yield-calls"},
    {"syscalls:sys_enter_sched_setaffinity", "sched_setaffinity-calls"},
    {"syscalls:sys_enter_ioctl", "ioctl-calls"},
    {"syscalls:sys_enter_prctl", "prctl-calls"},
    {"syscalls:sys_enter_read", "read-calls"},
    {"syscalls:sys_enter_write", "write-calls"},
    {"syscalls:sys_enter_mmap", "mmap-calls"},
    {"syscalls:sys_enter_munmap", "munmap-calls"},
    {"exceptions:page_fault_user", "page-faults"},
};

CLASS_TABLE(class_table_tracepoint, "tracepoints", tracepoint_rows);

/* Aliases of x86 PMUs in sysfs; Arm's are above, and RISC-V's driver publishes none.
 * mem-loads and mem-stores have no class: they are made for sampling, with a threshold of latency
 * on most CPUs. */
static const struct class_row alias_rows[] = {
    {"instructions", "instructions"},
    {"cpu-cycles", "cycles"},
    {"ref-cycles", "ref-cycles"},
    {"bus-cycles", "bus-cycles"},
    {"branch-instructions", "branches"},
    {"branch-misses", "branch-misses"},
    {"cache-references", "cache-references"},
    {"cache-misses", "cache-misses"},
    {"stalled-cycles-frontend", "frontend-stalls"},
    {"stalled-cycles-backend", "backend-stalls"},
    {"tsc", "ticks"},
};
CLASS_TABLE(class_table_alias, "sysfs", alias_rows);

const char *class_table_find(const struct class_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *known = table->rows[i].name;
        if (strlen(known) == length && strncasecmp(known, name, length) == 0)
            return table->rows[i].class;
    }
    return NULL;
}

static const char *tracepoint_class(const char *name)
{
    size_t length = strcspn(name, ":");
    if (name[length])
        length += 1 + strcspn(name + length + 1, ":");
    return class_table_find(&class_table_tracepoint, name, length);
}

/* pmu/alias/modes, or a core PMU's alias written bare. Further terms change the meaning. */
static const char *alias_class(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *alias = slash ? slash + 1 : name;
    size_t length = strcspn(alias, slash ? "/" : ":");
    const char *class = class_table_find(&class_table_alias, alias, length);
    if (!class)
        class = class_table_find(&class_table_arm, alias, length);
    bool is_clock = class && strcmp(class, "ticks") == 0;
    return is_clock && strncmp(name, "msr/", 4) != 0 ? NULL : class;
}

/* PMU::EVENT:UMASK:modes; modes are the single letters at the end. */
static const char *pfm_class(const char *name)
{
    static const struct class_table *const tables[] = {&class_table_intel, &class_table_amd,
                                                       &class_table_arm};
    const char *event = strstr(name, "::");
    event = event ? event + 2 : name;
    size_t length = strlen(event);
    while (length > 2 && event[length - 2] == ':' && strchr("ukh", event[length - 1]))
        length -= 2;
    const char *class = NULL;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !class; i++)
        class = class_table_find(tables[i], event, length);
    return class;
}

static const char *breakpoint_class(uint32_t type)
{
    switch (type) {
    case HW_BREAKPOINT_X:
        return "breakpoint-exec";
    case HW_BREAKPOINT_W:
        return "breakpoint-write";
    case HW_BREAKPOINT_R:
        return "breakpoint-read";
    default:
        return "breakpoint-access";
    }
}

const char *event_class(const struct event *event)
{
    if (event->kind == EVENT_SOURCE) {
        /* What a source counts beside its classes has "-raw" behind it, and no truth. */
        size_t length = strlen(event->counts);
        bool raw = length > 4 && strcmp(event->counts + length - 4, "-raw") == 0;
        return raw ? NULL : event->counts;
    }
    const char *class = class_of_generic(&event->attr);
    if (class)
        return class;
    switch (event->kind) {
    case EVENT_TRACEPOINT:
        return tracepoint_class(event->name);
    case EVENT_BREAKPOINT:
        return breakpoint_class(event->attr.bp_type);
    case EVENT_UPROBE:
        return event->name[1] == 'r' ? "uprobe-returns" : "uprobe-hits";
    case EVENT_PMU:
        return alias_class(event->name);
    case EVENT_PFM:
        return pfm_class(event->name);
    case EVENT_PAPI:
        return class_table_find(&class_table_papi, event->name, strcspn(event->name, ":"));
    default:
        return NULL;
    }
}
