/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Passports: reading one, and which of a folder answers. */
#define ASSAY_NO_INLINE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/calipers.h"
#include "lib/trust.h"

/* ----------------------------------------------------------------------------------------------
 * A passport: from its JSON to the machine it is of and what it says of one event. Keys that are
 * not known are passed over, so that later passports can say more; a known one that comes twice, or
 * holds something else than it should, makes it none. */

#define NAME_LONGEST 512 /* of an event; a longer one is nobody's answer */

/* Marks a key as met, and fails where it was before. */
static int once(struct trust_scan *scan, unsigned *met, unsigned key, const char *name)
{
    if (*met & 1u << key)
        return scan_fail(scan, "%s for the second time", name);
    *met |= 1u << key;
    return 0;
}

/* --- the machine --- */

struct field {
    char key[SCAN_KEY], value[TRUST_VALUE];
    bool has_value;
    unsigned met;
};

struct reading {
    struct passport *passport;
    const char *event;
    unsigned met; /* top-level keys */
    bool field_met[MACHINE_FIELDS];
    struct field field;
};

static int field_member(struct trust_scan *scan, void *context, const char *key)
{
    struct field *field = context;
    if (strcmp(key, "field") == 0)
        return once(scan, &field->met, 0, key) < 0
                   ? scan->error
                   : scan_string(scan, field->key, sizeof(field->key), NULL);
    if (strcmp(key, "value") == 0)
        return once(scan, &field->met, 1, key) < 0
                   ? scan->error
                   : scan_string_or_null(scan, field->value, sizeof(field->value),
                                         &field->has_value);
    return scan_skip(scan);
}

static int machine_element(struct trust_scan *scan, void *context)
{
    struct reading *reading = context;
    struct field *field = &reading->field;
    *field = (struct field){0};
    if (scan_object(scan, field_member, field) < 0)
        return scan->error;
    if (field->met != 3)
        return scan_fail(scan, "a field of the machine without %s",
                         field->met & 1 ? "value" : "field");
    int place = trust_field(field->key);
    if (place < 0)
        return 0;
    if (reading->field_met[place])
        return scan_fail(scan, "the machine's %s for the second time", machine_fields[place].key);
    reading->field_met[place] = true;
    trust_machine_set(&reading->passport->machine, place, field->has_value ? field->value : NULL);
    return 0;
}

/* --- events --- */

enum event_key { EVENT, VERDICT, CAUSE, NOTE, PATH, VALIDATED, EVENT_KEYS };
static const struct {
    const char *key;
    bool may_be_null;
} event_keys[EVENT_KEYS] = {
    [EVENT] = {"event", false}, [VERDICT] = {"verdict", false}, [CAUSE] = {"cause", true},
    [NOTE] = {"note", true},    [PATH] = {"path", true},        [VALIDATED] = {"validated", false},
};

struct event_reading {
    unsigned met;
    bool name_cut;
    char name[NAME_LONGEST];
    char validated[32];
    struct assay_trust_verdict trust;
};

static int event_member(struct trust_scan *scan, void *context, const char *key)
{
    struct event_reading *event = context;
    const struct {
        char *out;
        size_t size;
    } places[EVENT_KEYS] = {
        [EVENT] = {event->name, sizeof(event->name)},
        [VERDICT] = {event->trust.verdict, sizeof(event->trust.verdict)},
        [CAUSE] = {event->trust.cause, sizeof(event->trust.cause)},
        [NOTE] = {event->trust.note, sizeof(event->trust.note)},
        [PATH] = {event->trust.path, sizeof(event->trust.path)},
        [VALIDATED] = {event->validated, sizeof(event->validated)},
    };
    for (unsigned i = 0; i < EVENT_KEYS; i++) {
        if (strcmp(event_keys[i].key, key) != 0)
            continue;
        bool present;
        if (once(scan, &event->met, i, key) < 0)
            return scan->error;
        return event_keys[i].may_be_null
                   ? scan_string_or_null(scan, places[i].out, places[i].size, &present)
                   : scan_string(scan, places[i].out, places[i].size,
                                 i == EVENT ? &event->name_cut : NULL);
    }
    return scan_skip(scan);
}

