/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay events: what can be counted on a machine, tried by opening each event, and why the rest
 * cannot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "commands/specimens.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/gather.h"
#include "engine/loading.h"
#include "engine/session.h"
#include "engine/study.h"
#include "output/output.h"
#include "output/table.h"

struct events_options {
    struct common_options common;
    bool specimens;
    struct optional n;
};

static const struct option_spec specs[] = {
    {.name = "specimens",
     .type = OPTION_FLAG,
     .help = "list specimens instead of events: what each is known to count, and who proved it",
     .offset = offsetof(struct events_options, specimens)},
    {.name = "n",
     .type = OPTION_OPTIONAL,
     .argument = "N",
     .help = "with --specimens: add the counts for N, and those that decoding the code gives",
     .offset = offsetof(struct events_options, n)},
    {0}};

struct known_event {
    char *name, *kind, *class, *reason;
    bool openable, told; /* told: its reason stands in the text already */
    int error;
    bool is_validated;
    struct study_trust trust;
    char user_verdict[24]; /* of the same event with :u; "": none */
    int64_t user_age_s;    /* of that */
};

struct events {
    const struct common_options *common;
    struct session *session;
    struct progress progress;
    struct known_event *list;
    size_t count, openable;
    size_t counters;             /* among them those that need no source to execute the code */
    const struct command *judge; /* who says which can be trusted; NULL: nobody */
    const void *verdicts;        /* its latest */
};

static bool say_trust(const struct events *events, const struct known_event *event,
                      const char *name, struct study_trust *trust)
{
    return events->judge &&
           told_of(events->judge)
               ->trusted.say(events->verdicts, &session_catalogue(events->session)->facts, name,
                             event->openable, trust);
}

static int keep(void *context, const struct listed_event *event)
{
    struct events *events = context;
    if (!events->count)
        progress_begin(&events->progress, "events", event->matching, events->common->quiet);
    progress_step(&events->progress);
    struct known_event *kept = memory_add(events->list, events->count);
    *kept = (struct known_event){
        .name = memory_copy(event->name),
        .kind = memory_copy(event->kind),
        .class = event->class && *event->class ? memory_copy(event->class) : NULL,
        .reason = memory_copy(event->reason ? event->reason : ""),
        .openable = event->openable,
        .error = event->error,
    };
    events->openable += event->openable;
    events->counters += event->openable && strcmp(event->kind, "source") != 0;
    /* The machine's own counters are validated in user mode, where code can be predicted. */
    const char *user = event_mode(kept->name) ? NULL : event_in_user_mode(kept->name);
    struct study_trust with_u = {.age_s = -1};
    kept->trust.age_s = -1;
    kept->is_validated = say_trust(events, kept, kept->name, &kept->trust);
    if (user && say_trust(events, kept, user, &with_u))
        snprintf(kept->user_verdict, sizeof(kept->user_verdict), "%s", with_u.verdict);
    kept->user_age_s = with_u.age_s;

    return 0;
}

/* --- for a person --- */

