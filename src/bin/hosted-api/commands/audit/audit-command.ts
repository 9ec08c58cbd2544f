import { Command } from 'clipanion';
import { fromOption, readTimeRange, textOption, toOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag } from '../../flags.js';

/** What the commands have in common that show entries of the audit log: which ones. */
export abstract class AuditCommand extends Command<CliContext> {
  config = configFlag();
  actor = textOption('--actor', {
    value: 'TEXT',
    description: 'only by those that begin so, such as cli:',
    default: 'all',
  });
  action = textOption('--action', {
    value: 'TEXT',
    description: 'only actions that begin so, such as key.',
    default: 'all',
  });
  target = textOption('--target', {
    value: 'TEXT',
    description: 'only of what begins so, such as account:',
    default: 'all',
  });
  outcome = textOption('--outcome', { value: 'OUTCOME', description: 'ok, refused or failed', default: 'all' });
  from = fromOption();
  to = toOption();
  debug = debugFlag();

  /** The filters as operations take them. Errors: `invalid_option`. */
  protected filters(): object {
    const { actor, action, target, outcome } = this;
    const given = { actor, action, target, outcome, ...readTimeRange(this) };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }
}
