/*
 * ncurses draws. It exits by itself on some signals, and knows nothing of crashes, so after it has begun
 * every signal that ends a program is ours: the first that a person or a machine sends is noted, and the
 * program goes its usual way out; a second one, or a crash, gives the terminal back with what may be called
 * in a handler, and then does what it always does. What has to be written for that is looked up beforehand.
 */
#include "cli/screen/window.h"

#include "base/arena.h"
#include "base/str.h"
#include "cli/screen/columns.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#define ESCAPE_MS 100 /* how long the rest of a key's sequence may take, also over a slow line */
#define URGENT    1   /* the pair of colours */

static struct {
    SCREEN *screen;
    struct termios before;
    char leave[256];               /* what makes the terminal as it was */
    volatile sig_atomic_t asked;   /* the signal */
    volatile sig_atomic_t resized; /* since a key was last looked for */
    bool colour;
} window;

bool window_possible(void)
{
    const char *term = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && !str_equal(term, "dumb");
}

/* Ends the program as the signal does, with the terminal as it was. May be called in a handler. */
static void end_by(int number)
{
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t it;
    ssize_t ignored = write(STDOUT_FILENO, window.leave, strlen(window.leave));

    (void)ignored;
    tcsetattr(STDIN_FILENO, TCSANOW, &window.before);
    sigaction(number, &usual, NULL);
    sigemptyset(&it);
    sigaddset(&it, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &it, NULL);
}

static void on_request(int number)
{
    if (window.asked)
        end_by(number);
    window.asked = number;
}

static void on_resize(int number)
{
    (void)number;
    window.resized = 1;
}

static void take_signals(void)
{
    static const int requests[] = { SIGINT, SIGTERM, SIGHUP },
                     crashes[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGQUIT };
    struct sigaction request = { .sa_handler = on_request }, crash = { .sa_handler = end_by },
                     resize = { .sa_handler = on_resize };

    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        sigaction(requests[i], &request, NULL);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        sigaction(crashes[i], &crash, NULL);
    sigaction(SIGWINCH, &resize, NULL);
}

static void add_leaving(const char *name)
{
    const char *text = tigetstr(name);
    size_t used = strlen(window.leave);

    /* Pauses stand in "$<...>"; terminals of today need none. */
    for (; text && text != (char *)-1 && *text && used + 1 < sizeof(window.leave); text++) {
        if (str_starts(text, "$<") && strchr(text, '>'))
            text = strchr(text, '>');
        else
            window.leave[used++] = *text;
    }
    window.leave[used] = '\0';
}

/* Widths and keys go by the locale; where it is none of UTF-8, ours is, as in all that the program prints. */
static void choose_locale(void)
{
    if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "C.UTF-8");
}

bool window_open(bool colour)
{
    static bool at_exit;

    choose_locale();
    window.asked = 0;
    /* The environment may tell how large it was once. */
    use_env(FALSE);
    use_tioctl(TRUE);
    if (tcgetattr(STDIN_FILENO, &window.before) != 0 || !(window.screen = newterm(NULL, stdout, stdin)))
        return false;
    if (!at_exit)
        atexit(window_close);
    at_exit = true;
    window.leave[0] = '\0';
    add_leaving("sgr0");
    add_leaving("cnorm");
    add_leaving("rmkx");
    add_leaving("rmcup");
    take_signals();
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    window.colour = colour && has_colors();
    if (window.colour) {
        start_color();
        use_default_colors();
        init_pair(URGENT, COLOR_RED, -1);
    }
    return true;
}

void window_close(void)
{
    if (!window.screen)
        return;
    endwin();
    delscreen(window.screen);
    window.screen = NULL;
}

int window_signal(void)
{
    return window.asked;
}

bool window_pulse(struct cli *cli)
{
    (void)cli;
    return window.asked == 0;
}

static struct press named(wint_t key)
{
    static const struct {
        wint_t key;
        enum key_name name;
    } names[] = {
        { KEY_UP, KEYNAME_UP },
        { KEY_DOWN, KEYNAME_DOWN },
        { KEY_PPAGE, KEYNAME_PAGE_UP },
        { KEY_NPAGE, KEYNAME_PAGE_DOWN },
        { KEY_HOME, KEYNAME_HOME },
        { KEY_END, KEYNAME_END },
        { KEY_ENTER, KEYNAME_ENTER },
        { KEY_RESIZE, KEYNAME_RESIZED },
        { KEY_BACKSPACE, KEYNAME_BACKSPACE },
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].key == key)
            return (struct press){ .name = names[i].name };
    return (struct press){ .name = KEYNAME_CHARACTER }; /* one that means nothing here */
}

/* How large it is says the terminal; what stands on it is drawn anew. */
static struct press fit(void)
{
    struct winsize size = { 0 };

    window.resized = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
    return (struct press){ .name = KEYNAME_RESIZED };
}

struct press window_key(void)
{
    wint_t key;
    int kind;

    if (window.resized)
        return fit();
    kind = get_wch(&key);
    if (kind == ERR)
        return (struct press){ .name = KEYNAME_NONE };
    if (kind == KEY_CODE_YES)
        return named(key);
    if (key == '\r' || key == '\n')
        return (struct press){ .name = KEYNAME_ENTER };
    if (key == 0x7f)
        return (struct press){ .name = KEYNAME_BACKSPACE };
    if (key == 0x1b)
        return (struct press){ .name = KEYNAME_ESCAPE };
    return (struct press){ .name = KEYNAME_CHARACTER, .code = (uint32_t)key };
}

size_t window_rows(void)
{
    return LINES > 0 ? (size_t)LINES : 1;
}

size_t window_columns(void)
{
    return COLS > 0 ? (size_t)COLS : 1;
}

void window_clear(void)
{
    erase();
}

static attr_t attributes(enum window_style style)
{
    switch (style) {
    case STYLE_DIM: return A_DIM;
    case STYLE_BOLD: return A_BOLD;
    case STYLE_CHOSEN: return A_REVERSE;
    case STYLE_URGENT: return A_BOLD;
    case STYLE_PLAIN: break;
    }
    return A_NORMAL;
}

void window_row(size_t row, enum window_style style, const char *text)
{
    ARENA_AUTO arena = { 0 };

    if (row >= window_rows())
        return;
    attr_set(attributes(style), style == STYLE_URGENT && window.colour ? URGENT : 0, NULL);
    mvaddstr((int)row, 0, columns_fit(&arena, text, window_columns()));
    attr_set(A_NORMAL, 0, NULL);
}

void window_cursor(size_t row, size_t column, bool visible)
{
    size_t last = window_columns() - 1;

    curs_set(visible ? 1 : 0);
    move((int)row, (int)(column < last ? column : last));
}

void window_show(void)
{
    refresh();
}
