/*
 * The scripts know nothing of witan: each hands the words so far to the program, which says what may follow
 * (complete.h). So a shell completes what this program understands, values and ids included. bash puts a word
 * into the line as it is, so it is quoted there: names come from others, and "$(...)" may be one. A comma
 * needs no quotes.
 */
#include "base/buf.h"
#include "cli/cli.h"

#include <string.h>

static const char bash[] =
    "_witan() {\n"
    "    local line\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        printf -v line %q \"${line%%$'\\t'*}\"\n"
    "        COMPREPLY+=(\"${line//\\\\,/,}\")\n"
    "    done < <(\"${1:-witan}\" __complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "    if [[ ${#COMPREPLY[@]} = 1 && ${COMPREPLY[0]} = *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
    "}\n"
    "complete -o default -F _witan witan\n";

static const char zsh[] =
    "#compdef witan\n"
    "_witan() {\n"
    "    local -a found open\n"
    "    local line value\n"
    "    for line in \"${(@f)$($words[1] __complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        [[ -n $line ]] || continue\n"
    "        value=${${line%%$'\\t'*}//:/\\\\:}\n"
    "        if [[ $value = *= ]]; then open+=(\"$value:${line#*$'\\t'}\"); else found+=(\"$value:${line#*$'\\t'}\"); fi\n"
    "    done\n"
    "    (( ${#open} )) && _describe witan open -S ''\n"
    "    (( ${#found} )) && _describe witan found\n"
    "    (( ${#open} + ${#found} )) || _files\n"
    "}\n"
    "if [[ $funcstack[1] = _witan ]]; then _witan \"$@\"; else compdef _witan witan; fi\n";

static const char fish[] =
    "function __witan_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] __complete $words[2..-1] 2>/dev/null\n"
    "end\n"
    "complete -c witan -f -n 'count (__witan_complete) >/dev/null' -a '(__witan_complete)'\n";

void cli_completion(const char *shell, struct buf *into)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
        if (strcmp(shell, scripts[i].shell) == 0)
            buf_text(into, scripts[i].script);
}
