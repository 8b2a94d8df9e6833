/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hello: which probe this is, what it can do here and why not more. The controller compiles in no
 * list of specimens or paths; this is where it learns them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "machine/check.h"
#include "session/catalogue.h"

#define MAX_FRAMES 20000u      /* of one catalogue */
#define MAX_BYTES  (16u << 20) /* of all its texts: who sends more is no probe */
#define MAX_ERRNO  4095

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
    return *copy ? 0 : catalogue_no_memory(session, failure);
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
