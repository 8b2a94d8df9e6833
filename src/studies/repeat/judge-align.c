/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources held against each other, and why they differ: each against the truth of a subject, else
 * against stepping, else against the hardware's count, else against the first source there is. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/judge.h"

/* ----------------------------------------------------------------------------------------------
 * Rules that tell from a function's name and file why two sources execute it differently often.
 * They know glibc, whose start-up reads CPUID, the auxiliary vector and the environment, and what
 * tools load into a program. */

/* In the order in which they are tried; the last takes what is left. */
enum align_why {
    WHY_VDSO,
    WHY_CPUID,
    WHY_ENVIRONMENT,
    WHY_REPEATED,
    WHY_FLOATING_POINT,
    WHY_START_UP,
    WHY_ADDRESSES,
    WHY_OPERATING_SYSTEM,
    WHY_UNKNOWN,
    WHY_COUNT
};
static const char *const align_why_names[WHY_COUNT] = {[WHY_VDSO] = "vdso",
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
    const char *object, *name; /* NULL: any */
};
static const struct align_rule rules[] = {
    {WHY_VDSO, "[[]vdso]", NULL},
    {WHY_VDSO, NULL, "*vdso*"},
    {WHY_VDSO, NULL, "clock_gettime"},
    {WHY_VDSO, NULL, "__clock_gettime*"},
    {WHY_VDSO, NULL, "gettimeofday"},
    {WHY_VDSO, NULL, "__gettimeofday*"},
    {WHY_VDSO, NULL, "gettimeofday_syscall"},
    {WHY_VDSO, NULL, "time"},
    {WHY_VDSO, NULL, "time_syscall"},
    {WHY_VDSO, NULL, "getcpu"},
    {WHY_VDSO, NULL, "sched_getcpu"},
    {WHY_CPUID, NULL, "*cpu_features*"},
    {WHY_CPUID, NULL, "*cpu_feature_*"},
    {WHY_CPUID, NULL, "*cacheinfo*"},
    {WHY_CPUID, NULL, "*cache_info*"},
    {WHY_CPUID, NULL, "*cpuid*"},
    {WHY_CPUID, NULL, "*ifunc*"},
    {WHY_CPUID, NULL, "update_active*"},
    {WHY_CPUID, NULL, "handle_intel*"},
    {WHY_CPUID, NULL, "handle_amd*"},
    {WHY_CPUID, NULL, "handle_zhaoxin*"},
    {WHY_CPUID, NULL, "intel_check_word*"},
    {WHY_CPUID, NULL, "get_extended_indices*"},
    {WHY_CPUID, NULL, "get_common_indices*"},
    {WHY_CPUID, NULL, "get_cet_status*"},
    {WHY_CPUID, NULL, "__cache_sysconf"},
    {WHY_CPUID, NULL, "_dl_diagnostics_cpu*"},
    {WHY_CPUID, NULL, "_dl_runtime_resolve_*save*"},
    {WHY_CPUID, NULL, "_dl_important_hwcaps"},
    {WHY_CPUID, NULL, "_dl_hwcaps_*"},
    {WHY_ENVIRONMENT, "vgpreload*", NULL},
    {WHY_ENVIRONMENT, NULL, "*preload*"},
    {WHY_ENVIRONMENT, NULL, "*tunable*"},
    {WHY_ENVIRONMENT, NULL, "getenv"},
    {WHY_ENVIRONMENT, NULL, "__getenv*"},
    {WHY_ENVIRONMENT, NULL, "*secure_getenv"},
    {WHY_ENVIRONMENT, NULL, "unsetenv"},
    {WHY_ENVIRONMENT, NULL, "process_envvars*"},
    {WHY_ENVIRONMENT, NULL, "_dl_next_ld_env_entry"},
    {WHY_ENVIRONMENT, NULL, "_dl_non_dynamic_init"},
};

/* Names of start-up in programs that are linked statically, where all lies in one file. */
static const struct align_rule start_up[] = {
    {WHY_START_UP, "ld-*", NULL},
    {WHY_START_UP, "ld.so*", NULL},
    {WHY_START_UP, "ld64.so*", NULL},
    {WHY_START_UP, NULL, "_start"},
    {WHY_START_UP, NULL, "__libc_start*"},
    {WHY_START_UP, NULL, "__libc_setup_tls"},
    {WHY_START_UP, NULL, "__libc_init*"},
    {WHY_START_UP, NULL, "_dl_*"},
    {WHY_START_UP, NULL, "__dl_*"},
    {WHY_START_UP, NULL, "apply_irel*"},
    {WHY_START_UP, NULL, "call_init*"},
    {WHY_START_UP, NULL, "_init"},
    {WHY_START_UP, NULL, "_init_first"},
    {WHY_START_UP, NULL, "frame_dummy"},
    {WHY_START_UP, NULL, "register_tm_clones"},
    {WHY_START_UP, NULL, "__tls_init_tp"},
};

