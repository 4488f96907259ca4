/*
 * caller.h - who is calling, and what they may do.
 *
 * Credentials are what a door found in a request; a caller is what they turned out to be, worth for one
 * operation. Roles are a set, not a rank: a row of the operation table names every role that may call it.
 */
#ifndef CORE_CALLER_CALLER_H
#define CORE_CALLER_CALLER_H

#include "core/caller/role.h"
#include "core/caller/tx.h"

/* The workspace of a fresh install; it cannot be deleted. */
#define DEFAULT_WORKSPACE_ID   "00000000-0000-7000-8000-000000000001"
#define DEFAULT_WORKSPACE_SLUG "default"

struct credentials {
    const char *bearer;    /* the secret of "Authorization: Bearer", or NULL */
    const char *session;   /* the session cookie's secret, or NULL */
    const char *device;    /* the browser's own cookie, or NULL; it lets nobody in, see place.h */
    const char *ticket;    /* a stream ticket, or NULL */
    const char *visit;     /* the cookie of a link that was opened, or NULL; for rows with .by_link */
    const char *visit_id;  /* the question that it is for */
    const char *workspace; /* X-Witan-Workspace: id or slug, or NULL */
    bool may_be_solo;      /* from loopback, not forwarded, on a server that allows solo mode */
    uint64_t key;          /* tells callers apart before they are known (edge/callerkey.h); 0: the server */
};

/*
 * Tokens, tickets, sessions and solo mode are tried in that order, and a token or ticket that is there is
 * judged by itself. A ticket is good until it expires, since finding out who calls changes nothing; doors
 * take one from the query of a stream and nowhere else. A session that has ended is as none in solo mode:
 * browsers keep the cookies of whatever ran on this host before.
 */
enum caller_kind { CALLER_NOBODY, CALLER_LOCAL, CALLER_USER, CALLER_TOKEN, CALLER_LINK };
#define CALLER_KINDS (CALLER_LINK + 1)
WORDS_OF(caller_kind, caller_kinds); /* nobody has no word here */

/* The id, name and credential of whoever works alone at home. */
#define CALLER_LOCAL_ID "local"

struct caller {
    enum caller_kind kind;
    enum role role;       /* one bit; 0 for nobody. A token that is bound to an agent is one: agent at most */
    const char *id;       /* the user's or token's id; "local" */
    const char *name;     /* for people: the user's name, the token's name, "local" */
    const char *token_id; /* the token by which a user calls, or NULL: by a login */
    const char *agent_name; /* a token bound to an agent's name, or NULL */
    const char *project_id; /* a token bound to a project, or NULL */
    const char *workspace_id;
    const char *credential; /* "token:HASH", "session:HASH", "local": what a ticket stands for */
    const char *old_secret; /* the hash of a token's secret that has been replaced, or NULL */
    int64_t last_used_ms;   /* a token's secret's: as stored; token_note_use keeps it fresh */
};

/*
 * Who did something: the name as it was then, and the id, by which they are found whatever they are called
 * later. Rows keep both: a column of names has one of ids beside it. NULL as an id: not known, as in rows
 * from before there were such columns, and in those that other programs write.
 */
struct actor {
    const char *name, *id;
};
/* A token that is bound to an agent has the agent's name. */
struct actor actor_of(const struct caller *caller);
#define ACTOR_SYSTEM ((struct actor){ "system", "system" })
/* Who does what is done in this transaction, by id. */
const char *tx_actor_id(const struct tx *tx);

/*
 * Finds out who calls. No credentials and no solo mode gives CALLER_NOBODY and true; bad ones are
 * ERR_UNAUTHORIZED, a workspace the caller has no part in is ERR_NOT_FOUND. Reads only.
 */
CHECKED bool caller_identify(const struct tx *tx, const struct credentials *credentials,
                             struct caller *caller);
/*
 * The same caller once more, by caller->credential and caller->workspace_id: for streams, which outlive
 * their tickets. ERR_UNAUTHORIZED or ERR_NOT_FOUND when the rights are gone.
 */
CHECKED bool caller_recheck(const struct tx *tx, const char *credential, const char *workspace_id,
                            struct caller *caller);
/* Solo mode lasts until the first user or token has been made. */
CHECKED bool caller_solo_allowed(const struct tx *tx, bool *allowed);

/*
 * Whether a caller that is bound to a project may see what belongs to this one; NULL: to the workspace at
 * large, which such a caller does not see.
 */
bool caller_sees_project(const struct caller *caller, const char *project_id);
/* The same for what is said to everybody unless it is about a project: chat, prompts, notifications. */
bool caller_hears_project(const struct caller *caller, const char *project_id);
/*
 * A person: the local owner, a user by a login or a token of theirs, whoever holds a link from one, or a
 * person's token. A token is a person's when it was made with another role than agent and is bound to no
 * agent; nothing else tells who holds it, so agents are given tokens of their own. A user with the role agent
 * is one, too.
 */
bool caller_is_person(const struct caller *caller);
/*
 * A user by their login, which holds in all of their workspaces and stands for their password. A token that
 * belongs to a user is that user, too, but in its own workspace, with the lesser of both roles, and no more.
 */
bool caller_is_login(const struct caller *caller);
/* A token bound to an agent's name cannot speak as another: ERR_FORBIDDEN. */
CHECKED bool caller_may_speak_as(const struct caller *caller, const char *agent_name, struct err *err);
/*
 * Only a person speaks as one. A user, by a login or a token of theirs, speaks for themselves; a token that
 * is nobody's may name whom it speaks for, since another program's people have no login here, but none of the
 * workspace's own users. ERR_FORBIDDEN otherwise.
 */
CHECKED bool caller_may_speak_for(const struct tx *tx, const char *user_id);
const char *caller_kind_name(enum caller_kind kind);
/*
 * Nobody gives more than they have: only owners make, change or remove owners, and a bound token, which
 * would hand on more than itself, none at all. ERR_FORBIDDEN otherwise.
 */
CHECKED bool caller_may_grant(const struct caller *caller, enum role role, struct err *err);

#endif
