/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From a name to an event: the letters behind a name, the nearest names to one that does not exist,
 * all events that the machine describes, and the forms in the order in which they are tried. The
 * first door of the events room. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "events/form.h"

/* ----------------------------------------------------------------------------------------------
 * The letters behind a name: which processor modes count, and how the counter is scheduled. perf's
 * letters mean what they mean there; those that only make sense for sampling are refused by name.
 */

enum letter_role { MODE, GUEST, SCHEDULING, REFUSED };

static const struct letter {
    char letter;
    enum letter_role role;
    const char *refusal; /* why not, when refused */
} letters[] = {
    {'u', MODE, NULL},
    {'k', MODE, NULL},
    {'h', MODE, NULL},
    {'G', GUEST, NULL},
    {'H', GUEST, NULL},
    {'I', SCHEDULING, NULL},
    {'D', SCHEDULING, NULL},
    {'e', SCHEDULING, NULL},
    {'p', REFUSED, "precise levels place samples, and assay counts: leave it out"},
    {'P', REFUSED, "precise levels place samples, and assay counts: leave it out"},
    {'S', REFUSED, "reading a group in a sample needs sampling, and assay counts: leave it out"},
    {'W', REFUSED, "weak groups are broken up silently; ask for separate counters instead"},
    {'b', REFUSED, "counting with BPF is the perf tool's own work: leave it out"},
    {'R', REFUSED, "retiring-latency samples need sampling, and assay counts: leave it out"},
    {'X', REFUSED, "regrouping is the perf tool's own work: leave it out"},
};

static const struct letter *find_letter(char character)
{
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].letter == character)
            return &letters[i];
    }
    return NULL;
}

bool event_looks_like_modifiers(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++) {
        if (!find_letter(*text))
            return false;
    }
    return true;
}

int event_apply_modifiers(const char *modifiers, const char *whole, struct perf_event_attr *attr,
                          struct failure *failure)
{
    /* Each letter known, allowed, and written once. */
    if (!*modifiers)
        return fail_with(failure, -EINVAL,
                         "\"%s\" ends where modifiers should follow: write :u, :k or :uk, or leave "
                         "the colon out",
                         whole);
    for (const char *at = modifiers; *at; at++) {
        const struct letter *letter = find_letter(*at);
        if (!letter)
            return fail_with(failure, -EINVAL,
                             "\"%c\" in \"%s\" is no modifier: u k h (modes), G H (guest, host), I "
                             "(not when idle), D (pinned), e (exclusive)",
                             *at, whole);
        if (letter->role == REFUSED)
            return fail_with(failure, -EINVAL, "modifier \"%c\" in \"%s\": %s", *at, whole,
                             letter->refusal);
        if (strchr(at + 1, *at))
            return fail_with(failure, -EINVAL, "modifier \"%c\" stands twice in \"%s\"", *at,
                             whole);
    }
    /* Naming a mode excludes those not named. User and kernel together are everything, the
     * hypervisor included: that way ":uk" also opens on PMUs that refuse every filter. */
    bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k'),
         hypervisor = strchr(modifiers, 'h');
    if (user || kernel || hypervisor) {
        attr->exclude_user = !user;
        attr->exclude_kernel = !kernel;
        attr->exclude_hv = !hypervisor && !(user && kernel);
    }
    bool guest = strchr(modifiers, 'G'), host = strchr(modifiers, 'H');
    attr->exclude_host = guest && !host;
    attr->exclude_guest = host && !guest;
    attr->exclude_idle = strchr(modifiers, 'I') != NULL;
    attr->pinned = strchr(modifiers, 'D') != NULL;
    attr->exclusive = strchr(modifiers, 'e') != NULL;
    return 0;
}

/* --- Nearest names by edit distance, for messages that help instead of only refusing --- */

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

static bool same(char one, char other)
{
    return tolower((unsigned char)one) == tolower((unsigned char)other);
}

