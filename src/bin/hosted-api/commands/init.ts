import { Command } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../flags.js';

/** `hosted-api init`. */
export class InitCommand extends Command<CliContext> {
  static override paths = [['init']];
  static override usage = Command.Usage({
    description: 'Writes a hosted.yaml and a secret beside it, and prints the next steps.',
    details:
      'The secret signs keys of accounts and seals credentials of gateways: keep a copy of it. A hosted.yaml that is there is ' +
      'not touched, nor is a secret.',
    examples: [['In this folder', '$0 init --config hosted.yaml']],
  });

  config = configFlag();
  json = jsonFlag('what was written');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { init } = await import('../init.js');
    await init(this.config, this.json, this.context.terminal);
    return 0;
  }
}
