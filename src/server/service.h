/*
 * service.h - the service of this machine: its unit, and what it therefore works with.
 *
 * `witan serve` as a service finds its settings and its store by the environment and the options that its
 * unit gives it. Whoever wants to work on the same store must find them in the same way.
 */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "server/config.h"
#include "server/owner.h"

struct service {
    const char *unit; /* the file of its unit; NULL: there is none */
    const char *user; /* who it runs as, for people; "root" when the unit names nobody */
    bool user_known;  /* that one is a user of this machine, with these ids */
    uid_t uid;
    gid_t gid;
    char *const *variables;  /* its environment */
    const char *config, *db; /* --config and --db of its command line, or NULL */
    const char *settings;    /* the file that its settings are read from, if there is one; or NULL */
};

/*
 * Looks for the service of the system whose files are under `root` ("" for this one). False when there is
 * one that cannot be understood, or whose files this user may not read (ERR_FORBIDDEN); service->unit is set
 * then, too.
 */
CHECKED bool service_find(struct arena *arena, const char *root, struct service *service, struct err *err);
/* The settings as the service has them, under what this process's own WITAN_... variables say. */
CHECKED bool service_config(struct arena *arena, const struct service *service, struct config *config,
                            struct err *err);
/* Lets libpq find what the service's would find: its variables, and the passwords in its home. */
void service_use_postgres(struct arena *arena, const struct service *service);

#endif
