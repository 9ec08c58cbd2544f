import { Command } from 'clipanion';
import { argument, type CliContext } from '../../../../cli/index.js';
import { graceFlag, parseGrace } from '../../../rotation-grace.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `private-gateway keys rotate`. */
export class RotateKeyCommand extends Command<CliContext> {
  static override paths = [['keys', 'rotate']];
  static override usage = Command.Usage({
    description: 'Gives a key another secret, and prints it this once.',
    details:
      'The old secret works for the time of --grace; then its running requests end. --grace 0s ends every older secret ' +
      'of the key at once, those in the grace of an earlier rotation too.',
    examples: [
      ['With a quarter of an hour to change over', '$0 keys rotate vk_abc --grace 15m'],
      ['After a secret has leaked', '$0 keys rotate vk_abc --grace 0s'],
    ],
  });

  keyId = argument('KEY', { description: 'the id of the key, or its name where no other key has it' });
  config = configFlag();
  grace = graceFlag();
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const params = { id: this.keyId, grace_ms: await parseGrace(this.grace) };
    const [{ operate }, { renderSecret }] = await Promise.all([
      import('../../operate.js'),
      import('../../render-keys.js'),
    ]);
    await operate(this, this.context.terminal, { operation: 'keys.rotate', params }, renderSecret);
    return 0;
  }
}
