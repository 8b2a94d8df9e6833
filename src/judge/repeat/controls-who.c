/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentence about the controls of one program: which did it, what moved the level only, and what
 * is left. It says no more than the figures of the effect. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "judge/note.h"
#include "judge/repeat/limits.h"
#include "judge/repeat/settings.h"

/* Appends a clause after "; ", whole or not at all; the first one at any length. */
static void __attribute__((format(printf, 2, 3)))
say(struct repeat_effect *effect, const char *format, ...)
{
    char clause[sizeof(effect->who)];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(clause, sizeof(clause), format, arguments);
    va_end(arguments);
    const size_t used = strlen(effect->who), room = sizeof(effect->who) - used;
    if (length <= 0 || (used > 0 && (size_t)length + 2 >= room))
        return;
    snprintf(effect->who + used, room, "%s%s", used > 0 ? "; " : "", clause);
}

/* "aslr", "aslr and cpu", "aslr, cpu and stdin". */
static const char *listed(uint32_t controls, const char *last, char *text, size_t size)
{
    int left = __builtin_popcount(controls);
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        if (!(controls & CONTROL_BIT(control)))
            continue;
        left--;
        const char *joint = left > 1 ? ", " : left == 1 ? last : "";
        const int length =
            snprintf(text + used, size - used, "%s%s", control_names[control], joint);
        if (length < 0 || (size_t)length >= size - used)
            break;
        used += (size_t)length;
    }
    return text;
}

static uint32_t set_of(const struct repeat_effect *effect, bool brings)
{
    uint32_t set = 0;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        if (brings ? effect->parts[i].brings : effect->parts[i].is_needed)
            set |= CONTROL_BIT(i);
    return set;
}

/* "identical in 12 of 12 runs", or "0.012 %". */
static const char *variation(const struct kept *kept, char *text, size_t size)
{
    const double mean = kept_mean(kept);
    if (kept->count > 1 && !(kept_variance(kept) > 0))
        snprintf(text, size, "identical in %zu of %zu runs", kept->count, kept->count);
    else if (mean > 0)
        snprintf(text, size, "%s %%", ROUNDED(100 * sqrt(kept_variance(kept)) / mean, 2));
    else
        snprintf(text, size, "unknown");
    return text;
}

/* What the settings of the one control that did it showed. */
static void tell_figures(const struct settings *settings, const struct control_part *part,
                         struct repeat_effect *effect)
{
    char with[64], without[64];
    const bool has_only = part->brings && settings->only[part->control].count > 1;
    const bool has_without = settings->without[part->control].count > 1;
    if (has_only)
        say(effect, "with it alone %s",
            variation(&settings->only[part->control], with, sizeof(with)));
    if (has_without)
        say(effect, "with all but it %s",
            variation(&settings->without[part->control], without, sizeof(without)));
}

static void tell_named(const struct settings *settings, uint32_t named,
                       struct repeat_effect *effect)
{
    const uint32_t brings = set_of(effect, true), needed = set_of(effect, false);
    char words[160], others[160];
    if (__builtin_popcount(needed) > 1) {
        say(effect, "%s are needed together",
            listed(needed | brings, " and ", words, sizeof(words)));
        if (__builtin_popcount(brings) == 1)
            say(effect, "%s alone brings most", listed(brings, " and ", others, sizeof(others)));
        else if (!brings)
            say(effect, "none of them alone brings most of it");
        return;
    }
    if (!needed && __builtin_popcount(brings) > 1) {
        say(effect, "%s: each alone is enough", listed(brings, " or ", words, sizeof(words)));
        return;
    }
    const uint32_t did = needed ? needed : brings;
    listed(did, " and ", words, sizeof(words));
    if (brings & did)
        say(effect, "%s did it", words);
    else
        say(effect, "%s is needed, but alone does not bring most of it", words);
    tell_figures(settings, &effect->parts[__builtin_ctz(did)], effect);
    if (named & ~did)
        say(effect, "%s alone takes away most as well",
            listed(named & ~did, " or ", others, sizeof(others)));
}

/* Controls that move the level, whatever they do to the spread. Those that were named hold one draw
 * of what varied: their level is part of that. */
