/*
 * The file only grows, under flock: line N is number N, so a number that was shown never changes its meaning.
 * Half a line at the end, of a program that was killed, is cut off by the next writer; a number that could
 * not be kept is not shown at all.
 */
#include "cli/client/question_ref.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "cli/client/item_ref.h"
#include "cli/state_folder.h"
#include "cli/term.h"
#include "cli/terminal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NUMBER_DIGITS 6                    /* longer words are no numbers */
#define FORGET_S      (30L * 24 * 60 * 60) /* a file of a machine that cannot be asked, since its last use */

/* One line of the file; the first is number 1. */
struct numbered_question {
    const char *id, *url, *workspace;
    size_t number;
};

struct numbering {
    int fd;
    struct numbered_question *entries;
    size_t count;
    off_t size; /* of the lines that are whole */
};

/* What closed terminals have left behind. */
static void tidy(struct cli *cli, const char *folder)
{
    DIR *files = opendir(folder);
    const struct dirent *file;
    struct stat about;

    while (files && (file = readdir(files))) {
        if (file->d_name[0] == '.' || fstatat(dirfd(files), file->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!terminal_may_live(cli->arena, file->d_name) || time(NULL) - about.st_mtime > FORGET_S)
            unlinkat(dirfd(files), file->d_name, 0);
    }
    if (files)
        closedir(files);
}

static bool read_all(int fd, struct buf *into)
{
    char chunk[16 * KB];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        buf_add(into, chunk, (size_t)got);
    return got == 0 && !into->full;
}

/* A line is "id url workspace", with tabs between. Half a line, of a program that was killed, is none. */
static bool read_entries(struct cli *cli, struct numbering *numbering)
{
    BUF_AUTO all = { 0 };
    char *text;

    buf_init(&all, (size_t)LIMIT_NUMBERS * KB);
    if (!read_all(numbering->fd, &all))
        return false;
    text = arena_copy(cli->arena, all.bytes ? all.bytes : "", all.len);
    numbering->entries = arena_array(cli->arena, struct numbered_question, all.len / UUID_SIZE + 1);
    for (char *end; (end = strchr(text, '\n')); text = end + 1) {
        char *url = strchr(text, '\t'), *workspace = url ? strchr(url + 1, '\t') : NULL;

        *end = '\0';
        if (!workspace || workspace > end || url - text != UUID_SIZE - 1)
            return false;
        *url = *workspace = '\0';
        numbering->entries[numbering->count] = (struct numbered_question){
            .id = text, .url = url + 1, .workspace = workspace + 1, .number = numbering->count + 1
        };
        numbering->count++;
        numbering->size += end + 1 - text;
    }
    return true;
}

/* Opens and locks the file of this terminal and reads it; false: this terminal has no numbers. */
static bool open_numbering(struct cli *cli, bool writes, struct numbering *numbering)
{
    const char *folder = state_folder_path(cli->arena, "terminals"), *name = terminal_name(cli->arena), *path;

    if (!folder || !name)
        return false;
    path = arena_format(cli->arena, "%s/%s", folder, name);
    *numbering = (struct numbering){ .fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC) };
    if (numbering->fd < 0 && writes && errno == ENOENT) {
        state_folder_make(cli->arena, folder);
        tidy(cli, folder);
        numbering->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    if (numbering->fd < 0)
        return false;
    if (flock(numbering->fd, writes ? LOCK_EX : LOCK_SH) == 0 && read_entries(cli, numbering))
        return true;
    close(numbering->fd);
    return false;
}

static const char *workspace_of(const struct cli *cli)
{
    return cli->target.workspace ? cli->target.workspace : "";
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct numbered_question *)a)->id, ((const struct numbered_question *)b)->id);
}

/* The number that a question has here already; 0: none. The entries are sorted by id. */
static size_t find_number(const struct cli *cli, const struct numbering *numbering, const char *id)
{
    const struct numbered_question wanted = { .id = id };
    const struct numbered_question *found =
        bsearch(&wanted, numbering->entries, numbering->count, sizeof(struct numbered_question), by_id);

    /* The same id may stand there for two ways to the same server. */
    while (found && found > numbering->entries && strcmp(found[-1].id, id) == 0)
        found--;
    for (; found && found < numbering->entries + numbering->count && strcmp(found->id, id) == 0; found++)
        if (strcmp(found->url, cli->target.url) == 0 && strcmp(found->workspace, workspace_of(cli)) == 0)
            return found->number;
    return 0;
}

static bool write_all(int fd, const char *bytes, size_t len, off_t at)
{
    while (len > 0) {
        ssize_t done = pwrite(fd, bytes, len, at);

        if (done <= 0)
            return false;
        bytes += done;
        at += done;
        len -= (size_t)done;
    }
    return true;
}

