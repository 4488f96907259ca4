/*
 * Now is the boot time plus a shift that moves slowly from one value to another. Three numbers belong
 * together and are read without a lock, under a version that is odd while they change; the ticks are read
 * between the two looks, or time could step back by a millisecond.
 */
#include "base/clock.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define SLEW_DIVISOR 20            /* a difference is worked off by at most 1/20 of the time that passes */
#define STEP_FROM_MS CLOCK_JUMP_MS /* forward differences from here on are not worth waiting for */
#define DAY_MS       INT64_C(86400000)
#define FIRST_MS \
    INT64_C(-62135596800000)             /* 0001-01-01T00:00:00.000Z: there is no year 0 in every database \
                                          */
#define LAST_MS INT64_C(253402300799999) /* 9999-12-31T23:59:59.999Z */

/*
 * Now is the boot time plus a shift. The shift moves from `from` to `to`, starting at boot time `start`.
 * The three belong together: a writer makes `version` odd while it changes them, and a reader that saw
 * an odd or a changed version reads again.
 */
static struct {
    atomic_uint version;
    _Atomic int64_t from, to, start;
    _Atomic int64_t offset;
    bool followed; /* guarded by the lock, like all changes */
    pthread_mutex_t lock;
    pthread_once_t once;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT };

static int64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_ticks_ms(void)
{
    return read_ns(CLOCK_BOOTTIME) / 1000000;
}

int64_t clock_ticks_us(void)
{
    return read_ns(CLOCK_BOOTTIME) / 1000;
}

struct timespec clock_moment_after(int64_t ms)
{
    int64_t ns = read_ns(CLOCK_MONOTONIC) + ms * 1000000;

    return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

/* Until the database has spoken, this machine's own time counts. */
static void start_from_wall_clock(void)
{
    int64_t shift = read_ns(CLOCK_REALTIME) / 1000000 - clock_ticks_ms();

    atomic_store(&state.from, shift);
    atomic_store(&state.to, shift);
}

static int64_t shift_at(int64_t ticks, int64_t from, int64_t to, int64_t start)
{
    int64_t may_move = ticks > start ? (ticks - start) / SLEW_DIVISOR : 0;
    int64_t distance = to - from;

    if (distance > may_move)
        return from + may_move;
    return distance < -may_move ? from - may_move : to;
}

/*
 * The ticks are read between the two looks at the version: a reader then never combines a time from
 * before a change with the shift after it, which could go back by a millisecond.
 */
static int64_t now_without_offset(void)
{
    unsigned before, after;
    int64_t now;

    pthread_once(&state.once, start_from_wall_clock);
    do {
        before = atomic_load(&state.version);
        int64_t from = atomic_load(&state.from), to = atomic_load(&state.to);
        int64_t start = atomic_load(&state.start), ticks = clock_ticks_ms();

        now = ticks + shift_at(ticks, from, to, start);
        after = atomic_load(&state.version);
    } while (before != after || before % 2 == 1);
    return now;
}

int64_t clock_now_ms(void)
{
    return now_without_offset() + atomic_load(&state.offset);
}

int64_t clock_follow(int64_t db_now_ms)
{
    pthread_once(&state.once, start_from_wall_clock);
    pthread_mutex_lock(&state.lock);
    atomic_fetch_add(&state.version, 1);

    int64_t ticks = clock_ticks_ms();
    int64_t to = db_now_ms - ticks;
    int64_t from =
        shift_at(ticks, atomic_load(&state.from), atomic_load(&state.to), atomic_load(&state.start));
    int64_t jump = state.followed ? to - atomic_load(&state.to) : 0;
    bool step = !state.followed || to - from >= STEP_FROM_MS;

    atomic_store(&state.from, step ? to : from);
    atomic_store(&state.to, to);
    atomic_store(&state.start, ticks);
    state.followed = true;
    atomic_fetch_add(&state.version, 1);
    pthread_mutex_unlock(&state.lock);
    return jump;
}

int64_t clock_raise(int64_t least_ms)
{
    pthread_once(&state.once, start_from_wall_clock);
    pthread_mutex_lock(&state.lock);
    atomic_fetch_add(&state.version, 1);

    int64_t ticks = clock_ticks_ms();
    int64_t from =
        shift_at(ticks, atomic_load(&state.from), atomic_load(&state.to), atomic_load(&state.start));
    int64_t missing = least_ms - atomic_load(&state.offset) - (ticks + from);

    if (missing > 0) {
        atomic_store(&state.from, from + missing);
        atomic_store(&state.start, ticks);
    }
    atomic_fetch_add(&state.version, 1);
    pthread_mutex_unlock(&state.lock);
    return missing > 0 ? missing : 0;
}

int64_t clock_offset_ms(void)
{
    return atomic_load(&state.offset);
}

void clock_set_offset_ms(int64_t offset_ms)
{
    atomic_store(&state.offset, offset_ms);
}

/*
 * Days and dates, counted in a year that starts in March so that the leap day comes last. libc's
 * gmtime_r takes a lock that every reply with a time in it would queue for.
 */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
    int64_t year_of_era = shifted - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * 146097 + day_of_era - 719468;
}

