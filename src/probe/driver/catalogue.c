/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds out what this kit can do on this machine, and tells the controller in hello. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "lib/ticks.h"
#include "machine/check.h"
#include "probe/command/command.h"
#include "probe/driver/catalogue.h"
#include "probe/sources/source.h"
#include "probe/subjects/subject.h"
#include "specimens/specimen.h"

/* ----------------------------------------------------------------------------------------------
 * Asks the harnesses what they hold. Their answer is a few lines (harness/main.c); what they or the
 * loader say instead of an answer is the reason of the absence. */

#define DESCRIBE_MS  10000
#define DESCRIBE_MAX (1u << 20) /* bytes of an answer */

static int add_preset(struct offers *offers, char *rest)
{
    const char *name = strsep(&rest, " ");
    const char *error = strsep(&rest, " ");
    return error && rest ? presets_add(&offers->presets, name, atoi(error), rest) : -EBADMSG;
}

/* Words of lines about what cannot be had, and what that is. */
static const struct {
    const char *word, *kind;
} missing[] = {{"absent", "path"}, {"lacking", "operation"}, {"unreadable", "clock"}};

static int take_line(struct offers *offers, char *line, size_t harness)
{
    char *rest = line;
    const char *word = strsep(&rest, " ");
    if (strcmp(word, "path") == 0) {
        const char *path = strsep(&rest, " ");
        const char *opt = strsep(&rest, " ");
        const char *patterns = strsep(&rest, " ");
        const char *folder = strsep(&rest, " ");
        const char *sources = strsep(&rest, " ");
        if (!path || !opt || !patterns || !folder || !sources)
            return -EBADMSG;
        int result = offers_add(offers, path, opt, patterns, sources, rest, harness);
        if (result == 0)
            offers->list[offers->count - 1].needs_folder = strcmp(folder, "folder") == 0;
        return result;
    }
    if (strcmp(word, "preset") == 0)
        return add_preset(offers, rest);
    if (strcmp(word, "operation") == 0)
        return operations_add(offers, rest, harness);
    if (strcmp(word, "clock") == 0)
        return clocks_add(offers, rest);
    const char *name = strsep(&rest, " ");
    const char *error = strsep(&rest, " ");
    for (size_t index = 0; error && index < sizeof(missing) / sizeof(*missing); index++)
        if (strcmp(word, missing[index].word) == 0)
            return offers_add_absence(offers, missing[index].kind, name, atoi(error), rest);
    return -EBADMSG;
}

/* Waits for the child while reading what it says. Returns its wait status, or -ETIMEDOUT. */
static int hear(pid_t pid, const struct outlets *outlets, struct text said[OUTLET_COUNT])
{
    int64_t deadline = monotonic_ms() + DESCRIBE_MS;
    int status = 0;
    for (bool ended = false; !ended;) {
        struct pollfd ends[OUTLET_COUNT] = {{.fd = outlets->ours[0], .events = POLLIN},
                                            {.fd = outlets->ours[1], .events = POLLIN}};
        ended = child_ended(pid, &status);
        for (int index = 0; index < OUTLET_COUNT; index++) {
            char buffer[4096];
            ssize_t got;
            while ((got = read(outlets->ours[index], buffer, sizeof(buffer))) > 0)
                if (said[index].length < DESCRIBE_MAX)
                    text_append(&said[index], buffer, (size_t)got);
        }
        if (ended)
            return status;
        if (monotonic_ms() > deadline)
            break;
        poll(ends, OUTLET_COUNT, 1);
    }
    child_kill(pid, &status);
    return -ETIMEDOUT;
}