/* 2026-11-15T19:35:27Z as seconds since 1970; -1: it is no such moment. */
static int64_t seconds_of(const char *moment)
{
    struct tm parts = {0};
    int length = -1;
    if (strspn(moment, "0123456789-:TZ") != strlen(moment) ||
        sscanf(moment, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
               &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &length) != 6 ||
        length != 20 || moment[length])
        return -1;
    const struct tm told = parts;
    parts.tm_year -= 1900;
    parts.tm_mon--;
    time_t seconds = timegm(&parts);
    /* The 31st of June would have become the 1st of July. */
    bool same = parts.tm_mday == told.tm_mday && parts.tm_mon + 1 == told.tm_mon &&
                parts.tm_hour == told.tm_hour && parts.tm_min == told.tm_min &&
                parts.tm_sec == told.tm_sec;
    return same && seconds >= 0 ? (int64_t)seconds : -1;
}

static bool is_word(const char *text)
{
    size_t length = strlen(text);
    return length && strspn(text, "abcdefghijklmnopqrstuvwxyz-") == length;
}

/* How many bytes a character of UTF-8 has that begins so. */
static size_t character(unsigned char lead)
{
    return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* In valid UTF-8 that may have been cut to fit: nothing stays that steers a terminal, nor the
 * beginning of a character at its end. */
static void trust_make_printable(char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0, size; at < length; at += size) {
        unsigned char *byte = (unsigned char *)text + at;
        size = character(*byte);
        if (at + size > length) {
            text[at] = '\0'; /* what was cut to fit may end within a character */
            return;
        }
        bool control = *byte < 0x20 || *byte == 0x7f || (*byte == 0xc2 && byte[1] < 0xa0);
        if (control)
            memset(byte, '?', size);
    }
}

static int keep_event(struct trust_scan *scan, struct event_reading *event,
                      struct passport_entry *entry)
{
    if (entry->found)
        return scan_fail(scan, "the event %.100s for the second time", event->name);
    entry->found = true;
    entry->trust = event->trust;
    entry->validated = seconds_of(event->validated);
    if (entry->validated < 0)
        return scan_fail(scan, "the moment of %.100s is none", event->name);
    snprintf(entry->trust.event, sizeof(entry->trust.event), "%.127s", event->name);
    trust_make_printable(entry->trust.event);
    trust_make_printable(entry->trust.note);
    trust_make_printable(entry->trust.path);
    return 0;
}

static int event_element(struct trust_scan *scan, void *context)
{
    struct reading *reading = context;
    struct event_reading event = {0};
    if (scan_object(scan, event_member, &event) < 0)
        return scan->error;
    for (unsigned i = 0; i < EVENT_KEYS; i++)
        if (!(event.met & 1u << i))
            return scan_fail(scan, "an event without %s", event_keys[i].key);
    if (!is_word(event.trust.verdict) || (event.trust.cause[0] && !is_word(event.trust.cause)))
        return scan_fail(scan, "a verdict or cause that is no word");
    if (event.name_cut)
        return 0;
    return strcmp(event.name, reading->event) == 0
               ? keep_event(scan, &event, &reading->passport->entry)
               : 0;
}

/* --- the whole --- */

static int check_schema(struct trust_scan *scan)
{
    char schema[64];
    if (scan_string(scan, schema, sizeof(schema), NULL) == 0 &&
        strcmp(schema, PASSPORT_SCHEMA) != 0)
        scan_fail(scan, "its schema is not %s, which is all that this library reads",
                  PASSPORT_SCHEMA);
    return scan->error;
}

static int top_member(struct trust_scan *scan, void *context, const char *key)
{
    struct reading *reading = context;
    static const char *const keys[] = {"schema", "machine", "events"};
    for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (strcmp(keys[i], key) != 0)
            continue;
        if (once(scan, &reading->met, i, key) < 0)
            return scan->error;
        return i == 0   ? check_schema(scan)
               : i == 1 ? scan_array(scan, machine_element, reading)
                        : scan_array(scan, event_element, reading);
    }
    return scan_skip(scan);
}