/* What glibc does to find the functions of the vDSO, and where it is inlined. */
static const struct align_rule look_ups[] = {
    {WHY_VDSO, NULL, "_dl_lookup_symbol_x*"},
    {WHY_VDSO, NULL, "do_lookup_x*"},
    {WHY_VDSO, NULL, "do_lookup_unique*"},
    {WHY_VDSO, NULL, "check_match*"},
    {WHY_VDSO, NULL, "dl_new_hash*"},
    {WHY_VDSO, NULL, "_dl_new_hash*"},
    {WHY_VDSO, NULL, "_dl_name_match_p"},
    {WHY_VDSO, NULL, "_dl_new_object"},
    {WHY_VDSO, NULL, "_dl_add_to_namespace_list"},
    {WHY_VDSO, NULL, "_dl_setup_hash"},
    {WHY_VDSO, NULL, "_dl_find_object*"},
    {WHY_VDSO, NULL, "_dlfo_*"},
    {WHY_VDSO, NULL, "_dl_non_dynamic_init"},
};

static const struct align_rule servants[] = {
    {WHY_UNKNOWN, NULL, "*malloc*"},   {WHY_UNKNOWN, NULL, "*calloc*"},
    {WHY_UNKNOWN, NULL, "*realloc*"},  {WHY_UNKNOWN, NULL, "alloc_perturb"},
    {WHY_UNKNOWN, NULL, "*memcpy*"},   {WHY_UNKNOWN, NULL, "*memmove*"},
    {WHY_UNKNOWN, NULL, "*memset*"},   {WHY_UNKNOWN, NULL, "*memcmp*"},
    {WHY_UNKNOWN, NULL, "*strlen*"},   {WHY_UNKNOWN, NULL, "*strcmp*"},
    {WHY_UNKNOWN, NULL, "*strchr*"},   {WHY_UNKNOWN, NULL, "*pthread_mutex_*"},
    {WHY_UNKNOWN, NULL, "_int_free*"}, {WHY_UNKNOWN, NULL, "*tcache*"},
};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

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

static int find_rule(const struct align_rule *list, size_t count,
                     const struct align_function *function)
{
    /* Without the version that symbols of libraries have: "clock_gettime@@GLIBC_2.17". */
    char name[256];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(function->name, "@"), function->name);
    for (size_t i = 0; i < count; i++)
        if ((!list[i].object || fnmatch(list[i].object, function->object, 0) == 0) &&
            (!list[i].name || fnmatch(list[i].name, name, 0) == 0))
            return (int)list[i].why;
    return -1;
}

/* One of the two counts repetitions that the other does not. */
static bool counts_repetitions(const struct align_function *function)
{
    const double off = fabs(function->difference);
    for (size_t i = 0; i < 2; i++)
        if (function->repetitions[i] && fabs(off - (double)function->repetitions[i]) < .5)
            return true;
    return false;
}

/* Does it look up symbols, which a statically linked program does for the vDSO alone? */
static bool align_looks_up(const char *name)
{
    return strcmp(name, "do_lookup_x") == 0 || strcmp(name, "_dl_lookup_symbol_x") == 0 ||
           strstr(name, "dl_vdso_vsym");
}

/* Does it only serve others: allocate, copy, compare, lock? Then it is executed less or more often
 * because of those. */
static bool align_serves(const char *name)
{
    const struct align_function function = {.object = "", .name = name};
    return find_rule(servants, COUNT(servants), &function) >= 0;
}

