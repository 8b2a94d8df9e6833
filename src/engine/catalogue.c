/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hello: which probe this is, what it can do here and why not more. The controller compiles in no
 * list of specimens or paths; this is where it learns them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/peer.h"
#include "machine/check.h"
#include "wire/tour.h"

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
 * The operations of a catalogue: which calls a tour can make on the machine under test, and when.
 * A plan walks by what is said here, so words that mean nothing to it are refused at once. */

#define MOST_OPERATIONS 512u

static const char *const effects[] = {"starts", "stops", "keeps", NULL};
static const char *const states[] = {"running", "stopped", "any", NULL};
static const char *const pages[] = {"", "cold", "touched", "populated", NULL};

static const struct {
    const char *key;
    size_t offset;
    const char *const *words; /* one of these; NULL: any text */
    bool may_be_empty;
} texts[] = {
    {"path", offsetof(struct catalogue_operation, path), NULL, false},
    {"kind", offsetof(struct catalogue_operation, kind), NULL, false},
    {"instrument", offsetof(struct catalogue_operation, instrument), NULL, false},
    {"effect", offsetof(struct catalogue_operation, effect), effects, false},
    {"when", offsetof(struct catalogue_operation, when), states, false},
    {"links", offsetof(struct catalogue_operation, links), NULL, false},
    {"page", offsetof(struct catalogue_operation, page), pages, true},
    {"note", offsetof(struct catalogue_operation, note), NULL, true},
};

static char **text_of(struct catalogue_operation *operation, size_t text)
{
    return (char **)(void *)((char *)operation + texts[text].offset);
}

/* Is a field of a frame one of the words, which end with NULL? */
static bool catalogue_is_word(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

static int take_texts(struct session *session, struct catalogue_operation *operation,
                      struct failure *failure)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char **text = text_of(operation, i);
        int status = catalogue_take_string(session, texts[i].key, text, failure);
        if (status < 0)
            return status;
        if ((!**text && !texts[i].may_be_empty) ||
            (texts[i].words && !catalogue_is_word(*text, texts[i].words)))
            return peer_lost(session, failure, -EBADMSG,
                             "'%s' of an operation of the probe is '%.40s', which means nothing to "
                             "this assay",
                             texts[i].key, *text);
    }
    return 0;
}

int catalogue_take_flag(struct session *session, const char *key, bool *flag,
                        struct failure *failure)
{
    uint64_t number;
    int status = peer_number(session, key, 1, &number, failure);
    if (status == 0)
        *flag = number == 1;
    return status;
}

/* A name that a tour can hold, and that is not there yet. */
static int check_name(struct session *session, const struct catalogue_operation *operation,
                      struct failure *failure)
{
    char name[2 * TOUR_NAME];
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count;
    struct failure why = {0};
    snprintf(name, sizeof(name), "%.*s.%.*s", TOUR_NAME - 1, operation->path, TOUR_NAME - 1,
             operation->kind);
    int status = tour_parse(name, &calls, &count, &why);
    if (status == -ENOMEM)
        return catalogue_no_memory(session, failure);
    if (status < 0 || count != 1 || strcmp(calls[0].operation, name) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has an operation '%.64s.%.64s', which is no name of one",
                         operation->path, operation->kind);
    if (catalogue_operation(&session->catalogue, name) != operation)
        return peer_lost(session, failure, -EBADMSG, "the probe has the operation '%s' twice",
                         name);
    return 0;
}

/* The frame `operation`. */
static int catalogue_take_operation(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->operation_count >= MOST_OPERATIONS)
        return peer_lost(session, failure, -E2BIG, "the probe has more than %u operations",
                         MOST_OPERATIONS);
    struct catalogue_operation *operation = catalogue_append(
        (void **)&catalogue->operations, &catalogue->operation_count, sizeof(*operation));
    if (!operation)
        return catalogue_no_memory(session, failure);
    int status = take_texts(session, operation, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "binds", &operation->binds, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "alone", &operation->alone, failure);
    return status ? status : check_name(session, operation, failure);
}

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

