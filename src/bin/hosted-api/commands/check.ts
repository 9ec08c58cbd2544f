import { Command } from 'clipanion';
import { type CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api check`: whether a file can be used, and what it would serve. */
export class CheckCommand extends Command<CliContext> {
  static override paths = [['check']];
  static override usage = Command.Usage({
    description: 'Checks a hosted.yaml and prints the providers and models that it would serve.',
    details:
      'The output gives each mistake with its line, its column and the nearest name that exists; the exit status is 3 then. Nothing is ' +
      'contacted, and no secret is printed.',
    examples: [['Before a change takes effect', '$0 check --config hosted.yaml']],
  });

  config = configFlag();
  json = jsonFlag('mistakes, warnings and served models');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { check } = await import('../check.js');
    return check(this.config, this.json, this.context.terminal);
  }
}
