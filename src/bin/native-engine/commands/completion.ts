import { Command } from 'clipanion';
import { argument, parseChoice, print, shells, type CliContext } from '../../../cli/index.js';
import { debugFlag } from '../options/engine-flags.js';

/** `native-engine completion <shell>`: prints a script that completes commands, options and names of models. */
export class CompletionCommand extends Command<CliContext> {
  static override paths = [['completion']];
  static override usage = Command.Usage({
    description: 'Prints a script for bash, zsh or fish that completes commands, options and models.',
    examples: Object.entries(shells).map(([name, { install }]): [string, string] => [`In ${name}`, install('$0')]),
  });

  shell = argument('bash|zsh|fish', { description: 'the shell that the script is for' });
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal, binary, describeCommands } = this.context;
    const names = ['bash', 'zsh', 'fish'] as const;
    const { render } = shells[parseChoice('the shell', this.shell, names)];
    const script = render({ binary, commands: await describeCommands(), listModels: `${binary} list --quiet` });
    await print(terminal.stdout, script, terminal.closed);
    return 0;
  }
}
