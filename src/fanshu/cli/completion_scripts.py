"""What shells load to complete `fanshu`, and how bash's line becomes words."""

import shlex
from collections.abc import Mapping

_BASH = r"""# fanshu completion for bash: eval "$(fanshu completion bash)" in ~/.bashrc, or
# fanshu completion bash > ~/.local/share/bash-completion/completions/fanshu
_fanshu() {
    local row
    COMPREPLY=()
    while IFS= read -r row; do
        [[ $row == :files ]] || COMPREPLY+=("${row%%$'\t'*}")
    done < <(fanshu __complete bash "+${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case ${COMPREPLY[0]-} in
        '') ;;
        *:) compopt -o nospace 2>/dev/null ;;
        */) compopt -o filenames -o nospace 2>/dev/null ;;
        *) compopt -o filenames 2>/dev/null ;;
    esac
}
complete -o bashdefault -o default -F _fanshu fanshu
"""

_ZSH = r"""#compdef fanshu
# fanshu completion for zsh: fanshu completion zsh > "${fpath[1]}/_fanshu", or after compinit
# in ~/.zshrc: eval "$(fanshu completion zsh)"
_fanshu() {
    local row value
    local -a rows whole open
    rows=("${(@f)$(fanshu __complete zsh "+${(Q)PREFIX}" "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
    if [[ ${rows[1]} == :files ]]; then
        compset -P '--[^=]#='
        compset -P '*='
        _files
        return
    fi
    for row in $rows; do
        value=${row%%$'\t'*}
        value=${value//:/\\:}
        [[ $row == *$'\t'* ]] && row="$value:${row#*$'\t'}" || row=$value
        if [[ $value == */ || $value == *: ]]; then open+=("$row"); else whole+=("$row"); fi
    done
    (( $#whole )) && _describe -V fanshu whole
    (( $#open )) && _describe -V fanshu open -S ''
    return 0
}
if [[ ${funcstack[1]} == _fanshu ]]; then _fanshu "$@"; else compdef _fanshu fanshu; fi
"""

_FISH = r"""# fanshu completion for fish:
# fanshu completion fish > ~/.config/fish/completions/fanshu.fish
function __fanshu_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l rows (fanshu __complete fish "+$current" $words[2..-1] 2>/dev/null)
    if test "$rows[1]" = :files
        if string match -qr -- '^--[^=]*=' "$current"
            set -l option (string replace -r -- '=.*' '=' "$current")
            printf '%s\n' $option(__fish_complete_path (string replace -- $option '' "$current"))
        else
            __fish_complete_path "$current"
        end
    else
        printf '%s\n' $rows
    end
end
complete -c fanshu -f -a '(__fanshu_complete)'
"""

_POWERSHELL = r"""# fanshu completion for PowerShell; in $PROFILE:
# fanshu completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName fanshu -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { $_.ToString() } })
    fanshu __complete powershell "+$wordToComplete" @words 2>$null | ForEach-Object {
        if ($_ -ne ':files') {
            $value, $about = $_ -split "`t", 2
            if (-not $about) { $about = $value }
            $text = $value
            if ($value -notmatch '^[\w./\\:+=-][\w./\\:+=#-]*$') {
                $inside = [System.Management.Automation.Language.CodeGeneration]
                $text = "'" + $inside::EscapeSingleQuotedStringContent($value) + "'"
            }
            [System.Management.Automation.CompletionResult]::new(
                $text, $value, 'ParameterValue', $about)
        }
    }
}
"""

SCRIPTS: Mapping[str, str] = {
    "bash": _BASH,
    "zsh": _ZSH,
    "fish": _FISH,
    "powershell": _POWERSHELL,
}
_BREAKS = "=:"  # at which the line editor of bash begins another word, beside white space


def bash_words(line: str) -> tuple[list[str], str, int]:
    """The words before the cursor, the one under it, and how much of that bash has already.

    A candidate takes the place of what follows the last `=` or `:` alone, unless it is quoted.
    """
    words = _split(line)
    if not words or (line[-1:].isspace() and not _open(line)):
        words.append("")
    current = words[-1]
    quoted = _open(line)
    cut = 0 if quoted else max(current.rfind(one) for one in _BREAKS) + 1
    return words[1:-1], current, cut


def _open(line: str) -> bool:
    """Whether the line ends inside quotes."""
    try:
        shlex.split(line)
    except ValueError:
        return not line.endswith("\\")
    return False


def _split(line: str) -> list[str]:
    """Words as the shell would see them, the last one as far as it is typed."""
    for closing in ("", "'", '"', "\\"):
        try:
            return shlex.split(line + closing)
        except ValueError:
            continue
    return line.split()
