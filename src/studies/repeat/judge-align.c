/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources held against each other, and why they differ: each against the truth of a subject, else
 * against stepping, else against the hardware's count, else against the first source there is. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Rules that tell from a function's name and file why two sources execute it differently often.
 * They know glibc, whose start-up reads CPUID, the auxiliary vector and the environment, and what
 * tools load into a program. */

const char *const align_why_names[WHY_COUNT] = {[WHY_VDSO] = "vdso",
                                                [WHY_CPUID] = "cpuid",
                                                [WHY_ENVIRONMENT] = "environment",
                                                [WHY_REPEATED] = "repeated",
                                                [WHY_FLOATING_POINT] = "floating-point",
                                                [WHY_START_UP] = "start-up",
                                                [WHY_ADDRESSES] = "addresses",
                                                [WHY_OPERATING_SYSTEM] = "operating-system",
                                                [WHY_UNKNOWN] = "unknown"};

/* One function as both executed it. */
struct align_function {
    const char *object, *name; /* the object without its folder */
    uint64_t counts[2];        /* of the source, of the reference */
    uint64_t repetitions[2];
    double difference;
    bool resolves; /* it chooses between forms of itself, which are there under longer names */
    bool replaced; /* it is a form that one of the two executes, and the other executes another */
};

/* What else is known of the program. */
struct align_known {
    bool addresses; /* its counts follow addresses, by a control, a sweep or its nature */
    bool converges; /* it is made to show floating-point width (M9) */
    bool preloads;  /* one of the two loads a library of its own into it */
    bool looks_up;  /* it is linked statically, and one of the two looks up functions in a vDSO that
                       the other does not have */
    double adjusted; /* what faults and interrupts add to the source's count beyond the other's */
};

/* Patterns of fnmatch(3); the first that fits decides. */
struct align_rule {
    enum align_why why;
    const char *object, *names; /* NULL: any */
};
static const struct align_rule rules[] = {
    {WHY_VDSO, "[[]vdso]", NULL},
    {WHY_VDSO, NULL,
     "*vdso* clock_gettime __clock_gettime* gettimeofday __gettimeofday* "
     "gettimeofday_syscall time time_syscall getcpu sched_getcpu"},
    {WHY_CPUID, NULL,
     "*cpu_features* *cpu_feature_* *cacheinfo* *cache_info* *cpuid* *ifunc* "
     "update_active* handle_intel* handle_amd* handle_zhaoxin* intel_check_word* "
     "get_extended_indices* get_common_indices* get_cet_status* __cache_sysconf "
     "_dl_diagnostics_cpu* _dl_runtime_resolve_*save* _dl_important_hwcaps "
     "_dl_hwcaps_*"},
    {WHY_ENVIRONMENT, "vgpreload*", NULL},
    {WHY_ENVIRONMENT, NULL,
     "*preload* *tunable* getenv __getenv* *secure_getenv unsetenv "
     "process_envvars* _dl_next_ld_env_entry _dl_non_dynamic_init"},
};

/* Names of start-up in programs that are linked statically, where all lies in one file. */
static const char start_up_objects[] = "ld-* ld.so* ld64.so*";
static const char start_up[] =
    "_start __libc_start* __libc_setup_tls __libc_init* _dl_* __dl_* apply_irel* call_init* _init "
    "_init_first frame_dummy register_tm_clones __tls_init_tp";

/* What glibc does to find the functions of the vDSO, and where it is inlined. */
static const char look_ups[] =
    "_dl_lookup_symbol_x* do_lookup_x* do_lookup_unique* check_match* dl_new_hash* _dl_new_hash* "
    "_dl_name_match_p _dl_new_object _dl_add_to_namespace_list _dl_setup_hash _dl_find_object* "
    "_dlfo_* _dl_non_dynamic_init";

/* What only serves others: allocates, copies, compares, locks. It is executed less or more often
 * because of those. */
static const char servants[] =
    "*malloc* *calloc* *realloc* alloc_perturb *memcpy* *memmove* *memset* *memcmp* *strlen* "
    "*strcmp* *strchr* *pthread_mutex_* _int_free* *tcache*";

/* Is the name, up to the version that symbols of libraries have ("clock_gettime@@GLIBC_2.17"), one
 * of these patterns of fnmatch(3), which have spaces between them? */
static bool fits(const char *patterns, const char *name)
{
    char plain[256], pattern[64];
    snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(name, "@"), name);
    for (const char *at = patterns; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, at);
        if (fnmatch(pattern, plain, 0) == 0)
            return true;
        at += length;
    }
    return false;
}

