/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The machine's passport: the newest verdict for every event, in a JSON file that other programs
 * read (docs/passport.md). It is made of this run, of the stores of earlier ones judged anew, and
 * of what the passport said before: a run whose store lies elsewhere, or is gone, was one all the
 * same. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/finish.h"
#include "machine/passports.h"
#include "output/field.h"
#include "output/output.h"
#include "studies/validate/parts.h"

/* ----------------------------------------------------------------------------------------------
 * From the latest store of `assay validate` to a verdict for each event. */

#define COPY(to, from) snprintf(to, sizeof(to), "%.*s", (int)sizeof(to) - 1, (from) ? (from) : "")

/* Written as 2026-11-15T19:35:27Z. */
static bool is_moment(const char *text, struct tm *parts)
{
    *parts = (struct tm){0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", parts) : NULL;
    return end && !*end;
}

/* Seconds since a moment; 0 for one in the future or of another form. */
static int64_t age_of(const char *moment)
{
    struct tm parts;
    if (!is_moment(moment, &parts))
        return 0;
    time_t then = timegm(&parts), now = time(NULL);
    return now > then ? (int64_t)(now - then) : 0;
}

static int load_run(const char *path, struct latest_run *run, struct failure *failure)
{
    struct store *store = NULL;
    struct store_info info = {0};
    int error = store_open(&store, path, false, failure);
    if (error == 0)
        error = store_info(store, &info, failure);
    run->age_s = age_of(info.started);
    COPY(run->started, info.started);
    store_info_release(&info);
    if (error == 0)
        error = validate_load(store, &run->file, failure);
    store_close(store);
    if (error == 0)
        run->judgements = judge_case(&run->file);
    else
        *run = (struct latest_run){0};
    return error;
}

void latest_verdicts_load(const char *fingerprint, const struct common_options *common,
                          struct latest_verdicts *latest)
{
    AUTO_FREE char *path = NULL;
    *latest = (struct latest_verdicts){0};
    for (size_t tried = 0; tried < LATEST_RUNS; tried++) {
        struct failure failure = {0};
        char *older;
        if (store_latest_before(fingerprint, "validate", path, &older, &failure) < 0)
            return;
        free(path);
        path = older;
        if (load_run(path, &latest->runs[latest->count], &failure) == 0)
            latest->count++;
        else
            deliver_remark(common, "what `assay validate` found here cannot be used: %s",
                           failure.text);
    }
}

const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name,
                                       int64_t *age_s)
{
    const struct judgement *best = NULL;
    for (size_t i = 0; i < latest->count; i++)
        for (size_t j = 0; j < latest->runs[i].judgements.count; j++) {
            const struct judgement *found = &latest->runs[i].judgements.list[j];
            if (strcmp(found->evidence->event, name) != 0)
                continue;
            if (!best || verdict_weight(found->verdict, found->cause) >
                             verdict_weight(best->verdict, best->cause)) {
                best = found;
                *age_s = latest->runs[i].age_s;
            }
            break;
        }
    return best;
}

/* ----------------------------------------------------------------------------------------------
 * From stores and passports to one answer about an event. */

/* Of an event that opens, that it does not is not so any more. */
static bool holds(const char *verdict, const char *cause, bool opens)
{
    return !(cause && strcmp(cause, cause_names[CAUSE_PERMISSION]) == 0) &&
           !(opens && strcmp(verdict, verdict_names[VERDICT_UNSUPPORTED]) == 0);
}

