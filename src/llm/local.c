#include "llm/local.h"

#include "base/str.h"
#include "llm/provider.h"
#include "net/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLLAMA_PORT 11434
#define LISTED_MOST 32 /* in council.local_ports */

/* "127.0.0.1:7117", "[::1]:7117", "localhost:7117" */
static int own_port(const struct settings *settings)
{
    const char *colon = strrchr(settings->server_listen, ':');

    return colon ? atoi(colon + 1) : 0;
}

bool local_is_open(const struct settings *settings)
{
    char url[320];

    snprintf(url, sizeof(url), "http://%s", settings->server_listen);
    return !settings->server_require_auth && net_url_is_here(url, NULL);
}

/* The next number of a list; false: there are no more, or it is none. */
static bool next_port(const char **text, int *port)
{
    char number[8];
    int64_t value;
    size_t len;

    *text += strspn(*text, " ");
    len = strcspn(*text, ", ");
    if (len == 0 || len >= sizeof(number))
        return false;
    snprintf(number, sizeof(number), "%.*s", (int)len, *text);
    if (!str_to_int(number, &value) || value < 1 || value > 65535)
        return false;
    *port = (int)value;
    *text += len;
    *text += strspn(*text, " ");
    *text += **text == ',';
    return true;
}

bool local_ports_valid(const char *text)
{
    int port, count = 0;

    if (!*text || strcmp(text, LOCAL_OFF) == 0)
        return true;
    while (*text)
        if (!next_port(&text, &port) || ++count > LISTED_MOST)
            return false;
    return true;
}

static size_t add_port(int ports[static LOCAL_PORTS], size_t count, int port, int own)
{
    for (size_t i = 0; i < count; i++)
        if (ports[i] == port)
            return count;
    if (count == LOCAL_PORTS || port == own || port == 0)
        return count;
    ports[count] = port;
    return count + 1;
}

size_t local_ports(const struct settings *settings, int ports[static LOCAL_PORTS])
{
    const char *list = settings->council_local_ports;
    int own = own_port(settings), port;
    size_t count = add_port(ports, 0, OLLAMA_PORT, own);

    if (net_url_is_here(settings->council_ollama, &port))
        count = add_port(ports, count, port, own);
    while (next_port(&list, &port))
        count = add_port(ports, count, port, own);
    for (size_t i = 0; i < models()->count; i++)
        if (net_url_is_here(models()->list[i].base_url, &port))
            count = add_port(ports, count, port, own);
    return count;
}

const char *local_ports_text(struct arena *arena, const struct settings *settings)
{
    int ports[LOCAL_PORTS];
    size_t count = local_ports(settings, ports);
    const char *text = "";

    for (size_t i = 0; i < count; i++)
        text = arena_format(arena, "%s%s%d", text, i ? ", " : "", ports[i]);
    return text;
}

enum local_port local_judge(const struct settings *settings, const char *url)
{
    int ports[LOCAL_PORTS], port = 0;

    if (!net_url_is_here(url, &port))
        return LOCAL_NOT_HERE;
    if (port == own_port(settings))
        return LOCAL_OWN;
    size_t count = local_ports(settings, ports);

    for (size_t i = 0; i < count; i++)
        if (ports[i] == port)
            return LOCAL_USUAL;
    return LOCAL_UNUSUAL;
}

const struct local_place *local_places(struct arena *arena, const struct settings *settings, size_t *count)
{
    struct local_place *places = arena_array(arena, struct local_place, LOCAL_PORTS + 1);
    const char *list = settings->council_local_ports;
    int seen[LOCAL_PORTS], port;
    size_t seen_count = 0;

    *count = 0;
    if (strcmp(settings->council_ollama, LOCAL_OFF) != 0)
        places[(*count)++] = (struct local_place){ .url = settings->council_ollama, .ollama = true };
    if (net_url_is_here(settings->council_ollama, &port))
        seen_count = add_port(seen, 0, port, own_port(settings));
    while (local_is_open(settings) && next_port(&list, &port)) {
        size_t more = add_port(seen, seen_count, port, own_port(settings));

        if (more > seen_count)
            places[(*count)++] =
                (struct local_place){ .url = arena_format(arena, "http://127.0.0.1:%d", port) };
        seen_count = more;
    }
    return places;
}

const char *local_url(struct arena *arena, enum llm_provider provider, int port)
{
    return arena_format(arena, "http://127.0.0.1:%d%s", port, provider == LLM_OPENAI ? "/v1" : "");
}

const char *local_word(struct arena *arena, const struct llm_model *model)
{
    const char *provider = model_provider_name(model->provider);
    int port;

    /* The Ollama that the settings name is called as the one on its own port is. */
    if (!net_url_is_here(model->base_url, &port) ||
        (model->provider == LLM_OLLAMA && model_same_url(model->base_url, settings()->council_ollama)) ||
        model_same_url(model->base_url, provider_of(model->provider)->url))
        return arena_format(arena, "%s:%s", provider, model->model);
    return arena_format(arena, "%s@%d:%s", provider, port, model->model);
}
