/*
 * A notice and all its texts are one block, written once: the frame of a server-sent event with the JSON
 * inside it, so that both doors send the same bytes without a copy. Who may hear it is decided here, once for
 * an event and not once for each stream.
 */
#include "engine/notice.h"

#include "base/str.h"
#include "ops/event_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX_SIZE 48

/* The texts of a notice stand behind it, in one block with it. */
static struct notice *notice_alloc(size_t texts, char **room)
{
    struct notice *notice = malloc(sizeof(*notice) + texts);

    if (!notice)
        abort();
    memset(notice, 0, sizeof(*notice));
    atomic_init(&notice->holders, 1);
    *room = (char *)(notice + 1);
    return notice;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *put_text(char **room, const char *text)
{
    size_t size = text_size(text);
    char *at = *room;

    if (!text)
        return NULL;
    memcpy(at, text, size);
    *room += size;
    return at;
}

/*
 * The stream format ends a line at a line break. Inside JSON one can only stand between tokens, where a
 * space means the same: rows that another program wrote may be laid out in lines.
 */
static void flatten(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
}

static void put_frame(struct notice *notice, char *room, const char *prefix, const char *json, size_t len)
{
    size_t prefix_len = strlen(prefix);

    memcpy(room, prefix, prefix_len);
    memcpy(room + prefix_len, json, len);
    flatten(room + prefix_len, len);
    memcpy(room + prefix_len + len, "\n\n", 3);
    notice->frame = room;
    notice->frame_len = prefix_len + len + 2;
    notice->json = room + prefix_len;
    notice->json_len = len;
}

/* What another version wrote and this one does not know is for the owner alone. */
static void find_hearers(struct notice *notice)
{
    const struct event_spec *spec = event_type_spec(notice->type);

    notice->hears = spec ? spec->hears : ROLE_OWNER;
    notice->common =
        spec && !notice->project_id &&
        (spec->reaches == REACH_SQUAD || (spec->reaches == REACH_INBOX && notice->audience.squad));
}

struct notice *notice_new(const struct event *event)
{
    BUF_AUTO json = { 0 };
    char prefix[PREFIX_SIZE], *room;

    event_write(event, &json);
    if (event->seq > 0)
        snprintf(prefix, sizeof(prefix), "id: %lld\ndata: ", (long long)event->seq);
    else
        snprintf(prefix, sizeof(prefix), "data: ");

    size_t texts = text_size(event->workspace_id) + text_size(event->project_id) + text_size(event->job_id) +
                   text_size(event->discussion_id) + text_size(event->subject) + text_size(event->audience);
    struct notice *notice = notice_alloc(texts + strlen(prefix) + json.len + 3, &room);

    notice->seq = notice->place = event->seq;
    notice->workspace_id = put_text(&room, event->workspace_id);
    notice->type = event->type;
    notice->project_id = put_text(&room, event->project_id);
    notice->job_id = put_text(&room, event->job_id);
    notice->discussion_id = put_text(&room, event->discussion_id);
    notice->subject = put_text(&room, event->subject);
    notice->audience = audience_parse(put_text(&room, event->audience));
    find_hearers(notice);
    put_frame(notice, room, prefix, json.len ? json.bytes : "", json.len);
    return notice;
}

struct notice *notice_word(const char *json)
{
    static const char prefix[] = "data: ";
    char *room;
    struct notice *notice = notice_alloc(sizeof(prefix) + strlen(json) + 2, &room);

    put_frame(notice, room, prefix, json, strlen(json));
    return notice;
}

struct notice *notice_comment(const char *frame)
{
    char *room;
    struct notice *notice = notice_alloc(strlen(frame) + 1, &room);

    notice->frame_len = strlen(frame);
    notice->frame = put_text(&room, frame);
    return notice;
}

struct notice *notice_hold(struct notice *notice)
{
    atomic_fetch_add_explicit(&notice->holders, 1, memory_order_relaxed);
    return notice;
}

void notice_drop(struct notice *notice)
{
    if (notice && atomic_fetch_sub_explicit(&notice->holders, 1, memory_order_acq_rel) == 1)
        free(notice);
}

size_t notice_size(const struct notice *notice)
{
    return sizeof(*notice) + notice->frame_len;
}

static bool wanted(const char *want, const char *have)
{
    return !want || (have && strcmp(want, have) == 0);
}

/* Whether the reader may hear of it at all, whatever it wants to hear: what it could also list. */
static bool may_hear(const struct notice *notice, const struct notice_filter *filter)
{
    unsigned role = filter->hearer.role;

    return (role == 0 || (role & notice->hears) != 0) &&
           (!filter->bound || notice->common || str_equal(filter->bound, notice->project_id)) &&
           audience_has(&notice->audience, &filter->hearer);
}

bool notice_matches(const struct notice *notice, const struct notice_filter *filter)
{
    if (!str_equal(filter->workspace_id, notice->workspace_id) || !may_hear(notice, filter) ||
        !wanted(filter->project_id, notice->project_id) || !wanted(filter->job_id, notice->job_id) ||
        !wanted(filter->discussion_id, notice->discussion_id))
        return false;
    if (!filter->types)
        return true;
    for (const enum event_type *type = filter->types; *type; type++)
        if (*type == notice->type)
            return true;
    return false;
}
