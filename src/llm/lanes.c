/*
 * Every place is nowhere, in line, aside, kept for a client that has not fetched it, or out; each move
 * between these is constant time, but for the lanes of one server, of which there are few: the lists are
 * linked through the places. A place whose group has enough calls out steps aside instead of blocking its
 * line; it goes back to the end of its line when one of its own returns.
 */
#include "llm/lanes.h"

#include "base/memory.h"
#include "base/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Lanes, servers and groups live while a place is in them. All begin with what the table hands back. */
struct lane {
    struct table_item item;
    struct lane *before, *behind; /* in the list of those with somebody to call */
    bool ready;                   /* in that list */
    struct lane_server *server;
    struct lane *next_of_server;
    struct lane_line line;
    size_t places;
    unsigned out, most;
    char name[];
};

struct lane_server {
    struct table_item item;
    struct lane *lanes; /* the one whose call went out last is the last */
    unsigned out, most;
    char url[];
};

struct lane_group {
    struct table_item item;
    struct lane_line aside;
    struct lane_place *places;
    unsigned out;
    char name[];
};

struct lanes {
    pthread_mutex_t lock;
    struct table lanes, servers, groups;
    struct lane *first, *last; /* with somebody to call: the first is next */
    unsigned most, most_of_group;
    size_t out, waiting;
};

struct lanes *lanes_new(unsigned most, unsigned most_of_group)
{
    struct lanes *lanes = memory_take(sizeof(*lanes));

    *lanes = (struct lanes){ .most = most, .most_of_group = most_of_group };
    pthread_mutex_init(&lanes->lock, NULL);
    return lanes;
}

void lanes_free(struct lanes *lanes)
{
    if (!lanes)
        return;
    table_done(&lanes->lanes);
    table_done(&lanes->servers);
    table_done(&lanes->groups);
    pthread_mutex_destroy(&lanes->lock);
    free(lanes);
}

struct lane_key lane_of_model(struct arena *arena, const struct llm_model *model)
{
    const char *url = model_url(model), *name = model->name;

    if (model->spelled_out)
        name = arena_format(arena, "%s %s", model_provider_name(model->provider), url);
    return (struct lane_key){ .name = name, .server = url, .most = (unsigned)model->max_in_flight };
}

static void line_add(struct lane_line *line, struct lane_place *place)
{
    place->behind = NULL;
    place->before = line->last;
    *(line->last ? &line->last->behind : &line->first) = place;
    line->last = place;
}

static void line_remove(struct lane_line *line, struct lane_place *place)
{
    *(place->before ? &place->before->behind : &line->first) = place->behind;
    *(place->behind ? &place->behind->before : &line->last) = place->before;
}

/* Puts a lane into the list of those that have somebody to call, at its end, or takes it out. */
static void lane_settle(struct lanes *lanes, struct lane *lane)
{
    bool ready = lane->line.first && lane->out < lane->most && lane->server->out < lane->server->most;

    if (ready == lane->ready)
        return;
    lane->ready = ready;
    if (ready) {
        lane->behind = NULL;
        lane->before = lanes->last;
        *(lanes->last ? &lanes->last->behind : &lanes->first) = lane;
        lanes->last = lane;
        return;
    }
    *(lane->before ? &lane->before->behind : &lanes->first) = lane->behind;
    *(lane->behind ? &lane->behind->before : &lanes->last) = lane->before;
}

/* A call goes out or comes back: whether there is room for others changes where the server gets or is full.
 */
static void count_out(struct lanes *lanes, struct lane_place *place, int change)
{
    struct lane_server *server = place->lane->server;
    bool was_full = server->out >= server->most;

    place->lane->out += (unsigned)change;
    server->out += (unsigned)change;
    if (place->group)
        place->group->out += (unsigned)change;
    lanes->out += (size_t)change;
    if (was_full == (server->out >= server->most)) {
        lane_settle(lanes, place->lane);
        return;
    }
    for (struct lane *lane = server->lanes; lane; lane = lane->next_of_server)
        lane_settle(lanes, lane);
}

