import type { ShellScript } from './shell-script.js';

/** fish 3: a line for each option. */
export const fish: ShellScript = {
  install: (binary) => `${binary} completion fish | source`,
  render({ binary, commands, listModels }) {
    const lines = commands.flatMap(({ name, description, options, takesModels, words }) => {
      const [first = name, second] = name.split(' ');
      const isFirst = `-n '__fish_use_subcommand' -a ${first} -d '${description}'`;
      const seen =
        second === undefined
          ? `__fish_seen_subcommand_from ${first}`
          : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
      const flags = options.flatMap(({ names, description: what, value }) =>
        names.map((flag) => {
          const spelt = flag.startsWith('--')
            ? `-l ${flag.slice(2)}`
            : flag.length === 2
              ? `-s ${flag.slice(1)}`
              : `-o ${flag.slice(1)}`;
          const argument =
            value === undefined
              ? ''
              : value === 'path'
                ? ' -r -F'
                : value === 'text'
                  ? ' -x'
                  : ` -x -a '${value.words.join(' ')}'`;
          return `complete -c ${binary} -n '${seen}' ${spelt}${argument} -d '${what}'`;
        }),
      );
      const models = takesModels ? [`complete -c ${binary} -n '${seen}' -a '(${listModels} 2>/dev/null)'`] : [];
      const choices = words.length > 0 ? [`complete -c ${binary} -f -n '${seen}' -a '${words.join(' ')}'`] : [];
      const inner =
        second === undefined
          ? []
          : [`complete -c ${binary} -f -n '__fish_seen_subcommand_from ${first}' -a ${second} -d '${description}'`];
      return [`complete -c ${binary} -f ${isFirst}`, ...inner, ...flags, ...models, ...choices];
    });
    return `# Completion of ${binary} for fish. Put this line into ~/.config/fish/config.fish:  ${binary} completion fish | source\n${lines.join('\n')}\n`;
  },
};