static enum align_why align_why_of(const struct align_function *function,
                                   const struct align_known *known)
{
    const bool both = function->counts[0] && function->counts[1];
    if (known->looks_up && find_rule(look_ups, COUNT(look_ups), function) >= 0)
        return WHY_VDSO;
    const int why = find_rule(rules, COUNT(rules), function);
    if (why >= 0)
        return (enum align_why)why;
    if (function->resolves || function->replaced)
        return WHY_CPUID;
    if (both && counts_repetitions(function))
        return WHY_REPEATED;
    if (both && known->converges)
        return WHY_FLOATING_POINT;
    if (find_rule(start_up, COUNT(start_up), function) >= 0)
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

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int by_name(const void *left, const void *right)
{
    const struct align_function *one = left;
    const struct align_function *other = right;
    const int order = strcmp(one->object, other->object);
    return order ? order : strcmp(one->name, other->name);
}

/* All functions of both, those of one name joined. */
static int join(const struct repeat_cell *const executed[2], struct joined *joined)
{
    size_t all = 0, used = 0;
    joined->list = calloc(executed[0]->function_count + executed[1]->function_count + 1,
                          sizeof(*joined->list));
    if (!joined->list)
        return -ENOMEM;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < executed[side]->function_count; i++) {
            const struct repeat_executed *function = &executed[side]->functions[i];
            struct align_function *put = &joined->list[all++];
            put->object = last_part(function->object);
            put->name = function->name;
            put->counts[side] = function->count;
            put->repetitions[side] = function->repetitions;
        }
    qsort(joined->list, all, sizeof(*joined->list), by_name);
    for (size_t i = 0; i < all; i++) {
        struct align_function *function = &joined->list[i];
        if (used && by_name(&joined->list[used - 1], function) == 0) {
            struct align_function *same = &joined->list[used - 1];
            for (size_t side = 0; side < 2; side++) {
                same->counts[side] += function->counts[side];
                same->repetitions[side] += function->repetitions[side];
            }
        } else {
            joined->list[used++] = *function;
        }
    }
    joined->count = used;
    for (size_t i = 0; i < used; i++) {
        struct align_function *function = &joined->list[i];
        function->difference = function->counts[0] >= function->counts[1]
                                   ? (double)(function->counts[0] - function->counts[1])
                                   : -(double)(function->counts[1] - function->counts[0]);
    }
    return 0;
}

