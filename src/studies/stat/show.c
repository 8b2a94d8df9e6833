/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts of a command for people: a line an event, and below them what the lines do not say. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/words.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/loading.h"
#include "output/output.h"
#include "output/table.h"
#include "studies/stat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Counts of a command for people: a line an event, and below them what the lines do not say. */

#define NS_PER_MS 1e6

/* --- lines of the table --- */

/* Counts as they are, times in ms. */
static const char *value_of(const struct stat_event *event, double value)
{
    char number[NUMBER_SIZE];
    if (stat_is_time(event))
        number_significant(value / NS_PER_MS, 4, number, sizeof(number));
    else
        number_brief(value, number, sizeof(number));
    return memory_format("%s%s", number, stat_is_time(event) ? " ms" : "");
}

/* The event of this class that counts in the mode of another (NULL: in any). */
static const struct stat_event *counted(const struct stat_run *run, const char *class,
                                        const struct stat_event *beside)
{
    const char *mode = beside ? event_mode(beside->name) : NULL;
    for (size_t i = 0; i < run->event_count; i++) {
        const struct stat_event *event = &run->events[i];
        const char *own = event_mode(event->name);
        const bool same = own && mode ? strcmp(own, mode) == 0 : !own && !mode;
        if (event->class && strcmp(event->class, class) == 0 && stat_has_figure(event) &&
            event->figure.count > 0 && (!beside || same))
            return event;
    }
    return NULL;
}

/* What of it there is for each of another, as both were counted; of others per second. */
static const struct {
    const char *class, *of, *words;
    double times;
} ratios[] = {
    {"instructions", "cycles", "per cycle", 1},
    {"branch-misses", "branches", "% of branches", 100},
    {"cache-misses", "cache-references", "% of references", 100},
    {"l1d-load-misses", "l1d-loads", "% of loads", 100},
    {"llc-load-misses", "llc-loads", "% of loads", 100},
    {"dtlb-load-misses", "dtlb-loads", "% of loads", 100},
};

static const char *rate_of(const struct stat_run *run, const struct stat_event *event)
{
    static const struct {
        double size;
        const char *unit;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "K"}, {0, ""}};
    const double count = event->figure.count, elapsed = stat_means(run).seconds;
    if (stat_is_time(event))
        return elapsed > 0 ? memory_format("%.3f CPUs", count / 1e9 / elapsed) : "";
    for (size_t i = 0; event->class && i < sizeof(ratios) / sizeof(*ratios); i++) {
        const struct stat_event *of =
            strcmp(ratios[i].class, event->class) == 0 ? counted(run, ratios[i].of, event) : NULL;
        if (of)
            return memory_format("%.2f %s", ratios[i].times * count / of->figure.count,
                                 ratios[i].words);
    }
    const struct stat_event *clock = counted(run, "task-clock", NULL);
    const double rate = clock ? count / (clock->figure.count / 1e9) : 0;
    size_t unit = 0;
    if (rate <= 0)
        return "";
    while (rate < units[unit].size)
        unit++;
    return memory_format("%.3g %s/s", rate / (units[unit].size > 0 ? units[unit].size : 1),
                         units[unit].unit);
}

/* "exact", "biased: kernel-leak", "exact, stale" */
static void add_trust(const struct stat_run *run, const struct stat_event *event,
                      struct table *table)
{
    AUTO_TEXT struct text words = {0};
    const char *verdict = event->trust.verdict, *cause = stat_trust_cause(event);
    const bool judged = event->is_validated && !stat_is_withheld(run, event);
    enum tone tone = TONE_DIM;
    if (event->figure.state == STAT_ACCOUNTED)
        text_puts(&words, "by getrusage");
    else if (!event->is_validated)
        text_puts(&words, "?");
    else if (!judged)
        text_puts(&words, "withheld: " STAT_WITHHELD_CAUSE);
    else
        text_printf(&words, "%s%s%s%s", verdict, cause ? ": " : "", cause ? cause : "",
                    event->trust.stale ? ", stale" : "");
    if (judged && !stat_is_good(event) &&
        (stat_is_empty(event) || strcmp(verdict, verdict_names[VERDICT_UNJUDGED]) != 0))
        tone = TONE_BAD;
    else if (judged && stat_is_good(event) && !event->trust.stale)
        tone = TONE_GOOD;
    table_add(table, tone, text_string(&words));
}

