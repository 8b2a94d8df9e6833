/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z5: would one pattern do for every path and mode? Two paths in one mode, or one path in two
 * modes, are compared over the patterns that both have: what it costs to use the same pattern for
 * both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* A worse pattern costs an instruction at least. */
#define WORSE 1.0

/* A path in a mode, with all its patterns. */
struct user_of_patterns {
    const struct level *levels[PATTERN_COUNT]; /* NULL: it has no such pattern */
};

struct regret {
    struct estimate estimate;
    const struct level *best[2]; /* of each of the two */
};

static struct user_of_patterns patterns_of(const struct claim_facts *facts,
                                           const struct level *level)
{
    struct user_of_patterns user;
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        user.levels[pattern] =
            level_find(facts, level->stepped, level->mode, level->path, (enum pattern)pattern);
    return user;
}

static const struct level *best_of(const struct user_of_patterns *user, unsigned common)
{
    const struct level *best = NULL;
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (common & 1u << pattern && (!best || user->levels[pattern]->median < best->median))
            best = user->levels[pattern];
    return best;
}

/* What `pattern` costs one of the two beyond its best; each end by the ends of both. */
static void cost(const struct user_of_patterns *user, const struct level *best, int pattern,
                 double worst[3])
{
    const struct level *level = user->levels[pattern];
    bool same = level == best;
    worst[0] = fmax(worst[0], same ? 0 : level->low - best->high);
    worst[1] = fmax(worst[1], same ? 0 : level->median - best->median);
    worst[2] = fmax(worst[2], same ? 0 : level->high - best->low);
}

static bool compare(const struct user_of_patterns *one, const struct user_of_patterns *other,
                    struct regret *regret)
{
    unsigned common = 0;
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (one->levels[pattern] && other->levels[pattern])
            common |= 1u << pattern;
    if ((common & (common - 1)) == 0)
        return false; /* fewer than two: there is nothing to choose */
    regret->best[0] = best_of(one, common);
    regret->best[1] = best_of(other, common);
    double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) {
        double worst[3] = {0, 0, 0};
        if (!(common & 1u << pattern))
            continue;
        cost(one, regret->best[0], pattern, worst);
        cost(other, regret->best[1], pattern, worst);
        for (int end = 0; end < 3; end++)
            least[end] = fmin(least[end], worst[end]);
    }
    regret->estimate = estimate_at_least(least[1], least[0], least[2], WORSE);
    return true;
}

/* One of the two things that the claim names differs, not both. */
static bool comparable(const struct level *one, const struct level *other)
{
    bool same_path = strcmp(one->path, other->path) == 0;
    return one->machine == other->machine && one->stepped == other->stepped &&
           same_path != (one->mode == other->mode);
}

/* One pair whose best patterns differ is enough: what holds weighs most here. */
static bool speaks_louder(const struct regret *one, const struct regret *other)
{
    static const int weight[] = {
        [FINDING_FAILS] = 1, [FINDING_INCONCLUSIVE] = 2, [FINDING_HOLDS] = 3};
    if (one->estimate.verdict != other->estimate.verdict)
        return weight[one->estimate.verdict] > weight[other->estimate.verdict];
    return one->estimate.value > other->estimate.value;
}

/* First level of a path and mode: the list is sorted, so that each of them is asked once. */
static bool is_first(const struct claim_facts *facts, size_t index)
{
    const struct level *level = &facts->levels[index], *before = level - 1;
    return index == 0 || before->machine != level->machine || before->stepped != level->stepped ||
           before->mode != level->mode || strcmp(before->path, level->path) != 0;
}

static bool counts_here(const struct claim_facts *facts, size_t index, bool stepped)
{
    const struct level *level = &facts->levels[index];
    return level->machine == facts->machine && level->stepped == stepped &&
           (level->mode == COUNT_USER || level->mode == COUNT_BOTH) && is_first(facts, index);
}

static size_t look_at(const struct claim_facts *facts, bool stepped, struct regret *loudest)
{
    size_t pairs = 0;
    for (size_t i = 0; i < facts->level_count; i++) {
        if (!counts_here(facts, i, stepped))
            continue;
        struct user_of_patterns one = patterns_of(facts, &facts->levels[i]);
        for (size_t j = i + 1; j < facts->level_count; j++) {
            if (!counts_here(facts, j, stepped) ||
                !comparable(&facts->levels[i], &facts->levels[j]))
                continue;
            struct user_of_patterns other = patterns_of(facts, &facts->levels[j]);
            struct regret regret;
            if (compare(&one, &other, &regret) && (!pairs++ || speaks_louder(&regret, loudest)))
                *loudest = regret;
        }
    }
    return pairs;
}

static void put_best(const struct level *best, char *words, size_t size)
{
    char error[FIGURE_SIZE];
    snprintf(words, size, "%s for %.40s in %s mode (%s)", pattern_descriptions[best->pattern],
             best->path, best->mode == COUNT_BOTH ? "user+kernel" : "user",
             figure_of(best->median, error));
}

static void tell(const struct regret *regret, size_t pairs, struct finding *finding)
{
    char one[120], other[120], costs[FIGURE_SIZE];
    put_best(regret->best[0], one, sizeof(one));
    put_best(regret->best[1], other, sizeof(other));
    if (regret->estimate.verdict == FINDING_FAILS)
        finding_clause(finding, "one pattern is best in all of %zu comparisons: %s, %s", pairs, one,
                       other);
    else if (regret->estimate.verdict == FINDING_HOLDS)
        finding_clause(finding, "best are %s and %s: one pattern for both costs %s more", one,
                       other, figure_of(regret->estimate.value, costs));
    else
        finding_clause(finding, "best seem %s and %s, but their errors spread over the difference",
                       one, other);
}

void rule_patterns(const struct claim_facts *facts, struct finding *finding)
{
    struct regret loudest = {0};
    bool stepped = false;
    size_t pairs = look_at(facts, false, &loudest);
    if (!pairs) {
        stepped = true;
        pairs = look_at(facts, true, &loudest);
    }
    if (!pairs) {
        char why[NOTE_SIZE];
        why_no_instructions(facts->file, COUNT_USER, why, sizeof(why));
        finding_clause(finding, "no two paths, nor a path in two modes, were measured with two "
                                "patterns in common");
        if (!facts->level_count)
            finding_clause(finding, "%s", why);
        return;
    }
    estimate_report(&loudest.estimate, finding);
    tell(&loudest, pairs, finding);
    if (stepped) {
        finding_clause(finding, "stepped");
        tell_untested_mode(facts, COUNT_BOTH, finding);
    }
}