/* The C library names a function that chooses like the forms between which it does. */
static bool has_forms(const struct joined *joined, const char *name)
{
    for (size_t i = 0; name[0] && i < joined->count; i++)
        if (align_is_variant_of(joined->list[i].name, name))
            return true;
    return false;
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

struct reasons {
    struct align_reason list[WHY_COUNT];
    size_t functions[WHY_COUNT];
};

/* Appends, cut where it is full. */
static void __attribute__((format(printf, 2, 3)))
add_words(struct align_reason *reason, const char *format, ...)
{
    const size_t used = strlen(reason->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->words + used, sizeof(reason->words) - used, format, arguments);
    va_end(arguments);
}

static void add_function(struct reasons *reasons, enum align_why why,
                         const struct align_function *function)
{
    struct align_reason *reason = &reasons->list[why];
    reason->instructions += function->difference;
    if (reasons->functions[why]++ >= TOLD_FUNCTIONS)
        return;
    const char *name = function->name[0] ? function->name : function->object;
    add_words(reason, "%s%.40s%s %+.0f", reason->words[0] ? ", " : "",
              name[0] ? name : "code without a name",
              !function->name[0] && name[0] ? " (no names)" : "", function->difference);
}

static void finish_words(struct reasons *reasons)
{
    for (size_t why = 0; why < WHY_COUNT; why++)
        if (reasons->functions[why] > TOLD_FUNCTIONS)
            add_words(&reasons->list[why], ", and %zu more functions",
                      reasons->functions[why] - TOLD_FUNCTIONS);
}

/* --- what the functions say together --- */

static bool has_loader(const struct joined *joined)
{
    for (size_t i = 0; i < joined->count; i++)
        if (strncmp(joined->list[i].object, "ld-", 3) == 0 ||
            strncmp(joined->list[i].object, "ld.so", 5) == 0)
            return true;
    return false;
}

static void learn(const struct joined *joined, struct align_known *known)
{
    bool one_sided = false;
    for (size_t i = 0; i < joined->count; i++) {
        const struct align_function *function = &joined->list[i];
        known->preloads |= strncmp(function->object, "vgpreload", 9) == 0;
        one_sided |= align_looks_up(function->name) &&
                     (function->counts[0] == 0) != (function->counts[1] == 0);
    }
    known->looks_up = one_sided && !has_loader(joined);
}

/* The side that does not execute this form executes another form of the same function. */
static bool is_replaced(const struct joined *joined, const struct align_function *function)
{
    const size_t other = function->counts[0] ? 1 : 0;
    if (function->counts[other] || !align_is_variant(function->name))
        return false;
    for (size_t i = 0; i < joined->count; i++)
        if (joined->list[i].counts[other] &&
            align_are_variants(joined->list[i].name, function->name))
            return true;
    return false;
}

/* Functions that serve others go with the reason that those have: the lookups of the vDSO, or what
 * a tool loads. Never for more than that reason accounts for itself: what is larger has another
 * reason. */
static enum align_why why_of_servant(const struct align_known *known, const struct reasons *reasons)
{
    const enum align_why why = known->looks_up   ? WHY_VDSO
                               : known->preloads ? WHY_ENVIRONMENT
                                                 : WHY_UNKNOWN;
    return fabs(reasons->list[why].instructions) > 0 ? why : WHY_UNKNOWN;
}

static void sort_servants(const struct joined *joined, const struct align_known *known,
                          struct reasons *reasons)
{
    const enum align_why why = why_of_servant(known, reasons);
    const double most = fabs(reasons->list[why].instructions);
    double used = 0;
    for (size_t i = 0; i < joined->count; i++) {
        const struct align_function *function = &joined->list[i];
        if (align_why_of(function, known) != WHY_UNKNOWN || !(fabs(function->difference) > 0))
            continue;
        const double size = fabs(function->difference);
        const bool goes = why != WHY_UNKNOWN && align_serves(function->name) && used + size <= most;
        used += goes ? size : 0;
        add_function(reasons, goes ? why : WHY_UNKNOWN, function);
    }
}

static int by_functions(const struct repeat_cell *const executed[2], struct align_known known,
                        struct reasons *reasons)
{
    struct joined joined = {0};
    const int error = join(executed, &joined);
    if (!error) {
        learn(&joined, &known);
        qsort(joined.list, joined.count, sizeof(*joined.list), by_size);
        for (size_t i = 0; i < joined.count && fabs(joined.list[i].difference) > 0; i++) {
            struct align_function *function = &joined.list[i];
            function->resolves =
                !align_is_variant(function->name) && has_forms(&joined, function->name);
            function->replaced = is_replaced(&joined, function);
            const enum align_why why = align_why_of(function, &known);
            if (why != WHY_UNKNOWN)
                add_function(reasons, why, function);
        }
        sort_servants(&joined, &known, reasons);
    }
    free(joined.list);
    return error;
}

/* Without functions the figures themselves may tell. */
static void by_figures(const struct repeat_alignment *alignment, struct reasons *reasons)
{
    if (alignment->repetitions > 0 &&
        fabs(fabs(alignment->difference) - alignment->repetitions) < .5) {
        reasons->list[WHY_REPEATED].instructions = alignment->difference;
        add_words(&reasons->list[WHY_REPEATED],
                  "the difference is what string instructions repeat");
    }
}

static void by_operating_system(const struct align_known *known, struct reasons *reasons)
{
    if (!(fabs(known->adjusted) > 0))
        return;
    reasons->list[WHY_OPERATING_SYSTEM].instructions = known->adjusted;
    add_words(&reasons->list[WHY_OPERATING_SYSTEM],
              "page faults and interrupts, by what each adds here");
}

static int by_instructions(const void *left, const void *right)
{
    const struct align_reason *one = left;
    const struct align_reason *other = right;
    const double first = fabs(one->instructions), second = fabs(other->instructions);
    return (first < second) - (first > second);
}

/* What is left is unknown. */
static void add_up(struct reasons *reasons, bool recorded, struct repeat_alignment *alignment)
{
    struct align_reason *unknown = &reasons->list[WHY_UNKNOWN];
    double known = 0, nameless = unknown->instructions;
    for (size_t why = 0; why < WHY_UNKNOWN; why++)
        known += reasons->list[why].instructions;
    alignment->unexplained = alignment->difference - known;
    unknown->instructions = alignment->unexplained;
    const double rest = alignment->unexplained - nameless;
    if (!recorded && !unknown->words[0])
        add_words(unknown, "what was executed was not recorded for both");
    else if (fabs(rest) > 0)
        add_words(unknown, "%s%+.0f that functions do not account for",
                  unknown->words[0] ? "; " : "", rest);
    for (size_t why = 0; why < WHY_COUNT; why++) {
        struct align_reason *reason = &reasons->list[why];
        if (!(fabs(reason->instructions) > 0) && (why == WHY_UNKNOWN || !reason->words[0]))
            continue;
        snprintf(reason->what, sizeof(reason->what), "%s", align_why_names[why]);
        if (alignment->reason_count < ALIGN_MOST_REASONS)
            alignment->reasons[alignment->reason_count++] = *reason;
    }
    qsort(alignment->reasons, alignment->reason_count, sizeof(*alignment->reasons),
          by_instructions);
}

/* Fills reasons and unexplained, so that they add up to the difference. executed: of the source and
 * of the reference; NULL: not recorded. -ENOMEM. */
static int align_explain(const struct repeat_cell *const executed[2],
                         const struct align_known *known, struct repeat_alignment *alignment)
{
    struct reasons reasons = {0};
    const bool recorded = executed[0] && executed[1];
    alignment->unexplained = 0;
    if (alignment->same || !isfinite(alignment->difference))
        return 0;
    if (recorded && by_functions(executed, *known, &reasons) < 0)
        return -ENOMEM;
    if (!recorded && fabs(alignment->difference) > 0)
        by_figures(alignment, &reasons);
    finish_words(&reasons);
    by_operating_system(known, &reasons);
    add_up(&reasons, recorded, alignment);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Sources held against each other, and why they differ: each against the truth of a subject, else
 * against stepping, else against the hardware's count, else against the first source there is. */

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
    size_t machine, program;
    struct counted list[MOST_SOURCES];
    size_t count;
};

/* --- which rows --- */

static bool is_raw(const char *event)
{
    return strstr(event, "/instructions-raw/") != NULL;
}

static struct counted *counted_of(struct program_sources *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].source, source) == 0)
            return &sources->list[i];
    if (sources->count == MOST_SOURCES)
        return NULL;
    sources->list[sources->count] = (struct counted){.source = source};
    return &sources->list[sources->count++];
}