static void add_row(const struct stat_run *run, const struct stat_event *event, struct table *table)
{
    const struct stat_figure *figure = &event->figure;
    const bool corrected = figure->has_overhead || figure->relayed > 0;
    const double bar = figure->uncertainty / (stat_is_time(event) ? NS_PER_MS : 1);
    char number[NUMBER_SIZE] = "";
    table_add(table, TONE_PLAIN, event->name);
    if (!stat_has_figure(event)) {
        table_add(table, TONE_BAD, figure->state == STAT_DROPPED ? "not counted" : "never ran");
        for (int i = 0; i < 3; i++)
            table_add(table, TONE_PLAIN, "");
        add_trust(run, event, table);
        return;
    }
    if (figure->has_uncertainty && bar != 0)
        number_significant(bar, 2, number, sizeof(number));
    else if (figure->has_uncertainty)
        strcpy(number, "0");
    table_add(table, TONE_PLAIN, value_of(event, figure->count));
    table_add(table, corrected ? TONE_STRONG : TONE_DIM,
              corrected ? value_of(event, figure->corrected) : "as is");
    table_add(table, TONE_PLAIN, number);
    table_add(table, TONE_DIM, rate_of(run, event));
    add_trust(run, event, table);
}

static bool put_table(const struct stat_run *run, const struct style *style, struct text *out)
{
    static const struct column columns[] = {{.title = "event"},
                                            {.title = "count", .right = true},
                                            {.title = "corrected", .right = true},
                                            {.title = "±", .right = true},
                                            {.title = "rate", .right = true},
                                            {.title = "trust", .wraps = true}};
    struct table table = {.columns = columns, .column_count = 6};
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].figure.state != STAT_UNSUPPORTED)
            add_row(run, &run->events[i], &table);
    const bool any = table.count > 0;
    if (any)
        table_put(&table, style, out);
    table_free(&table);
    return any;
}

/* --- what was executed --- */

static bool is_partial(const struct stat_event *event)
{
    return event->figure.state == STAT_PARTIAL;
}

static bool is_lost(const struct stat_event *event)
{
    return is_partial(event) || event->figure.state == STAT_DROPPED;
}

static bool any_is(const struct stat_run *run, bool (*is)(const struct stat_event *event))
{
    for (size_t i = 0; i < run->event_count; i++)
        if (is(&run->events[i]))
            return true;
    return false;
}

static void put_title(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    char setting[200];
    AUTO_WORDS char **split = NULL;
    struct failure ignored = {0};
    const int count = words_split(run->line, &split, &ignored);
    text_puts(&words, "Counts of `");
    for (int i = 0; i < count; i++) {
        if (i)
            text_putc(&words, ' ');
        text_put_shell(&words, split[i]);
    }
    text_putc(&words, '`');
    const size_t averaged = stat_averaged(run);
    if (run->repeat != 1)
        text_printf(&words, ", %zu execution%s", averaged, averaged == 1 ? "" : "s");
    if (run->is_controlled)
        text_printf(&words, ", %s", setting_name(run->controls, setting, sizeof(setting)));
    text_putc(&words, ':');
    text_putc(out, '\n');
    section_put_words(text_string(&words), style, out);
    text_putc(out, '\n');
}

static void put_time(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->run_count; i++) {
        const double seconds = (double)run->runs[i].nanoseconds / 1e9;
        if (!stat_is_averaged(run, i))
            continue;
        least = fmin(least, seconds);
        most = fmax(most, seconds);
    }
    text_printf(&words, "%.6f s elapsed", stat_means(run).seconds);
    if (stat_averaged(run) > 1)
        text_printf(&words, " in the mean, %.6f to %.6f", least, most);
    const struct stat_execution *last = &run->runs[run->run_count - 1];
    if (last->tasks_known && last->tasks > 1)
        text_printf(&words, "; %llu process%s with %llu threads%s",
                    (unsigned long long)last->processes, last->processes == 1 ? "" : "es",
                    (unsigned long long)last->tasks, any_is(run, is_lost) ? "" : ", all counted");
    if (last->left)
        text_printf(&words, "; %llu left behind, and ended", (unsigned long long)last->left);
    text_puts(&words, ".");
    section_put_words(text_string(&words), style, out);
}

