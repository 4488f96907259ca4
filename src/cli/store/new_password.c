/*
 * The terminal itself is asked (/dev/tty), with its echo off; an interrupt is noted and raised again only
 * after the echo is back on.
 */
#include "cli/store/new_password.h"

#include "base/limits.h"
#include "base/str.h"
#include "core/caller/secret.h"
#include "core/identity/password.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define ROOM (LIMIT_PASSWORD + 2) /* the line end and the NUL */

static bool read_line(FILE *from, char line[static ROOM], struct err *err)
{
    if (!fgets(line, ROOM, from))
        return err_set(err, ERR_INVALID, "No password was given.");
    if (!strchr(line, '\n') && !feof(from))
        return err_set(err, ERR_INVALID, "A password has at most %d bytes.", LIMIT_PASSWORD);
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

static volatile sig_atomic_t stopped;

static void note_stop(int number)
{
    (void)number;
    stopped = 1;
}

/* Types into the terminal itself, so that it works whatever stdin and stdout are. */
static bool ask(FILE *terminal, const char *question, char line[static ROOM], struct err *err)
{
    struct sigaction note = { .sa_handler = note_stop }, before;
    struct termios shown, hidden;

    if (tcgetattr(fileno(terminal), &shown) != 0)
        return err_set(err, ERR_INVALID, "Cannot ask for a password here: %s.", strerror(errno));
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    /* Somebody who interrupts must get their echo back first. */
    sigaction(SIGINT, &note, &before);
    /* Before the question stands there: what is typed in answer to it is neither thrown away nor shown. */
    tcsetattr(fileno(terminal), TCSAFLUSH, &hidden);
    fprintf(terminal, "%s: ", question);
    fflush(terminal);
    bool good = read_line(terminal, line, err);

    tcsetattr(fileno(terminal), TCSAFLUSH, &shown);
    sigaction(SIGINT, &before, NULL);
    if (stopped)
        raise(SIGINT);
    fputc('\n', terminal);
    return good;
}

static FILE *open_terminal(struct err *err)
{
    FILE *terminal = fopen("/dev/tty", "r+");

    if (!terminal) {
        err_set(err, ERR_INVALID, "There is no terminal to ask for a password on.");
        err_hint(err, "Use --password-stdin.");
    }
    return terminal;
}

bool new_password_typed(struct cli *cli, const char **password, struct err *err)
{
    char line[ROOM] = "";
    bool from_stdin = cli_has(cli, "password-stdin");
    FILE *terminal = from_stdin ? stdin : open_terminal(err);

    if (!terminal)
        return false;
    bool good = from_stdin ? read_line(stdin, line, err) : ask(terminal, "Password", line, err);

    if (!from_stdin)
        fclose(terminal);
    if (good)
        *password = arena_text(cli->arena, line);
    sodium_memzero(line, sizeof(line));
    return good;
}

static bool ask_twice(char line[static ROOM], struct err *err)
{
    char again[ROOM] = "";
    FILE *terminal = open_terminal(err);

    if (!terminal)
        return false;
    bool good = ask(terminal, "Password", line, err) && ask(terminal, "Once more", again, err);

    fclose(terminal);
    if (good && strcmp(line, again) != 0)
        good = err_set(err, ERR_INVALID, "The two passwords differ.");
    sodium_memzero(again, sizeof(again));
    return good;
}

static bool get_password(struct cli *cli, char line[static ROOM], struct err *err)
{
    if (cli_has(cli, "password-stdin"))
        return read_line(stdin, line, err);
    if (cli_has(cli, "no-input")) {
        err_set(err, ERR_INVALID, "A password is needed.");
        return err_hint(err, "Use --password-stdin.");
    }
    return ask_twice(line, err);
}

static bool check_password(struct cli *cli, const char *line, struct err *err)
{
    if (!str_is_utf8(line, strlen(line)))
        return err_set(err, ERR_INVALID, "The password is not UTF-8 text.");
    return password_check(cli->arena, "password", line, cli_get(cli, "NAME"), err);
}

bool new_password_hash(struct cli *cli, bool must, const char **hash, struct err *err)
{
    char line[ROOM] = "";
    char *made = NULL;

    *hash = NULL;
    if (!must && cli_has(cli, "no-password"))
        return true;
    if (sodium_init() < 0)
        return err_set(err, ERR_INTERNAL, "The random generator does not start.");
    bool good = get_password(cli, line, err) && check_password(cli, line, err) &&
                secret_password_hash(cli->arena, line, &made, err);

    sodium_memzero(line, sizeof(line));
    *hash = made;
    return good;
}