/* What follows the function's own name where there are several forms of it; also without the
 * underscore before it: rawmemchr-avx2. */
static const char *const variants[] = {
    "_avx",       "_avx2",   "_avx512",      "_evex",      "_evex512", "_sse2",   "_sse3",
    "_ssse3",     "_sse4",   "_sse41",       "_sse42",     "_sse4_1",  "_sse4_2", "_erms",
    "_fsrm",      "_rtm",    "_fma",         "_fma4",      "_bmi2",    "_popcnt", "_lzcnt",
    "_apx",       "_xsave",  "_xsavec",      "_ia32",      "_i386",    "_i586",   "_i686",
    "_mops",      "_sve",    "_asimd",       "_zva64",     "_kunpeng", "_falkor", "_thunderx",
    "_thunderx2", "_a64fx",  "_oryon1",      "_emag",      "_generic", "_mte",    "_nomte",
    "_rvv",       "_vector", "_noalignment", "_unaligned", NULL};

/* Does the name hold this form, as a whole word: at its end or before another underscore? */
static bool has_form(const char *name, const char *form)
{
    const size_t length = strlen(form);
    for (const char *at = strstr(name, form); at; at = strstr(at + 1, form))
        if (at != name && (at[length] == '\0' || strchr("_.@", at[length])))
            return true;
    return false;
}

bool align_is_variant(const char *name)
{
    /* Leading underscores are no form. */
    const char *own = name + strspn(name, "_");
    for (const char *const *form = variants; *form; form++)
        if (has_form(own, *form))
            return true;
    return false;
}

bool align_is_variant_of(const char *variant, const char *name)
{
    const char *form = variant + strspn(variant, "_"), *own = name + strspn(name, "_");
    const size_t length = strlen(own);
    return length && strncmp(form, own, length) == 0 && form[length] == '_' &&
           align_is_variant(variant);
}

/* How long the name is before the first form. */
static size_t own_length(const char *own)
{
    size_t length = strlen(own);
    for (const char *const *form = variants; *form; form++) {
        const char *at = has_form(own, *form) ? strstr(own, *form) : NULL;
        if (at && (size_t)(at - own) < length)
            length = (size_t)(at - own);
    }
    return length;
}

bool align_are_variants(const char *one, const char *other)
{
    const char *first = one + strspn(one, "_"), *second = other + strspn(other, "_");
    const size_t length = own_length(first);
    return align_is_variant(one) && align_is_variant(other) && length == own_length(second) &&
           strncmp(first, second, length) == 0;
}

static enum align_why align_why_of(const struct align_function *function,
                                   const struct align_known *known)
{
    const char *object = function->object, *name = function->name;
    const bool both = function->counts[0] && function->counts[1];
    if (known->looks_up && fits(look_ups, name))
        return WHY_VDSO;
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        if (rules[i].object ? fnmatch(rules[i].object, object, 0) == 0 : fits(rules[i].names, name))
            return rules[i].why;
    if (function->resolves || function->replaced)
        return WHY_CPUID;
    /* One of the two counts repetitions that the other does not. */
    for (size_t i = 0; both && i < 2; i++)
        if (function->repetitions[i] &&
            fabs(fabs(function->difference) - (double)function->repetitions[i]) < .5)
            return WHY_REPEATED;
    if (both && known->converges)
        return WHY_FLOATING_POINT;
    if (fits(start_up_objects, object) || fits(start_up, name))
        return known->preloads ? WHY_ENVIRONMENT : WHY_START_UP;
    return both && known->addresses ? WHY_ADDRESSES : WHY_UNKNOWN;
}

/* ----------------------------------------------------------------------------------------------
 * Lays the functions of two sources side by side and adds up their differences by reason. What no
 * rule covers, and what functions do not account for at all, is unknown: the reasons add up to the
 * difference, whatever happens. */

/* Functions told as evidence of a reason. */
#define TOLD_FUNCTIONS 4u

struct joined {
    struct align_function *list;
    size_t count;
};

static int by_name(const void *left, const void *right)
{
    const struct align_function *one = left;
    const struct align_function *other = right;
    const int order = strcmp(one->object, other->object);
    return order ? order : strcmp(one->name, other->name);
}

