import { Command } from 'clipanion';
import { fromOption, parseChoice, readTimeRange, textOption, toOption, type CliContext } from '../../../cli/index.js';
import type { ShownUsage } from '../../../gateway/index.js';
import { configFlag, csvFlag, debugFlag, jsonFlag } from '../flags.js';

/** `private-gateway usage`. */
export class UsageCommand extends Command<CliContext> {
  static override paths = [['usage']];
  static override usage = Command.Usage({
    description: 'Shows usage by key, model or day.',
    details: 'Days are in UTC. A range that begins or ends within a day includes the whole day.',
    examples: [
      ['By key', '$0 usage'],
      ['One key, day by day', '$0 usage --by day --key vk_abc --from 7d'],
    ],
  });

  config = configFlag();
  by = textOption('--by', { value: 'key|model|day', description: 'what a line is of' }, 'key');
  key = textOption('--key', { value: 'ID', description: 'only of this key', default: 'all' });
  model = textOption('--model', { value: 'ID', description: 'only of this model', default: 'all' });
  from = fromOption();
  to = toOption();
  json = jsonFlag('the usage');
  csv = csvFlag('the usage');
  debug = debugFlag();

  async execute(): Promise<number> {
    const by = parseChoice('--by', this.by, ['key', 'model', 'day'] as const);
    const params = {
      by,
      ...readTimeRange(this),
      ...(this.key !== undefined && { key_id: this.key }),
      ...(this.model !== undefined && { model: this.model }),
    };
    const [{ operate }, { renderUsage }, { usageTable }] = await Promise.all([
      import('../operate.js'),
      import('../render-records.js'),
      import('../../../gateway/index.js'),
    ]);
    const { config, json, csv } = this;
    const { header, line } = usageTable(by);
    const raw = ({ usage }: Usage): string => header + usage.map(line).join('');
    await operate<Usage>(
      { config, json, ...(csv && { raw }) },
      this.context.terminal,
      { operation: 'usage', params },
      (result) => renderUsage(result, by),
    );
    return 0;
  }
}

interface Usage {
  readonly usage: readonly ShownUsage[];
}