static void tell_levels(const struct settings *settings, uint32_t named,
                        struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    char by[FIGURE_SIZE];
    bool moved = false;
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        const struct control_part *part = &effect->parts[i];
        if (!(part->only_shifts || part->without_shifts) || (named & CONTROL_BIT(i)))
            continue;
        moved = true;
        say(effect, "%s only moves the level, by %s", control_names[i],
            signed_figure(part->only_shifts ? part->only_shift : -part->without_shift, by));
    }
    if (moved || settings->singles || kept_variance(as_is) > 0 || kept_variance(controlled) > 0)
        return;
    const double shift = kept_shift(as_is, controlled);
    if (fabs(shift) > 0)
        say(effect, "controlled it counts %s %s", figure_of(fabs(shift), by),
            shift < 0 ? "fewer" : "more");
}

static void tell_followed(const struct followed *followed, struct repeat_effect *effect)
{
    static const char *const names[] = {[FOLLOWS_NOTHING] = "",
                                        [FOLLOWS_INTERRUPTS] = "interrupts",
                                        [FOLLOWS_FAULTS] = "page faults",
                                        [FOLLOWS_SWITCHES] = "context switches"};
    if (followed->what != FOLLOWS_NOTHING)
        say(effect, "%.0f %% of that follows %s (%.3g for each)", 100 * followed->share,
            names[followed->what], followed->each);
}

static bool writes_otherwise(const struct repeat_cell *cell)
{
    for (size_t i = 1; i < cell->runs; i++)
        if (cell->list[i].output_sum != cell->list[0].output_sum ||
            cell->list[i].output_bytes != cell->list[0].output_bytes)
            return true;
    return false;
}

static bool has_tasks(const struct repeat_cell *cell)
{
    for (size_t i = 0; i < cell->runs; i++)
        if (cell->list[i].tasks > 1)
            return true;
    return false;
}

/* What varies although all is controlled. */
static void tell_rest(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    char words[64];
    if (!(kept_variance(&settings->controlled) > 0))
        return;
    say(effect, "%s varies whatever is controlled",
        variation(&settings->controlled, words, sizeof(words)));
    tell_followed(&told->followed, effect);
    if (told->followed.what != FOLLOWS_NOTHING)
        return;
    if (has_tasks(settings->controlled_cell))
        say(effect, "it has several threads or processes");
    if (writes_otherwise(settings->controlled_cell))
        say(effect, "what it writes differs as well");
}

static void tell_same(const struct settings *settings, const struct told *told,
                      struct repeat_effect *effect)
{
    char before[64], after[64];
    variation(&settings->as_is, before, sizeof(before));
    variation(&settings->controlled, after, sizeof(after));
    if (!(kept_variance(&settings->as_is) > 0) && !(kept_variance(&settings->controlled) > 0)) {
        say(effect, "identical from the beginning: %zu of %zu runs as-is, %zu of %zu controlled",
            settings->as_is.count, settings->as_is.count, settings->controlled.count,
            settings->controlled.count);
        return;
    }
    if (told->varies_less)
        say(effect, "varies more when controlled: as-is %s, controlled %s", before, after);
    else
        say(effect, "no control brings anything that %zu runs could show: as-is %s, controlled %s",
            settings->as_is.count, before, after);
    tell_rest(settings, told, effect);
}

static bool is_over(const struct repeat_cell *cell)
{
    return kept_status(cell) >= STATUS_TIMEOUT;
}

void settings_tell(const struct settings *settings, const struct told *told,
                   struct repeat_effect *effect)
{
    const struct kept *as_is = &settings->as_is, *controlled = &settings->controlled;
    char before[64], after[64];
    if (is_over(settings->as_is_cell) || is_over(settings->controlled_cell)) {
        say(effect,
            "most runs did not end in their time: what was counted until then says nothing");
        return;
    }
    if (as_is->count < 2 || controlled->count < 2) {
        say(effect, "too few runs that ended alike: %zu as-is, %zu controlled", as_is->count,
            controlled->count);
        return;
    }
    if (!told->varies) {
        tell_same(settings, told, effect);
    } else if (told->named) {
        tell_named(settings, told->named, effect);
        tell_rest(settings, told, effect);
    } else {
        say(effect, "from %s as-is to %s controlled", variation(as_is, before, sizeof(before)),
            variation(controlled, after, sizeof(after)));
        say(effect, settings->singles ? "which control does it cannot be told from these runs"
                                      : "controls were not switched one at a time");
        tell_rest(settings, told, effect);
    }
    tell_levels(settings, told->named, effect);
}
