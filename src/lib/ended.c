/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The ends of a region: what follows the reading in the caller's code, and both ends as functions.
 */
#define ASSAY_NO_INLINE

#include "lib/in-place.h"

/* ----------------------------------------------------------------------------------------------
 * What follows the reading at the end of a region. It stands inside every region around: the same
 * number of instructions every time, or the correction of that would be wrong.
 *
 * A signal handler with regions of its own may come at any instruction. Its regions take the frames
 * behind the innermost one and give them back, so that the frame of a region stays the innermost as
 * long as it is needed; beginning counts a region as open before it has its frame, ending the other
 * way round, so that none is ever given back twice. */

/* Were counters moved or shared since the region began? Their first page tells: a group comes and
 * goes as a whole. A page is written when its event gets a counter and when it loses it (the thread
 * leaves the CPU, counters are shared), and when the counter passes its end. What a thread was
 * enabled and did not count is in its page before the counter is back. */
static inline void look_at_page(const struct assay_calipers *calipers, struct assay_frame *frame)
{
    const volatile struct perf_event_mmap_page *page = calipers->here.pages[0];
    uint64_t away = page->time_enabled - page->time_running;
    bool shared = away != frame->enabled_ns - frame->running_ns;
    frame->noticed |= (uint64_t)(page->lock != frame->lock) * ASSAY_SAW_SWITCHES;
    if (__builtin_expect(shared | (page->index == 0), 0))
        calipers_user_shared(calipers, frame);
}

/* Has the system call at its beginning not been made yet, or that at its end already? A report is
 * never without its time, and without system calls these words stay as they were made. Signals come
 * where system calls return, so that a handler's regions are often behind the latter. */
static inline bool is_outside(const struct assay_frame *frame)
{
    return !frame->begun[GROUP_ENABLED] | (frame->ended[GROUP_ENABLED] != 0);
}

/* The innermost region that is still being counted, or the frame of none. */
static inline struct assay_frame *around(struct assay_calipers *calipers, struct assay_frame *frame)
{
    do
        frame--;
    while (__builtin_expect(is_outside(frame) && frame > calipers->frames, 0));
    return frame;
}

/* What the ends of a region inside others took, system calls and all: its whole time, from before
 * the first of them to now, but for what is between its own readings. */
static inline uint64_t measuring(const struct assay_frame *frame)
{
#ifdef ASSAY_COUNTER_NAME
    return frame->measuring + assay_counter_begin() - frame->begun[WORD_STAMP] -
           (frame->ticks[1] - frame->ticks[0]);
#else
    return frame->measuring;
#endif
}

static inline bool is_stamped(uint32_t ways, uint32_t depth)
{
    const uint32_t both = ASSAY_WAY_READ | ASSAY_WAY_TICKS;
    return (ways & both) == both && depth > 1;
}

static __attribute__((noinline, cold)) void leave_too_deep(struct assay_calipers *calipers)
{
    struct assay_here *here = &calipers->here;
    /* A handler that came where a region had been counted and had no frame yet has that one. */
    struct assay_frame *parent = here->frame - 1;
    const uint32_t depth = here->depth - 1;
    calipers->frames[ASSAY_DEPTH_MOST].noticed |= ASSAY_SAW_TOO_DEEP;
    calipers->result = NULL;
    here->depth = depth;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (depth == ASSAY_DEPTH_MOST)
        here->frame = parent;
}

/* region: NULL without a name. */
static inline __attribute__((always_inline)) void leave(struct assay_calipers *calipers,
                                                        struct assay_region *region)
{
    struct assay_here *here = &calipers->here;
    struct assay_frame *frame = here->frame, *parent = frame - 1;
    /* Each loaded once and by itself: a load of both right behind a store of one would stall. */
    const uint32_t ways = here->ways, depth = here->depth;
    if (__builtin_expect(depth == 0, 0)) { /* ended more often than begun */
        frame->ended[GROUP_ENABLED] = 0;
        return;
    }
    if (__builtin_expect(depth > ASSAY_DEPTH_MOST, 0)) {
        leave_too_deep(calipers);
        return;
    }
    uint64_t children = frame->children, named = frame->named;
    if (ways & ASSAY_WAY_USER)
        look_at_page(calipers, frame);
    if (here->ways & ASSAY_WAY_TRAP)
        trap_look(here, frame);
    if (region)
        regions_add(calipers, region, frame);
    calipers->result = frame;
    struct assay_frame *counting = around(calipers, frame);
    counting->noticed |= frame->noticed;
    counting->children += frame->children + !region;
    counting->named += frame->named + !!region;
    counting->measuring += is_stamped(ways, depth) ? measuring(frame) : frame->measuring;
    frame->children = children; /* without those of a handler that came since the reading */
    frame->named = named;
    here->depth = depth - 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    here->frame = parent;
    if (depth == 1 && ways & ASSAY_WAY_TRAP)
        trap_leave();
}

/* All that is not plain: calipers that read or trap in user code, regions too deep, none at all. */
static __attribute__((noinline)) void leave_any(struct assay_region *region)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return;
    if (region)
        leave(calipers, region);
    else
        leave(calipers, NULL);
}

/* Where counts are read by system calls, what stands here is what a region costs beyond them. Where
 * nothing is selected the one frame is also the last. */
void assay_ended(void)
{
    struct assay_here *here = assay_here;
    struct assay_frame *frame = here->frame, *parent = frame - 1;
    const uint32_t depth = here->depth, ways = here->ways;
    if (__builtin_expect(frame == here->last || depth == 0 || depth > ASSAY_DEPTH_MOST ||
                             is_outside(parent) || ways & (ASSAY_WAY_USER | ASSAY_WAY_TRAP),
                         0)) {
        leave_any(NULL);
        return;
    }
    ((struct assay_calipers *)(void *)here)->result = frame;
    parent->noticed |= frame->noticed;
    parent->children += frame->children + 1;
    parent->named += frame->named;
    if (is_stamped(ways, depth))
        parent->measuring += measuring(frame);
    here->depth = depth - 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    here->frame = parent;
}

void assay_ended_in(struct assay_region *region)
{
    leave_any(region);
}

/* ----------------------------------------------------------------------------------------------
 * The ends of a region as functions, for other languages and for ISAs without code in place. What
 * is measured around nothing is then the functions' own calls and returns, too. */

/* Called by assay_calibrate, too, as others call them. */
#define CALLED __attribute__((noinline))

CALLED void assay_begin(void)
{
    in_place_begin();
}

CALLED void assay_end(void)
{
    in_place_end();
    assay_ended();
}

CALLED void assay_end_in(struct assay_region *region)
{
    in_place_end();
    assay_ended_in(region);
}

/* The ends of a window, called as those of regions are. */
CALLED void assay_window_begin(void)
{
#ifdef ASSAY_WINDOW_IN_PLACE
    ASSAY_WINDOW_IN_PLACE("0");
#endif
}

CALLED void assay_window_end(void)
{
#ifdef ASSAY_WINDOW_IN_PLACE
    ASSAY_WINDOW_IN_PLACE("8");
#endif
}

#undef assay_counts
int assay_counts(struct assay_count *counts)
{
    return assay_counts_in_place(counts);
}

#undef assay_time
int assay_time(struct assay_duration *time)
{
    return assay_time_in_place(time);
}

#undef assay_calibrate
int assay_calibrate(void)
{
    return assay_calibrate_in_place();
}