static int ask(struct offers *offers, const struct probe_kit *kit, size_t harness,
               const struct outlets *outlets)
{
    struct failure failure = {0};
    struct text said[OUTLET_COUNT] = {{0}};
    const char *file = kit->harnesses[harness].file;
    pid_t pid = child_start(kit->folder, file, "--describe", -1, outlets, &failure);
    if (pid < 0)
        return offers_add_absence(offers, "harness", file, -(int)pid, failure.text);
    int status = hear(pid, outlets, said);
    int result = 0;
    if (status != 0) {
        AUTO_TEXT struct text reason = {0};
        if (status == -ETIMEDOUT)
            text_printf(&reason, "it did not describe itself within %d s", DESCRIBE_MS / 1000);
        else if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV &&
                 ticks_forbidden())
            text_puts(&reason, "it was killed: programs that are linked dynamically time their own "
                               "start, and " TICKS_FORBIDDEN);
        else if (status >= 0 && WIFSIGNALED(status))
            text_printf(&reason, "it was killed by signal %d", WTERMSIG(status));
        else
            text_puts(&reason, "it cannot run here");
        if (said[OUTLET_ERROR].length) {
            text_puts(&reason, ": ");
            text_append(&reason, said[OUTLET_ERROR].bytes, strcspn(said[OUTLET_ERROR].bytes, "\n"));
        }
        result =
            offers_add_absence(offers, "harness", file, status == -ETIMEDOUT ? ETIMEDOUT : ENOEXEC,
                               text_string(&reason));
    } else if (said[OUTLET_OUTPUT].length) {
        char *rest = said[OUTLET_OUTPUT].bytes, *line;
        while (result == 0 && (line = strsep(&rest, "\n")))
            if (*line)
                result = take_line(offers, line, harness);
    }
    text_free(&said[OUTLET_OUTPUT]);
    text_free(&said[OUTLET_ERROR]);
    return result == -EBADMSG
               ? offers_add_absence(offers, "harness", file, EBADMSG, "it does not describe itself")
               : result;
}

int offers_collect(struct offers *offers, const struct probe_kit *kit,
                   const struct outlets *outlets, struct failure *failure)
{
    int result = 0;
    for (size_t index = 0; index < kit->absence_count && result == 0; index++)
        result = offers_add_absence(offers, kit->absences[index].kind, kit->absences[index].name, 0,
                                    kit->absences[index].reason);
    for (size_t harness = 0; harness < kit->harness_count && result == 0; harness++)
        result = ask(offers, kit, harness, outlets);
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, "operation") != 0 &&
            strncmp(offers->absences[index].name, "papi", 4) == 0)
            offers->presets.absence = offers->absences[index].reason;
    return result < 0 ? fail_with(failure, result, "out of memory") : 0;
}

/* ----------------------------------------------------------------------------------------------
 * Which programs of the kit can be executed here as subjects. Programs of the machine's own kind
 * run where the driver does; one of another word size is tried, because not every operating system
 * has the means. */

#define TRIAL_MS 5000

/* Its wait status; -ETIMEDOUT: it did not end. */
static int await_trial(pid_t pid)
{
    const int64_t deadline = monotonic_ms() + TRIAL_MS;
    int status = 0;
    while (!child_ended(pid, &status)) {
        if (monotonic_ms() > deadline) {
            child_kill(pid, &status);
            return -ETIMEDOUT;
        }
        poll(NULL, 0, 1);
    }
    return status;
}

/* Executes it once with the smallest argument. */
static int try_subject(struct offers *offers, const struct probe_kit *kit, const char *file,
                       const struct subject *subject, const struct outlets *outlets)
{
    struct failure failure = {0};
    const pid_t pid = child_start(kit->folder, file, "1", -1, outlets, &failure);
    const int status = pid < 0 ? (int)pid : await_trial(pid);
    char words[256];
    if (status == 0)
        return 0;
    if (status == -ENOEXEC || status == -ELIBBAD)
        snprintf(words, sizeof(words),
                 "%d-bit programs cannot be executed here: the operating system has no means for "
                 "them",
                 subject->bits);
    else if (pid < 0)
        snprintf(words, sizeof(words), "%.255s", failure.text);
    else
        snprintf(words, sizeof(words), "%d-bit programs do not run here: it ended with status %#x",
                 subject->bits, (unsigned)status);
    return offers_add_absence(offers, "subject", subject->name, status < 0 ? -status : ENOEXEC,
                              words);
}