/* All functions of both, those of one name joined. */
static struct joined join(const struct repeat_cell *const executed[2])
{
    size_t all = 0, used = 0;
    struct align_function *list =
        memory_new(executed[0]->function_count + executed[1]->function_count + 1, sizeof(*list));
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < executed[side]->function_count; i++) {
            const struct repeat_executed *function = &executed[side]->functions[i];
            const char *slash = strrchr(function->object, '/');
            struct align_function *put = &list[all++];
            put->object = slash ? slash + 1 : function->object;
            put->name = function->name;
            put->counts[side] = function->count;
            put->repetitions[side] = function->repetitions;
        }
    qsort(list, all, sizeof(*list), by_name);
    for (size_t i = 0; i < all; i++) {
        if (!used || by_name(&list[used - 1], &list[i]) != 0) {
            list[used++] = list[i];
            continue;
        }
        for (size_t side = 0; side < 2; side++) {
            list[used - 1].counts[side] += list[i].counts[side];
            list[used - 1].repetitions[side] += list[i].repetitions[side];
        }
    }
    for (size_t i = 0; i < used; i++) {
        const uint64_t *counts = list[i].counts;
        list[i].difference = counts[0] >= counts[1] ? (double)(counts[0] - counts[1])
                                                    : -(double)(counts[1] - counts[0]);
    }
    return (struct joined){list, used};
}

static int by_size(const void *left, const void *right)
{
    const struct align_function *one = left;
    const struct align_function *other = right;
    const double first = fabs(one->difference), second = fabs(other->difference);
    const int order = (first < second) - (first > second);
    return order ? order : by_name(left, right);
}

/* --- reasons --- */

struct align_shares {
    struct align_reason list[WHY_COUNT];
    size_t functions[WHY_COUNT];
};

static void add_function(struct align_shares *reasons, enum align_why why,
                         const struct align_function *function)
{
    struct align_reason *reason = &reasons->list[why];
    const char *object = function->object;
    reason->instructions += function->difference;
    if (reasons->functions[why]++ < TOLD_FUNCTIONS)
        REASON(&reason->evidence, LIST, &repeat_words[SAYS_FUNCTION],
               function->name[0] ? function->name
               : object[0]       ? memory_format("%s (no names)", object)
                                 : "code without a name",
               function->difference);
}

/* --- what the functions say together --- */

static void by_functions(const struct repeat_cell *const executed[2], struct align_known known,
                         struct align_shares *reasons)
{
    const struct joined joined = join(executed);
    bool one_sided = false, loader = false;
    for (size_t i = 0; i < joined.count; i++) {
        struct align_function *function = &joined.list[i];
        const char *object = function->object, *name = function->name;
        /* It looks up symbols, which a statically linked program does for the vDSO alone. */
        const bool looks_up = strcmp(name, "do_lookup_x") == 0 ||
                              strcmp(name, "_dl_lookup_symbol_x") == 0 ||
                              strstr(name, "dl_vdso_vsym");
        const size_t other = function->counts[0] ? 1 : 0;
        known.preloads |= strncmp(object, "vgpreload", 9) == 0;
        one_sided |= looks_up && (function->counts[0] == 0) != (function->counts[1] == 0);
        loader |= strncmp(object, "ld-", 3) == 0 || strncmp(object, "ld.so", 5) == 0;
        /* The C library names a function that chooses like the forms between which it does; and the
         * side that does not execute one form executes another form of the same function. */
        const bool variant = align_is_variant(name);
        for (size_t j = 0; j < joined.count && fabs(function->difference) > 0; j++) {
            const struct align_function *rival = &joined.list[j];
            function->resolves |= !variant && name[0] && align_is_variant_of(rival->name, name);
            function->replaced |= variant && !function->counts[other] && rival->counts[other] &&
                                  align_are_variants(rival->name, name);
        }
    }
    known.looks_up = one_sided && !loader;
    qsort(joined.list, joined.count, sizeof(*joined.list), by_size);
    for (size_t i = 0; i < joined.count && fabs(joined.list[i].difference) > 0; i++) {
        const enum align_why why = align_why_of(&joined.list[i], &known);
        if (why != WHY_UNKNOWN)
            add_function(reasons, why, &joined.list[i]);
    }
    /* Functions that serve others go with the reason that those have: the lookups of the vDSO, or
     * what a tool loads. Never for more than that reason accounts for itself: what is larger has
     * another reason. */
    enum align_why why = known.looks_up ? WHY_VDSO : known.preloads ? WHY_ENVIRONMENT : WHY_UNKNOWN;
    const double most = fabs(reasons->list[why].instructions);
    why = most > 0 ? why : WHY_UNKNOWN;
    double used = 0;
    for (size_t i = 0; i < joined.count; i++) {
        const struct align_function *function = &joined.list[i];
        const double size = fabs(function->difference);
        if (align_why_of(function, &known) != WHY_UNKNOWN || !(size > 0))
            continue;
        const bool goes =
            why != WHY_UNKNOWN && fits(servants, function->name) && used + size <= most;
        used += goes ? size : 0;
        add_function(reasons, goes ? why : WHY_UNKNOWN, function);
    }
    memory_give_back(joined.list);
}

