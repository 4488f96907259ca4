// Nearly every text: nothing in it that would have to be marked. Which of them have something is decided by core/visible.ts, which is
// loaded for those that may.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]/;
// Letters of Latin and of a script that has some that look alike, in one word.
const mixed = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff][\d_\u0300-\u036f]*[\u0250-\u02af\u0370-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u1f00-\u1fff\u2160-\u2188\u2de0-\u2dff\ua640-\ua69f\uab70-\uabbf\uff21-\uff5a]|[\u0250-\u02af\u0370-\u058f\u13a0-\u13ff\u1c80-\u1c8f\u1f00-\u1fff\u2160-\u2188\u2de0-\u2dff\ua640-\ua69f\uab70-\uabbf\uff21-\uff5a][\d_\u0300-\u036f]*[A-Za-z\u00c0-\u024f\u1e00-\u1eff]/;
const stacked = /[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{7}/;
const far = / {41}|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]{9}|\n[ \t\r]*\n[ \t\r]*\n[ \t\r]*\n[ \t\r]*\n/;
const farExact = / {9}| $|\t|\n[ \t]*\n[ \t]*\n[ \t]*\n[ \t]*\n/m;
const ascii = /^[\t\n -~]*$/;

/** False: something in it may have to be marked. `exact` as in core/visible.ts. */
export function calm(text: string, exact = false): boolean {
    if (exact) return ascii.test(text) && !farExact.test(text);
    if (ascii.test(text)) return !far.test(text);
    return !hidden.test(text) && !mixed.test(text) && !stacked.test(text) && !far.test(text);
}