int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             bool opens, struct known_trust *known)
{
    *known = (struct known_trust){.verdict = "unknown", .age_s = -1};
    int64_t age_s = 0;
    const struct judgement *judgement = latest ? latest_verdict(latest, event, &age_s) : NULL;
    if (judgement &&
        !holds(verdict_names[judgement->verdict], cause_names[judgement->cause], opens))
        judgement = NULL;
    if (judgement) {
        COPY(known->event, judgement->evidence->event);
        COPY(known->verdict, verdict_names[judgement->verdict]);
        COPY(known->cause, cause_names[judgement->cause]);
        COPY(known->note, reasons_text(&judgement->why));
        known->age_s = age_s;
        known->longest_ns = judgement->limits.longest_ns;
        known->reads_zero = judgement->reads_zero;
    }
    /* Where stores have nothing by counts, the passport may. */
    if (judgement && verdict_is_of_counts(judgement->verdict))
        return 0;
    struct assay_trust_verdict trust;
    struct failure failure = {0};
    int error = machine_trust(machine, event, &trust, &failure);
    if (error == 0 && !holds(trust.verdict, trust.cause, opens))
        error = fail_with(&failure, -ENOENT, "access was refused when it was validated: %.400s",
                          trust.note);
    const int verdict = error < 0 ? -1 : verdict_from_name(trust.verdict);
    if (judgement && (verdict < 0 || !verdict_is_of_counts((enum verdict)verdict)))
        return 0;
    COPY(known->note, error < 0 ? failure.text : trust.note);
    if (error < 0)
        return -ENOENT;
    known->reads_zero = false;
    COPY(known->event, trust.event);
    COPY(known->verdict, trust.verdict);
    COPY(known->cause, trust.cause);
    COPY(known->difference, trust.difference);
    known->age_s = trust.age_s;
    known->stale = trust.stale;
    return 0;
}

/* --- the passport --- */

#define MOST_BYTES (4u << 20) /* that readers take */

/* --- the newest of each --- */

static bool is_refusal(const json_t *entry)
{
    return strcmp(json_word(entry, "cause"), cause_names[CAUSE_PERMISSION]) == 0;
}

static unsigned weight(const json_t *entry)
{
    const int verdict = verdict_from_name(json_word(entry, "verdict"));
    return verdict_weight(verdict < 0 ? VERDICT_UNJUDGED : (enum verdict)verdict,
                          is_refusal(entry) ? CAUSE_PERMISSION : CAUSE_NONE);
}

/* The newer counts, unless it says less. Moments sort as text does. */
static void add_entry(json_t *events, json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "event"));
    const json_t *there = name ? json_object_get(events, name) : NULL;
    const char *then = json_string_value(json_object_get(there, "validated"));
    const char *now = json_string_value(json_object_get(entry, "validated"));
    if (is_refusal(entry))
        json_object_set_new(entry, "verdict", json_string(verdict_names[VERDICT_UNJUDGED]));
    bool better = !there || weight(entry) > weight(there) ||
                  (weight(entry) == weight(there) && then && now && strcmp(now, then) > 0);
    if (name && better)
        json_object_set(events, name, entry);
    json_decref(entry);
}

static void add_run(json_t *events, const struct judgements *judgements, const char *validated)
{
    for (size_t i = 0; i < judgements->count; i++)
        add_entry(events, fields_json(&passport_entry_table, &judgements->list[i], validated));
}

static void add_stores(json_t *events, const struct validating *run)
{
    /* Who cannot use a store has said so already, or will. */
    struct common_options quiet = run->studying.given->common;
    quiet.quiet = true;
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct latest_verdicts *latest = memory_new(1, sizeof(*latest));
    latest_verdicts_load(run->studying.catalogue->fingerprint, &quiet, latest);
    for (size_t i = 0; i < latest->count; i++)
        add_run(events, &latest->runs[i].judgements, latest->runs[i].started);
    memory_scope_end(&scope);
}

/* --- access: of a user and a sandbox, not of the machine --- */

/* What this run was refused stands beside the verdict; what it opened is not refused any more. Its
 * report tells the verdicts of what it could not open. */
static void put_access(json_t *events, struct validating *run, const char *validated)
{
    for (size_t i = 0; i < run->judgements.count; i++) {
        const struct judgement *judgement = &run->judgements.list[i];
        json_t *entry = json_object_get(events, judgement->evidence->event);
        const int verdict = verdict_from_name(json_word(entry, "verdict"));
        json_object_del(entry, "access");
        if (judgement->evidence->error && verdict >= 0 &&
            verdict_is_of_counts((enum verdict)verdict))
            *memory_add(run->earlier, run->earlier_count) = (struct validate_earlier){
                memory_copy(judgement->evidence->event), memory_copy(json_word(entry, "verdict")),
                memory_copy(json_word(entry, "validated"))};
        if (!judgement->evidence->error || verdict == VERDICT_UNSUPPORTED)
            continue;
        const struct passport_refusal refusal = {judgement, validated};
        json_object_set_new(entry, "access",
                            fields_json(&passport_refusal_table, &refusal, run->studying.facts));
    }
}

/* --- what it said before --- */

static bool is_text_or_null(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return json_is_string(value) || json_is_null(value);
}

