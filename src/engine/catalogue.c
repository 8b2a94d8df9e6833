/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hello: which probe this is, what it can do here and why not more. The controller compiles in no
 * list of specimens or paths; this is where it learns them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/monotonic.h"
#include "engine/peer.h"
#include "machine/check.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * Questions about events: which there are, and whether a name can be opened. */

#define MAX_EVENTS 1000000u /* tracepoints are some thousands */
#define MAX_ERRNO  4095

/* The event of the frame; its strings live as long as the frame. */
static int take_event(struct session *session, struct listed_event *event, struct failure *failure)
{
    uint64_t openable;
    uint64_t error;
    int status;
    if ((status = peer_string(session, "name", &event->name, failure)) < 0 ||
        (status = peer_string(session, "kind", &event->kind, failure)) < 0 ||
        (status = peer_string(session, "class", &event->class, failure)) < 0 ||
        (status = peer_number(session, "openable", 1, &openable, failure)) < 0 ||
        (status = peer_number(session, "error", MAX_ERRNO, &error, failure)) < 0 ||
        (status = peer_string(session, "reason", &event->reason, failure)) < 0)
        return status;
    if (!*event->class)
        event->class = NULL;
    event->matching = 1;
    event->openable = openable != 0;
    event->error = (int)error;
    return 0;
}

static int unexpected(struct session *session, const char *question, struct failure *failure)
{
    return peer_lost(session, failure, -EBADMSG, "the probe answered '%s' with a frame '%.40s'",
                     question, session->frame.type);
}

int session_list_events(struct session *session, const char *glob, session_event_each *each,
                        void *context, struct failure *failure)
{
    int verdict = 0; /* of the callback; once it has had enough the rest is only read */
    uint64_t matching;
    int status = peer_ask(session, "list", "glob", glob ? glob : "", failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "matching") != 0)
        return unexpected(session, "list", failure);
    status = peer_number(session, "count", MAX_EVENTS, &matching, failure);
    if (status < 0)
        return status;
    for (unsigned count = 0;; count++) {
        status = peer_answer(session, failure);
        if (status < 0)
            return status;
        if (strcmp(session->frame.type, "listed") == 0)
            return verdict;
        if (strcmp(session->frame.type, "event") != 0)
            return unexpected(session, "list", failure);
        if (count == MAX_EVENTS)
            return peer_lost(session, failure, -E2BIG, "the probe's list of events does not end");
        struct listed_event event;
        status = take_event(session, &event, failure);
        if (status < 0)
            return status;
        event.matching = matching;
        if (verdict == 0)
            verdict = each(context, &event);
    }
}

int session_try_event(struct session *session, const char *name, struct listed_event *event,
                      struct failure *failure)
{
    int status = peer_ask(session, "try", "name", name, failure);
    if (status == 0)
        status = peer_answer(session, failure);
    if (status < 0)
        return status;
    if (strcmp(session->frame.type, "event") == 0)
        return take_event(session, event, failure);
    if (strcmp(session->frame.type, "refused") != 0)
        return unexpected(session, "try", failure);
    return peer_refused(session, failure);
}

/* ----------------------------------------------------------------------------------------------
 * The catalogue: a list for each type of frame, whose fields stand in a table. Plans and judges go
 * by these words, so those that mean nothing are refused at once. */

#define MAX_FRAMES 20000u /* of one catalogue */
#define MAX_BYTES  (16u << 20)
#define NAME_BYTES 64u

enum field_kind { TEXT, NOTE, SIGNED, NUMBER, SMALL, FLAG };

/* A field of a frame, and where it goes. Of texts `fits` says which mean something, NULL: any; a
 * note may be missing. `most` limits numbers; small ones are ints. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    bool (*fits)(const char *text);
    uint64_t most;
};

/* A type of frame: `what` it is to people, in whose list of so many bytes a member goes, at most so
 * many of them (0: nobody counts). */
struct entry {
    const char *type, *what;
    size_t list, count, size;
    unsigned most;
    const struct field *fields; /* end with key NULL */
    int (*check)(struct session *session, void *member, struct failure *failure);
};