/* "By the operating system's account: 162 page faults and 2 context switches." */
static void put_account(const struct stat_run *run, const struct style *style, struct text *out)
{
    const struct stat_means means = stat_means(run);
    char faults[NUMBER_SIZE], switches[NUMBER_SIZE];
    number_brief(means.faults, faults, sizeof(faults));
    number_brief(means.switches, switches, sizeof(switches));
    section_printf(
        style, out, "By the operating system's account: %s page fault%s and %s context switch%s%s.",
        faults, strcmp(faults, "1") == 0 ? "" : "s", switches,
        strcmp(switches, "1") == 0 ? "" : "es", stat_averaged(run) > 1 ? " in the mean" : "");
}

static void put_ending(const struct stat_run *run, const struct style *style, struct text *out)
{
    char ending[200];
    uint64_t told = 0;
    for (size_t i = 0; i < run->run_count; i++) {
        const uint64_t status = run->runs[i].status;
        if (!run->runs[i].broken_off && (!status || status == told))
            continue;
        told = status;
        command_ending(status, run->timeout, ending, sizeof(ending));
        section_printf(style, out, "%s%s%s%s.", run->run_count > 1 ? "An execution " : "It ",
                       ending,
                       !run->runs[i].broken_off ? ""
                       : run->reader_ended      ? ", because nobody read what it wrote any more"
                                                : ", when this was interrupted",
                       !run->runs[i].broken_off   ? ""
                       : stat_is_averaged(run, i) ? ": a part was counted"
                                                  : ", and is left out");
    }
}

/* --- what the lines do not say --- */

#define NO_FIGURE SIZE_MAX

/* Names of the events for which `is` holds, with commas, and what stands there in the figure of
 * each. */
static bool put_names(const struct stat_run *run, bool (*is)(const struct stat_event *event),
                      size_t figure, struct text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < run->event_count; i++) {
        const struct stat_event *event = &run->events[i];
        if (!is(event))
            continue;
        text_printf(out, "%s%s", count++ ? ", " : "", event->name);
        const void *number = (const char *)&event->figure + (figure == NO_FIGURE ? 0 : figure);
        if (figure != NO_FIGURE)
            text_printf(out, " %s", value_of(event, *(const double *)number));
    }
    return count > 0;
}

/* The same for a command that a reader is told to type: " page-faults 'a b' --via X". */
static void put_shell_names(const struct stat_run *run, bool (*is)(const struct stat_event *event),
                            struct text *out)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (is(&run->events[i])) {
            text_putc(out, ' ');
            text_put_shell(out, run->events[i].name);
        }
    deliver_put_via(&run->studying.given->common, out);
}

static bool any_of(const struct stat_run *run, enum stat_nature nature)
{
    for (size_t i = 0; i < run->event_count; i++)
        if (stat_has_figure(&run->events[i]) && stat_nature_of(run, &run->events[i]) == nature)
            return true;
    return false;
}

#define STAT_PACES_TELL                                                                            \
    6u /* invocations from which on they tell more than what is assumed (DRIFT_WEIGHT) */

/* Of what the bar is one, and what so few executions cannot know. */
static void put_bar(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const size_t count = stat_averaged(run);
    const bool times = any_of(run, STAT_OF_TIME);
    if (count <= 1) {
        /* Who asked for several and got one, because it was interrupted, needs no advice. */
        const bool whole =
            run->run_count == run->repeat && !run->runs[run->run_count - 1].broken_off;
        section_printf(
            style, out,
            "One run: the bar is that of measuring%s, not of the program's variation%s%s",
            any_of(run, STAT_OF_CHANCE) ? ", and of chance where the scheduler has a part" : "",
            times ? "; a single time has none" : "", whole ? "; -r 5 tells." : ".");
        return;
    }
    text_puts(&words, "±: half of the 95 % interval for the mean of many such invocations");
    if (times && run->pace_count >= STAT_PACES_TELL)
        text_printf(&words,
                    "; for times by how the machine's speed varied over the latest %zu invocations",
                    run->pace_count);
    else if (times)
        text_puts(&words,
                  "; for times by how much a machine's speed is assumed to vary from one "
                  "invocation to the next (docs/stat.md), since too few were made here to tell");
    text_printf(&words,
                ". What happens in fewer than %.0f %% of executions is missing from all %zu in "
                "more than 5 of 100 such invocations, and then from the bar.",
                100 * stat_unseen(count), count);
    section_put_words(text_string(&words), style, out);
}