/* "Verdicts are those of …, 3 hours ago." */
static void put_age(const struct events *events, const struct style *style, struct text *out)
{
    int64_t newest = INT64_MAX, oldest = -1;
    for (size_t i = 0; i < events->count; i++) {
        const struct known_event *event = &events->list[i];
        const int64_t age_s = event->is_validated ? event->trust.age_s : event->user_age_s;
        if (age_s < 0)
            continue;
        newest = age_s < newest ? age_s : newest;
        oldest = age_s > oldest ? age_s : oldest;
    }
    if (oldest < 0)
        return;
    AUTO_TEXT struct text words = {0};
    char age[NUMBER_SIZE];
    text_printf(&words, "Verdicts are those of `assay %s`, ", events->judge->name);
    number_age(newest, age, sizeof(age));
    text_puts(&words, age);
    if (oldest > newest) {
        text_puts(&words, " to ");
        number_age(oldest, age, sizeof(age));
        text_puts(&words, age);
    }
    text_puts(&words, " ago.");
    /* " Stale: found on this CPU, but something is different now: kernel 6.1.0 -> 6.18.0." */
    const char *told = NULL;
    for (size_t i = 0; i < events->count; i++) {
        const struct known_event *event = &events->list[i];
        if (!event->trust.judged || !event->trust.stale ||
            (told && strcmp(told, event->trust.difference) == 0))
            continue;
        text_printf(&words, "%s%s",
                    told ? "; " : " Stale: found on this CPU, but something is different now: ",
                    event->trust.difference);
        told = event->trust.difference;
    }
    if (told)
        text_puts(&words, ".");

    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_refused(struct events *events, const struct style *style, struct text *out)
{
    if (events->openable == events->count)
        return;
    text_printf(out, "%s%zu cannot be counted here:\n", events->openable ? "\n" : "",
                events->count - events->openable);
    for (size_t i = 0; i < events->count; i++) {
        if (!events->list[i].openable && !events->list[i].told) {
            /* All events that share a reason, after the reason. */
            const char *reason = events->list[i].reason;
            AUTO_TEXT struct text names = {0}, clean = {0};
            size_t count = 0;
            for (size_t j = i; j < events->count; j++) {
                struct known_event *event = &events->list[j];
                if (event->openable || event->told || strcmp(event->reason, reason) != 0)
                    continue;
                event->told = true;
                if (count++)
                    text_puts(&names, ", ");
                text_put_clean(&names, event->name);
                /* What was found when it could be counted stands, whoever is refused now. */
                if (event->trust.judged && !event->trust.refused)
                    text_printf(&names, " (validated: %s)", event->trust.verdict);
            }
            text_put_clean(&clean, *reason ? reason : "no reason was given");
            text_putc(out, '\n');
            wrap(out, text_string(&clean), 0, 0, style->width);
            text_puts(out, "  ");
            wrap(out, text_string(&names), 2, 2, style->width);
        }
    }
}

static int deliver_person(struct events *events, bool hints, int status)
{
    struct style style = deliver_style(events->common);
    AUTO_TEXT struct text out = {0};
    static const struct column columns[] = {
        {.title = "event"}, {.title = "kind"}, {.title = "class"}, {.title = "verdict"}};
    struct table table = {.columns = columns, .column_count = 4};
    for (size_t i = 0; i < events->count; i++) {
        const struct known_event *event = &events->list[i];
        if (!event->openable)
            continue;
        table_add(&table, TONE_PLAIN, event->name);
        table_add(&table, TONE_PLAIN, event->kind);
        table_add(&table, TONE_PLAIN, event->class ? event->class : "");
        /* "exact, stale"; of one that was judged in user mode alone "with :u exact". */
        const struct study_trust *trust = &event->trust;
        if (event->trust.judged)
            table_addf(&table, TONE_PLAIN, "%s%s", trust->verdict, trust->stale ? ", stale" : "");
        else if (trust->reads_zero)
            table_addf(&table, TONE_PLAIN, "%s, reads 0", trust->verdict);
        else if (event->user_verdict[0])
            table_addf(&table, TONE_PLAIN, "with :u %s", event->user_verdict);
        else
            table_add(&table, TONE_PLAIN, "");
    }
    if (table.count) {
        text_printf(&out, "%zu of %zu events can be counted here:\n\n", events->openable,
                    events->count);
        table_put(&table, &style, &out);
    }
    table_free(&table);

    put_age(events, &style, &out);
    put_refused(events, &style, &out);
    if (hints) {
        text_putc(&out, '\n');
        if (!events->counters) {
            AUTO_TEXT struct text hint = {0};
            text_puts(&hint,
                      events->openable
                          ? "No counter can be had here, only what executes the code itself. "
                          : "None of these can be counted here. ");
            text_puts(&hint, "`assay doctor");
            deliver_put_via(events->common, &hint);
            text_puts(&hint, "` says what stands in the way and what changes it.");
            wrap(&out, text_string(&hint), 0, 0, style.width);
            text_putc(&out, '\n');
        }
        wrap(&out,
             "More can be named than is listed: NAME:u, NAME:k and NAME:uk choose the mode; "
             "'GROUP:NAME' is a tracepoint (assay events 'syscalls:*getpp*' lists some); "
             "pmu/term=value,.../ and rNNN are raw events; mem:ADDR[/LEN]:rwx watches memory; "
             "uprobe:FILE:SYMBOL counts calls of a function.",
             0, 0, style.width);
    }

    text_putc(&out, '\n');
    deliver_put_machine(&session_catalogue(events->session)->facts, &style, &out);
    return deliver_text("events", events->common, &out, status);
}

/* --- for programs --- */

GETTER(get_reason, struct known_event, value_text(item->openable ? NULL : item->reason))

GETTER(get_error, struct known_event, item->error ? value_integer(item->error) : value_absent(NULL))

GETTER(get_difference, struct study_trust,
       item->stale ? value_text(item->difference) : value_null())

PART(trust_of, struct known_event, item->is_validated ? &item->trust : NULL)

#define UNVALIDATED .optional = true
static const struct field trust_fields[] = {
    {"verdict_event", AT(struct study_trust, event),
     "the name under which it was validated: the event's own", UNVALIDATED},
    {"verdict_age", AT(struct study_trust, age_s), "since that validation began", UNIT_S,
     .nullable = true},
    {"verdict_reads_zero", AT(struct study_trust, reads_zero),
     "it is unjudged, and read 0 in every run of that validation: nothing shows that it counts",
     UNVALIDATED},
    {"verdict_stale", AT(struct study_trust, stale),
     "it was found on this CPU, but under another kernel, microcode or hypervisor", UNVALIDATED},
    {"verdict_difference", GET(FIELD_TEXT, get_difference),
     "where it is stale: what differs, as was -> is", .nullable = true, UNVALIDATED},
};
static const struct fields trust_table = FIELDS("events.trust", NULL, trust_fields);

static const struct field event_fields[] = {
    {"event", AT(struct known_event, name), "its name", .column = true},
    {"kind", AT(struct known_event, kind), "hardware, software, pmu, tracepoint …", .column = true},
    {"class", AT(struct known_event, class), "what it claims to count (docs/classes.md)",
     .nullable = true, .column = true},
    {"openable", AT(struct known_event, openable), "it can be opened here", .column = true},
    {"reason", GET(FIELD_TEXT, get_reason), "why it cannot", .nullable = true, .column = true},
    {"errno", GET(FIELD_INTEGER, get_error), "of opening it", .nullable = true},
    {"verdict", AT(struct known_event, trust.verdict), "of the latest validation",
     .known = KNOWN(struct known_event, is_validated),
     .absent = "this event has not been validated on this machine", .column = true},
    {"", SPLICED_BY(trust_of, &trust_table)},
    {"user_verdict", AT(struct known_event, user_verdict),
     "of the same event with :u, which says nothing of it without; null: none, or the name has a "
     "mode",
     .nullable = true},
};
static const struct fields event_table = FIELDS("events", "an event of this machine", event_fields);
static const struct field events_field = {"results",
                                          LIST(struct events, list, count, &event_table)};

static int deliver_envelope(const struct events *events, int status)
{
    const struct catalogue *catalogue = session_catalogue(events->session);
    struct envelope envelope = {.facts = &catalogue->facts, .fingerprint = catalogue->fingerprint};
    return deliver_results("events", events->common, &envelope, &events_field, NULL, events,
                           status);
}

/* --- the way through --- */

static int list_matching(struct events *events, const char *glob)
{
    struct failure failure = {0};
    int error = session_list_events(events->session, glob, keep, events, &failure);
    progress_end(&events->progress);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    if (error < 0)
        return deliver_failure("events", &failure, EXIT_FAILED);
    if (glob && !events->count) {
        fail_with(&failure, -ENOENT, "no event here matches '%.200s'", glob);
        deliver_failure("events", &failure, EXIT_LACKING);
        return common_is_for_programs(events->common) ? deliver_envelope(events, EXIT_LACKING)
                                                      : EXIT_LACKING;
    }
    return common_is_for_programs(events->common)
               ? deliver_envelope(events, EXIT_DONE)
               : deliver_person(events, !glob || !events->openable, EXIT_DONE);
}

/* A name without wildcards: tried as it is, so that every form of a name can be asked for. */
static int try_exact(struct events *events, const char *name)
{
    struct failure failure = {0};
    struct listed_event event;
    int error = session_try_event(events->session, name, &event, &failure);
    if (error < 0)
        return deliver_failure("events", &failure,
                               error == -ENOENT || error == -EINVAL  ? EXIT_USAGE
                               : error == -EACCES || error == -EPERM ? EXIT_LACKING
                               : error == -EINTR                     ? EXIT_INTERRUPTED
                                                                     : EXIT_FAILED);
    keep(events, &event);
    progress_end(&events->progress);
    int status = events->openable ? EXIT_DONE : EXIT_LACKING;
    return common_is_for_programs(events->common) ? deliver_envelope(events, status)
                                                  : deliver_person(events, false, status);
}

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct events_options *options = parsed;
    struct events events = {.common = &options->common};
    struct failure failure = {0};
    const char *glob = argument_count ? arguments[0] : NULL;
    if (argument_count > 1) {
        fail_with(&failure, -EINVAL,
                  "one name or glob at a time, and quoted, so that the shell leaves it alone");
        return deliver_failure("events", &failure, EXIT_USAGE);
    }
    if (options->n.given && !options->specimens) {
        fail_with(&failure, -EINVAL, "--n belongs to --specimens: events have no N of their own");
        return deliver_failure("events", &failure, EXIT_USAGE);
    }
    if (output_check(options->common.output, &failure) < 0)
        return deliver_failure("events", &failure, EXIT_FAILED);
    int status = reach_machine("events", &options->common, &events.session, NULL);
    if (status != EXIT_DONE)
        return status;
    if (options->specimens) {
        status = specimens_run(&options->common, events.session, glob, &options->n);
        session_close(events.session);
        return status;
    }
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct study_told *told = told_of(*at);
        if (!told || !told->trusted.load)
            continue;
        events.judge = *at;
        events.verdicts =
            told->trusted.load(session_catalogue(events.session)->fingerprint, &options->common);
    }
    bool exact = glob && *glob && !strpbrk(glob, "*?[");
    status = exact ? try_exact(&events, glob) : list_matching(&events, glob);
    session_close(events.session);
    return status;
}

