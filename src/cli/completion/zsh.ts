import type { CompletedOption, ShellScript } from './shell-script.js';

/** zsh 5: options with their descriptions. */
export const zsh: ShellScript = {
  install: (binary) => `source <(${binary} completion zsh)`,
  render({ binary, commands, listModels }) {
    const id = `_${binary.replaceAll(/\W/g, '_')}`;
    const named = commands.map(({ name, description }) => `    '${name.split(' ', 1)[0]}:${description}'`);
    const cases = commands.map(({ name, options, takesModels, words }) => {
      const specs = options.flatMap((option) =>
        option.names.map((flag) => `      '${flag}[${option.description}]${actionOf(option)}'`),
      );
      const rest = takesModels
        ? ["      '*:model:->models'"]
        : words.length > 0
          ? [`      '1:word:(${words.join(' ')})'`]
          : ["      '*:file:_files'"];
      return `  ${name.split(' ', 1)[0]})\n    _arguments -s \\\n${[...specs, ...rest].join(' \\\n')}\n    ;;`;
    });
    return `#compdef ${binary}
# Completion of ${binary} for zsh. Put this line into ~/.zshrc, after compinit:  source <(${binary} completion zsh)
${id}() {
  local state
  local -a commands models
  commands=(
${[...new Set(named)].join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
  if [[ $state == models ]]; then
    models=(\${(f)"$(${listModels} 2>/dev/null)"})
    _alternative 'models:model:compadd -a models' 'files:file:_files'
  fi
}
compdef ${id} ${binary}
`;
  },
};

function actionOf({ value }: CompletedOption): string {
  if (value === undefined) return '';
  if (value === 'path') return ':path:_files';
  return value === 'text' ? ':value: ' : `:value:(${value.words.join(' ')})`;
}