static void catalogue_release_operations(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->operation_count; i++)
        for (size_t text = 0; text < sizeof(texts) / sizeof(*texts); text++)
            free(*text_of(&catalogue->operations[i], text));
    free(catalogue->operations);
}

/* ----------------------------------------------------------------------------------------------
 * The clocks of a catalogue: what can be read on the machine under test, and what is claimed of
 * it. A plan and a judge go by these words, so those that mean nothing are refused at once. */

#define MOST_CLOCKS 256u

static const char *const kinds[] = {"wall", "cpu-time", "cycles", "place", "stolen", NULL};
/* What a word is made of that is compared with others; clocksources have underscores. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

static const struct {
    const char *key;
    size_t offset;
    enum { ANY_TEXT, A_WORD, A_WORD_OR_NONE, A_KIND } holds;
} clocks_texts[] = {
    {"name", offsetof(struct catalogue_clock, name), ANY_TEXT}, /* check_name */
    {"kind", offsetof(struct catalogue_clock, kind), A_KIND},
    {"way", offsetof(struct catalogue_clock, way), A_WORD},
    {"hardware", offsetof(struct catalogue_clock, hardware), A_WORD_OR_NONE},
    {"claim", offsetof(struct catalogue_clock, claim), ANY_TEXT},
    {"note", offsetof(struct catalogue_clock, note), ANY_TEXT},
};

static bool makes_sense(size_t text, const char *value)
{
    if (clocks_texts[text].holds == A_KIND)
        return catalogue_is_word(value, kinds);
    if (clocks_texts[text].holds == ANY_TEXT)
        return true;
    return !value[strspn(value, letters)] && (*value || clocks_texts[text].holds == A_WORD_OR_NONE);
}

static char **clocks_text_of(struct catalogue_clock *clock, size_t text)
{
    return (char **)(void *)((char *)clock + clocks_texts[text].offset);
}

static int clocks_take_texts(struct session *session, struct catalogue_clock *clock,
                             struct failure *failure)
{
    for (size_t i = 0; i < sizeof(clocks_texts) / sizeof(*clocks_texts); i++) {
        char **text = clocks_text_of(clock, i);
        int status = catalogue_take_string(session, clocks_texts[i].key, text, failure);
        if (status < 0)
            return status;
        if (!makes_sense(i, *text))
            return peer_lost(session, failure, -EBADMSG,
                             "'%s' of a clock of the probe is '%.40s', which means nothing to this "
                             "assay",
                             clocks_texts[i].key, *text);
    }
    return 0;
}

/* A plain name that a cell can hold, and that is not there yet. */
static int clocks_check_name(struct session *session, const struct catalogue_clock *clock,
                             struct failure *failure)
{
    struct external_clock parsed;
    struct failure why = {0};
    if (external_clock_parse(clock->name, &parsed, &why) != 0)
        return peer_lost(session, failure, -EBADMSG,
                         "the probe has a clock '%.64s', which is no name of one", clock->name);
    if (catalogue_clock(&session->catalogue, clock->name) != clock)
        return peer_lost(session, failure, -EBADMSG, "the probe has the clock '%.64s' twice",
                         clock->name);
    return 0;
}

/* The frame `clock`. */
static int catalogue_take_clock(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    if (catalogue->clock_count >= MOST_CLOCKS)
        return peer_lost(session, failure, -E2BIG, "the probe has more than %u clocks",
                         MOST_CLOCKS);
    struct catalogue_clock *clock =
        catalogue_append((void **)&catalogue->clocks, &catalogue->clock_count, sizeof(*clock));
    if (!clock)
        return catalogue_no_memory(session, failure);
    int status = clocks_take_texts(session, clock, failure);
    if (status == 0)
        status = peer_number(session, "hz", UINT64_MAX, &clock->hz, failure);
    if (status == 0)
        status = peer_number(session, "resolution_ps", UINT64_MAX, &clock->resolution_ps, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "slow", &clock->slow, failure);
    if (status == 0)
        status = catalogue_take_flag(session, "steered", &clock->steered, failure);
    return status ? status : clocks_check_name(session, clock, failure);
}