int passport_read(struct trust_scan *scan, const char *event, struct passport *passport)
{
    memset(passport, 0, sizeof(*passport));
    struct reading reading = {.passport = passport, .event = event};
    scan_object(scan, top_member, &reading);
    scan_end(scan);
    if (!scan->error && reading.met != 7)
        scan_fail(scan, "it is no passport: %s is missing",
                  !(reading.met & 1)   ? "schema"
                  : !(reading.met & 2) ? "machine"
                                       : "events");
    for (size_t i = 0; i < MACHINE_FIELDS && !scan->error; i++)
        if (!reading.field_met[i])
            scan_fail(scan, "it does not say the machine's %s", machine_fields[i].key);
    return scan->error;
}

/* ----------------------------------------------------------------------------------------------
 * Which passport answers: that of this machine, else the newest of the same CPU, which is stale.
 * Files are opened below the folder by names of our own form, and no name from inside one is ever
 * followed. What is in them may be hostile, and decides over nothing but the answer. */

#define MOST_FILES 1024 /* of a folder that are looked at */
#define FILE_NAME  (16 + sizeof(".json"))

/* --- one file --- */

static int refuse(const char *path, const char *why, struct failure *failure)
{
    return fail_with(failure, -EINVAL, "%.400s is not read: %s", path, why);
}

struct looking {
    const struct trust_question *question;
    int folder;
    /* --- the answer so far --- */
    struct passport_entry best;
    char difference[sizeof(((struct assay_trust_verdict *)0)->difference)]; /* "" unless stale */
    bool stale;
    struct failure broken; /* the first passport that could not be read */
    /* --- for one file after the other --- */
    struct passport passport;
    struct trust_scan scan;
};

static int read_one(struct looking *looking, const char *name, struct failure *failure)
{
    char path[1024];
    snprintf(path, sizeof(path), "%.900s/%s", looking->question->folder, name);
    AUTO_CLOSE int fd =
        openat(looking->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT  ? -ENOENT
               : errno == ELOOP ? refuse(path, "it is a symbolic link", failure)
                                : refuse(path, strerror(errno), failure);
    /* May its content be believed to be this user's? */
    struct stat status;
    if (fstat(fd, &status) < 0)
        return refuse(path, strerror(errno), failure);
    if (!S_ISREG(status.st_mode))
        return refuse(path, "it is not a regular file", failure);
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return refuse(path, "it belongs to another user", failure);
    if (status.st_mode & S_IWOTH)
        return refuse(path, "everybody may write it", failure);
    scan_begin_file(&looking->scan, path, fd, failure);
    return passport_read(&looking->scan, looking->question->event, &looking->passport);
}

/* --- which of them --- */

/* That access was refused says nothing of the event: any verdict is better. */
static bool is_refusal(const struct passport_entry *entry)
{
    return strcmp(entry->trust.cause, "permission") == 0;
}

static bool is_better(const struct looking *looking, const struct passport_entry *entry, bool stale)
{
    const struct passport_entry *best = &looking->best;
    if (!best->found || is_refusal(best) != is_refusal(entry))
        return !best->found || is_refusal(best);
    return looking->stale == stale ? entry->validated > best->validated : looking->stale;
}

static void consider(struct looking *looking, const char *name)
{
    struct failure failure = {0};
    int error = read_one(looking, name, &failure);
    if (error < 0 && error != -ENOENT && !looking->broken.code)
        looking->broken = failure;
    const struct trust_machine *now = looking->question->machine;
    const struct passport_entry *entry = &looking->passport.entry;
    if (error < 0 || !entry->found || !trust_machine_same_cpu(&looking->passport.machine, now))
        return;
    char difference[sizeof(looking->difference)];
    bool stale =
        trust_machine_difference(&looking->passport.machine, now, difference, sizeof(difference));
    if (!is_better(looking, entry, stale))
        return;
    looking->best = *entry;
    looking->stale = stale;
    trust_make_printable(difference);
    memcpy(looking->difference, difference, sizeof(difference));
}

/* FINGERPRINT.json */
static bool is_passport_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == 16 && strcmp(name + 16, ".json") == 0;
}

