import type { ShellScript } from './shell-script.js';

/** bash 3.2 and later: a function that looks at the words before the present one. */
export const bash: ShellScript = {
  install: (binary) => `source <(${binary} completion bash)`,
  render({ binary, commands, listModels }) {
    const id = `_${binary.replaceAll(/\W/g, '_')}`;
    const cases = commands.map(({ name, options, takesModels, words }) => {
      const flags = options.flatMap(({ names }) => names).join(' ');
      const values = options.flatMap(({ names, value }) => {
        if (value === undefined) return [];
        const reply =
          value === 'path'
            ? 'compgen -f -- "$word"'
            : value === 'text'
              ? 'true'
              : `compgen -W "${value.words.join(' ')}" -- "$word"`;
        return [`        ${names.join('|')}) COMPREPLY=($(${reply})); return ;;`];
      });
      const models = takesModels ? ` $(${listModels} 2>/dev/null)` : '';
      const more = [...words, ...(models === '' ? [] : [models.trim()])].join(' ');
      return [
        `    "${name}")`,
        ...(values.length === 0 ? [] : ['      case "$before" in', ...values, '      esac']),
        `      flags="${flags}"; words="${more}" ;;`,
      ].join('\n');
    });
    const second = commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ', 1)[0] ?? '');
    return `# Completion of ${binary} for bash. Put this line into ~/.bashrc:  source <(${binary} completion bash)
${id}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" flags="" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords(commands)} --help --version" -- "$word"))
    return
  fi
  case " ${[...new Set(second)].join(' ')} " in
    *" $command "*) command="$command \${COMP_WORDS[2]}" ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word")); compopt -o default 2>/dev/null ;;
  esac
}
complete -F ${id} ${binary}
`;
  },
};

function firstWords(commands: readonly { readonly name: string }[]): string {
  return [...new Set(commands.map(({ name }) => name.split(' ', 1)[0]))].join(' ');
}
