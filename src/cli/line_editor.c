/*
 * While a line is edited the terminal sends no signals: Ctrl-C is a key, bound to a function that ends the
 * line and marks it as given up. As soon as the line is in, libedit puts the terminal back, and Ctrl-C is a
 * signal again, for whatever the line has started.
 */
#include "cli/line_editor.h"

#include "base/limits.h"
#include "base/str.h"

#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HISTORY_LINES 500

struct line_editor {
    EditLine *edit; /* NULL: no terminal */
    History *past;
    const char *prompt, *history;
    bool given_up;
};

static char *show_prompt(EditLine *edit)
{
    struct line_editor *editor = NULL;

    el_get(edit, EL_CLIENTDATA, &editor);
    return (char *)editor->prompt;
}

static unsigned char give_up(EditLine *edit, int key)
{
    struct line_editor *editor = NULL;

    (void)key;
    el_get(edit, EL_CLIENTDATA, &editor);
    editor->given_up = true;
    return CC_NEWLINE;
}

static void open_terminal(struct line_editor *editor)
{
    HistEvent event;

    /* Letters are more than bytes; a machine without a locale still has this one. */
    if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    editor->edit = el_init("witan", stdin, stdout, stderr);
    editor->past = history_init();
    if (!editor->edit || !editor->past)
        abort();
    history(editor->past, &event, H_SETSIZE, HISTORY_LINES);
    history(editor->past, &event, H_SETUNIQUE, 1);
    if (editor->history)
        history(editor->past, &event, H_LOAD, editor->history);
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_PROMPT, show_prompt);
    el_set(editor->edit, EL_EDITOR, "emacs");
    el_set(editor->edit, EL_HIST, history, editor->past);
    el_set(editor->edit, EL_SETTY, "-d", "-isig", NULL);
    /* By the wide call: the narrow one copies both texts and never frees them. */
    el_wset(editor->edit, EL_ADDFN, L"give-up", L"Give up the line", give_up);
    el_set(editor->edit, EL_BIND, "^C", "give-up", NULL);
    el_source(editor->edit, NULL);
}

struct line_editor *line_editor_new(const char *prompt, const char *history_file)
{
    struct line_editor *editor = calloc(1, sizeof(*editor));

    if (!editor)
        abort();
    editor->prompt = prompt;
    editor->history = history_file;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        open_terminal(editor);
    return editor;
}

void line_editor_free(struct line_editor *editor)
{
    HistEvent event;

    if (editor->past && editor->history)
        history(editor->past, &event, H_SAVE, editor->history);
    if (editor->past)
        history_end(editor->past);
    if (editor->edit)
        el_end(editor->edit);
    free(editor);
}

bool line_editor_is_terminal(const struct line_editor *editor)
{
    return editor->edit != NULL;
}

static enum line_read read_plain(struct arena *arena, const char **line)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t len = getline(&text, &room, stdin);

    if (len >= 0)
        *line = str_trim(arena, text);
    free(text);
    return len >= 0 ? LINE_READ : LINE_END;
}

enum line_read line_editor_read(struct line_editor *editor, struct arena *arena, const char **line)
{
    HistEvent event;
    const char *text;
    int len = 0;

    if (!editor->edit)
        return read_plain(arena, line);
    editor->given_up = false;
    text = el_gets(editor->edit, &len);
    if (editor->given_up)
        return LINE_GIVEN_UP;
    if (!text || len <= 0) {
        putchar('\n');
        return LINE_END;
    }
    *line = str_trim(arena, text);
    if (**line)
        history(editor->past, &event, H_ENTER, *line);
    return LINE_READ;
}