/* The one of this machine's name answers in most cases; only then are others looked for. */
static void look_through(struct looking *looking)
{
    char own[FILE_NAME];
    trust_machine_name(looking->question->machine, own);
    snprintf(own + 16, sizeof(own) - 16, ".json");
    consider(looking, own);
    /* One that cannot be read is not silently replaced by a stale one. */
    if (looking->broken.code ||
        (looking->best.found && !looking->stale && !is_refusal(&looking->best)))
        return;
    int copy = fcntl(looking->folder, F_DUPFD_CLOEXEC, 0);
    AUTO_DIR DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (!folder && copy >= 0)
        close(copy);
    size_t count = 0;
    for (struct dirent *entry; folder && count < MOST_FILES && (entry = readdir(folder));)
        if (is_passport_name(entry->d_name) && strcmp(entry->d_name, own) != 0) {
            consider(looking, entry->d_name);
            count++;
        }
}

/* --- the answer --- */

static int unknown(const struct trust_question *question, struct assay_trust_verdict *trust,
                   struct failure *failure)
{
    snprintf(trust->note, sizeof(trust->note), "not validated on this machine: `assay validate %s`",
             question->event);
    return fail_with(failure, -ENOENT,
                     "%.200s was not validated on this machine; `assay validate %.200s` does it",
                     question->event, question->event);
}

int trust_look(const struct trust_question *question, struct assay_trust_verdict *trust,
               struct failure *failure)
{
    *trust = (struct assay_trust_verdict){.verdict = "unknown", .age_s = -1};
    AUTO_CLOSE int folder = open(question->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && errno != ENOENT && errno != ENOTDIR)
        return fail_with(failure, -EINVAL, "cannot look for passports in %.400s: %s",
                         question->folder, strerror(errno));
    if (folder < 0)
        return unknown(question, trust, failure);
    AUTO_FREE struct looking *looking = calloc(1, sizeof(*looking));
    if (!looking)
        return fail_with(failure, -ENOMEM, "out of memory");
    looking->question = question;
    looking->folder = folder;
    look_through(looking);
    if (looking->best.found) {
        *trust = looking->best.trust;
        int64_t age = looking->question->now - looking->best.validated;
        trust->age_s = age > 0 ? age : 0;
        trust->stale = looking->stale;
        memcpy(trust->difference, looking->difference, sizeof(trust->difference));
        if (age < 0)
            snprintf(trust->note, sizeof(trust->note), "dated in the future; %.230s",
                     looking->best.trust.note);
        trust_make_printable(trust->note);
        return 0;
    }
    if (!looking->broken.code)
        return unknown(question, trust, failure);
    snprintf(trust->note, sizeof(trust->note), "%s", "its passport cannot be read");
    return fail_with(failure, -EINVAL, "%s", looking->broken.text);
}

/* --- the public names --- */

int assay_trust_folder(char *path, size_t size)
{
    /* XDG asks for relative values to be ignored; a program that runs with the rights of another
     * user must not be led anywhere. */
    const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
    if (state && state[0] == '/')
        return snprintf(path, size, "%s/assay/passports", state);
    if (home && home[0] == '/')
        return snprintf(path, size, "%s/.local/state/assay/passports", home);
    return set_fail(-ENOENT, "neither XDG_STATE_HOME nor HOME names a folder for passports");
}

int assay_trust(const char *event, struct assay_trust_verdict *trust)
{
    if (!event || !*event || !trust)
        return set_fail(-EINVAL, "assay_trust needs the name of an event and room for the answer");
    *trust = (struct assay_trust_verdict){.verdict = "unknown", .age_s = -1};
    char folder[4096];
    int length = assay_trust_folder(folder, sizeof(folder));
    if (length < 0) {
        snprintf(trust->note, sizeof(trust->note), "%.255s", assay_last_error());
        return length;
    }
    if ((size_t)length >= sizeof(folder))
        return set_fail(-EINVAL, "the name of the folder for passports is too long");
    AUTO_FREE struct trust_machine *machine = malloc(sizeof(*machine));
    if (!machine)
        return set_fail(-ENOMEM, "out of memory");
    trust_machine_read("", NULL, machine);
    const struct trust_question question = {
        .folder = folder, .event = event, .machine = machine, .now = (int64_t)time(NULL)};
    return trust_look(&question, trust, set_failure());
}
