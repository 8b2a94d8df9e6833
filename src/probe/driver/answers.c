/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the controller asks for besides visits: events, code, looks at clocks, files it brings,
 * programs it needs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "machine/check.h"
#include "probe/driver/session.h"
#include "probe/sources/program.h"
#include "specimens/specimen.h"

static int refuse(struct wire_writer *writer, int error, const char *reason)
{
    int result = wire_say(writer, "refused", "error=%d reason=%s", error, reason);
    return result < 0 ? result : wire_flush(writer);
}

/* ----------------------------------------------------------------------------------------------
 * Answers `list` and `try`: an event can be had when it can be opened, and only opening tells. */

#define REASON_BYTES 1024

void events_view_open(struct event_view *view)
{
    event_view_open(view, "");
    view->has_target = true;
    /* As doctor explains it. */
    struct facts facts = {0};
    const struct machine_view here = {.root = ""};
    describe_cpu(&here, &facts);
    describe_hypervisor(&here, &facts);
    const struct hypervisor *below = hypervisor_find(facts_get(&facts, "hypervisor.monitor"));
    below = below ? below : hypervisor_find(facts_get(&facts, "hypervisor"));
    if (below) {
        view->hypervisor = below->name;
        view->vpmu = below->vpmu;
        view->vpmu_fix = below->fix;
    }
    facts_free(&facts);
#ifdef PROBE_PFM
    view->resolver = &event_resolver_libpfm4;
#endif
}

int event_try(const struct event *event)
{
    if (event->source)
        return event->source->error;
    struct perf_event_attr attr = event->attr;
    attr.size = sizeof(attr);
    attr.disabled = 1;
    const char *file = event->target;
    if (event->own && target_settle(&attr, &file) < 0)
        return ENOENT;
    if (file)
        attr.config1 = (uint64_t)(uintptr_t)file;
    long fd = assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return (int)-fd;
    close((int)fd);
    return 0;
}

struct listing {
    struct wire_writer *writer;
    const struct event_view *view;
    const struct presets *presets;
};

static int put_event(struct wire_writer *writer, const struct event *event, const char *class,
                     int error, const char *reason)
{
    return wire_say(writer, "event", "name=%s kind=%s class=%s openable=%d error=%d reason=%s",
                    event->name, event_kind_name(event->kind), class ? class : "", !error, error,
                    reason);
}

static int send_event(const struct listing *listing, const struct event *event)
{
    char reason[REASON_BYTES] = "";
    int error;
    if (event->kind == EVENT_PAPI)
        error = presets_try(listing->presets, listing->view, event, reason, sizeof(reason));
    else if ((error = event_try(event)) != 0)
        event_open_reason(listing->view, event, error, reason, sizeof(reason));
    return put_event(listing->writer, event, event_class(event), error, reason);
}

static int list_one(void *context, const char *name, enum event_kind kind)
{
    const struct listing *listing = context;
    struct event event = {0};
    struct failure failure = {0};
    int result = event_resolve(listing->view, name, &event, &failure);
    if (result == 0)
        result = send_event(listing, &event);
    else {
        /* What a tracepoint claims to count follows from its name, which need not be resolved. */
        struct event named = {
            .name = (char *)(uintptr_t)name, .kind = kind, .attr = {.type = PERF_TYPE_TRACEPOINT}};
        const char *class = kind == EVENT_TRACEPOINT ? event_class(&named) : NULL;
        result = put_event(listing->writer, &named, class, -result, failure.text);
    }
    event_release(&event);
    return result;
}

static int count_one(void *context, const char *name, enum event_kind kind)
{
    (void)name;
    (void)kind;
    ++*(uint64_t *)context;
    return 0;
}

/* Presets are many, and of interest to those who ask for them. */
static int list_all(const struct listing *listing, const char *glob, event_each *each,
                    void *context)
{
    int result = event_list(listing->view, glob, each, context);
    if (result == 0 && glob && strncmp(glob, "PAPI", 4) == 0)
        result = presets_each(listing->presets, glob, each, context);
    return result;
}