int subjects_collect(struct offers *offers, const struct probe_kit *kit,
                     const struct outlets *outlets, struct failure *failure)
{
    int result = 0;
    for (size_t index = 0; subject_registry[index] && result == 0; index++)
        if (!offers_absence(offers, "subject", subject_registry[index]->name)) {
            char file[64], path[PATH_MAX];
            snprintf(file, sizeof(file), "subject-%s", subject_registry[index]->name);
            snprintf(path, sizeof(path), "%s/%s", kit->folder, file);
            if (access(path, X_OK) < 0)
                result = offers_add_absence(offers, "subject", subject_registry[index]->name, errno,
                                            "its program is not in the kit");
            else
                result = subject_registry[index]->bits == CHAR_BIT * (int)sizeof(void *)
                             ? 0
                             : try_subject(offers, kit, file, subject_registry[index], outlets);
        }
    return result < 0 ? fail_with(failure, result, "out of memory") : 0;
}

/* --- Asks who counts commands whether they can here --- */

#define REASON_BYTES 1024

int commands_collect(struct offers *offers, const struct probe_kit *kit, struct failure *failure)
{
    for (size_t index = 0; command_counter_registry[index]; index++) {
        const struct command_counter *counter = command_counter_registry[index];
        char reason[REASON_BYTES] = "";
        const int result =
            counter->usable ? counter->usable(kit->folder, reason, sizeof(reason)) : 0;
        if (result < 0 &&
            offers_add_absence(offers, "counter", counter->source, -result, reason) < 0)
            return fail_with(failure, -ENOMEM, "out of memory");
    }
    return 0;
}

/* --- Hello: everything the controller may plan with --- */

#define WHY_BYTES 512

static void send_absence(struct wire_writer *writer, const char *kind, const char *name, int error,
                         const char *reason)
{
    wire_say(writer, "absent", "kind=%s name=%s error=%d reason=%s", kind, name, error, reason);
}

static bool specimen_is_absent(struct wire_writer *writer, const struct specimen *specimen)
{
    struct failure failure = {0};
    if (!specimen->available || specimen->available(&failure) == 0)
        return false;
    send_absence(writer, "specimen", specimen->name, -failure.code, failure.text);
    return true;
}

static void send_specimen(struct wire_writer *writer, const struct specimen *specimen)
{
    if (specimen_is_absent(writer, specimen))
        return;
    wire_say(writer, "specimen",
             "name=%s summary=%s stresses=%s min_n=%lu max_n=%lu needs=%s parameters=%s",
             specimen->name, specimen->summary, specimen->stresses, specimen->min_n,
             specimen->max_n, specimen->needs ? specimen->needs : "",
             specimen->parameters ? specimen->parameters : "");
    for (const struct truth *truth = specimen->truth; truth->class; truth++) {
        char why[WHY_BYTES];
        enum truth_grade grade = proof_grade(specimen, truth, why, sizeof(why));
        wire_begin(writer, "truth");
        wire_put_string(writer, "specimen", specimen->name);
        wire_put_string(writer, "class", truth->class);
        wire_put_i64(writer, "base", truth->base);
        wire_put_i64(writer, "each", truth->each);
        wire_put_string(writer, "grade", truth_grade_names[grade]);
        if (grade == TRUTH_BOUNDED) {
            wire_put_i64(writer, "high_base", truth->high_base);
            wire_put_i64(writer, "high_each", truth->high_each);
        }
        wire_put_string(writer, "why", why);
        wire_put_string(writer, "sources", proof_sources(specimen->name, truth->class));
        wire_end(writer);
    }
}

static bool first_of_its_path(const struct offers *offers, size_t index)
{
    for (size_t before = 0; before < index; before++)
        if (strcmp(offers->list[before].path, offers->list[index].path) == 0)
            return false;
    return true;
}

