/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that are devices of the machine, and are asked by way of the operating system: the one of
 * a network card or a host, and the one with a battery. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/rtc.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/clocks/clock.h"

/* ----------------------------------------------------------------------------------------------
 * The clock of a network card, or of the host that a hypervisor passes on: the first PTP device
 * that can be read, by its dynamic id of clock_gettime(2). */

#define MOST_DEVICES 64

CLOCK_READ_AND_FILL(ptp, posix_ask(reader))

static int open_number(struct clock_reader *reader, int number)
{
    char path[32];
    snprintf(path, sizeof(path), "/dev/ptp%d", number);
    reader->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (reader->descriptor < 0)
        return errno;
    /* How the operating system makes an id of a descriptor: its complement, above a mark. */
    reader->id = (int64_t)~reader->descriptor * 8 | 3;
    posix_ask(reader);
    int error = reader->error;
    if (error) {
        close(reader->descriptor);
        reader->descriptor = -1;
        reader->error = 0;
    }
    return error;
}

static int ptp_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int refused = 0, refused_by = 0;
    for (int number = 0; number < MOST_DEVICES; number++) {
        int error = open_number(reader, number);
        if (error == 0) {
            char name[48];
            /* What the driver calls it, "" where nobody tells. */
            char path[64], bytes[64];
            snprintf(path, sizeof(path), "/sys/class/ptp/ptp%d/clock_name", number);
            AUTO_CLOSE int descriptor = open(path, O_RDONLY | O_CLOEXEC);
            ssize_t length = descriptor < 0 ? 0 : read(descriptor, bytes, sizeof(bytes));
            while (length > 0 && bytes[length - 1] == '\n')
                length--;
            printable_copy(name, sizeof(name), bytes, length > 0 ? (size_t)length : 0);
            reader->hz = POSIX_HZ;
            return clock_says(claim, CLOCK_CLAIM, 0, "/dev/ptp%d%s%s: it counts nanoseconds",
                              number, name[0] ? ", " : "", name);
        }
        if (error != ENOENT && error != ENODEV && error != ENXIO && !refused) {
            refused = error;
            refused_by = number;
        }
    }
    if (refused)
        return clock_says(reason, size, -refused, "/dev/ptp%d cannot be read: %s", refused_by,
                          strerror(refused));
    return clock_says(reason, size, -ENOENT, "this machine has no PTP clock (no /dev/ptp*)");
}

const struct clock clock_ptp = {
    .name = "ptp",
    .kind = CLOCK_WALL,
    .way = "device",
    .note = "",
    .slow = true,
    .hardware = "ptp",
    .open = ptp_open,
    .read = ptp_read,
    .fill = ptp_fill,
    .claimed_resolution = posix_claimed_resolution,
};

/* ----------------------------------------------------------------------------------------------
 * The battery-backed clock of the machine, in seconds since 1970. Its device lets one in at a time
 * and often root alone; what sysfs shows of it is read from the hardware as well, by anybody. */

#define RTC_DEVICE "/dev/rtc0"
#define RTC_SHOWN  "/sys/class/rtc/rtc0/since_epoch"

enum { BY_DEVICE, BY_FILE }; /* reader->id */

static uint64_t ask_device(struct clock_reader *reader)
{
    struct rtc_time time = {0};
    long result = assay_syscall3(SYS_ioctl, reader->descriptor, (long)RTC_RD_TIME, (long)&time);
    if (result < 0)
        return clock_fails(reader, (int)-result, RTC_DEVICE " cannot be read: %s",
                           strerror((int)-result));
    return seconds_since_1970(&(struct calendar_time){time.tm_year + 1900LL, time.tm_mon + 1,
                                                      time.tm_mday, time.tm_hour, time.tm_min,
                                                      time.tm_sec});
}

static uint64_t ask_file(struct clock_reader *reader)
{
    char digits[32] = "";
    uint64_t value = 0;
    long length = assay_syscall4(SYS_pread64, reader->descriptor, (long)digits, sizeof(digits), 0);
    if (length < 0)
        return clock_fails(reader, (int)-length, RTC_SHOWN " cannot be read: %s",
                           strerror((int)-length));
    for (long at = 0; at < length && digits[at] >= '0' && digits[at] <= '9'; at++)
        value = value * 10 + (uint64_t)(digits[at] - '0');
    return value ? value : clock_fails(reader, EPROTO, RTC_SHOWN " holds no number of seconds");
}

static uint64_t ask_rtc(struct clock_reader *reader)
{
    return reader->id == BY_DEVICE ? ask_device(reader) : ask_file(reader);
}

CLOCK_READ_AND_FILL(rtc, ask_rtc(reader))

static int rtc_open(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    /* Where the first way is closed, the second may be open. */
    reader->id = BY_DEVICE;
    reader->descriptor = open(RTC_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = errno;
    if (reader->descriptor < 0) {
        reader->id = BY_FILE;
        reader->descriptor = open(RTC_SHOWN, O_RDONLY | O_CLOEXEC);
    }
    if (reader->descriptor >= 0)
        error = 0;
    if (error == ENOENT || error == ENODEV || error == ENXIO)
        return clock_says(reason, size, -error, "this machine has no RTC (no " RTC_DEVICE ")");
    if (error)
        return clock_says(reason, size, -error, RTC_DEVICE " cannot be opened: %s",
                          strerror(error));
    ask_rtc(reader);
    if (reader->error)
        return clock_says(reason, size, -reader->error, "%s", reader->why);
    reader->hz = 1;
    return clock_says(claim, CLOCK_CLAIM, 0, "the RTC: it counts seconds");
}

static double whole_second(struct clock_reader *reader)
{
    (void)reader;
    return 1e9;
}

const struct clock clock_rtc = {
    .name = "rtc",
    .kind = CLOCK_WALL,
    .way = "device",
    .note = "tells whole seconds: only the moments of its steps can be compared",
    .slow = true,
    .hardware = "rtc",
    .open = rtc_open,
    .read = rtc_read,
    .fill = rtc_fill,
    .claimed_resolution = whole_second,
};
