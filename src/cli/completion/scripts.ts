export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * Scripts that ask the program itself, so that they never lag behind it. `nearmiss complete` prints one candidate a
 * line; a line with a single `/` asks for paths as well.
 */
export const COMPLETION_SCRIPTS: Record<Shell, string> = {
  bash: `_nearmiss() {
  local IFS=$'\\n' word=\${COMP_WORDS[COMP_CWORD]} line
  COMPREPLY=()
  for line in $(nearmiss complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    if [ "$line" = / ]; then COMPREPLY+=($(compgen -f -- "$word")); compopt -o filenames
    else COMPREPLY+=("$line"); fi
  done
}
complete -F _nearmiss nearmiss
`,
  zsh: `#compdef nearmiss
_nearmiss() {
  local -a found
  found=("\${(@f)$(nearmiss complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${found[(Ie)/]} )); then found=("\${(@)found:#/}"); _files; fi
  compadd -a found
}
compdef _nearmiss nearmiss
`,
  fish: `function __nearmiss
  set -l words (commandline -opc) (commandline -ct)
  for line in (nearmiss complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = /
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c nearmiss -f -a '(__nearmiss)'
`,
};