const struct catalogue_clock *catalogue_clock(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        if (catalogue->clocks[i].name && strcmp(catalogue->clocks[i].name, name) == 0)
            return &catalogue->clocks[i];
    return NULL;
}

static void catalogue_release_clocks(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->clock_count; i++)
        for (size_t text = 0; text < sizeof(clocks_texts) / sizeof(*clocks_texts); text++)
            free(*clocks_text_of(&catalogue->clocks[i], text));
    free(catalogue->clocks);
}

/* ----------------------------------------------------------------------------------------------
 * Hello: which probe this is, what it can do here and why not more. The controller compiles in no
 * list of specimens or paths; this is where it learns them. */

#define MAX_FRAMES 20000u /* of one catalogue */
#define MAX_BYTES  (16u << 20)
void *catalogue_append(void **list, size_t *count, size_t size)
{
    /* Grows at powers of two. */
    if ((*count & (*count - 1)) == 0) {
        void *grown = realloc(*list, (*count ? 2 * *count : 1) * size);
        if (!grown)
            return NULL;
        *list = grown;
    }
    void *element = (char *)*list + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

int catalogue_no_memory(struct session *session, struct failure *failure)
{
    return peer_lost(session, failure, -ENOMEM, "no memory for the probe's catalogue");
}

int catalogue_take_string(struct session *session, const char *key, char **copy,
                          struct failure *failure)
{
    const char *value;
    int status = peer_string(session, key, &value, failure);
    if (status < 0)
        return status;
    *copy = strdup(value);
    if (*copy)
        return 0;
    catalogue_no_memory(session, failure);
    return -ENOMEM;
}

int catalogue_take_signed(struct session *session, const char *key, int64_t *value,
                          struct failure *failure)
{
    if (wire_get_i64(&session->frame, key, value) == 0)
        return 0;
    return peer_lost(session, failure, -EBADMSG, "'%s' in the probe's frame '%.40s' is no number",
                     key, session->frame.type);
}

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
        return catalogue_no_memory(session, failure);
    return 0;
}

static int take_specimen(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    const char *name;
    int status = peer_string(session, "name", &name, failure);
    if (status < 0)
        return status;
    if (catalogue_specimen(catalogue, name))
        return peer_lost(session, failure, -EBADMSG, "the probe has the specimen '%.64s' twice",
                         name);
    struct catalogue_specimen *specimen = catalogue_append(
        (void **)&catalogue->specimens, &catalogue->specimen_count, sizeof(*specimen));
    if (!specimen)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "name", &specimen->name, failure)) < 0 ||
        (status = catalogue_take_string(session, "summary", &specimen->summary, failure)) < 0 ||
        (status = catalogue_take_string(session, "stresses", &specimen->stresses, failure)) < 0)
        return status;
    if ((status = peer_number(session, "min_n", UINT64_MAX, &specimen->min_n, failure)) < 0)
        return status;
    if ((status = peer_number(session, "max_n", UINT64_MAX, &specimen->max_n, failure)) < 0)
        return status;
    if ((status = catalogue_take_string(session, "needs", &specimen->needs, failure)) < 0)
        return status;
    return catalogue_take_string(session, "parameters", &specimen->parameters, failure);
}

