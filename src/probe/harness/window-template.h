/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The one template all windows are made from. A path's file defines its calls as macros (so that at
 * -O0 they are what a user would have written) and then includes this:
 *
 *   PATH            C name of the path: perf_read
 *   PATH_NAME       "perf-read"
 *   PATH_NOTE       what to know when reading its numbers, or ""
 *   PATH_OPERATIONS the struct path_operations around its windows
 *   PATH_LOCALS(w)  fetches from the window what the calls need
 *   PATH_START_group, PATH_STOP_group, PATH_READ_FIRST_group, PATH_READ_LAST_group
 *   PATH_START_separate … the same for counters of their own, with PATH_HAS_SEPARATE defined
 *   PATH_SOURCES    whose events it can count; "perf_event" unless defined
 *   PATH_ONLY_RR    defined when the path can only read
 *   PATH_ONLY_AO    defined when it can only start and stop
 *   PATH_NO_AO      defined when a window without a read would not be the path's own
 *   PATH_USER_READS true when its reads make no system call
 *
 * The build compiles the file once per level, with WINDOW_OPT naming it. Nothing is checked between
 * opening and closing: a failed start shows afterwards as a counter that was never enabled. */

#include "probe/harness/path.h"
#include "window.h"

#ifndef WINDOW_OPT
#error "the build names the optimisation level"
#endif

#define WINDOW_JOIN_(a, b, c) a##b##_##c
#define WINDOW_JOIN(a, b, c)  WINDOW_JOIN_(a, b, c)
#define WINDOW_TEXT_(text)    #text
#define WINDOW_TEXT(text)     WINDOW_TEXT_(text)
#define WINDOW_PATH           WINDOW_JOIN(path_, PATH, WINDOW_OPT)

extern const struct path WINDOW_PATH;

#define FORM_null   WINDOW_NULL
#define FORM_loop   WINDOW_LOOP
#define FORM_called WINDOW_CALL

/* The patterns: what opens and what closes. */
#define PATTERN_ar_OPEN(layout)  PATH_START_##layout
#define PATTERN_ar_CLOSE(layout) PATH_READ_LAST_##layout
#define PATTERN_ao_OPEN(layout)  PATH_START_##layout
#define PATTERN_ao_CLOSE(layout) PATH_STOP_##layout
#define PATTERN_rr_OPEN(layout)  PATH_READ_FIRST_##layout
#define PATTERN_rr_CLOSE(layout) PATH_READ_LAST_##layout
#define PATTERN_ro_OPEN(layout)  PATH_READ_FIRST_##layout
#define PATTERN_ro_CLOSE(layout) PATH_STOP_##layout

/* No instruction: two words and two numbers in a section of their own. */
#define WINDOW_MARK(number, mark)                                                                  \
    __asm__ volatile("9:\n"                                                                        \
                     "\t.pushsection assay_marks, \"a\"\n"                                         \
                     "\t.balign 4\n"                                                               \
                     "\t.long 9b - ., " WINDOW_TEXT(WINDOW_PATH) " - .\n"                          \
                                                                 "\t.long %c0, %c1\n"              \
                                                                 "\t.popsection"                   \
                     :                                                                             \
                     : "i"(number), "i"(mark)                                                      \
                     : "memory")

#define WINDOW_NUMBER(pattern, form, layout)                                                       \
    (((pattern) * (unsigned)SPECIMEN_FORMS + (form)) * LAYOUT_COUNT + (layout))

