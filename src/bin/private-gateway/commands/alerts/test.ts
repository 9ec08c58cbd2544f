import { Command } from 'clipanion';
import { textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag, jsonFlag } from '../../flags.js';

/** `private-gateway alerts test`. */
export class TestAlertsCommand extends Command<CliContext> {
  static override paths = [['alerts', 'test']];
  static override usage = Command.Usage({
    description: 'Sends a signed test event to the webhooks of a gateway.yaml.',
    details:
      'Each webhook is asked once, whatever events it gets, and the gateway need not run. Secrets are read from the files and ' +
      'the environment of this command. The exit status is 4 where a webhook did not take the event.',
    examples: [['All webhooks of the file', '$0 alerts test']],
  });

  config = configFlag();
  webhook = textOption('--webhook', { value: 'ID', description: 'test this one alone', default: 'all of them' });
  json = jsonFlag('what came of it');
  debug = debugFlag();

  async execute(): Promise<number> {
    const { sendTestAlerts } = await import('../../../send-test-alerts.js');
    const { readAlertSender } = await import('../../read-alert-sender.js');
    return sendTestAlerts(this, this.context.terminal, readAlertSender);
  }
}