/* One of a table, or a new one of so many bytes and its name. */
static void *find_or_add(struct table *table, const char *name, size_t size)
{
    struct table_item *item = table_find(table, name);

    if (!item) {
        item = memory_take(size + strlen(name) + 1);
        memset(item, 0, size);
        table_add(table, item, strcpy((char *)item + size, name));
    }
    return item;
}

static void forget(struct table *table, struct table_item *item)
{
    table_remove(table, item);
    free(item);
}

static void server_remove(struct lane *lane)
{
    struct lane **link = &lane->server->lanes;

    while (*link != lane)
        link = &(*link)->next_of_server;
    *link = lane->next_of_server;
}

static void server_add(struct lane *lane)
{
    struct lane **link = &lane->server->lanes;

    while (*link)
        link = &(*link)->next_of_server;
    lane->next_of_server = NULL;
    *link = lane;
}

static struct lane *lane_of(struct lanes *lanes, const struct lane_key *key)
{
    struct lane *lane = find_or_add(&lanes->lanes, key->name, offsetof(struct lane, name));

    if (!lane->server) {
        lane->server = find_or_add(&lanes->servers, key->server, offsetof(struct lane_server, url));
        server_add(lane);
    }
    lane->most = key->most;
    if (lane->server->most < key->most)
        lane->server->most = key->most;
    return lane;
}

static void enter_group(struct lane_place *place, struct lane_group *group)
{
    place->group = group;
    place->previous = NULL;
    place->next_of_own = group ? group->places : NULL;
    if (place->next_of_own)
        place->next_of_own->previous = place;
    if (group)
        group->places = place;
}

static void leave_group(struct lanes *lanes, struct lane_place *place)
{
    struct lane_group *group = place->group;

    if (!group)
        return;
    *(place->previous ? &place->previous->next_of_own : &group->places) = place->next_of_own;
    if (place->next_of_own)
        place->next_of_own->previous = place->previous;
    if (!group->places)
        forget(&lanes->groups, &group->item);
}

static void leave_lane(struct lanes *lanes, struct lane *lane)
{
    if (--lane->places > 0)
        return;
    server_remove(lane);
    if (!lane->server->lanes)
        forget(&lanes->servers, &lane->server->item);
    forget(&lanes->lanes, &lane->item);
}

static void stand_in_line(struct lanes *lanes, struct lane_place *place)
{
    place->state = PLACE_IN_LINE;
    line_add(&place->lane->line, place);
    lane_settle(lanes, place->lane);
}

void lanes_join(struct lanes *lanes, struct lane_client *client, struct lane_place *place,
                const struct lane_key *key)
{
    struct lane_group *group = NULL;

    pthread_mutex_lock(&lanes->lock);
    if (key->group)
        group = find_or_add(&lanes->groups, key->group, offsetof(struct lane_group, name));
    place->client = client;
    place->lane = lane_of(lanes, key);
    place->lane->places++;
    enter_group(place, group);
    lanes->waiting++;
    stand_in_line(lanes, place);
    pthread_mutex_unlock(&lanes->lock);
}

/* The first of the line whose group may have another call; those before it step aside. */
static struct lane_place *first_allowed(struct lanes *lanes, struct lane *lane)
{
    struct lane_place *place;

    while ((place = lane->line.first)) {
        line_remove(&lane->line, place);
        if (!place->group || place->group->out < lanes->most_of_group)
            return place;
        place->state = PLACE_ASIDE;
        line_add(&place->group->aside, place);
    }
    return NULL;
}

/* The next that may be called, whoever's it is; it counts as out. Under the lock. */
static struct lane_place *take_any(struct lanes *lanes)
{
    while (lanes->first && lanes->out < lanes->most) {
        struct lane *lane = lanes->first;
        struct lane_place *place = first_allowed(lanes, lane);

        /* Out of the list and, if there is more to do, to its end: another is next. */
        lane->ready = false;
        lanes->first = lane->behind;
        *(lane->behind ? &lane->behind->before : &lanes->last) = NULL;
        if (place) {
            lanes->waiting--;
            server_remove(lane);
            server_add(lane);
            count_out(lanes, place, +1);
            return place;
        }
        lane_settle(lanes, lane);
    }
    return NULL;
}