static int take_truth(struct session *session, struct failure *failure)
{
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
    struct catalogue_truth *truth =
        catalogue_append((void **)&specimen->truths, &specimen->truth_count, sizeof(*truth));
    if (!truth)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "class", &truth->class, failure)) < 0 ||
        (status = catalogue_take_signed(session, "base", &truth->base, failure)) < 0 ||
        (status = catalogue_take_signed(session, "each", &truth->each, failure)) < 0 ||
        (status = catalogue_take_string(session, "grade", &truth->grade, failure)) < 0 ||
        (status = catalogue_take_string(session, "why", &truth->why, failure)) < 0 ||
        (status = catalogue_take_string(session, "sources", &truth->sources, failure)) < 0)
        return status;
    truth->high_base = truth->base;
    truth->high_each = truth->each;
    if (strcmp(truth->grade, "bounded") == 0 &&
        ((status = catalogue_take_signed(session, "high_base", &truth->high_base, failure)) < 0 ||
         (status = catalogue_take_signed(session, "high_each", &truth->high_each, failure)) < 0))
        return status;
    return 0;
}

static int take_path(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    const char *name;
    int status = peer_string(session, "name", &name, failure);
    if (status < 0)
        return status;
    if (catalogue_path(catalogue, name))
        return peer_lost(session, failure, -EBADMSG, "the probe has the path '%.64s' twice", name);
    struct catalogue_path *path =
        catalogue_append((void **)&catalogue->paths, &catalogue->path_count, sizeof(*path));
    if (!path)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "name", &path->name, failure)) < 0 ||
        (status = catalogue_take_string(session, "patterns", &path->patterns, failure)) < 0 ||
        (status = catalogue_take_string(session, "opts", &path->opts, failure)) < 0 ||
        (status = catalogue_take_string(session, "links", &path->links, failure)) < 0)
        return status;
    if (!wire_get(&session->frame, "sources")) /* an older probe's are all the system's */
        path->sources = strdup("perf_event");
    else if ((status = catalogue_take_string(session, "sources", &path->sources, failure)) < 0)
        return status;
    if (!path->sources)
        return catalogue_no_memory(session, failure);
    const char *note = wire_get(&session->frame, "note");
    return note && *note ? catalogue_take_string(session, "note", &path->note, failure) : 0;
}

static int take_source(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    const char *name;
    int status = peer_string(session, "name", &name, failure);
    if (status < 0)
        return status;
    if (catalogue_source(catalogue, name))
        return peer_lost(session, failure, -EBADMSG, "the probe has the source '%.64s' twice",
                         name);
    struct catalogue_source *source =
        catalogue_append((void **)&catalogue->sources, &catalogue->source_count, sizeof(*source));
    if (!source)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "name", &source->name, failure)) < 0 ||
        (status = catalogue_take_string(session, "summary", &source->summary, failure)) < 0 ||
        (status = catalogue_take_string(session, "classes", &source->classes, failure)) < 0 ||
        (status = peer_number(session, "runs", CELL_MAX_RUNS, &source->runs, failure)) < 0)
        return status;
    if (!source->runs)
        return peer_lost(session, failure, -EBADMSG, "the probe's source '%.64s' has no runs",
                         source->name);
    return 0;
}

static int take_absence(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
    struct catalogue_absence *absence = catalogue_append(
        (void **)&catalogue->absences, &catalogue->absence_count, sizeof(*absence));
    uint64_t error;
    int status;
    if (!absence)
        return catalogue_no_memory(session, failure);
    if ((status = catalogue_take_string(session, "kind", &absence->kind, failure)) < 0 ||
        (status = catalogue_take_string(session, "name", &absence->name, failure)) < 0 ||
        (status = catalogue_take_string(session, "reason", &absence->reason, failure)) < 0 ||
        (status = peer_number(session, "error", MAX_ERRNO, &error, failure)) < 0)
        return status;
    absence->error = (int)error;
    return 0;
}