static const struct fields *const *events_instead(void)
{
    static const struct fields *const tables[] = {&specimen_truth_table, NULL};
    return tables;
}

const struct command command_events = {
    .name = "events",
    .group = GROUP_MACHINE,
    .summary = "list events that can be counted here, and why others cannot",
    .synopsis = "[options] [NAME | GLOB]",
    .description =
        "Tries every event the machine describes by opening it, and lists those that open with "
        "the class of what they claim to count. The others are grouped by the reason why they do "
        "not. Tracepoints are thousands: those whose class is known are listed, and others when "
        "a glob matches them, such as 'sched*' or 'sched:*'.\n\n"
        "A name without wildcards is tried as it is, in any form a name can have; the exit status "
        "is 3 when it cannot be counted.\n\n"
        "Where `assay validate` ran on this machine, the verdict of its latest runs stands beside "
        "each event; one that was found on the same CPU under another kernel, microcode or "
        "hypervisor is marked as stale.\n\n"
        "With --specimens the specimens of the machine are listed instead, those whose names match "
        "the glob: the count each makes of every class it says something of, as a formula in N, "
        "the grade of that truth and the sources that confirmed it. --n adds numbers.",
    .examples = "# what can be counted?\n"
                "assay events\n"
                "# tracepoints of one system call\n"
                "assay events 'syscalls:*getppid'\n"
                "# can this one be counted, and why not?\n"
                "assay events instructions:u\n"
                "# what is known of these specimens, and what does their code say for N = 1000?\n"
                "assay events --specimens 'l*' --n 1000",
    .options = specs,
    .options_size = sizeof(struct events_options),
    .run = run,
    .results = &events_field,
    .instead = events_instead,
    .analysis = &specimens_analysis,
};