/* A number is shown only when it is kept: one that is not would get another meaning the next time. */
static void add_numbers(struct cli *cli, const struct numbering *numbering, const char *const ids[],
                        size_t count, size_t numbers[])
{
    BUF_AUTO lines = { 0 };
    size_t last = numbering->count;

    buf_init(&lines, 0);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = find_number(cli, numbering, ids[i]);
        if (numbers[i] > 0 || last >= LIMIT_NUMBERS || !uuid_valid(ids[i]))
            continue;
        numbers[i] = ++last;
        buf_format(&lines, "%s\t%s\t%s\n", ids[i], cli->target.url, workspace_of(cli));
    }
    if (last == numbering->count || (ftruncate(numbering->fd, numbering->size) == 0 &&
                                     write_all(numbering->fd, lines.bytes, lines.len, numbering->size)))
        return;
    if (ftruncate(numbering->fd, numbering->size) != 0)
        cli_note(cli, "The numbers of this list cannot be kept.");
    for (size_t i = 0; i < count; i++)
        if (numbers[i] > numbering->count)
            numbers[i] = 0;
}

void question_ref_number(struct cli *cli, const char *const ids[], size_t count, size_t numbers[])
{
    ARENA_AUTO arena = { 0 }; /* a list that is followed asks for numbers again and again */
    struct cli here = *cli;
    struct numbering numbering;

    here.arena = &arena;
    memset(numbers, 0, count * sizeof(*numbers));
    if (!terminal_shows_stdout() || !open_numbering(&here, true, &numbering))
        return;
    qsort(numbering.entries, numbering.count, sizeof(struct numbered_question), by_id);
    add_numbers(&here, &numbering, ids, count, numbers);
    close(numbering.fd);
}

const char *question_ref_short(struct arena *arena, const char *id)
{
    size_t len = strlen(id);

    return term_line(arena, len > QUESTION_REF_SHORT ? id + len - QUESTION_REF_SHORT : id);
}

static bool unknown_number(const struct cli *cli, const char *word, struct err *err)
{
    if (!terminal_name(cli->arena)) {
        err_set(err, ERR_INVALID,
                "A number stands for what a terminal has shown, and there is no terminal here: what is %s?",
                word);
        return err_hint(err, "Name it by its id; `witan inbox --plain` lists them.");
    }
    err_set(err, ERR_NOT_FOUND, "This terminal has shown nothing with the number %s.", word);
    return err_hint(err, "`witan inbox` shows what is open, with numbers and ids.");
}

static bool id_of_number(struct cli *cli, const char *word, int64_t number, const char **id, struct err *err)
{
    struct numbering numbering;
    const struct numbered_question *entry;

    if (!open_numbering(cli, false, &numbering))
        return unknown_number(cli, word, err);
    close(numbering.fd);
    if (number < 1 || (size_t)number > numbering.count)
        return unknown_number(cli, word, err);
    entry = &numbering.entries[number - 1];
    if (strcmp(entry->url, cli->target.url) == 0 && strcmp(entry->workspace, workspace_of(cli)) == 0) {
        *id = entry->id;
        return true;
    }
    err_set(err, ERR_INVALID, "%s is the number of something at %s%s%s; this command asks somewhere else.",
            word, entry->url, *entry->workspace ? " in the workspace " : "", entry->workspace);
    return err_hint(err, "Give the same --url and --workspace as for the list, or the id.");
}

const char *question_ref_shown(struct cli *cli, const char *tail)
{
    size_t len = strlen(tail);
    struct numbering numbering;

    if (len > UUID_SIZE - 1 || !open_numbering(cli, false, &numbering))
        return NULL;
    close(numbering.fd);
    for (size_t i = numbering.count; i-- > 0;) {
        const struct numbered_question *entry = &numbering.entries[i];

        if (strcmp(entry->id + UUID_SIZE - 1 - len, tail) == 0 && strcmp(entry->url, cli->target.url) == 0 &&
            strcmp(entry->workspace, workspace_of(cli)) == 0)
            return entry->id;
    }
    return NULL;
}

static bool is_tail(const char *word)
{
    return strlen(word) >= QUESTION_REF_SHORT && strlen(word) < UUID_SIZE - 1 &&
           strspn(word, "0123456789abcdefABCDEF-") == strlen(word);
}

bool question_ref_id(struct cli *cli, const char *word, const char **id, struct err *err)
{
    int64_t number;

    if (strlen(word) <= NUMBER_DIGITS && str_to_int(word, &number))
        return id_of_number(cli, word, number, id, err);
    if (is_tail(word))
        return item_ref_tail(cli, word, id, err);
    *id = word;
    return true;
}
