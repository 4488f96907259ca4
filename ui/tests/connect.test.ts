import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mcpName, ways } from '../src/core/connect.ts';

const names = { cli: 'Command line', model: 'A model' };

test('every way names this server, and a token where one is wanted', () => {
    for (const way of ways('https://witan.example', true, 'witan', names)) {
        if (way.trial === 'models') continue;
        assert.match(way.text, /https:\/\/witan\.example/, way.name);
        assert.match(way.text, /WITAN_TOKEN/, way.name);
    }
    for (const way of ways('http://127.0.0.1:7117', false, 'witan', names)) assert.doesNotMatch(way.text, /TOKEN|WITAN_URL/, way.name);
});

test('commands stand there as people type them', () => {
    for (const way of ways('http://127.0.0.1:7117', false, 'build/witan', names)) assert.doesNotMatch(way.text, /(^|\s)witan (?!http)/m, way.name);
});

test('the MCP door is known by its name, in JSON and in a stream', () => {
    const said = JSON.stringify({ result: { serverInfo: { name: 'witan', version: '1' }, protocolVersion: '2025-06-18' } });
    assert.equal(mcpName(said), 'witan 1 (2025-06-18)');
    assert.equal(mcpName(`event: message\ndata: ${said}\n\n`), 'witan 1 (2025-06-18)');
    assert.equal(mcpName('<html>'), undefined);
    assert.equal(mcpName('{"error":{}}'), undefined);
});