static bool is_corrected(const struct stat_event *event)
{
    return stat_has_figure(event) && event->figure.has_overhead;
}

static void put_correction(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < run->event_count; i++) {
        const struct stat_event *event = &run->events[i];
        if (stat_has_figure(event) && event->figure.cold > 0)
            section_printf(style, out,
                           "The first execution took %.2f times the %s of the others, as with cold "
                           "caches; it is in the mean.",
                           event->figure.cold, event->name);
    }
    if (put_names(run, is_corrected, offsetof(struct stat_figure, overhead), &words))
        section_printf(style, out,
                       "Corrected: less what starting and counting a program adds here, %s.",
                       text_string(&words));
}

static bool is_unscheduled(const struct stat_event *event)
{
    return event->figure.state == STAT_UNSCHEDULED;
}

/* What was counted for a part of the time, never, or in part. */
static void put_sharing(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text shared = {0}, never = {0}, partial = {0};
    for (size_t i = 0; i < run->event_count; i++)
        if (run->events[i].figure.state == STAT_MULTIPLEXED)
            text_printf(&shared, "%s%s %.0f %%", shared.length ? ", " : "", run->events[i].name,
                        100 * run->events[i].figure.share);
    if (shared.length)
        section_printf(style, out,
                       "Extrapolated, on a counter for a part of the time: %s. Count fewer events "
                       "at once.",
                       text_string(&shared));
    if (put_names(run, is_unscheduled, NO_FIGURE, &never))
        section_printf(style, out,
                       "%s never got a counter: the command was too short for all events to have a "
                       "turn, or something else holds them.",
                       text_string(&never));
    if (put_names(run, is_partial, NO_FIGURE, &partial))
        section_printf(
            style, out,
            "A part was counted, of %s: something that the command executes gains "
            "rights (set-user-ID, set-group-ID or capabilities), and there the operating "
            "system stops counting. The count is of the rest.",
            text_string(&partial));
}

static bool is_at_floor(const struct stat_event *event)
{
    const struct stat_figure *figure = &event->figure;
    return stat_has_figure(event) && figure->has_uncertainty &&
           figure->uncertainty > figure->corrected;
}

static void put_empty(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text names = {0};
    size_t count = 0;
    for (size_t i = 0; i < run->event_count; i++)
        if (stat_is_empty(&run->events[i]))
            text_printf(&names, "%s%s", count++ ? ", " : "", run->events[i].name);
    if (count)
        section_printf(style, out,
                       "%s: 0 here, as in every test of `assay validate`; nothing shows that %s at "
                       "all.",
                       text_string(&names), count == 1 ? "it counts" : "they count");
}

static bool is_relayed(const struct stat_event *event)
{
    return stat_has_figure(event) && event->figure.relayed > 0;
}

/* What the command wrote did not go straight to its reader, and it may have waited for that. */
static void put_relaying(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    char number[NUMBER_SIZE];
    const double bytes = stat_means(run).relayed;
    if (bytes <= 0)
        return;
    number_brief(bytes, number, sizeof(number));
    const bool added = put_names(run, is_relayed, offsetof(struct stat_figure, relayed), &words);
    section_printf(style, out,
                   "What it wrote (%s bytes) was relayed, %s%s%s. No count is called exact or "
                   "accurate then.",
                   number,
                   run->relay_counts[1] != STAT_RELAYS
                       ? "and how much that added to the counts is not known"
                   : added ? "and what that adds is taken off and in the bars"
                           : "which added nothing to a program of the kit that writes as much",
                   added ? ": " : "", text_string(&words));
}

