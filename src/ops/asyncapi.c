/*
 * The table of events as AsyncAPI 3.0: what the streams send, and what a WebSocket takes.
 */
#include "ops/asyncapi.h"

#include "ops/schema.h"

#include <string.h>

static void write_ref(struct json_out *out, const char *key, const char *to, const char *name)
{
    BUF_AUTO ref = { 0 };

    buf_init(&ref, 0);
    buf_format(&ref, "%s%s", to, name);
    json_map(out, key);
    json_text(out, "$ref", ref.bytes);
    json_map_end(out);
}

/* The members that every event has, or every word, and then its own. */
static void write_payload(struct json_out *out, const struct event_spec *spec)
{
    struct field all[LIMIT_PARAMS + 4] = { 0 };
    size_t count = 0;

    for (const struct field *field = event_fields; field->type; field++)
        if (!spec->word || strcmp(field->name, "workspaceId") != 0)
            all[count++] = *field;
    for (const struct field *field = spec->fields; field->type; field++)
        all[count++] = *field;
    json_map(out, "payload");
    json_text(out, "type", "object");
    schema_write_members(out, all, SCHEMA_REPLY);
    json_map_end(out);
}

static void write_message(struct json_out *out, enum event_type type)
{
    const struct event_spec *spec = event_type_spec(type);

    json_map(out, event_type_word(type));
    json_text(out, "name", event_type_word(type));
    json_text(out, "title", event_type_word(type));
    json_text(out, "summary", spec->help);
    write_payload(out, spec);
    json_map_end(out);
}

/* What a client of the WebSocket may send, and the answer to a ping. */
static const struct {
    const char *name, *message;
} of_clients[] = {
    { "ping", "{\"name\":\"ping\",\"summary\":\"Asks for a pong.\",\"payload\":{\"type\":\"object\","
              "\"required\":[\"type\"],\"properties\":{\"type\":{\"const\":\"ping\"}}}}" },
    { "pong", "{\"name\":\"pong\",\"summary\":\"Answers a ping.\",\"payload\":{\"type\":\"object\","
              "\"required\":[\"type\"],\"properties\":{\"type\":{\"const\":\"pong\"}}}}" },
    { "subscribe",
      "{\"name\":\"subscribe\",\"summary\":\"Changes what is heard, and from where.\",\"payload\":{"
      "\"type\":\"object\",\"required\":[\"type\"],\"properties\":{\"type\":{\"const\":\"subscribe\"},"
      "\"projectId\":{\"type\":\"string\"},\"jobId\":{\"type\":\"string\"},"
      "\"discussionId\":{\"type\":\"string\"},\"after\":{\"type\":\"integer\"},"
      "\"types\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}}" },
};
#define OF_CLIENTS (sizeof(of_clients) / sizeof(*of_clients))

static const struct {
    const char *key, *address, *help, *extra;
} channels[] = {
    { "events", "/api/events", "Everything, as server-sent events; id: is the number in the log.", NULL },
    { "jobStream", "/api/jobs/{id}/stream", "What happens in one job, as server-sent events.",
      "{\"id\":{\"description\":\"The job.\"}}" },
    { "discussionStream", "/api/discussions/{id}/stream",
      "What happens in one discussion, as server-sent events.",
      "{\"id\":{\"description\":\"The discussion, or a project that has one.\"}}" },
    { "websocket", "/ws", "Everything, one text message each, with the number in the log as seq.", NULL },
};

static bool is_websocket(size_t channel)
{
    return channels[channel].address[1] == 'w';
}

static void write_channel(struct json_out *out, size_t channel)
{
    json_map(out, channels[channel].key);
    json_text(out, "address", channels[channel].address);
    json_text(out, "description", channels[channel].help);
    if (channels[channel].extra)
        json_raw(out, "parameters", channels[channel].extra);
    json_map(out, "messages");
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++)
        write_ref(out, event_type_word(type), "#/components/messages/", event_type_word(type));
    for (size_t i = 0; is_websocket(channel) && i < OF_CLIENTS; i++)
        write_ref(out, of_clients[i].name, "#/components/messages/", of_clients[i].name);
    json_map_end(out);
    json_map_end(out);
}

static void write_sending(struct json_out *out, size_t channel)
{
    BUF_AUTO name = { 0 };

    buf_init(&name, 0);
    buf_format(&name, "%sSend", channels[channel].key);
    json_map(out, name.bytes);
    json_text(out, "action", "send");
    json_text(out, "summary", channels[channel].help);
    write_ref(out, "channel", "#/channels/", channels[channel].key);
    if (is_websocket(channel)) {
        json_list(out, "messages");
        for (enum event_type type = 1; type < EVENT_TYPE_END; type++)
            write_ref(out, NULL, "#/channels/websocket/messages/", event_type_word(type));
        write_ref(out, NULL, "#/channels/websocket/messages/", "pong");
        json_list_end(out);
    }
    json_map_end(out);
}

static const char receiving[] = "{\"action\":\"receive\",\"summary\":\"What a client may send.\","
                                "\"channel\":{\"$ref\":\"#/channels/websocket\"},\"messages\":["
                                "{\"$ref\":\"#/channels/websocket/messages/ping\"},"
                                "{\"$ref\":\"#/channels/websocket/messages/subscribe\"}]}";

static void write_components(struct json_out *out)
{
    json_map(out, "components");
    json_map(out, "messages");
    for (enum event_type type = 1; type < EVENT_TYPE_END; type++)
        write_message(out, type);
    for (size_t i = 0; i < OF_CLIENTS; i++)
        json_raw(out, of_clients[i].name, of_clients[i].message);
    json_map_end(out);
    json_map_end(out);
}

void asyncapi_write(const char *version, struct buf *into)
{
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    json_text(&out, "asyncapi", "3.0.0");
    json_map(&out, "info");
    json_text(&out, "title", "witan");
    json_text(&out, "version", version);
    json_text(&out, "description", "What happens where agents confer with each other and with people.");
    json_raw(&out, "license", "{\"name\":\"MIT\"}");
    json_map_end(&out);
    json_text(&out, "defaultContentType", "application/json");
    json_map(&out, "channels");
    for (size_t i = 0; i < sizeof(channels) / sizeof(*channels); i++)
        write_channel(&out, i);
    json_map_end(&out);
    json_map(&out, "operations");
    for (size_t i = 0; i < sizeof(channels) / sizeof(*channels); i++)
        write_sending(&out, i);
    json_raw(&out, "websocketReceive", receiving);
    json_map_end(&out);
    write_components(&out);
    json_map_end(&out);
}
