/**
 * The scripts by shell. Each asks `waymark completion words -- WORD...`, whose last word is the one being completed, and
 * falls back to files where waymark answers nothing. What waymark says is taken as words only, never evaluated.
 */
export const SHELLS: Readonly<Record<string, string>> = {
  bash: `# waymark: completion for bash. Put into ~/.bashrc: eval "$(waymark completion bash)"
_waymark_words() {
  local asked=() joined="" at piece word found=0
  # bash splits at : and =, waymark does not
  for ((at = 1; at <= COMP_CWORD; at++)); do
    piece=\${COMP_WORDS[at]}
    if [[ \${#asked[@]} -gt 0 && ( $piece == [:=]* || $joined == yes ) ]]; then
      asked[\${#asked[@]}-1]+=$piece
    else
      asked+=("$piece")
    fi
    [[ $piece == [:=] ]] && joined=yes || joined=""
  done
  word=\${asked[\${#asked[@]}-1]}
  local done=\${word%"\${word##*[:=]}"}
  [[ \${COMP_WORDS[0]##*/} == grade ]] && asked=(grade "\${asked[@]}")
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -n $word ]] && COMPREPLY+=("$(printf '%q' "\${word#"$done"}")") && found=1
  done < <(waymark completion words -- "\${asked[@]}" 2>/dev/null)
  [[ $found == 1 ]] || while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o filenames -o nosort -F _waymark_words waymark grade 2>/dev/null ||
  complete -o filenames -F _waymark_words waymark grade
`,
  zsh: `#compdef waymark grade
# waymark: completion for zsh. Put into ~/.zshrc, after compinit: eval "$(waymark completion zsh)"
_waymark_words() {
  local -a asked found
  asked=("\${(@)words[2,CURRENT]}")
  [[ "\${words[1]:t}" == grade ]] && asked=(grade "\${asked[@]}")
  found=("\${(@f)$(waymark completion words -- "\${asked[@]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then compadd -V waymark -a found; else _files; fi
}
(( $+functions[compdef] )) && compdef _waymark_words waymark grade
`,
  fish: `# waymark: completion for fish. Put into config.fish: waymark completion fish | source
function __waymark_words
    set -l asked (commandline -opc) (commandline -ct)
    if test (basename -- $asked[1]) = grade
        set asked[1] grade
    else
        set -e asked[1]
    end
    set -l found (waymark completion words -- $asked 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c waymark -f -a '(__waymark_words)'
complete -c grade -f -a '(__waymark_words)'
`,
  pwsh: `# waymark: completion for PowerShell. Put into $PROFILE: waymark completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName waymark, grade -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $asked = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
  if ($asked[0] -like '*grade*') { $asked[0] = 'grade' } else { $asked = @($asked | Select-Object -Skip 1) }
  if ($wordToComplete -eq '') { $asked += '""' }
  waymark completion words '--' @asked 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
};
