/*
 * unit.h - reads a unit of systemd, as far as a service like ours needs it.
 *
 * The files are read where systemd reads them, with their drop-ins and in its order, whether systemd runs or
 * not: a command must know which store a service works on also before its first start, and in a container.
 * What cannot be known without systemd is refused, never guessed.
 */
#ifndef SERVER_UNIT_H
#define SERVER_UNIT_H

#include "server/unit_words.h"

struct unit {
    const char *path;           /* its file; NULL: there is none, or it is masked */
    const char *user, *group;   /* or NULL */
    bool dynamic_user;          /* its user is made anew for each start */
    bool has_root, has_image;   /* it has a root folder of its own, or one in an image */
    struct word_list start;     /* the words of ExecStart=, with variables filled in */
    struct word_list variables; /* its environment, as far as units and their files set it */
};

/*
 * Reads the unit `name` ("witan.service") of the system whose files are under `root` ("" for this one).
 * ERR_FORBIDDEN: one of its files may not be read by this user. ERR_INVALID: it says what only systemd can
 * understand. unit->path says which unit it is, also then.
 */
CHECKED bool unit_read(struct arena *arena, const char *root, const char *name, struct unit *unit,
                       struct err *err);

#endif
