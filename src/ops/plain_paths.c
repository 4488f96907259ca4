/*
 * Paths that are no operations, listed for the descriptions alone; edge/pages.c and the streams serve them.
 */
#include "ops/plain_path.h"

#define STREAM_TAG "Streams"
#define HEALTH_TAG "Health"

#define AFTER \
    { \
        "after", T_INT, OPTIONAL, "Go on after this number; Last-Event-ID says the same.", .min = 0, \
                                                                                           .max = INT64_MAX \
    }
#define TYPES \
    { \
        "types", T_TEXT, OPTIONAL, "Only these types of events, separated by commas." \
    }
#define TICKET \
    { \
        "ticket", T_TEXT, OPTIONAL, "From POST /api/tickets, where no header can be sent." \
    }
#define FILTERS \
    { "projectId", T_ID, OPTIONAL, "Only what is about this project." }, \
        { "jobId", T_ID, OPTIONAL, "Only what is about this job." }, \
    { \
        "discussionId", T_ID, OPTIONAL, "Only what is about this discussion." \
    }

static const struct plain_path paths[] = {
    { "/api/events", "events", STREAM_TAG, "Hear of everything that happens, as server-sent events.",
      .reply_type = "text/event-stream",
      .reply_help = "Events without end; docs/events.md and /api/asyncapi.json say which.",
      .params = { FILTERS, TYPES, AFTER, TICKET } },
    { "/api/jobs/{id}/stream", "job_stream", STREAM_TAG,
      "Hear of everything that happens in one job, as server-sent events.", .reply_type = "text/event-stream",
      .reply_help = "Events without end.",
      .params = { { "id", T_UUID, REQUIRED, "The job." }, TYPES, AFTER, TICKET } },
    { "/api/discussions/{id}/stream", "discussion_stream", STREAM_TAG,
      "Hear of everything that happens in one discussion, with the text of turns as it is spoken (turn.delta), as server-sent events. "
      "It begins with the text so far of turns that are being spoken.",
      .reply_type = "text/event-stream", .reply_help = "Events without end.",
      .params = { { "id", T_UUID, REQUIRED, "The discussion, or a project that has one." },
                  TYPES,
                  AFTER,
                  TICKET } },
    { "/ws", "websocket", STREAM_TAG,
      "The same events over a WebSocket, each with its number as seq. The client may send "
      "{\"type\":\"ping\"} and {\"type\":\"subscribe\", ...} with other filters.",
      .reply_type = NULL, .reply_help = "The connection becomes a WebSocket.", .status = 101,
      .params = { FILTERS, TYPES, AFTER, TICKET } },
    { "/healthz", "health", HEALTH_TAG, "Whether the program runs.", .open = true,
      .reply_type = "application/json", .reply_help = "It does." },
    { "/readyz", "ready", HEALTH_TAG, "Whether it can serve: 503 while the store cannot be used.",
      .open = true, .reply_type = "application/json", .reply_help = "It can, with the checks one by one." },
    { "/metrics", "metrics", HEALTH_TAG, "Figures for Prometheus.", .open = true, .reply_type = "text/plain",
      .reply_help = "In Prometheus' text format." },
    { 0 },
};

const struct plain_path *plain_path_all(void)
{
    return paths;
}
