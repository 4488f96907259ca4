// Rows as CSV (RFC 4180), for spreadsheets. What a spreadsheet would take for a formula is kept a text.
import { parse } from './exact.ts';

export function cell(value: unknown): string {
    const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    const safe = /^[=+\-@\t\r]/.test(text) && typeof value !== 'number' ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of JSON objects as CSV with these columns. */
export function csv(lines: string, columns: string[]): string {
    const rows = lines
        .split('\n')
        .filter(Boolean)
        .map((line) => parse(line) as Record<string, unknown>);
    return [columns, ...rows.map((row) => columns.map((name) => row[name]))].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