/* What is another's is kept for it; it is woken for the first. Under the lock. */
static void keep(struct lane_place *place)
{
    struct lane_client *client = place->client;

    if (!client->kept.first)
        client->wake(client->user);
    place->state = PLACE_KEPT;
    line_add(&client->kept, place);
}

struct lane_place *lanes_take(struct lanes *lanes, struct lane_client *client)
{
    pthread_mutex_lock(&lanes->lock);
    struct lane_place *place = client->kept.first;

    if (place)
        line_remove(&client->kept, place);
    while (!place && (place = take_any(lanes)) && place->client != client) {
        keep(place);
        place = NULL;
    }
    if (place)
        place->state = PLACE_OUT;
    pthread_mutex_unlock(&lanes->lock);
    return place;
}

static void come_back(struct lanes *lanes, struct lane_place *place)
{
    struct lane_place *next = place->group ? place->group->aside.first : NULL;

    count_out(lanes, place, -1);
    if (next) {
        line_remove(&place->group->aside, next);
        stand_in_line(lanes, next);
    }
}

void lanes_leave(struct lanes *lanes, struct lane_place *place)
{
    if (place->state == PLACE_NOWHERE)
        return;
    pthread_mutex_lock(&lanes->lock);
    switch (place->state) {
    case PLACE_NOWHERE: break;
    case PLACE_IN_LINE:
    case PLACE_ASIDE:
        line_remove(place->state == PLACE_ASIDE ? &place->group->aside : &place->lane->line, place);
        lanes->waiting--;
        lane_settle(lanes, place->lane);
        break;
    case PLACE_KEPT:
    case PLACE_OUT:
        if (place->state == PLACE_KEPT)
            line_remove(&place->client->kept, place);
        come_back(lanes, place);
        break;
    }
    place->state = PLACE_NOWHERE;
    leave_group(lanes, place);
    leave_lane(lanes, place->lane);
    pthread_mutex_unlock(&lanes->lock);
}

void lanes_hand_over(struct lanes *lanes, struct lane_place *from, struct lane_place *to)
{
    pthread_mutex_lock(&lanes->lock);
    *to = (struct lane_place){ .client = from->client, .lane = from->lane, .state = PLACE_OUT };
    enter_group(to, from->group);
    leave_group(lanes, from);
    from->state = PLACE_NOWHERE;
    pthread_mutex_unlock(&lanes->lock);
}

bool lanes_awaited(struct lanes *lanes, const struct lane_place *place)
{
    pthread_mutex_lock(&lanes->lock);
    const struct lane *lane = place->lane;
    const struct lane_server *server = lane->server;
    bool awaited = lane->line.first || lane->out > lane->most || server->out > server->most ||
                   (lanes->first && lanes->out >= lanes->most);

    for (const struct lane *at = server->lanes; at && server->out == server->most; at = at->next_of_server)
        awaited |= at->line.first != NULL;
    pthread_mutex_unlock(&lanes->lock);
    return awaited;
}

struct lane_place *lanes_of_group(struct lanes *lanes, const char *name)
{
    pthread_mutex_lock(&lanes->lock);
    struct lane_group *group = (struct lane_group *)table_find(&lanes->groups, name);
    struct lane_place *first = group ? group->places : NULL;

    pthread_mutex_unlock(&lanes->lock);
    return first;
}

size_t lanes_out(struct lanes *lanes)
{
    pthread_mutex_lock(&lanes->lock);
    size_t out = lanes->out;

    pthread_mutex_unlock(&lanes->lock);
    return out;
}

size_t lanes_waiting(struct lanes *lanes)
{
    pthread_mutex_lock(&lanes->lock);
    size_t waiting = lanes->waiting;

    pthread_mutex_unlock(&lanes->lock);
    return waiting;
}