/* Three rows of the usual table are enough: a swap looks two rows back. */
size_t suggest_distance(const char *one, const char *other)
{
    size_t height = strlen(one), width = strlen(other);
    if (height >= SUGGEST_NAME || width >= SUGGEST_NAME)
        return height > width ? height : width;
    size_t rows[3][SUGGEST_NAME];
    for (size_t x = 0; x <= width; x++)
        rows[0][x] = x;
    for (size_t y = 1; y <= height; y++) {
        size_t *row = rows[y % 3], *above = rows[(y + 2) % 3], *above2 = rows[(y + 1) % 3];
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            size_t replace = above[x - 1] + (same(one[y - 1], other[x - 1]) ? 0 : 1);
            row[x] = smaller(replace, smaller(above[x], row[x - 1]) + 1);
            if (y > 1 && x > 1 && same(one[y - 1], other[x - 2]) && same(one[y - 2], other[x - 1]))
                row[x] = smaller(row[x], above2[x - 2] + 1);
        }
    }
    return rows[height % 3][width];
}

/* A wish that is the beginning of a name, or part of one, is near although many letters are
 * missing. */
static size_t nearness(const char *wanted, const char *candidate, size_t distance)
{
    size_t length = strlen(wanted);
    if (length >= 3 && strncasecmp(wanted, candidate, length) == 0)
        return smaller(distance, 1);
    if (length >= 3 && strcasestr(candidate, wanted))
        return smaller(distance, 2);
    return distance;
}

void suggest_consider(struct suggestions *suggestions, const char *candidate)
{
    size_t length = strlen(suggestions->wanted);
    if (strlen(candidate) >= SUGGEST_NAME || length >= SUGGEST_NAME)
        return;
    size_t distance = suggest_distance(suggestions->wanted, candidate);
    size_t near = nearness(suggestions->wanted, candidate, distance);
    size_t limit = length < 6 ? 2 : length / 3 + 1;
    if (near <= limit) {
        /* Keeps the list sorted; of two equally near names the one with fewer edits wins. */
        size_t rank = near * SUGGEST_NAME + distance;
        size_t place = suggestions->count;
        while (place && suggestions->best[place - 1].rank > rank)
            place--;
        if (place == SUGGEST_COUNT)
            return;
        if (suggestions->count < SUGGEST_COUNT)
            suggestions->count++;
        memmove(&suggestions->best[place + 1], &suggestions->best[place],
                (suggestions->count - place - 1) * sizeof(suggestions->best[0]));
        suggestions->best[place].rank = rank;
        snprintf(suggestions->best[place].name, SUGGEST_NAME, "%s", candidate);
    }
}