static int take_hello(struct session *session, struct failure *failure)
{
    struct catalogue *catalogue = &session->catalogue;
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
    if ((status = catalogue_take_string(session, "assay", &catalogue->version, failure)) < 0 ||
        (status = catalogue_take_string(session, "build", &catalogue->build, failure)) < 0 ||
        (status = catalogue_take_string(session, "isa", &catalogue->isa, failure)) < 0)
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

static const struct {
    const char *type;
    int (*take)(struct session *session, struct failure *failure);
} entries[] = {
    {"fact", take_fact},
    {"specimen", take_specimen},
    {"truth", take_truth},
    {"path", take_path},
    {"source", take_source},
    {"absent", take_absence},
    {"operation", catalogue_take_operation},
    {"clock", catalogue_take_clock},
    {"counter", catalogue_take_counter},
    {"subject", catalogue_take_subject},
};

static int take_entry(struct session *session, struct failure *failure)
{
    for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
        if (strcmp(session->frame.type, entries[i].type) == 0)
            return entries[i].take(session, failure);
    return peer_lost(session, failure, -EBADMSG,
                     "the probe's catalogue holds a frame '%.40s', which this assay does not know",
                     session->frame.type);
}

static size_t frame_bytes(const struct wire_frame *frame)
{
    size_t bytes = 0;
    for (size_t i = 0; i < frame->field_count; i++)
        bytes += frame->fields[i].length;
    return bytes;
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
        bytes += frame_bytes(&session->frame);
        if (++frames > MAX_FRAMES || bytes > MAX_BYTES)
            return peer_lost(session, failure, -E2BIG, "the probe's catalogue does not end");
        status = take_entry(session, failure);
    }
    if (status < 0)
        return status;
    machine_fingerprint(&session->catalogue.facts, session->catalogue.fingerprint);
    return 0;
}

const struct catalogue_specimen *catalogue_specimen(const struct catalogue *catalogue,
                                                    const char *name)
{
    size_t length = strcspn(name, "/");
    for (size_t i = 0; i < catalogue->specimen_count; i++) {
        const char *known = catalogue->specimens[i].name;
        if (known && strncmp(known, name, length) == 0 && !known[length])
            return &catalogue->specimens[i];
    }
    return NULL;
}

const struct catalogue_path *catalogue_path(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->path_count; i++)
        if (catalogue->paths[i].name && strcmp(catalogue->paths[i].name, name) == 0)
            return &catalogue->paths[i];
    return NULL;
}

const struct catalogue_source *catalogue_source(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->source_count; i++)
        if (catalogue->sources[i].name && strcmp(catalogue->sources[i].name, name) == 0)
            return &catalogue->sources[i];
    return NULL;
}

static void release_specimen(struct catalogue_specimen *specimen)
{
    for (size_t i = 0; i < specimen->truth_count; i++) {
        free(specimen->truths[i].class);
        free(specimen->truths[i].grade);
        free(specimen->truths[i].why);
        free(specimen->truths[i].sources);
    }
    free(specimen->truths);
    free(specimen->name);
    free(specimen->summary);
    free(specimen->stresses);
    free(specimen->needs);
    free(specimen->parameters);
}

static void release_path(struct catalogue_path *path)
{
    free(path->name);
    free(path->patterns);
    free(path->opts);
    free(path->links);
    free(path->sources);
    free(path->note);
}

static void release_source(struct catalogue_source *source)
{
    free(source->name);
    free(source->summary);
    free(source->classes);
}

void catalogue_release(struct catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->specimen_count; i++)
        release_specimen(&catalogue->specimens[i]);
    for (size_t i = 0; i < catalogue->path_count; i++)
        release_path(&catalogue->paths[i]);
    for (size_t i = 0; i < catalogue->source_count; i++)
        release_source(&catalogue->sources[i]);
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        free(catalogue->absences[i].kind);
        free(catalogue->absences[i].name);
        free(catalogue->absences[i].reason);
    }
    catalogue_release_operations(catalogue);
    catalogue_release_clocks(catalogue);
    catalogue_release_commands(catalogue);
    free(catalogue->specimens);
    free(catalogue->paths);
    free(catalogue->sources);
    free(catalogue->absences);
    free(catalogue->version);
    free(catalogue->build);
    free(catalogue->isa);
    facts_free(&catalogue->facts);
    *catalogue = (struct catalogue){0};
}