/* The first of the most controlled ones that has runs. */
static void gather_row(struct program_sources *sources, const struct repeat_row *row)
{
    const struct repeat_cell *cell = &sources->file->cells[row->cell];
    const bool raw = is_raw(cell->event[row->event]);
    if (cell->machine != sources->machine || cell->program != sources->program ||
        cell->sweep != SWEEP_NONE || !row->runs || !(raw || counts_instructions(cell, row->event)))
        return;
    struct counted *counted = counted_of(sources, cell->source);
    if (!counted)
        return;
    const struct repeat_row **place = raw ? &counted->raw : &counted->row;
    const struct repeat_cell *other = *place ? &sources->file->cells[(*place)->cell] : NULL;
    if (!other || __builtin_popcount(cell->controls) > __builtin_popcount(other->controls))
        *place = row;
    if (!raw)
        counted->cell = &sources->file->cells[counted->row->cell];
}

/* The raw count of another setting is of another run. */
static void drop_strangers(struct program_sources *sources)
{
    size_t kept = 0;
    for (size_t i = 0; i < sources->count; i++) {
        struct counted *counted = &sources->list[i];
        if (!counted->row)
            continue;
        if (counted->raw &&
            sources->file->cells[counted->raw->cell].controls != counted->cell->controls)
            counted->raw = NULL;
        sources->list[kept++] = *counted;
    }
    sources->count = kept;
}

static const struct counted *find(const struct program_sources *sources, const char *source)
{
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->list[i].source, source) == 0)
            return &sources->list[i];
    return NULL;
}

/* Stepping is this CPU itself, and counts each instruction; the hardware comes next. */
static const struct counted *reference_of(const struct program_sources *sources)
{
    const struct counted *reference = find(sources, "step");
    if (!reference)
        reference = find(sources, "perf_event");
    return reference || !sources->count ? reference : &sources->list[0];
}

/* --- what else is known --- */

static bool follows_addresses(const struct program_sources *sources)
{
    const struct repeat_report *report = sources->report;
    const struct repeat_program *program = &sources->file->programs[sources->program];
    if (repeat_program_shows(program, "M3") || repeat_program_shows(program, "M5"))
        return true;
    for (size_t i = 0; i < report->sweep_count; i++)
        if (report->sweeps[i].machine == sources->machine &&
            report->sweeps[i].program == sources->program && report->sweeps[i].matters &&
            names_instructions(report->sweeps[i].source, report->sweeps[i].event))
            return true;
    for (size_t i = 0; i < report->effect_count; i++) {
        const struct control_part *part = &report->effects[i].parts[CONTROL_ASLR];
        const struct repeat_row *row = &report->rows[report->effects[i].as_is];
        const struct repeat_cell *cell = &sources->file->cells[row->cell];
        if (cell->machine == sources->machine && cell->program == sources->program &&
            counts_instructions(cell, row->event) && (part->brings || part->is_needed))
            return true;
    }
    return false;
}

