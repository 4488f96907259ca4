// A service of restate's own SDK that asks and waits: `asker/ask` makes an awakeable, has it resolved through
// restate's HTTP door, as a person's answer would come, and returns what it was resolved with. The caller's request
// is held meanwhile, so ask, wait, answer and the waiter's reply are one request of the load generator.
//
//   node service.mjs PORT INGRESS ADMIN       registers itself, then prints "ready"
import http from 'node:http';

// The SDK uses it; Node has it from version 22 on.
Promise.withResolvers ??= function () {
    let resolve, reject;
    const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
    return { promise, resolve, reject };
};
const { serve, service } = await import('@restatedev/restate-sdk');

const [port, ingress, admin] = process.argv.slice(2).map(Number);
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function post(to, path, body) {
    return new Promise((done, failed) => {
        const text = JSON.stringify(body);
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
        const request = http.request({ host: '127.0.0.1', port: to, path, method: 'POST', headers, agent });
        request.on('error', failed);
        request.on('response', (reply) => {
            reply.resume();
            reply.on('end', () =>
                reply.statusCode < 300 ? done() : failed(new Error(`${path}: status ${reply.statusCode}`)),
            );
        });
        request.end(text);
    });
}

function stop(error) {
    console.error(String(error));
    process.exit(1);
}

const asker = service({
    name: 'asker',
    handlers: {
        ask: async (ctx, { question }) => {
            const { id, promise } = ctx.awakeable();
            post(ingress, `/restate/awakeables/${id}/resolve`, `Yes: ${question}`).catch(stop);
            return { answer: await promise };
        },
    },
});

await serve({ services: [asker], port });
await post(admin, '/deployments', { uri: `http://127.0.0.1:${port}` }).catch(stop);
console.log('ready');