static void add_earlier(json_t *events, const struct validating *run)
{
    json_t *earlier = json_load_file(run->passport, JSON_REJECT_DUPLICATES, NULL);
    const char *schema = json_string_value(json_object_get(earlier, "schema"));
    const char *fingerprint = json_string_value(json_object_get(earlier, "fingerprint"));
    const json_t *list = json_object_get(earlier, "events");
    bool ours = schema && strcmp(schema, machine_passport_schema()) == 0 && fingerprint &&
                strcmp(fingerprint, run->studying.fingerprint) == 0;
    for (size_t i = 0; ours && i < json_array_size(list); i++) {
        json_t *entry = json_array_get(list, i), *access = json_object_get(entry, "access");
        const char *verdict = json_string_value(json_object_get(entry, "verdict"));
        const char *moment = json_string_value(json_object_get(entry, "validated"));
        struct tm parts;
        /* Would a reader take it? Whoever wrote it may not have been us. */
        if (!json_is_string(json_object_get(entry, "event")) || !verdict ||
            verdict_from_name(verdict) < 0 || !is_text_or_null(entry, "cause") ||
            !is_text_or_null(entry, "note") || !is_text_or_null(entry, "path") ||
            !is_moment(moment, &parts) || strlen(moment) != 20)
            continue;
        add_entry(events, json_incref(entry));
        if (json_is_object(access))
            json_object_set(json_object_get(events, json_word(entry, "event")), "access", access);
    }
    json_decref(earlier);
}

/* --- the whole --- */

static json_t *events_json(struct validating *run, const char *validated)
{
    json_t *known = json_object(), *list = json_array();
    add_run(known, &run->judgements, validated);
    add_stores(known, run);
    add_earlier(known, run);
    put_access(known, run, validated);
    for (void *at = json_object_iter(known); at; at = json_object_iter_next(known, at))
        json_array_append(list, json_object_iter_value(at));
    json_decref(known);
    return list;
}

static char *passport_text(struct validating *run, const char *validated)
{
    json_t *object = fields_json(&passport_table, run, NULL);
    json_object_set_new(object, "events", events_json(run, validated));
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(object);
    return text;
}

/* --- the file --- */

static int put_passport(struct validating *run, struct failure *failure)
{
    struct store_info info = {0};
    char folder[sizeof(run->passport) - 64];
    int length = assay_trust_folder(folder, sizeof(folder));
    if (length < 0 || (size_t)length >= sizeof(folder))
        return fail_with(failure, -ENOENT,
                         "neither XDG_STATE_HOME nor HOME names a folder that can hold it");
    int error = store_make_folders(folder, failure);
    if (error < 0)
        return error;
    snprintf(run->passport, sizeof(run->passport), "%s/%s.json", folder, run->studying.fingerprint);
    error = store_info(run->studying.store, &info, failure);
    AUTO_FREE char *text = error == 0 ? passport_text(run, info.started) : NULL;
    store_info_release(&info);
    if (!text)
        return error;
    if (strlen(text) >= MOST_BYTES)
        return fail_with(failure, -EFBIG, "it would be longer than %u bytes", MOST_BYTES);
    /* A file of its own, whatever stood there: programs read no passport through a link. */
    struct output output;
    struct stat there;
    if (lstat(run->passport, &there) == 0 && !S_ISREG(there.st_mode))
        unlink(run->passport);
    error = output_open(&output, run->passport, failure);
    if (error < 0)
        return error;
    /* Nothing in it is secret; that the folder is the user's own decides who reads it. What
     * everybody may write programs do not read. Some file systems have no modes. */
    (void)!fchmod(fileno(output.stream), 0644);
    fprintf(output.stream, "%s\n", text);
    return output_commit(&output, failure);
}

void validate_put_passport(struct validating *run)
{
    struct failure failure = {0};
    bool judged = false;
    for (size_t i = 0; i < run->judgements.count; i++)
        judged |= run->judgements.list[i].verdict != VERDICT_UNJUDGED;
    /* A run that was interrupted before anything was judged has nothing to say, and one that is
     * judged again has said it. */
    if (!run->studying.session || !run->judgements.count || (!judged && interrupted) ||
        put_passport(run, &failure) == 0)
        return;
    run->passport[0] = '\0';
    deliver_remark(&run->studying.given->common, "the machine's passport was not written: %s",
                   failure.text);
}
