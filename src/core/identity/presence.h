/*
 * presence.h - who has which page open, while they have it open.
 *
 * A tab of a browser says what it shows when that changes, and again every now and then; it counts for
 * PRESENCE_MS after that. So whoever closes a lid is gone without having said so. Rows are few (LIMIT_TABS of
 * a person, LIMIT_PRESENCE of a workspace, the latest) and short-lived: what has run out is deleted with the
 * next sweep, and there is no history of who looked at what.
 *
 * People see of each other the kind of page and the id of what it shows; both are things of the workspace
 * that each of them could open. Settings and the like are "other". Agents neither are present nor are told.
 *
 * Nothing here is an event of the log: engine/comings.h tells those who listen at the moment.
 */
#ifndef CORE_IDENTITY_PRESENCE_H
#define CORE_IDENTITY_PRESENCE_H

#include "base/json.h"
#include "core/caller/caller.h"

enum presence_page {
    PRESENCE_INBOX = 1,
    PRESENCE_QUESTION,
    PRESENCE_APPROVALS,
    PRESENCE_CHAT,
    PRESENCE_DISCUSSIONS,
    PRESENCE_DISCUSSION,
    PRESENCE_JOBS,
    PRESENCE_JOB,
    PRESENCE_PROJECTS,
    PRESENCE_PROJECT,
    PRESENCE_OTHER,
    PRESENCE_PAGE_END
};
WORDS_OF(presence_page, presence_pages);

/* Away: the page is open but nobody looks, behind another tab or for a while without a touch. */
enum presence_state { PRESENCE_HERE = 1, PRESENCE_AWAY, PRESENCE_GONE, PRESENCE_STATE_END };
WORDS_OF(presence_state, presence_states);

struct presence_tab {
    const char *id;
    enum presence_page page;
    const char *subject; /* what a page of one thing shows, or NULL */
    enum presence_state state;
    int64_t since_ms;
};

struct presence_person {
    const char *workspace_id, *id, *name;
    const struct presence_tab *tabs; /* those that count: where they look first, then the latest */
    size_t count;                    /* none: they are gone */
};

struct presence_filter {
    const char *after;       /* the person before the page, or NULL */
    size_t limit;            /* people */
    enum presence_page page; /* or 0: any */
    const char *subject;     /* or NULL */
};

/* The caller's tab shows this; its since_ms is not looked at. A page of one thing needs that thing's id. */
CHECKED bool presence_say(const struct tx *tx, const struct presence_tab *tab);

/* Those in the caller's workspace who are here or away, by their ids. */
CHECKED bool presence_list(const struct tx *tx, const struct presence_filter *filter,
                           struct presence_person **people, size_t *count);
/*
 * Those of all workspaces who came, went, or turned elsewhere after `since_ms`, by workspace. `whole`: that
 * is all of them.
 */
CHECKED bool presence_changed(const struct tx *tx, int64_t since_ms, struct presence_person **people,
                              size_t *count, bool *whole);

/* An agent that has a token of its own, and when that was last used. */
struct presence_agent {
    const char *name;
    int64_t heard_ms;
};
CHECKED bool presence_agents(const struct tx *tx, struct presence_agent **agents, size_t *count);

void presence_write(const struct presence_person *person, struct json_out *out);

/* Forgets what was last said before that, at most `limit`. */
CHECKED bool presence_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

#endif
