/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays the functions of two sources side by side and adds up their differences by reason. What no
 * rule covers, and what functions do not account for at all, is unknown: the reasons add up to the
 * difference, whatever happens. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/judge.h"

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

int align_explain(const struct repeat_cell *const executed[2], const struct align_known *known,
                  struct repeat_alignment *alignment)
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