static void send_sources(struct wire_writer *writer, const struct sources *sources)
{
    for (size_t index = 0; index < sources->count; index++) {
        const struct event_source *source = &sources->list[index];
        if (source->error)
            send_absence(writer, "source", source->name, source->error, source->reason);
        else {
            AUTO_TEXT struct text classes = {0};
            for (const char *const *class = source_registry[index]->classes; *class; class ++)
                catalogue_add_word(&classes, *class);
            wire_say(writer, "source", "name=%s summary=%s classes=%s runs=%u",
                     source_registry[index]->name, source_registry[index]->summary,
                     text_string(&classes), source_registry[index]->runs);
        }
    }
}

/* An operation or a clock that one harness lacks and another has is not absent. */
static bool is_had_elsewhere(const struct offers *offers, const struct absence *absence)
{
    if (strcmp(absence->kind, "clock") == 0)
        return clocks_find(offers, absence->name) != NULL;
    for (size_t index = 0; index < offers->operation_count; index++)
        if (strcmp(absence->kind, "operation") == 0 &&
            operation_is(&offers->operations[index], absence->name))
            return true;
    return false;
}

int catalogue_send(struct wire_writer *writer, const struct probe_kit *kit,
                   const struct offers *offers, const struct sources *sources)
{
    wire_say(writer, "hello", "version=%d assay=%s build=%s isa=%s", WIRE_VERSION, ASSAY_VERSION,
             kit->build, PROBE_ISA);
    struct machine_view view = {.root = ""};
    struct facts facts = {0};
    machine_collect(&view, &facts);
    for (const struct fact *fact = facts.list; fact < facts.list + facts.count; fact++)
        if (fact->value)
            wire_say(writer, "fact", "key=%s value=%s", fact->key, fact->value);
        else
            wire_say(writer, "fact", "key=%s error=%d", fact->key, fact->error);
    facts_free(&facts);
    for (size_t index = 0; specimen_registry[index]; index++)
        send_specimen(writer, specimen_registry[index]);
    for (size_t index = 0; index < offers->count; index++)
        if (first_of_its_path(offers, index)) {
            AUTO_TEXT struct text opts = {0}, links = {0};
            for (size_t i = 0; i < offers->count; i++)
                if (strcmp(offers->list[i].path, offers->list[index].path) == 0) {
                    catalogue_add_word(&opts, offers->list[i].opt);
                    catalogue_add_word(&links, kit->harnesses[offers->list[i].harness].link);
                }
            wire_say(writer, "path", "name=%s patterns=%s opts=%s links=%s sources=%s note=%s",
                     offers->list[index].path, offers->list[index].patterns, text_string(&opts),
                     text_string(&links), offers->list[index].sources, offers->list[index].note);
        }
    send_sources(writer, sources);
    operations_send(writer, kit, offers);
    clocks_send(writer, offers);
    for (size_t index = 0; command_counter_registry[index]; index++) {
        const struct command_counter *counter = command_counter_registry[index];
        AUTO_TEXT struct text classes = {0}, details = {0};
        if (offers_absence(offers, "counter", counter->source))
            continue;
        for (size_t i = 0; counter->classes && counter->classes[i]; i++)
            catalogue_add_word(&classes, counter->classes[i]);
        for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
            if (counter->details[detail])
                catalogue_add_word(&details, command_detail_names[detail]);
        wire_say(writer, "counter", "source=%s classes=%s details=%s note=%s", counter->source,
                 text_string(&classes), text_string(&details), counter->note ? counter->note : "");
    }
    for (size_t index = 0; subject_registry[index]; index++) {
        const struct subject *subject = subject_registry[index];
        if (offers_absence(offers, "subject", subject->name))
            continue;
        wire_say(writer, "subject",
                 "name=%s summary=%s shows=%s n=%lu truth=%d base=%ld each=%ld bits=%d libc=%d",
                 subject->name, subject->summary, subject->shows, subject->n, subject->has_truth,
                 subject->base, subject->each, subject->bits, subject->libc);
    }
    for (size_t index = 0; index < offers->absence_count; index++) {
        const struct absence *absence = &offers->absences[index];
        if (is_had_elsewhere(offers, absence))
            continue;
        send_absence(writer, absence->kind, absence->name, absence->error, absence->reason);
    }
    wire_begin(writer, "ready");
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}