static int by_instructions(const void *left, const void *right)
{
    const struct align_reason *one = left;
    const struct align_reason *other = right;
    const double first = fabs(one->instructions), second = fabs(other->instructions);
    return (first < second) - (first > second);
}

/* What is left is unknown. */
static void add_up(struct align_shares *reasons, bool recorded, struct repeat_alignment *alignment)
{
    struct align_reason *unknown = &reasons->list[WHY_UNKNOWN];
    double known = 0, nameless = unknown->instructions;
    for (size_t why = 0; why < WHY_UNKNOWN; why++)
        known += reasons->list[why].instructions;
    alignment->unexplained = alignment->difference - known;
    unknown->instructions = alignment->unexplained;
    const double rest = alignment->unexplained - nameless;
    if (!recorded && !unknown->evidence.count)
        SAY(&unknown->evidence, SAYS_UNRECORDED);
    else if (fabs(rest) > 0)
        SAY(&unknown->evidence, SAYS_UNACCOUNTED, rest);
    for (size_t why = 0; why < WHY_COUNT; why++) {
        struct align_reason *reason = &reasons->list[why];
        reason->what = (enum align_why)why;
        if (fabs(reason->instructions) > 0 || (why != WHY_UNKNOWN && reason->evidence.count))
            *memory_add(alignment->reasons, alignment->reason_count) = *reason;
    }
    if (alignment->reason_count)
        qsort(alignment->reasons, alignment->reason_count, sizeof(*alignment->reasons),
              by_instructions);
}

/* Fills reasons and unexplained, so that they add up to the difference. executed: of the source and
 * of the reference; NULL: not recorded. */
static void align_explain(const struct repeat_cell *const executed[2],
                          const struct align_known *known, struct repeat_alignment *alignment)
{
    struct align_shares reasons = {0};
    struct align_reason *repeated = &reasons.list[WHY_REPEATED];
    struct align_reason *system = &reasons.list[WHY_OPERATING_SYSTEM];
    const bool recorded = executed[0] && executed[1];
    const double off = fabs(alignment->difference);
    alignment->unexplained = 0;
    if (alignment->same || !isfinite(alignment->difference))
        return;
    if (recorded) {
        by_functions(executed, *known, &reasons);
    } else if (off > 0 && alignment->repetitions > 0 && fabs(off - alignment->repetitions) < .5) {
        /* Without functions the figures themselves may tell. */
        repeated->instructions = alignment->difference;
        SAY(&repeated->evidence, SAYS_REPEATED);
    }
    for (size_t why = 0; why < WHY_COUNT; why++)
        if (reasons.functions[why] > TOLD_FUNCTIONS)
            REASON(&reasons.list[why].evidence, LIST, &repeat_words[SAYS_FUNCTIONS],
                   reasons.functions[why] - TOLD_FUNCTIONS);
    if (fabs(known->adjusted) > 0) {
        system->instructions = known->adjusted;
        SAY(&system->evidence, SAYS_SYSTEM);
    }
    add_up(&reasons, recorded, alignment);
}

/* --- source by source --- */

#define MOST_SOURCES 16u

/* The instructions of one source, under the setting that is most controlled. */
struct counted {
    const char *source;
    const struct repeat_row *row, *raw; /* raw NULL: not told */
    const struct repeat_cell *cell;
};
struct program_sources {
    const struct repeat_case *file;
    const struct repeat_report *report;
    struct repeat_place at;
    struct counted list[MOST_SOURCES];
    size_t count;
};

/* The functions of this source, of an execution under the same controls if there is one. */
static const struct repeat_cell *executed_by(const struct program_sources *sources,
                                             const struct counted *counted)
{
    const struct repeat_cell *found = NULL;
    for (size_t i = 0; counted && i < sources->file->cell_count; i++) {
        const struct repeat_cell *cell = &sources->file->cells[i];
        if (is_same_place(&cell->at, &sources->at) && cell->detail == DETAIL_CODE &&
            cell->function_count && cell->sweep == SWEEP_NONE &&
            strcmp(cell->source, counted->source) == 0 &&
            (!found || cell->controls == counted->cell->controls))
            found = cell;
    }
    return found;
}