static void date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    int64_t since = days + 719468;
    int64_t era = (since >= 0 ? since : since - 146096) / 146097;
    int64_t day_of_era = since - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;

    *day = day_of_year - (153 * march_month + 2) / 5 + 1;
    *month = march_month < 10 ? march_month + 3 : march_month - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static void put_digits(char *at, int count, int64_t number)
{
    for (int i = count - 1; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
}

void clock_format(int64_t ms, char text[static CLOCK_TEXT_SIZE])
{
    int64_t shown = ms < FIRST_MS ? FIRST_MS : ms > LAST_MS ? LAST_MS : ms;
    int64_t rest = (shown % DAY_MS + DAY_MS) % DAY_MS;
    int64_t year, month, day;

    date_from_days((shown - rest) / DAY_MS, &year, &month, &day);
    memcpy(text, "0000-00-00T00:00:00.000Z", CLOCK_TEXT_SIZE);
    put_digits(text, 4, year);
    put_digits(text + 5, 2, month);
    put_digits(text + 8, 2, day);
    put_digits(text + 11, 2, rest / 3600000);
    put_digits(text + 14, 2, rest / 60000 % 60);
    put_digits(text + 17, 2, rest / 1000 % 60);
    put_digits(text + 20, 3, rest % 1000);
}

char *clock_text(struct arena *arena, int64_t ms)
{
    char text[CLOCK_TEXT_SIZE];

    clock_format(ms, text);
    return arena_copy(arena, text, sizeof(text) - 1);
}

/* Reads exactly so many digits, whose value is in [least, most], and steps over them. */
static bool take_number(const char **at, int count, int64_t least, int64_t most, int64_t *number)
{
    int64_t value = 0;

    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        value = value * 10 + (**at - '0');
    }
    *number = value;
    return value >= least && value <= most;
}

static bool take_one_of(const char **at, const char *choice)
{
    if (**at == '\0' || !strchr(choice, **at))
        return false;
    (*at)++;
    return true;
}

static int64_t days_in_month(int64_t year, int64_t month)
{
    static const int8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

static bool take_date(const char **at, int64_t *ms)
{
    int64_t year, month, day;

    if (!take_number(at, 4, 0, 9999, &year) || !take_one_of(at, "-") || !take_number(at, 2, 1, 12, &month) ||
        !take_one_of(at, "-") || !take_number(at, 2, 1, days_in_month(year, month), &day))
        return false;
    *ms = days_from_date(year, month, day) * DAY_MS;
    return true;
}

/* One to nine digits, of which three count. */
static bool take_fraction(const char **at, int64_t *ms)
{
    int64_t value = 0;
    int digits = 0;

    for (; **at >= '0' && **at <= '9'; (*at)++, digits++)
        if (digits < 3)
            value = value * 10 + (**at - '0');
    for (int i = digits; i < 3; i++)
        value *= 10;
    *ms = value;
    return digits >= 1 && digits <= 9;
}

static bool take_time(const char **at, int64_t *ms)
{
    int64_t hour, minute, second, fraction = 0;

    if (!take_number(at, 2, 0, 23, &hour) || !take_one_of(at, ":") || !take_number(at, 2, 0, 59, &minute) ||
        !take_one_of(at, ":") || !take_number(at, 2, 0, 60, &second))
        return false;
    if (take_one_of(at, ".") && !take_fraction(at, &fraction))
        return false;
    /* A leap second has no number of its own here; it is the last moment before the next minute. */
    if (second == 60) {
        second = 59;
        fraction = 999;
    }
    *ms = hour * 3600000 + minute * 60000 + second * 1000 + fraction;
    return true;
}

static bool take_zone(const char **at, int64_t *ms)
{
    int64_t sign = **at == '-' ? -1 : 1, hours, minutes;

    *ms = 0;
    if (take_one_of(at, "Zz"))
        return true;
    if (!take_one_of(at, "+-") || !take_number(at, 2, 0, 23, &hours) || !take_one_of(at, ":") ||
        !take_number(at, 2, 0, 59, &minutes))
        return false;
    *ms = sign * (hours * 3600000 + minutes * 60000);
    return true;
}

bool clock_parse(const char *text, int64_t *ms)
{
    int64_t date, time, zone;

    if (!text || !take_date(&text, &date) || !take_one_of(&text, "Tt ") || !take_time(&text, &time) ||
        !take_zone(&text, &zone) || *text)
        return false;
    int64_t moment = date + time - zone;

    if (moment < FIRST_MS || moment > LAST_MS)
        return false;
    *ms = moment;
    return true;
}

int64_t clock_ms(const char *text)
{
    int64_t ms;

    return clock_parse(text, &ms) ? ms : 0;
}