/* Events that cannot be counted, by the reason; what to do is `assay doctor`'s business. */
static void put_unsupported(const struct stat_run *run, const struct style *style, struct text *out)
{
    for (size_t i = 0; i < run->event_count; i++) {
        const char *reason = run->events[i].reason;
        bool told = false;
        AUTO_TEXT struct text names = {0};
        for (size_t j = 0; reason && j < run->event_count; j++)
            if (run->events[j].reason && strcmp(run->events[j].reason, reason) == 0) {
                told |= j < i;
                text_printf(&names, "%s%s", names.length ? ", " : "", run->events[j].name);
            }
        if (!reason || told)
            continue;
        const int length = reason_first_sentence(reason);
        section_printf(style, out, "Not counted: %s: %.*s%s", text_string(&names), length, reason,
                       reason[length] ? " (`assay doctor` tells more)." : "");
    }
}

static bool is_not_validated(const struct stat_event *event)
{
    return event->is_counted && !event->is_validated;
}

static bool is_stale(const struct stat_event *event)
{
    return event->is_validated && event->trust.stale;
}

/* "Stale: this machine was another one then (kernel 6.1.0 -> 6.18.0); `assay validate …` tells." */
static void put_stale(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0}, names = {0};
    for (size_t i = 0; i < run->event_count; i++) {
        const char *difference = run->events[i].trust.difference;
        bool told = !is_stale(&run->events[i]);
        for (size_t j = 0; j < i && !told; j++)
            told = is_stale(&run->events[j]) &&
                   strcmp(run->events[j].trust.difference, difference) == 0;
        if (!told)
            text_printf(&words, "%s%s", words.length ? "; " : "", difference);
    }
    put_shell_names(run, is_stale, &names);
    if (words.length)
        section_printf(style, out,
                       "Stale: found on this CPU, but something is different now: %s. `assay "
                       "validate%s` tells anew.",
                       text_string(&words), text_string(&names));
}

static void show_put_trust(const struct stat_run *run, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    char age[NUMBER_SIZE];
    size_t count = 0;
    int64_t oldest = -1;
    const struct stat_event *shortest = NULL;
    for (size_t i = 0; i < run->event_count; i++) {
        const struct stat_event *event = &run->events[i];
        if (event->is_validated && event->trust.longest_ns &&
            (!shortest || event->trust.longest_ns < shortest->trust.longest_ns))
            shortest = event;
        count += is_not_validated(&run->events[i]);
        if (run->events[i].is_validated && run->events[i].trust.age_s > oldest)
            oldest = run->events[i].trust.age_s;
    }
    number_age(oldest, age, sizeof(age));
    if (oldest >= 0)
        text_printf(&words, "Trust is by `assay validate`, %s ago. ", age);
    if (shortest && (double)shortest->trust.longest_ns < 1e9 * stat_means(run).seconds)
        text_printf(&words, "It covers windows of up to %s (%s); this ran longer. ",
                    TIME((double)shortest->trust.longest_ns), shortest->name);
    if (count) {
        text_puts(&words, "Trust ?: not validated here; `assay validate");
        put_shell_names(run, is_not_validated, &words);
        text_puts(&words, "` tells.");
    }
    if (words.length)
        section_put_words(text_string(&words), style, out);
    put_stale(run, style, out);
}

void stat_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct stat_run *run = kept;
    if (!run->run_count) {
        section_printf(style, out, "Not executed%s%s.", run->reason ? ": " : "",
                       run->reason ? run->reason : "");
        return;
    }
    put_title(run, style, out);
    const bool any = put_table(run, style, out);
    if (any)
        text_putc(out, '\n');
    put_time(run, style, out);
    if (!any)
        put_account(run, style, out);
    put_ending(run, style, out);
    if (any) {
        put_bar(run, style, out);
        put_correction(run, style, out);
        if (any_is(run, is_at_floor))
            section_put_words("No count is below 0: where ± is more than the count, its interval "
                              "begins there.",
                              style, out);
        put_empty(run, style, out);
        put_sharing(run, style, out);
        put_relaying(run, style, out);
    }
    if (run->refused && !run->asked)
        section_printf(style, out, "Not by counters: %.*s.", reason_first_sentence(run->refused),
                       run->refused);
    put_unsupported(run, style, out);
    show_put_trust(run, style, out);
    if (run->no_input)
        section_put_words("Its standard input was empty: that of this machine is not passed on to "
                          "another; --input FILE is.",
                          style, out);
}