void suggest_sentence(const struct suggestions *suggestions, char *sentence, size_t size)
{
    sentence[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < suggestions->count && used < size; i++) {
        const char *joint = i == 0                        ? "; did you mean "
                            : i + 1 == suggestions->count ? " or "
                                                          : ", ";
        int wrote =
            snprintf(sentence + used, size - used, "%s%s", joint, suggestions->best[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (suggestions->count && used + 1 < size)
        snprintf(sentence + used, size - used, "?");
}

/* ----------------------------------------------------------------------------------------------
 * Every event the machine describes, by name: what `assay events` shows and suggestions are chosen
 * from. Whether an event can be opened is another question. */

struct listing {
    const struct event_view *view;
    const char *glob; /* NULL: everything */
    const char *pmu;
    event_each *each;
    void *context;
};

static int offer(void *context, const char *name, enum event_kind kind)
{
    const struct listing *listing = context;
    if (listing->glob && fnmatch(listing->glob, name, FNM_CASEFOLD) != 0)
        return 0;
    return listing->each(listing->context, name, kind);
}

static int offer_alias(void *context, const char *file)
{
    struct listing *listing = context;
    char name[600];
    if (!pmu_is_alias(file))
        return 0;
    snprintf(name, sizeof(name), "%s/%s/", listing->pmu, file);
    return offer(listing, name, EVENT_PMU);
}

static int offer_pmu(void *context, const char *pmu)
{
    struct listing *listing = context;
    char folder[PATH_MAX];
    if (!event_is_component(pmu, strlen(pmu)))
        return 0;
    snprintf(folder, sizeof(folder), PMU_FOLDER "/%s/events", pmu);
    listing->pmu = pmu;
    return view_each_entry(listing->view, folder, offer_alias, listing);
}

int event_list(const struct event_view *view, const char *glob, event_each *each, void *context)
{
    struct listing listing = {
        .view = view,
        .glob = glob && *glob ? glob : NULL,
        .each = each,
        .context = context,
    };
    int stop = generic_each(offer, &listing);
    if (!stop)
        stop = view_each_entry(view, PMU_FOLDER, offer_pmu, &listing);
    if (!stop)
        stop = source_each(view, offer, &listing);
    if (!stop)
        stop = target_each(view, offer, &listing);
    if (!stop) {
        /* All of them are thousands. Without a glob those come whose counts a specimen can
         * predict; so they do, as far as the glob wants them, where tracefs cannot be read: to
         * be told why. */
        bool all = !listing.glob || strcmp(listing.glob, "*") == 0;
        if (all || listing.view->tracefs < 0)
            stop = tracepoint_each_classed(listing.view, offer, &listing);
        else
            stop = tracepoint_each(listing.view, listing.glob, listing.each, listing.context);
    }
    if (!stop && listing.glob && strstr(listing.glob, "::") && view->resolver)
        stop = view->resolver->list(listing.glob, each, context);
    return stop;
}

/* --- What every name must satisfy, and the order in which the forms are tried --- */

const char *event_kind_name(enum event_kind kind)
{
    static const char *const names[] = {
        [EVENT_HARDWARE] = "hardware",
        [EVENT_CACHE] = "cache",
        [EVENT_SOFTWARE] = "software",
        [EVENT_PMU] = "pmu",
        [EVENT_RAW] = "raw",
        [EVENT_TRACEPOINT] = "tracepoint",
        [EVENT_BREAKPOINT] = "breakpoint",
        [EVENT_UPROBE] = "uprobe",
        [EVENT_PFM] = "pfm",
        [EVENT_PAPI] = "papi",
        [EVENT_SOURCE] = "source",
    };
    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

bool event_is_component(const char *text, size_t length)
{
    if (length == 0 || length > 255 || text[0] == '.')
        return false;
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && !strchr("_-.", text[i]))
            return false;
    }
    return true;
}

bool event_parse_number(const char *text, uint64_t *value)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hexadecimal ? 2 : 0);
    if (!isxdigit((unsigned char)*digits) || digits[strcspn(digits, "xX")])
        return false; /* strtoull would take a second 0x */
    char *end;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

static int consider_event(void *context, const char *name, enum event_kind kind)
{
    (void)kind;
    suggest_consider(context, name);
    return 0;
}

/* perf prints these as events, but perf itself makes them up: there is nothing to open. */
static const char *const perf_own[] = {"duration_time", "user_time", "system_time", "has_pmem"};

static int unknown_name(const struct event_view *view, const char *name, struct failure *failure)
{
    char base[EVENT_NAME_MAX + 1];
    size_t length = strcspn(name, ":");
    memcpy(base, name, length);
    base[length] = '\0';
    for (size_t i = 0; i < sizeof(perf_own) / sizeof(perf_own[0]); i++) {
        if (strcmp(base, perf_own[i]) == 0)
            return fail_with(failure, -ENOENT,
                             "%s is computed by the perf tool and is no event of the operating "
                             "system: use task-clock or cpu-clock",
                             base);
    }
    struct suggestions suggestions = {.wanted = base};
    event_list(view, NULL, consider_event, &suggestions);
    char sentence[512];
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return fail_with(failure, -ENOENT, "no event is called \"%s\" here%s%s", base, sentence,
                     sentence[0] ? "" : "; `assay events` lists what this machine knows");
}

/* --- names with "::", which only a plugged-in table knows --- */

static bool resolver_fits(const struct event_view *view, const char *name)
{
    (void)view;
    return strstr(name, "::") != NULL;
}

static int resolver_resolve(const struct event_view *view, const char *name, struct event *event,
                            struct failure *failure)
{
    if (!view->resolver)
        return fail_with(failure, -ENOENT,
                         "\"%s\" is a libpfm4 name, and this program was built without libpfm4: "
                         "install libpfm4-dev and build again, or use the sysfs form pmu/event=…/",
                         name);
    int error = view->resolver->resolve(name, event, failure);
    if (error == -ENOENT && (!failure || !failure->text[0]))
        return fail_with(failure, -ENOENT, "%s knows no event \"%s\"", view->resolver->name, name);
    return error;
}

static const struct event_form event_form_resolver = {resolver_fits, resolver_resolve};

/* --- which form a name has --- */

/* Prefixed forms first, because what follows the prefix may contain '/' and ':'; tracepoints last,
 * because any "word:word" could be one. */
static const struct event_form *const forms[] = {
    &event_form_uprobe, &event_form_breakpoint, &event_form_papi, &event_form_resolver,
    &event_form_raw,    &event_form_source,     &event_form_pmu,  &event_form_generic,
    &event_form_alias,  &event_form_tracepoint,
};

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

static int resolve_clean(const struct event_view *view, const char *name, struct event *event,
                         struct failure *failure)
{
    int error = -ENOENT;
    size_t i = 0;
    while (i < FORM_COUNT && !forms[i]->fits(view, name))
        i++;
    if (i < FORM_COUNT)
        error = forms[i]->resolve(view, name, event, failure);
    else
        error = unknown_name(view, name, failure);
    /* A plugged-in table may know what no form does; its silence does not hide the first answer. */
    if (error != -ENOENT || !view->resolver)
        return error;
    struct event other = {.attr = {.size = sizeof(other.attr)}};
    if (view->resolver->resolve(name, &other, NULL) < 0) {
        event_release(&other);
        return error;
    }
    event_release(event);
    *event = other;
    return 0;
}

int event_resolve(const struct event_view *view, const char *name, struct event *event,
                  struct failure *failure)
{
    *event = (struct event){0};
    /* Copies name without surrounding white space, or says why it cannot be a name at all. What is
     * wrong with it is not repeated in the message when it could upset a terminal. */
    while (isspace((unsigned char)*name))
        name++;
    size_t length = strnlen(name, EVENT_NAME_MAX + 64);
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    if (length == 0)
        return fail_with(failure, -EINVAL, "an event name is empty: give one such as page-faults");
    if (length > EVENT_NAME_MAX)
        return fail_with(failure, -EINVAL, "an event name is longer than %u bytes", EVENT_NAME_MAX);
    for (size_t i = 0; i < length; i++) {
        if (name[i] < 0x20 || name[i] > 0x7e)
            return fail_with(
                failure, -EINVAL,
                "an event name holds the byte 0x%02x at position %zu: names are printable ASCII",
                (unsigned char)name[i], i);
    }
    char *clean = strndup(name, length);
    if (!clean)
        return fail_with(failure, -ENOMEM, "out of memory");
    event->attr.size = sizeof(event->attr);
    int error = resolve_clean(view, clean, event, failure);
    if (error < 0) {
        free(clean);
        event_release(event);
        return error;
    }
    event->name = clean;
    if (failure)
        *failure = (struct failure){0}; /* a form may have complained before a table knew it */
    return 0;
}

void event_release(struct event *event)
{
    free(event->name);
    free(event->target);
    *event = (struct event){0};
}