/* --- what means something --- */

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static bool is_there(const char *text)
{
    return *text;
}

static bool is_effect(const char *text)
{
    return is_one_of(text, (const char *const[]){"starts", "stops", "keeps", NULL});
}

static bool is_state(const char *text)
{
    return is_one_of(text, (const char *const[]){"running", "stopped", "any", NULL});
}

static bool is_page(const char *text)
{
    return is_one_of(text, (const char *const[]){"", "cold", "touched", "populated", NULL});
}

static bool is_clock_kind(const char *text)
{
    return is_one_of(text,
                     (const char *const[]){"wall", "cpu-time", "cycles", "place", "stolen", NULL});
}

/* What a word is made of that is compared with others; clocksources have underscores. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

static bool is_word_or_none(const char *text)
{
    return !text[strspn(text, letters)];
}

static bool is_word(const char *text)
{
    return *text && is_word_or_none(text);
}

/* What names a source, a class, a subject: may be compared, and stands in cells. */
static bool is_name(const char *text)
{
    return is_word(text) && strlen(text) < NAME_BYTES;
}

/* Words with commas between them, or none at all. */
static bool are_all(const char *list, bool (*fits)(const char *word))
{
    for (const char *at = list; *list; at++) {
        char word[NAME_BYTES + 1];
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (length >= sizeof(word) || !fits(word))
            return false;
        at += length;
        if (!*at)
            return true;
    }
    return true;
}

static bool are_names(const char *list)
{
    return are_all(list, is_name);
}

static bool is_detail(const char *word)
{
    for (int detail = DETAIL_NONE + 1; detail < DETAIL_COUNT; detail++)
        if (strcmp(word, command_detail_names[detail]) == 0)
            return true;
    return false;
}

static bool are_details(const char *list)
{
    return are_all(list, is_detail);
}

