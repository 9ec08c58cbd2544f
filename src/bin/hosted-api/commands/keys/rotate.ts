import { Command } from 'clipanion';
import { argument, parseDuration, textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** The longest grace of a rotation: 30 days. */
const MAX_GRACE_MS = 30 * 86_400_000;

/** `hosted-api keys rotate`. */
export class RotateKeyCommand extends Command<CliContext> {
  static override paths = [['keys', 'rotate']];
  static override usage = Command.Usage({
    description: 'Gives a key another secret, and prints it this once.',
    details:
      'The secret before is taken for as long as --grace says; what it has under way then ends. --grace 0s ends every older ' +
      'secret of the key at once, those in the grace of an earlier rotation too.',
    examples: [
      ['With a quarter of an hour to change over', '$0 keys rotate hk_abc --config hosted.yaml --grace 15m'],
      ['After a secret was seen by others', '$0 keys rotate hk_abc --config hosted.yaml --grace 0s'],
    ],
  });

  keyId = argument('KEY', { description: 'the id of the key, from keys list' });
  config = configFlag();
  grace = textOption('--grace', { value: 'TIME', description: 'how long the old secret is still taken' }, '15m');
  json = jsonFlag('the key');
  debug = debugFlag();

  async execute(): Promise<number> {
    const graceMs = parseDuration('--grace', this.grace, { minMs: 0, maxMs: MAX_GRACE_MS });
    const [{ operate }, { renderRotated }] = await Promise.all([
      import('../../operate.js'),
      import('../../render/render-keys.js'),
    ]);
    const params = { id: this.keyId, grace_ms: graceMs };
    await operate(this, this.context.terminal, { operation: 'keys.rotate', params }, renderRotated);
    return 0;
  }
}