/* The functions of this source, of an execution under the same controls if there is one. */
static const struct repeat_cell *executed_by(const struct program_sources *sources,
                                             const struct counted *counted)
{
    const struct repeat_cell *found = NULL;
    for (size_t i = 0; counted && i < sources->file->cell_count; i++) {
        const struct repeat_cell *cell = &sources->file->cells[i];
        if (cell->machine == sources->machine && cell->program == sources->program &&
            cell->detail == DETAIL_CODE && cell->function_count && cell->sweep == SWEEP_NONE &&
            strcmp(cell->source, counted->source) == 0 &&
            (!found || cell->controls == counted->cell->controls))
            found = cell;
    }
    return found;
}

/* --- one alignment --- */

static void fill_figures(const struct counted *counted, struct repeat_alignment *alignment)
{
    alignment->aligned = counted->row->usual;
    alignment->raw = counted->raw ? counted->raw->usual : (double)NAN;
    alignment->repetitions = counted->raw ? counted->raw->usual - counted->row->usual : (double)NAN;
    snprintf(alignment->source, sizeof(alignment->source), "%s", counted->source);
}

static bool is_one_count(const struct repeat_row *row, uint64_t count)
{
    return row->apart == 0 && row->min == count && row->max == count;
}

static void against_truth(const struct counted *counted, int64_t truth,
                          struct repeat_alignment *alignment)
{
    snprintf(alignment->against, sizeof(alignment->against), "truth");
    alignment->reference = (double)truth;
    alignment->difference = alignment->aligned - alignment->reference;
    alignment->same = truth >= 0 && is_one_count(counted->row, (uint64_t)truth);
}

static void against_source(const struct counted *counted, const struct counted *reference,
                           struct repeat_alignment *alignment)
{
    snprintf(alignment->against, sizeof(alignment->against), "%s", reference->source);
    alignment->reference = reference->row->usual;
    alignment->difference = alignment->aligned - alignment->reference;
    alignment->same = is_one_count(counted->row, reference->row->min) &&
                      is_one_count(reference->row, reference->row->min);
}

/* What faults and interrupts add, where that is known; to sources nothing. */
static double added_by_system(const struct counted *counted)
{
    const struct repeat_row *row = counted->row;
    return row->is_adjusted && isfinite(row->adjusted_mean) ? row->mean - row->adjusted_mean : 0;
}

static int align_one(const struct program_sources *sources, const struct counted *counted,
                     const struct counted *reference, struct repeat_alignment *alignment)
{
    const struct repeat_program *program = &sources->file->programs[sources->program];
    *alignment =
        (struct repeat_alignment){.machine = sources->machine, .program = sources->program};
    fill_figures(counted, alignment);
    if (program->has_truth)
        against_truth(counted, program->truth, alignment);
    else
        against_source(counted, reference, alignment);
    const struct align_known known = {
        .addresses = follows_addresses(sources),
        .converges = repeat_program_shows(program, "M9"),
        .adjusted = added_by_system(counted) -
                    (program->has_truth || reference == counted ? 0 : added_by_system(reference))};
    const struct repeat_cell *const executed[2] = {
        executed_by(sources, counted),
        counted == reference ? NULL : executed_by(sources, reference)};
    return align_explain(executed, &known, alignment);
}

static int align_program(const struct repeat_case *file, size_t machine, size_t program,
                         struct repeat_report *report)
{
    struct program_sources sources = {
        .file = file, .report = report, .machine = machine, .program = program};
    for (size_t i = 0; i < report->row_count; i++)
        gather_row(&sources, &report->rows[i]);
    drop_strangers(&sources);
    const struct counted *reference = reference_of(&sources);
    for (size_t i = 0; i < sources.count; i++) {
        if (&sources.list[i] == reference && !file->programs[program].has_truth)
            continue;
        struct repeat_alignment *larger =
            realloc(report->alignments, (report->alignment_count + 1) * sizeof(*larger));
        if (!larger)
            return -ENOMEM;
        report->alignments = larger;
        if (align_one(&sources, &sources.list[i], reference, &larger[report->alignment_count]) < 0)
            return -ENOMEM;
        report->alignment_count++;
    }
    return 0;
}

int repeat_align(const struct repeat_case *file, struct repeat_report *report)
{
    for (size_t machine = 0; machine < file->machine_count; machine++)
        for (size_t program = 0; program < file->program_count; program++)
            if (align_program(file, machine, program, report) < 0)
                return -ENOMEM;
    return 0;
}
