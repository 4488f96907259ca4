// Whole numbers of JSON that JavaScript cannot hold: ids of 64 bits are ordinary, and beyond 2^53 a number of JavaScript is only near
// them. Nobody may approve, or send back, another number than the one that was asked about. So such a number is kept as it is written,
// as what JSON.rawJSON makes of it: JSON.stringify writes that digit for digit. It is a leaf, though it is an object: whatever walks
// through values asks isExact or isMap, and it must not go through structuredClone or postMessage, which refuse it; text may.
// Numbers with a point or an exponent are doubles to the server, too, and need nothing; but one that is too large for a double would
// be sent as null, so it is kept for the server to refuse.
import { t } from '../text/en.ts';

type Revive = (key: string, value: unknown, context: { source?: string }) => unknown;

// Since Chrome 114, Firefox 135 and Safari 18.4, all of it at once; TypeScript does not know it yet.
const json = JSON as unknown as { parse(text: string, revive: Revive): unknown; rawJSON?: (text: string) => object; isRawJSON?: (value: unknown) => boolean };

const suspect = /(?:^|[\s:[,])-?\d(?:\d{15}|[\d.]*e\+?\d{3})/i; // nearly no reply has one, and is read as quickly as ever
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.e+-]*/gi;

const isLost = (written: string) => Math.abs(Number(written)) > (/[.e]/i.test(written) ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER);

/** JSON.parse, but no digit is lost. A browser that cannot keep such a number has it as a text, with words that say so. */
export function parse(text: string): unknown {
    const { rawJSON } = json;
    if (!suspect.test(text)) return JSON.parse(text);
    if (!rawJSON) return JSON.parse(text.replace(tokens, (found) => (isLost(found) ? JSON.stringify(`${found} (${t.failed.digits})`) : found)));
    return json.parse(text, (_, value, { source = '' }) => (typeof value === 'number' && isLost(source) ? rawJSON(source) : value));
}

/** Whether this browser would send something else than the number that was meant: then nothing is sent. */
export const isSpoilt = (body: string): boolean => !json.rawJSON && body.includes(`(${t.failed.digits})`);

/** A number that is kept as it is written. */
export const isExact = (value: unknown): boolean => json.isRawJSON?.(value) === true;

/** Whether a value has members with names. */
export const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value);
