import { Command } from 'clipanion';
import { textOption, type CliContext } from '../../../../cli/index.js';
import { configFlag, debugFlag } from '../../flags.js';
import { parseDate } from '../../parse-date.js';

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
  from = textOption('--from', { value: 'DATE', description: 'the first day, in UTC', default: 'the beginning' });
  to = textOption('--to', { value: 'DATE', description: 'the day before which it ends', default: 'now' });
  debug = debugFlag();

  /** The filters as operations take them. Errors: `invalid_option`. */
  protected filters(): object {
    const { actor, action, target, outcome, from, to } = this;
    const given = {
      actor,
      action,
      target,
      outcome,
      from_ms: from === undefined ? undefined : parseDate('--from', from),
      to_ms: to === undefined ? undefined : parseDate('--to', to),
    };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }
}
