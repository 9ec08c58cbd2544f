import { Command } from 'clipanion';
import { textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `hosted-api alerts test`. */
export class TestAlertsCommand extends Command<CliContext> {
  static override paths = [['alerts', 'test']];
  static override usage = Command.Usage({
    description: 'Sends a signed test event to the webhooks of a hosted.yaml.',
    details:
      'Each webhook gets it once, whatever events it has chosen. No node needs to run: secrets are read from the files and the ' +
      'environment of this command. Where a webhook did not take the event the exit status is 4.',
    examples: [['All webhooks of the file', '$0 alerts test']],
  });

  config = configFlag();
  webhook = textOption('--webhook', { value: 'ID', description: 'test this one alone', default: 'all of them' });
  json = jsonFlag('what came of it');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { terminal } = this.context;
    const { sendTestAlerts } = await import('../../../send-test-alerts.js');
    const { readAlertSender } = await import('../../read-alert-sender.js');
    const { toServiceOptions } = await import('../../service-options.js');
    const { readSecret } = toServiceOptions(terminal);
    return sendTestAlerts(this, terminal, (path) => readAlertSender(path, readSecret));
  }
}
