// The colours of code: what is a comment, a text, a number, a word of the language. Loaded when there is code to be shown.
//
// It knows how each language writes such things, not its grammar: that is little, and right for what people look at. Whatever it is
// given, it is read once from left to right, and the tokens together are the text, letter by letter; nothing here can hide any of it.
export type Tint = 'note' | 'text' | 'number' | 'word' | 'name' | 'mark';
export interface Token {
    text: string;
    tint?: Tint;
}

interface Language {
    names: string; // as fences and endings of files say it
    words?: string;
    line?: string[]; // begins a comment up to the end of the line
    block?: [string, string];
    quotes?: string; // end with their line
    long?: string[]; // quotes of several lines
    marks?: RegExp; // sticky: variables, decorators, tags, keys
    anyCase?: boolean;
}

const cWords = 'if else for while do switch case default break continue return goto struct union enum typedef static const void int char short long float double unsigned signed sizeof extern inline volatile bool true false NULL';
const languages: Language[] = [
    { names: 'c h', words: cWords, line: ['//'], block: ['/*', '*/'], quotes: '"\'', marks: /#[ \t]*[a-z]+/y },
    { names: 'cpp cc cxx hpp hh c++ cs csharp java kt kotlin scala swift dart', words: `${cWords} class public private protected virtual override final abstract interface extends implements import package namespace using template typename new delete this super throw throws try catch finally var val let fun func guard in is as null nullptr nil self init string String async await lambda instanceof`, line: ['//'], block: ['/*', '*/'], quotes: '"\'', long: ['"""'], marks: /[@#][a-zA-Z]+/y },
    { names: 'js mjs cjs jsx ts mts tsx javascript typescript svelte vue', words: 'if else for while do switch case default break continue return function class extends new delete typeof instanceof in of let const var this super import export from as async await yield throw try catch finally null undefined true false void interface type enum implements readonly static get set satisfies', line: ['//'], block: ['/*', '*/'], quotes: '"\'', long: ['`'], marks: /@[a-zA-Z]+/y },
    { names: 'rs rust', words: 'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 bool str String', line: ['//'], block: ['/*', '*/'], quotes: '"', marks: /#!?\[[\w:]+|[a-z_]\w*!(?=[([{])|'[a-z_]+\b(?!')/y },
    { names: 'go golang', words: 'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int int64 byte rune error bool any', line: ['//'], block: ['/*', '*/'], quotes: '"\'', long: ['`'] },
    { names: 'py python pyi', words: 'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self', line: ['#'], quotes: '"\'', long: ['"""', "'''"], marks: /@[\w.]+/y },
    { names: 'rb ruby', words: 'alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield', line: ['#'], quotes: '"\'', marks: /[@$]{1,2}\w+|:[a-z_]\w*/y },
    { names: 'php', words: 'abstract and array as break case catch class clone const continue default do echo else elseif extends final finally fn for foreach function global if implements include instanceof interface namespace new null or print private protected public require return static switch throw trait true false try use var while yield', line: ['//', '#'], block: ['/*', '*/'], quotes: '"\'', marks: /\$\w+|<\?php|\?>/y },
    { names: 'sh bash zsh shell console dockerfile docker makefile make mk', words: 'if then else elif fi for in do done while until case esac function return export local set unset source exit trap cd echo sudo rm FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER VOLUME', line: ['#'], long: ['"', "'"], marks: /\$[({]?[\w@#?*!-]+[)}]?|--?[a-zA-Z][\w-]*/y },
    { names: 'sql psql pgsql', words: 'select from where insert into values update set delete create table index view drop alter add column primary key foreign references unique not null default and or in is like between exists join left right inner outer full on as group by order having limit offset union all distinct case when then else end begin commit rollback transaction if cascade truncate grant revoke to with returning true false', line: ['--'], block: ['/*', '*/'], long: ["'", '"'], anyCase: true, marks: /[$:]\w+/y },
    { names: 'json jsonc json5', words: 'true false null', line: ['//'], block: ['/*', '*/'], quotes: '"', marks: /"[^"\\\n]{0,200}"(?=[ \t]{0,20}:)/y },
    { names: 'yaml yml', words: 'true false null yes no on off', line: ['#'], quotes: '"\'', marks: /(?<=^[ \t-]{0,60})[\w./-]{1,100}(?=:(?:\s|$))/my },
    { names: 'toml ini cfg conf env properties service', words: 'true false', line: ['#', ';'], quotes: '"\'', marks: /(?<=^)\[[^\]\n]{1,100}\]+|(?<=^[ \t]{0,20})[\w.-]{1,100}(?=[ \t]{0,20}=)/my },
    { names: 'css scss less', line: [], block: ['/*', '*/'], quotes: '"\'', marks: /[@$]?[a-z-]{1,60}(?=[ \t]{0,4}:)|[.#][a-zA-Z][\w-]*|@[a-z-]+|--[\w-]+/y },
    { names: 'html htm xml svg xhtml', block: ['<!--', '-->'], quotes: '"', marks: /<\/?[a-zA-Z][\w:-]*|\/?>|[a-zA-Z-]{1,60}(?==)/y },
    { names: 'lua', words: 'and break do else elseif end false for function goto if in local nil not or repeat return then true until while', line: ['--'], quotes: '"\'', long: [] },
    { names: 'tf hcl terraform', words: 'resource variable output module provider data locals terraform for in if true false null', line: ['#', '//'], block: ['/*', '*/'], quotes: '"' },
];

const byName = new Map(languages.flatMap((language) => language.names.split(' ').map((name): [string, Language] => [name, language])));
const known = new Map<Language, Set<string>>();

/** What can be known of the language of a text. */
export interface Hints {
    /** What a fence says. */
    lang?: string | undefined;
    /** The name of the argument, or of a file beside it. */
    name?: string | undefined;
    file?: string | undefined;
}

const byArgument: Record<string, string> = { command: 'sh', cmd: 'sh', script: 'sh', shell: 'sh', bash: 'sh', sql: 'sql', query: 'sql', python: 'python', json: 'json', yaml: 'yaml', html: 'html', css: 'css', javascript: 'js', typescript: 'ts', dockerfile: 'docker' };
const byProgram: Array<[RegExp, string]> = [
    [/python/, 'python'],
    [/node|deno|bun/, 'js'],
    [/ruby/, 'ruby'],
    [/php/, 'php'],
    [/lua/, 'lua'],
    [/sh\b/, 'sh'],
];

/** The language by its name, the first line, the name of the file or of the argument; '' for none that is known. */
export function languageOf(text: string, { lang, name, file }: Hints): string {
    const fence = lang?.toLowerCase() ?? '';
    if (byName.has(fence)) return fence;
    const shebang = /^#!\S*[/ ](\S{1,40})/.exec(text)?.[0];
    const program = shebang && byProgram.find(([pattern]) => pattern.test(shebang));
    if (program) return program[1];
    const last = file?.toLowerCase().split(/[/\\]/).at(-1) ?? '';
    const ending = last.includes('.') ? last.slice(last.lastIndexOf('.') + 1) : last;
    if (byName.has(ending)) return ending;
    const argument = byArgument[name?.toLowerCase() ?? ''];
    if (argument && (argument !== 'sql' || /^\s*(select|insert|update|delete|create|alter|drop|with|begin|truncate)\b/i.test(text))) return argument;
    return /^\s*[[{]/.test(text) && isJson(text) ? 'json' : '';
}

function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}

const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0x[0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w{0,4}/y;
const called = /[ \t]{0,8}\(/y;

const at = (pattern: RegExp, text: string, from: number): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
};

/** Where a text in quotes ends: at the same quotes, not escaped; one of a single line ends with it. */
function endOfText(text: string, from: number, quotes: string, long: boolean): number {
    for (let to = from + quotes.length; to < text.length; to++) {
        if (text[to] === '\\') to++;
        else if (text.startsWith(quotes, to)) return to + quotes.length;
        else if (text[to] === '\n' && !long) return to;
    }
    return text.length;
}

const endOr = (found: number, text: string): number => (found < 0 ? text.length : found);

/** A comment or a text that begins here: its end and what it is. */
function quoted(language: Language, text: string, from: number): { to: number; tint: Tint } | undefined {
    const { line = [], block, quotes = '', long = [] } = language;
    if (line.some((begin) => text.startsWith(begin, from)) && (line[0] !== '#' || /^$|[\s;]/.test(text[from - 1] ?? ''))) return { to: endOr(text.indexOf('\n', from), text), tint: 'note' };
    if (block && text.startsWith(block[0], from)) {
        const end = text.indexOf(block[1], from + block[0].length);
        return { to: end < 0 ? text.length : end + block[1].length, tint: 'note' };
    }
    const more = long.find((begin) => text.startsWith(begin, from));
    if (more) return { to: endOfText(text, from, more, true), tint: 'text' };
    if (quotes.includes(text[from]!)) return { to: endOfText(text, from, text[from]!, false), tint: 'text' };
    return undefined;
}

function tintOf(language: Language, found: string, text: string, to: number): Tint | undefined {
    let words = known.get(language);
    if (!words) known.set(language, (words = new Set(language.words?.split(' '))));
    if (words.has(language.anyCase ? found.toLowerCase() : found)) return 'word';
    return at(called, text, to) !== undefined ? 'name' : undefined;
}

/** The tokens of a text. Of a language that is not known there is one. */
export function tokens(text: string, lang: string): Token[] {
    const language = byName.get(lang);
    if (!language) return text ? [{ text }] : [];
    const found: Token[] = [];
    let plain = 0;
    const add = (from: number, to: number, tint: Tint) => {
        if (from > plain) found.push({ text: text.slice(plain, from) });
        found.push({ text: text.slice(from, to), tint });
        plain = to;
    };
    for (let from = 0; from < text.length; ) {
        const mark = language.marks && at(language.marks, text, from);
        if (mark) {
            add(from, from + mark.length, 'mark');
            from += mark.length;
            continue;
        }
        const whole = quoted(language, text, from);
        if (whole) {
            add(from, whole.to, whole.tint);
            from = whole.to;
            continue;
        }
        const name = at(word, text, from);
        const figure = name ? undefined : at(number, text, from);
        const tint = name ? tintOf(language, name, text, from + name.length) : figure ? 'number' : undefined;
        const to = from + (name ?? figure ?? ' ').length;
        if (tint) add(from, to, tint);
        from = to;
    }
    if (plain < text.length) found.push({ text: text.slice(plain) });
    return found;
}
