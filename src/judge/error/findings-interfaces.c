/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Z4: direct use of the operating system's counters against PAPI's low and high level, each with
 * its best pattern, in user mode; user+kernel mode is told beside. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judge/error/findings.h"
#include "judge/note.h"

/* A step up adds something when it is an instruction at least. */
#define ADDED 1.0

enum { DIRECT, PAPI_LOW, PAPI_HIGH, INTERFACES };

static int interface_of(const char *path)
{
    if (path_is_direct(path))
        return DIRECT;
    return strcmp(path, "papi-low") == 0    ? PAPI_LOW
           : strcmp(path, "papi-high") == 0 ? PAPI_HIGH
                                            : -1;
}

/* The best path and pattern of each interface; NULL: not measured. */
struct ladder {
    const struct level *best[INTERFACES];
};

static struct ladder climb(const struct claim_facts *facts, bool stepped, enum count_mode mode)
{
    struct ladder ladder = {0};
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        int interface = interface_of(level->path);
        if (interface >= 0 && level->machine == facts->machine && level->stepped == stepped &&
            level->mode == mode &&
            (!ladder.best[interface] || level->median < ladder.best[interface]->median))
            ladder.best[interface] = level;
    }
    return ladder;
}

static bool can_tell(const struct ladder *ladder)
{
    return ladder->best[DIRECT] && (ladder->best[PAPI_LOW] || ladder->best[PAPI_HIGH]);
}

/* The step that decides: what is refuted first, and of equals the smaller. */
static struct estimate least_step(const struct ladder *ladder)
{
    struct estimate least = {.verdict = FINDING_UNTESTABLE};
    const struct level *below = ladder->best[DIRECT];
    for (int i = PAPI_LOW; i < INTERFACES; i++) {
        const struct level *level = ladder->best[i];
        if (!level)
            continue;
        struct estimate step =
            estimate_at_least(level->median - below->median, level->low - below->high,
                              level->high - below->low, ADDED);
        if (verdict_graver(step.verdict, least.verdict) ||
            (step.verdict == least.verdict && step.value < least.value))
            least = step;
        below = level;
    }
    return least;
}

static void tell(const struct ladder *ladder, const char *mode, bool stepped,
                 struct finding *finding)
{
    char words[INTERFACES][100] = {"", "", ""}, error[FIGURE_SIZE];
    for (int i = 0; i < INTERFACES; i++)
        if (ladder->best[i])
            snprintf(words[i], sizeof(words[i]), "%s%.40s %s %s", i ? ", " : "",
                     ladder->best[i]->path, pattern_descriptions[ladder->best[i]->pattern],
                     figure_of(ladder->best[i]->median, error));
    finding_clause(finding, "%s%s: %s%s%s", mode,
                   stepped ? ", stepped on an event of the operating system" : "", words[DIRECT],
                   words[PAPI_LOW], words[PAPI_HIGH]);
}

void rule_interfaces(const struct claim_facts *facts, struct finding *finding)
{
    bool stepped = false;
    struct ladder user = climb(facts, false, COUNT_USER);
    if (!can_tell(&user)) {
        struct ladder steps = climb(facts, true, COUNT_USER);
        stepped = can_tell(&steps);
        user = stepped ? steps : user;
    }
    char why[NOTE_SIZE];
    if (!can_tell(&user)) {
        bool direct = user.best[DIRECT] || climb(facts, true, COUNT_USER).best[DIRECT];
        if (direct)
            why_no_path(facts->file, "papi-", why, sizeof(why));
        else
            why_no_instructions(facts->file, COUNT_USER, why, sizeof(why));
        finding_clause(finding, "%s", why);
        return;
    }
    struct estimate step = least_step(&user);
    estimate_report(&step, finding);
    tell(&user, "user mode", stepped, finding);
    for (int i = PAPI_LOW; i < INTERFACES; i++)
        if (!user.best[i]) {
            why_no_path(facts->file, i == PAPI_LOW ? "papi-low" : "papi-high", why, sizeof(why));
            finding_clause(finding, "not tested: %.200s", why);
        }
    struct ladder both = climb(facts, false, COUNT_BOTH);
    if (can_tell(&both))
        tell(&both, "user+kernel mode", false, finding);
}