#define WINDOW(pattern, PATTERN, form, FORM, layout, LAYOUT)                                       \
    static                                                                                         \
        __attribute__((noinline)) void window_##pattern##_##form##_##layout(struct window *window) \
    {                                                                                              \
        PATH_LOCALS(window);                                                                       \
        WINDOW_PIN_FIRST(uintptr_t, first) = window->first;                                        \
        WINDOW_PIN_SECOND(specimen_function *, second) = window->second;                           \
        long status = 0;                                                                           \
        WINDOW_MARK(WINDOW_NUMBER(PATTERN, FORM, LAYOUT), MARK_OPENS);                             \
        PATTERN_##pattern##_OPEN(layout);                                                          \
        WINDOW_MARK(WINDOW_NUMBER(PATTERN, FORM, LAYOUT), MARK_SLOT);                              \
        WINDOW_SLOT(FORM_##form, first, second);                                                   \
        WINDOW_MARK(WINDOW_NUMBER(PATTERN, FORM, LAYOUT), MARK_FILLED);                            \
        PATTERN_##pattern##_CLOSE(layout);                                                         \
        WINDOW_MARK(WINDOW_NUMBER(PATTERN, FORM, LAYOUT), MARK_CLOSED);                            \
        window->status = status;                                                                   \
    }

#define WINDOW_FORMS(pattern, PATTERN, layout, LAYOUT)                                             \
    WINDOW(pattern, PATTERN, null, SPECIMEN_NULL, layout, LAYOUT)                                  \
    WINDOW(pattern, PATTERN, loop, SPECIMEN_LOOP, layout, LAYOUT)                                  \
    WINDOW(pattern, PATTERN, called, SPECIMEN_CALLED, layout, LAYOUT)

#ifdef PATH_HAS_SEPARATE
#define WINDOW_LAYOUTS(pattern, PATTERN)                                                           \
    WINDOW_FORMS(pattern, PATTERN, group, LAYOUT_GROUP)                                            \
    WINDOW_FORMS(pattern, PATTERN, separate, LAYOUT_SEPARATE)
#define WINDOW_ENTRY(pattern, form)                                                                \
    {                                                                                              \
        window_##pattern##_##form##_group, window_##pattern##_##form##_separate                    \
    }
#else
#define WINDOW_LAYOUTS(pattern, PATTERN) WINDOW_FORMS(pattern, PATTERN, group, LAYOUT_GROUP)
#define WINDOW_ENTRY(pattern, form)                                                                \
    {                                                                                              \
        window_##pattern##_##form##_group, NULL                                                    \
    }
#endif

#define WINDOW_ROW(pattern)                                                                        \
    {                                                                                              \
        WINDOW_ENTRY(pattern, null), WINDOW_ENTRY(pattern, loop), WINDOW_ENTRY(pattern, called)    \
    }

#ifndef PATH_ONLY_AO
WINDOW_LAYOUTS(rr, PATTERN_RR)
#endif
#if !defined(PATH_ONLY_RR) && !defined(PATH_ONLY_AO)
WINDOW_LAYOUTS(ar, PATTERN_AR)
WINDOW_LAYOUTS(ro, PATTERN_RO)
#endif
#if !defined(PATH_ONLY_RR) && !defined(PATH_NO_AO)
WINDOW_LAYOUTS(ao, PATTERN_AO)
#endif

#ifndef PATH_TASK_WIDE
#define PATH_TASK_WIDE false
#endif
#ifndef PATH_USER_READS
#define PATH_USER_READS false
#endif
#ifndef PATH_SOURCES
#define PATH_SOURCES "perf_event"
#endif
#ifndef PATH_EXECUTES
#define PATH_EXECUTES false
#endif
#ifndef PATH_NEEDS_FOLDER
#define PATH_NEEDS_FOLDER false
#endif

const struct path WINDOW_PATH = {
    .name = PATH_NAME,
    .opt = WINDOW_TEXT(WINDOW_OPT),
    .note = PATH_NOTE,
    .sources = PATH_SOURCES,
    .executes = PATH_EXECUTES,
    .task_wide = PATH_TASK_WIDE,
    .user_reads = PATH_USER_READS,
    .needs_folder = PATH_NEEDS_FOLDER,
    .operations = &PATH_OPERATIONS,
    .windows =
        {
#ifndef PATH_ONLY_AO
            [PATTERN_RR] = WINDOW_ROW(rr),
#endif
#if !defined(PATH_ONLY_RR) && !defined(PATH_ONLY_AO)
            [PATTERN_AR] = WINDOW_ROW(ar),
            [PATTERN_RO] = WINDOW_ROW(ro),
#endif
#if !defined(PATH_ONLY_RR) && !defined(PATH_NO_AO)
            [PATTERN_AO] = WINDOW_ROW(ao),
#endif
        },
};
