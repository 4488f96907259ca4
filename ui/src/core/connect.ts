// The ways to connect an agent: what to copy for each, and how to find out whether the server's side of it works.

export type Trial = 'api' | 'mcp' | 'models';

export interface Way {
    name: string;
    text: string;
    trial: Trial;
}

const question = { agent: 'Planner', question: 'Deploy now?', type: 'approval', responseType: 'approval' };

/** `token`: this server wants one from agents; `program`: what people type for the command line. */
export function ways(origin: string, token: boolean, program: string, names: { cli: string; model: string }): Way[] {
    const prefix = `${origin === 'http://127.0.0.1:7117' ? '' : `WITAN_URL=${origin} `}${token ? 'WITAN_TOKEN=… ' : ''}`;
    const header = token ? ` -H "Authorization: Bearer $WITAN_TOKEN"` : '';
    const body = JSON.stringify(question);
    return [
        { name: 'curl', trial: 'api', text: `curl -s ${origin}/api/questions${header} -H 'Content-Type: application/json' \\\n  -d '${body}'\ncurl -s${header} '${origin}/api/questions/ID?wait=55'` },
        { name: names.cli, trial: 'api', text: `${prefix}${program} prompt ask "Cache or index first?" --agent Planner --wait\n${prefix}${program} ask --approve "Deploy to production?"` },
        { name: 'MCP', trial: 'mcp', text: `claude mcp add --transport http witan ${origin}/mcp${token ? ' --header "Authorization: Bearer $WITAN_TOKEN"' : ''}\n${program} connect cursor --write      # claude-desktop, vscode, codex, gemini` },
        {
            name: 'Python',
            trial: 'api',
            text: `import json, os, urllib.request as web

def call(path, body=None):
    head = {"Content-Type": "application/json"${token ? ', "Authorization": "Bearer " + os.environ["WITAN_TOKEN"]' : ''}}
    data = json.dumps(body).encode() if body else None
    return json.load(web.urlopen(web.Request("${origin}" + path, data, head)))

asked = call("/api/questions", {"agent": "Planner", "question": "Deploy now?",
                                "type": "blocking", "responseType": "boolean"})
while (it := call(f"/api/questions/{asked['questionId']}?wait=55")["question"])["status"] == "pending":
    pass
print(it["response"])`,
        },
        {
            name: 'TypeScript',
            trial: 'api',
            text: `const head = { 'Content-Type': 'application/json'${token ? ', Authorization: `Bearer ${process.env.WITAN_TOKEN}`' : ''} };
const call = (path: string, body?: unknown) =>
    fetch('${origin}' + path, body ? { method: 'POST', headers: head, body: JSON.stringify(body) } : { headers: head })
        .then((reply) => reply.json());

const { questionId } = await call('/api/questions', {
    agent: 'Planner', question: 'Deploy now?', type: 'blocking', responseType: 'boolean',
});
let it;
do ({ question: it } = await call(\`/api/questions/\${questionId}?wait=55\`));
while (it.status === 'pending');
console.log(it.response);`,
        },
        {
            name: names.model,
            trial: 'models',
            text: `# config.yaml; then start the server again, and: ${program} model test
models:
  local:
    provider: ollama
    model: llama3.2
  fast:
    provider: openai              # or any server that speaks as it does
    base_url: http://127.0.0.1:8000/v1
    model: qwen2.5-7b-instruct
  claude:
    provider: anthropic           # its key: ANTHROPIC_API_KEY
    model: claude-sonnet-4-5`,
        },
    ];
}

/** What to send to the MCP door to hear who is there. */
export const mcpHello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'witan-welcome', version: '1' } },
};

/** The reply to that, whether it came as JSON or as one event of a stream; undefined: it is none. */
export function mcpName(text: string): string | undefined {
    const json = text.trimStart().startsWith('{') ? text : text.split('\n').find((line) => line.startsWith('data:'))?.slice(5);
    try {
        const { result } = JSON.parse(json ?? '') as { result?: { serverInfo?: { name?: string; version?: string }; protocolVersion?: string } };
        return result?.serverInfo?.name ? `${result.serverInfo.name} ${result.serverInfo.version ?? ''} (${result.protocolVersion ?? ''})` : undefined;
    } catch {
        return undefined;
    }
}