/* --- one alignment --- */

static bool is_one_count(const struct repeat_row *row, uint64_t count)
{
    return row->apart == 0 && row->min == count && row->max == count;
}

/* What faults and interrupts add, where that is known; to sources nothing. */
static double added_by_system(const struct counted *counted)
{
    const struct repeat_row *row = counted->row;
    return row->is_adjusted && isfinite(row->adjusted_mean) ? row->mean - row->adjusted_mean : 0;
}

static void align_one(const struct program_sources *sources, const struct counted *counted,
                      const struct counted *reference, struct repeat_alignment *alignment)
{
    const struct repeat_program *program = &sources->file->programs[sources->at.program];
    const struct repeat_row *row = counted->row, *other = reference->row;
    const bool truth = program->has_truth;
    *alignment = (struct repeat_alignment){.at = sources->at,
                                           .source = counted->source,
                                           .against = truth ? "truth" : reference->source,
                                           .aligned = row->usual,
                                           .raw = counted->raw ? counted->raw->usual : (double)NAN};
    alignment->repetitions = alignment->raw - alignment->aligned;
    alignment->reference = truth ? (double)program->truth : other->usual;
    alignment->difference = alignment->aligned - alignment->reference;
    alignment->same = truth ? program->truth >= 0 && is_one_count(row, (uint64_t)program->truth)
                            : is_one_count(row, other->min) && is_one_count(other, other->min);
    const struct align_known known = {
        .addresses = repeat_program_shows(program, "M3") || repeat_program_shows(program, "M5") ||
                     follows_addresses(sources->report, &sources->at, true),
        .converges = repeat_program_shows(program, "M9"),
        .adjusted = added_by_system(counted) -
                    (truth || reference == counted ? 0 : added_by_system(reference))};
    const struct repeat_cell *const executed[2] = {
        executed_by(sources, counted),
        counted == reference ? NULL : executed_by(sources, reference)};
    align_explain(executed, &known, alignment);
}

static const struct counted *source_of(const struct program_sources *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].source, source) == 0)
            return &sources->list[i];
    return NULL;
}

static void align_program(const struct repeat_case *file, size_t machine, size_t program,
                          struct repeat_report *report)
{
    struct program_sources sources = {.file = file, .report = report, .at = {machine, program}};
    size_t kept = 0;
    /* Of each source the first of the most controlled rows that have runs. */
    for (size_t i = 0; i < report->row_count; i++) {
        const struct repeat_row *row = &report->rows[i];
        const struct repeat_cell *cell = row->cell;
        const bool raw = strstr(cell->event[row->event], "/instructions-raw/");
        if (!is_same_place(&cell->at, &sources.at) || cell->sweep != SWEEP_NONE || !row->runs ||
            !(raw || counts_instructions(cell, row->event)))
            continue;
        size_t at = 0;
        while (at < sources.count && strcmp(sources.list[at].source, cell->source) != 0)
            at++;
        if (at == MOST_SOURCES)
            continue;
        if (at == sources.count)
            sources.list[sources.count++] = (struct counted){.source = cell->source};
        struct counted *counted = &sources.list[at];
        const struct repeat_row **place = raw ? &counted->raw : &counted->row;
        const struct repeat_cell *other = *place ? (*place)->cell : NULL;
        if (!other || __builtin_popcount(cell->controls) > __builtin_popcount(other->controls))
            *place = row;
        if (!raw)
            counted->cell = counted->row->cell;
    }
    for (size_t i = 0; i < sources.count; i++) {
        struct counted *counted = &sources.list[i];
        if (!counted->row)
            continue;
        /* The raw count of another setting is of another run. */
        if (counted->raw && counted->raw->cell->controls != counted->cell->controls)
            counted->raw = NULL;
        sources.list[kept++] = *counted;
    }
    sources.count = kept;
    /* Stepping is this CPU itself, and counts each instruction; the hardware comes next. */
    const struct counted *reference = source_of(&sources, "step");
    reference = reference ? reference : source_of(&sources, "perf_event");
    reference = reference ? reference : &sources.list[0];
    for (size_t i = 0; i < sources.count; i++)
        if (&sources.list[i] != reference || file->programs[program].has_truth)
            align_one(&sources, &sources.list[i], reference,
                      memory_add(report->alignments, report->alignment_count));
}

void repeat_align(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++)
            align_program(file, machine, program, report);
}