/* Ids of findings with spaces between them, or none. */
static bool are_findings(const char *list)
{
    return !list[strspn(list, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ")];
}

/* --- finding members: each begins with its name --- */

static const void *find(const void *list, size_t count, size_t size, const char *name,
                        size_t length)
{
    for (size_t i = 0; i < count; i++) {
        const char *known;
        memcpy(&known, (const char *)list + i * size, sizeof(known));
        if (known && strncmp(known, name, length) == 0 && !known[length])
            return (const char *)list + i * size;
    }
    return NULL;
}

const struct catalogue_specimen *catalogue_specimen(const struct catalogue *catalogue,
                                                    const char *name)
{
    return find(catalogue->specimens, catalogue->specimen_count, sizeof(*catalogue->specimens),
                name, strcspn(name, "/"));
}

/* NOLINTBEGIN(bugprone-macro-parentheses): names take none */
#define FIND(type, list, name)                                                                     \
    const struct catalogue_##type *catalogue_##type(const struct catalogue *catalogue,             \
                                                    const char *name)                              \
    {                                                                                              \
        return find(catalogue->list, catalogue->type##_count, sizeof(struct catalogue_##type),     \
                    name, strlen(name));                                                           \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
FIND(path, paths, name)
FIND(source, sources, name)
FIND(clock, clocks, name)
FIND(counter, counters, source)
FIND(subject, subjects, name)

const struct catalogue_operation *catalogue_operation(const struct catalogue *catalogue,
                                                      const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return NULL;
    const size_t path = (size_t)(dot - name);
    const size_t kind = strcspn(dot + 1, "*");
    for (size_t i = 0; i < catalogue->operation_count; i++) {
        const struct catalogue_operation *known = &catalogue->operations[i];
        if (known->path && known->kind && strlen(known->path) == path &&
            strlen(known->kind) == kind && memcmp(known->path, name, path) == 0 &&
            memcmp(known->kind, dot + 1, kind) == 0)
            return known;
    }
    return NULL;
}

/* --- checks of whole members --- */

static int twice(struct session *session, const char *what, const char *name,
                 struct failure *failure)
{
    return peer_lost(session, failure, -EBADMSG, "the probe has the %s '%.64s' twice", what, name);
}

static int check_specimen(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_specimen *specimen = member;
    return catalogue_specimen(&session->catalogue, specimen->name) == specimen
               ? 0
               : twice(session, "specimen", specimen->name, failure);
}

static int check_path(struct session *session, void *member, struct failure *failure)
{
    struct catalogue_path *path = member;
    if (!path->sources) /* an older probe's are all the system's */
        path->sources = memory_copy("perf_event");
    if (path->note && !*path->note)
        path->note = NULL;
    return catalogue_path(&session->catalogue, path->name) == path
               ? 0
               : twice(session, "path", path->name, failure);
}

static int check_source(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_source *source = member;
    if (!source->runs)
        return peer_lost(session, failure, -EBADMSG, "the probe's source '%.64s' has no runs",
                         source->name);
    return catalogue_source(&session->catalogue, source->name) == source
               ? 0
               : twice(session, "source", source->name, failure);
}

/* A name that a tour can hold, and that is not there yet. */
static int check_operation(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_operation *operation = member;
    char name[2 * TOUR_NAME];
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count;
    struct failure why = {0};
    snprintf(name, sizeof(name), "%.*s.%.*s", TOUR_NAME - 1, operation->path, TOUR_NAME - 1,
             operation->kind);
    int status = tour_parse(name, &calls, &count, &why);
    if (status == -ENOMEM)
        memory_end();
    if (status < 0 || count != 1 || strcmp(calls[0].operation, name) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has an operation '%.64s.%.64s', which is no name of one",
                         operation->path, operation->kind);
    return catalogue_operation(&session->catalogue, name) == operation
               ? 0
               : twice(session, "operation", name, failure);
}

/* A plain name that a cell can hold, and that is not there yet. */
static int check_clock(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_clock *clock = member;
    struct external_clock parsed;
    struct failure why = {0};
    if (external_clock_parse(clock->name, &parsed, &why) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has a clock '%.64s', which is no name of one", clock->name);
    return catalogue_clock(&session->catalogue, clock->name) == clock
               ? 0
               : twice(session, "clock", clock->name, failure);
}

static int check_counter(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_counter *counter = member;
    return catalogue_counter(&session->catalogue, counter->source) == counter
               ? 0
               : peer_lost(session, failure, -EBADMSG, "the probe counts commands by '%.64s' twice",
                           counter->source);
}

static int check_subject(struct session *session, void *member, struct failure *failure)
{
    const struct catalogue_subject *subject = member;
    if (subject->bits != 32 && subject->bits != 64)
        return peer_lost(session, failure, -EBADMSG,
                         "'bits' of a subject of the probe is %d, neither 32 nor 64, which means "
                         "nothing to this "
                         "assay",
                         subject->bits);
    return catalogue_subject(&session->catalogue, subject->name) == subject
               ? 0
               : twice(session, "subject", subject->name, failure);
}

/* --- frames --- */

static int take_field(struct session *session, const struct entry *entry, const struct field *field,
                      void *member, struct failure *failure)
{
    void *place = (char *)member + field->offset;
    const char *text;
    uint64_t number;
    int status = 0;
    switch (field->kind) {
    case TEXT:
        status = peer_string(session, field->key, &text, failure);
        if (status == 0 && field->fits && !field->fits(text))
            return peer_lost(session, failure, -EBADMSG,
                             "'%s' of %s of the probe is '%.40s', which means nothing to this "
                             "assay",
                             field->key, entry->what, text);
        if (status == 0)
            *(char **)place = memory_copy(text);
        return status;
    case NOTE:
        *(char **)place = memory_copy(wire_get(&session->frame, field->key));
        return 0;
    case SIGNED:
        return wire_get_i64(&session->frame, field->key, place) == 0
                   ? 0
                   : peer_lost(session, failure, -EBADMSG,
                               "'%s' in the probe's frame '%.40s' is no number", field->key,
                               session->frame.type);
    case NUMBER:
        return peer_number(session, field->key, field->most, place, failure);
    case SMALL:
        status = peer_number(session, field->key, field->most, &number, failure);
        if (status == 0)
            *(int *)place = (int)number;
        return status;
    case FLAG:
        status = peer_number(session, field->key, 1, &number, failure);
        if (status == 0)
            *(bool *)place = number == 1;
        return status;
    }
    return status;
}

static int take_fields(struct session *session, const struct entry *entry, void *member,
                       struct failure *failure)
{
    int status = 0;
    for (const struct field *field = entry->fields; field->key && status == 0; field++)
        status = take_field(session, entry, field, member, failure);
    return status;
}

#define AT(type, member) offsetof(struct catalogue_##type, member)

static const struct field specimen_fields[] = {
    {"name", TEXT, AT(specimen, name), NULL, 0},
    {"summary", TEXT, AT(specimen, summary), NULL, 0},
    {"stresses", TEXT, AT(specimen, stresses), NULL, 0},
    {"min_n", NUMBER, AT(specimen, min_n), NULL, UINT64_MAX},
    {"max_n", NUMBER, AT(specimen, max_n), NULL, UINT64_MAX},
    {"needs", TEXT, AT(specimen, needs), NULL, 0},
    {"parameters", TEXT, AT(specimen, parameters), NULL, 0},
    {0}};
static const struct field path_fields[] = {{"name", TEXT, AT(path, name), NULL, 0},
                                           {"patterns", TEXT, AT(path, patterns), NULL, 0},
                                           {"opts", TEXT, AT(path, opts), NULL, 0},
                                           {"links", TEXT, AT(path, links), NULL, 0},
                                           {"sources", NOTE, AT(path, sources), NULL, 0},
                                           {"note", NOTE, AT(path, note), NULL, 0},
                                           {0}};
static const struct field source_fields[] = {
    {"name", TEXT, AT(source, name), NULL, 0},
    {"summary", TEXT, AT(source, summary), NULL, 0},
    {"classes", TEXT, AT(source, classes), NULL, 0},
    {"runs", NUMBER, AT(source, runs), NULL, CELL_MAX_RUNS},
    {0}};
static const struct field absence_fields[] = {{"kind", TEXT, AT(absence, kind), NULL, 0},
                                              {"name", TEXT, AT(absence, name), NULL, 0},
                                              {"reason", TEXT, AT(absence, reason), NULL, 0},
                                              {"error", SMALL, AT(absence, error), NULL, MAX_ERRNO},
                                              {0}};
static const struct field operation_fields[] = {
    {"path", TEXT, AT(operation, path), is_there, 0},
    {"kind", TEXT, AT(operation, kind), is_there, 0},
    {"instrument", TEXT, AT(operation, instrument), is_there, 0},
    {"effect", TEXT, AT(operation, effect), is_effect, 0},
    {"when", TEXT, AT(operation, when), is_state, 0},
    {"links", TEXT, AT(operation, links), is_there, 0},
    {"page", TEXT, AT(operation, page), is_page, 0},
    {"note", TEXT, AT(operation, note), NULL, 0},
    {"binds", FLAG, AT(operation, binds), NULL, 0},
    {"alone", FLAG, AT(operation, alone), NULL, 0},
    {0}};
static const struct field clock_fields[] = {
    {"name", TEXT, AT(clock, name), NULL, 0},
    {"kind", TEXT, AT(clock, kind), is_clock_kind, 0},
    {"way", TEXT, AT(clock, way), is_word, 0},
    {"hardware", TEXT, AT(clock, hardware), is_word_or_none, 0},
    {"claim", TEXT, AT(clock, claim), NULL, 0},
    {"note", TEXT, AT(clock, note), NULL, 0},
    {"hz", NUMBER, AT(clock, hz), NULL, UINT64_MAX},
    {"resolution_ps", NUMBER, AT(clock, resolution_ps), NULL, UINT64_MAX},
    {"slow", FLAG, AT(clock, slow), NULL, 0},
    {"steered", FLAG, AT(clock, steered), NULL, 0},
    {0}};
static const struct field counter_fields[] = {
    {"source", TEXT, AT(counter, source), is_name, 0},
    {"classes", TEXT, AT(counter, classes), are_names, 0},
    {"details", TEXT, AT(counter, details), are_details, 0},
    {"note", TEXT, AT(counter, note), NULL, 0},
    {0}};
static const struct field subject_fields[] = {{"name", TEXT, AT(subject, name), is_name, 0},
                                              {"summary", TEXT, AT(subject, summary), NULL, 0},
                                              {"shows", TEXT, AT(subject, shows), are_findings, 0},
                                              {"n", NUMBER, AT(subject, n), NULL, UINT64_MAX},
                                              {"truth", FLAG, AT(subject, has_truth), NULL, 0},
                                              {"base", SIGNED, AT(subject, base), NULL, 0},
                                              {"each", SIGNED, AT(subject, each), NULL, 0},
                                              {"bits", SMALL, AT(subject, bits), NULL, 64},
                                              {"libc", FLAG, AT(subject, libc), NULL, 0},
                                              {0}};

#define LIST(type, plural)                                                                         \
    offsetof(struct catalogue, plural), offsetof(struct catalogue, type##_count),                  \
        sizeof(struct catalogue_##type)

static const struct entry entries[] = {
    {"specimen", "a specimen", LIST(specimen, specimens), 0, specimen_fields, check_specimen},
    {"path", "a path", LIST(path, paths), 0, path_fields, check_path},
    {"source", "a source", LIST(source, sources), 0, source_fields, check_source},
    {"absent", "an absence", LIST(absence, absences), 0, absence_fields, NULL},
    {"operation", "an operation", LIST(operation, operations), 512, operation_fields,
     check_operation},
    {"clock", "a clock", LIST(clock, clocks), 256, clock_fields, check_clock},
    {"counter", "a counter", LIST(counter, counters), 32, counter_fields, check_counter},
    {"subject", "a subject", LIST(subject, subjects), 256, subject_fields, check_subject},
};

static int take_fact(struct session *session, struct failure *failure)
{
    const char *key;
    uint64_t error = 0;
    int status = peer_string(session, "key", &key, failure);
    if (status < 0)
        return status;
    const char *value = wire_get(&session->frame, "value");
    if (!value && (status = peer_number(session, "error", MAX_ERRNO, &error, failure)) < 0)
        return status;
    if (facts_set(&session->catalogue.facts, key, value, (int)error) < 0)
        memory_end();
    return 0;
}

/* One more of a specimen. */
static int take_truth(struct session *session, struct failure *failure)
{
    static const struct field exact[] = {{"class", TEXT, AT(truth, class), NULL, 0},
                                         {"base", SIGNED, AT(truth, base), NULL, 0},
                                         {"each", SIGNED, AT(truth, each), NULL, 0},
                                         {"grade", TEXT, AT(truth, grade), NULL, 0},
                                         {"why", TEXT, AT(truth, why), NULL, 0},
                                         {"sources", TEXT, AT(truth, sources), NULL, 0},
                                         {0}};
    static const struct field bounds[] = {{"high_base", SIGNED, AT(truth, high_base), NULL, 0},
                                          {"high_each", SIGNED, AT(truth, high_each), NULL, 0},
                                          {0}};
    struct entry entry = {.type = "truth", .what = "a truth", .fields = exact};
    const char *name;
    int status = peer_string(session, "specimen", &name, failure);
    if (status < 0)
        return status;
    struct catalogue_specimen *specimen =
        (struct catalogue_specimen *)(uintptr_t)catalogue_specimen(&session->catalogue, name);
    if (!specimen)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe states a truth about '%.64s', a specimen it does not have",
                         name);
    struct catalogue_truth *truth = memory_add(specimen->truths, specimen->truth_count);
    status = take_fields(session, &entry, truth, failure);
    if (status < 0)
        return status;
    truth->high_base = truth->base;
    truth->high_each = truth->each;
    entry.fields = bounds;
    return strcmp(truth->grade, "bounded") == 0 ? take_fields(session, &entry, truth, failure) : 0;
}

static int take_entry(struct session *session, struct failure *failure)
{
    const char *type = session->frame.type;
    if (strcmp(type, "fact") == 0)
        return take_fact(session, failure);
    if (strcmp(type, "truth") == 0)
        return take_truth(session, failure);
    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
        const struct entry *entry = &entries[i];
        void **list = (void **)(void *)((char *)&session->catalogue + entry->list);
        size_t *count = (size_t *)(void *)((char *)&session->catalogue + entry->count);
        if (strcmp(type, entry->type) != 0)
            continue;
        if (entry->most && *count >= entry->most)
            return peer_lost(session, failure, -E2BIG, "the probe has more than %u %ss",
                             entry->most, type);
        *list = memory_room(*list, *count, entry->size);
        void *member = (char *)*list + (*count)++ * entry->size;
        int status = take_fields(session, entry, member, failure);
        return status == 0 && entry->check ? entry->check(session, member, failure) : status;
    }
    return peer_lost(session, failure, -EBADMSG,
                     "the probe's catalogue holds a frame '%.40s', which this assay does not know",
                     type);
}

/* --- hello --- */

static int take_hello(struct session *session, struct failure *failure)
{
    uint64_t version;
    int status;
    if (strcmp(session->frame.type, "hello") != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe's first word is '%.40s' instead of hello", session->frame.type);
    if ((status = peer_number(session, "version", UINT64_MAX, &version, failure)) < 0)
        return status;
    if (version > WIRE_VERSION)
        return peer_lost(session, failure, -EPROTONOSUPPORT,
                         "the probe speaks version %llu of the protocol and this assay version %d: "
                         "assay is the older one; update it, or point ASSAY_KIT at its own kit",
                         (unsigned long long)version, WIRE_VERSION);
    if (version < WIRE_VERSION)
        return peer_lost(session, failure, -EPROTONOSUPPORT,
                         "the probe speaks version %llu of the protocol and this assay version %d: "
                         "the probe is the older one; build its kit again (run make)",
                         (unsigned long long)version, WIRE_VERSION);
    static const struct field fields[] = {
        {"assay", TEXT, offsetof(struct catalogue, version), NULL, 0},
        {"build", TEXT, offsetof(struct catalogue, build), NULL, 0},
        {"isa", TEXT, offsetof(struct catalogue, isa), NULL, 0},
        {0}};
    const struct entry entry = {.type = "hello", .what = "hello", .fields = fields};
    if ((status = take_fields(session, &entry, &session->catalogue, failure)) < 0)
        return status;
    session->chatter.count = 0; /* a login's banner explains nothing that happens later */
    return 0;
}

static int wait_for_hello(struct session *session, int timeout_ms, struct failure *failure)
{
    const int64_t deadline = monotonic_ms() + timeout_ms;
    int status = peer_begin(session, failure);
    while (status == 0) {
        session->heard = monotonic_ms(); /* here the deadline counts, not the silence */
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted before the probe said hello");
        if (monotonic_ms() >= deadline)
            return peer_lost(session, failure, -ETIMEDOUT, "no probe said hello within %d ms",
                             timeout_ms);
        status = peer_receive(session, failure);
    }
    return status < 0 ? status : take_hello(session, failure);
}

int catalogue_read(struct session *session, int hello_timeout_ms, struct failure *failure)
{
    size_t frames = 0;
    size_t bytes = 0;
    int status = wait_for_hello(session, hello_timeout_ms, failure);
    while (status >= 0) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted");
        status = peer_receive(session, failure);
        if (status <= 0)
            continue;
        if (strcmp(session->frame.type, "ready") == 0)
            break;
        for (size_t i = 0; i < session->frame.field_count; i++)
            bytes += session->frame.fields[i].length;
        if (++frames > MAX_FRAMES || bytes > MAX_BYTES)
            return peer_lost(session, failure, -E2BIG, "the probe's catalogue does not end");
        status = take_entry(session, failure);
    }
    if (status < 0)
        return status;
    machine_fingerprint(&session->catalogue.facts, session->catalogue.fingerprint);
    return 0;
}