int events_list(struct wire_writer *writer, const struct event_view *view,
                const struct presets *presets, const char *glob)
{
    struct listing listing = {writer, view, presets};
    /* Opening and closing a tracepoint takes tens of milliseconds: whoever waits is told for how
     * many. */
    uint64_t count = 0;
    int result = list_all(&listing, glob, count_one, &count);
    if (result >= 0) {
        result = wire_say(listing.writer, "matching", "count=%lu", count);
    }
    if (result == 0)
        result = list_all(&listing, glob, list_one, &listing);
    if (result < 0)
        return result;
    wire_begin(writer, "listed");
    result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

int events_try(struct wire_writer *writer, const struct event_view *view,
               const struct presets *presets, const char *name)
{
    struct listing listing = {writer, view, presets};
    struct event event = {0};
    struct failure failure = {0};
    int result = event_resolve(view, name, &event, &failure);
    if (result < 0)
        result = refuse(writer, -result, failure.text);
    else if ((result = send_event(&listing, &event)) == 0)
        result = wire_flush(writer);
    event_release(&event);
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Answers `code`: one frame that says where the code stands and how often its branches are taken,
 * then its bytes in pieces that fit a line. The kit holds the same specimens as its harnesses,
 * built from the same objects, so what is read here is what runs there. */

#define PIECE 16384u /* bytes of code in one frame */

static void put_hex(struct wire_writer *writer, const char *key, const char *begin, size_t length)
{
    AUTO_TEXT struct text digits = {0};
    for (size_t i = 0; i < length; i++)
        text_printf(&digits, "%02x", (unsigned)(unsigned char)begin[i]);
    wire_put_string(writer, key, text_string(&digits));
}

int code_send(struct wire_writer *writer, const char *name)
{
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    int result = specimen_parse(name ? name : "", &specimen, &parameters, &failure);
    if (result < 0)
        return refuse(writer, -result, failure.text);
    if (!specimen->trips && specimen->form != SPECIMEN_NULL)
        return refuse(writer, ENOTSUP,
                      "its code is made by the compiler or at run time, and not there to be read");
    size_t length = (size_t)(specimen->text_end - specimen->text_begin);
    bool called = specimen->form == SPECIMEN_CALLED;
    wire_begin(writer, "code");
    wire_put_u64(writer, "address", (uint64_t)(uintptr_t)specimen->text_begin);
    wire_put_u64(writer, "length", length);
    wire_put_u64(writer, "call_address", called ? (uint64_t)(uintptr_t)specimen_call_text : 0);
    put_hex(writer, "call", specimen_call_text,
            called ? (size_t)(specimen_call_text_end - specimen_call_text) : 0);
    wire_put_u64(writer, "min_n", specimen->min_n);
    /* "base:each,base:each" */
    AUTO_TEXT struct text trips = {0};
    for (size_t i = 0; specimen->trips && i < specimen->trip_count; i++)
        text_printf(&trips, "%s%lld:%lld", i ? "," : "", (long long)specimen->trips[i].base,
                    (long long)specimen->trips[i].each);
    wire_put_string(writer, "trips", text_string(&trips));
    result = wire_end(writer);
    for (size_t at = 0; result == 0 && at < length; at += PIECE) {
        wire_begin(writer, "bytes");
        wire_put_u64(writer, "offset", at);
        put_hex(writer, "code", specimen->text_begin + at,
                length - at < PIECE ? length - at : PIECE);
        result = wire_end(writer);
    }
    return result < 0 ? result : wire_flush(writer);
}

/* ----------------------------------------------------------------------------------------------
 * Answers `look`. The controller stamps question and answer with its own clock, so nothing stands
 * between the question and the readings but finding them, and nothing behind them but the answer.
 * Only clocks of the registry: a person's own could hang the driver, or take it along. */

static int refuse_look(struct wire_writer *writer, int error, const char *name, const char *reason)
{
    AUTO_TEXT struct text sentence = {0};
    text_printf(&sentence, "the clock '%.40s' cannot be looked at: %s", name, reason);
    return refuse(writer, error, text_string(&sentence));
}

static struct clock_reader *find_open(const struct looks *looks, const char *name)
{
    for (size_t index = 0; index < looks->count; index++)
        if (strcmp(looks->readers[index]->clock->name, name) == 0)
            return looks->readers[index];
    return NULL;
}

static int keep_open(struct looks *looks, const char *name, struct clock_reader **opened,
                     char *reason)
{
    struct clock_reader **grown =
        reallocarray(looks->readers, looks->count + 1, sizeof(struct clock_reader *));
    if (grown)
        looks->readers = grown;
    struct clock_reader *reader = grown ? malloc(sizeof(*reader)) : NULL;
    int result = -ENOMEM;
    if (!reader)
        snprintf(reason, CLOCK_REASON, "out of memory");
    else
        result = clock_open(reader, name, false, NULL, reason, CLOCK_REASON);
    if (result < 0) {
        free(reader);
        return result;
    }
    looks->readers[looks->count++] = *opened = reader;
    return 0;
}

/* Opened for every look anew after a reading failed: what was in its way may be gone. */
static void forget(struct looks *looks, struct clock_reader *reader)
{
    for (size_t index = 0; index < looks->count; index++)
        if (looks->readers[index] == reader)
            looks->readers[index] = looks->readers[--looks->count];
    clock_close(reader);
    free(reader);
}

static int read_all(struct looks *looks, struct wire_writer *writer,
                    struct clock_reader *const *readers, size_t count)
{
    uint64_t readings[CELL_MAX_COUNTERS];
    for (size_t index = 0; index < count; index++)
        readings[index] = readers[index]->clock->read(readers[index]);
    for (size_t index = 0; index < count; index++) {
        struct clock_reader *reader = readers[index];
        if (!reader->error)
            continue;
        int result = refuse_look(writer, reader->error, reader->clock->name, reader->why);
        forget(looks, reader);
        return result;
    }
    wire_begin(writer, "looked");
    wire_put_column(writer, "readings", readings, 1, count);
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}

int looks_answer(struct looks *looks, struct wire_writer *writer, const char *names)
{
    struct clock_reader *readers[CELL_MAX_COUNTERS];
    char name[CLOCK_NAME], reason[CLOCK_REASON];
    size_t count = 0;
    for (const char *rest = names ? names : "";; rest++) {
        const size_t length = strcspn(rest, ",");
        snprintf(name, sizeof(name), "%.*s", (int)(length < CLOCK_NAME ? length : 0), rest);
        if (count == CELL_MAX_COUNTERS)
            return refuse_look(writer, E2BIG, name, "there are too many clocks in one look");
        if (!clock_find(name))
            return refuse_look(writer, ENOENT, length < CLOCK_NAME ? name : rest,
                               "the probe has none of this name");
        struct clock_reader **reader = &readers[count++];
        int result = 0;
        if (!(*reader = find_open(looks, name)))
            result = keep_open(looks, name, reader, reason);
        if (result < 0)
            return refuse_look(writer, -result, name, reason);
        rest += length;
        if (!*rest)
            return read_all(looks, writer, readers, count);
    }
}

void looks_free(struct looks *looks)
{
    for (size_t index = 0; index < looks->count; index++) {
        clock_close(looks->readers[index]);
        free(looks->readers[index]);
    }
    free(looks->readers);
    *looks = (struct looks){0};
}

/* ----------------------------------------------------------------------------------------------
 * Answers `file`: writes brought files, under another name first, so that a file of that name is
 * always whole, and one that is being executed is replaced and not written to. Names are plain:
 * nothing can be written outside the folder. */

#define ARRIVING ".arriving"
#define ALL_MOST (4ull * BROUGHT_MOST_BYTES)

/* Says that the file cannot be had; the pieces that follow are dropped. */
static int refuse_file(struct brought *brought, struct wire_writer *writer, int error,
                       const char *reason)
{
    AUTO_TEXT struct text sentence = {0};
    text_printf(&sentence, "the file '%.*s' cannot be brought: %s", BROUGHT_NAME, brought->name,
                reason);
    brought->refused = true;
    if (brought->fd >= 0)
        close(brought->fd);
    brought->fd = -1;
    return refuse(writer, error, text_string(&sentence));
}

static int path_of(const struct brought *brought, const char *name, char **path)
{
    return asprintf(path, "%s/%s", brought->folder, name) < 0 ? -ENOMEM : 0;
}

static int open_arriving(struct brought *brought)
{
    AUTO_FREE char *path = NULL;
    if (path_of(brought, ARRIVING, &path) < 0)
        return -ENOMEM;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                  brought->executable ? 0755 : 0644);
    if (fd < 0)
        return -errno;
    /* whatever the umask, or the mode of one that was broken off */
    if (fchmod(fd, brought->executable ? 0755 : 0644) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    brought->fd = descriptor_lift(fd);
    return brought->fd < 0 ? -errno : 0;
}

static int begin_file(struct brought *brought, struct wire_writer *writer)
{
    struct failure why = {0};
    if (!brought_name_is_plain(brought->name))
        return refuse_file(brought, writer, EINVAL,
                           "its name is none that a brought file may have");
    if (brought->files >= BROUGHT_MOST_FILES || brought->size > ALL_MOST - brought->bytes)
        return refuse_file(brought, writer, EFBIG, "too much was brought already");
    brought->files++;
    int result = brought->folder ? 0 : folder_make(&brought->folder, &why);
    if (result < 0)
        return refuse_file(brought, writer, -result, why.text);
    result = open_arriving(brought);
    return result < 0 ? refuse_file(brought, writer, -result, strerror(-result)) : 0;
}

static int write_piece(struct brought *brought, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = write(brought->fd, bytes + done, length - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        done += (size_t)put;
    }
    brought->written += length;
    brought->bytes += length;
    return 0;
}

/* All of it is there: gives it its name, and says so. */
static int settle(struct brought *brought, struct wire_writer *writer)
{
    AUTO_FREE char *from = NULL, *to = NULL;
    int fd = brought->fd;
    brought->fd = -1;
    if (close(fd) < 0)
        return refuse_file(brought, writer, errno, strerror(errno));
    if (path_of(brought, ARRIVING, &from) < 0 || path_of(brought, brought->name, &to) < 0)
        return refuse_file(brought, writer, ENOMEM, "out of memory");
    if (rename(from, to) < 0)
        return refuse_file(brought, writer, errno, strerror(errno));
    int result = wire_say(writer, "brought", "name=%s size=%lu", brought->name, brought->size);
    return result < 0 ? result : wire_flush(writer);
}

/* The frame's fields, checked against the file that is arriving. */
static int read_piece(struct brought *brought, const struct wire_frame *frame, uint64_t *offset,
                      const struct wire_field **bytes, struct failure *failure)
{
    const char *name = wire_get(frame, "name");
    uint64_t size, executable;
    *bytes = wire_field(frame, "bytes");
    if (!name || !*bytes || wire_get_u64(frame, "size", &size) < 0 ||
        wire_get_u64(frame, "executable", &executable) < 0 || executable > 1 ||
        wire_get_u64(frame, "offset", offset) < 0 || size > BROUGHT_MOST_BYTES || *offset > size ||
        (*bytes)->length > size - *offset || (!(*bytes)->length && size))
        return fail_with(failure, -EBADMSG, "file: a piece of it makes no sense");
    if (*offset == 0) {
        snprintf(brought->name, sizeof(brought->name), "%s", name);
        if (strlen(name) >= BROUGHT_NAME)
            brought->name[0] = '.'; /* is none: begin_file() says so */
        brought->size = size;
        brought->written = 0;
        brought->executable = executable == 1;
        brought->refused = false;
        return 0;
    }
    if (brought->refused)
        return 0;
    if (brought->fd < 0 || *offset != brought->written || size != brought->size ||
        strcmp(name, brought->name) != 0)
        return fail_with(failure, -EBADMSG, "file: a piece of it is not the next one");
    return 0;
}

int brought_take(struct brought *brought, struct wire_writer *writer,
                 const struct wire_frame *frame, struct failure *failure)
{
    const struct wire_field *bytes;
    uint64_t offset = 0;
    if (brought->fd >= 0 && wire_get_u64(frame, "offset", &offset) == 0 && offset == 0) {
        close(brought->fd); /* whoever brings the next file has given this one up */
        brought->fd = -1;
    }
    int result = read_piece(brought, frame, &offset, &bytes, failure);
    if (result == 0 && offset == 0)
        result = begin_file(brought, writer);
    if (result < 0 || brought->refused)
        return result;
    result = write_piece(brought, bytes->value, bytes->length);
    if (result < 0)
        return refuse_file(brought, writer, -result, strerror(-result));
    return brought->written == brought->size ? settle(brought, writer) : 0;
}

void brought_free(struct brought *brought)
{
    if (brought->fd >= 0)
        close(brought->fd);
    if (brought->folder)
        folder_remove(brought->folder);
    free(brought->folder);
    *brought = (struct brought){.fd = -1};
}

/* --- Answers `find` --- */

int find_answer(struct wire_writer *writer, const char *name)
{
    AUTO_FREE char *path = name && !strchr(name, '/') ? program_find(name) : NULL;
    const bool there = name && *name && (path || (strchr(name, '/') && access(name, F_OK) == 0));
    AUTO_TEXT struct text reason = {0};
    text_printf(&reason, "there is no %s '%.200s' on this machine",
                name && strchr(name, '/') ? "file" : "program", name ? name : "");
    wire_begin(writer, there ? "found" : "refused");
    if (!there) {
        wire_put_i64(writer, "error", ENOENT);
        wire_put_string(writer, "reason", text_string(&reason));
    }
    int result = wire_end(writer);
    return result < 0 ? result : wire_flush(writer);
}
