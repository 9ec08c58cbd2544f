import { changed, made, same, withChanges, type AuditWords } from '../../metering/index.js';

/** The audit log of a hosted API in words. */
export const hostedWords: AuditWords = {
  self: 'The hosted API',
  targets: {
    config: 'hosted.yaml',
    'operator-page': 'the operator page',
    audit: 'the audit log',
    ledger: 'the ledger',
    prices: 'the prices',
  },
  deeds: {
    'account.create': (target, { after }) => made(target, Object(after) as Record<string, unknown>),
    'account.active': (target) => ({ done: `let ${target} go on`, toDo: `let ${target} go on` }),
    'account.suspended': same('suspended', 'suspend'),
    'account.credit': (target, { amount, currency, reference, before, after }) => {
      const money = `${String(amount)} ${typeof currency === 'string' ? currency : ''}`.trim();
      const balance = (of: unknown): string => String(Reflect.get(Object(of) as object, 'balance'));
      const moved = `its balance went from ${balance(before)} to ${balance(after)}`;
      return {
        done: `booked ${money} to ${target} (reference ${String(reference)}); ${moved}`,
        toDo: `book ${money} to ${target}`,
      };
    },
    'gateway.add': same('connected', 'connect'),
    'gateway.replace': changed,
    'gateway.active': same('enabled', 'enable'),
    'gateway.disabled': same('disabled', 'disable'),
    'gateway.remove': same('removed', 'remove'),
    'gateway.sync': (target, { after }) => {
      const models: unknown = Reflect.get(Object(after) as object, 'offered_models');
      const found = typeof models === 'number' ? `, which offers ${models} ${models === 1 ? 'model' : 'models'}` : '';
      return { done: `asked ${target} for its models${found}`, toDo: `ask ${target} for its models` };
    },
    'price.add': (_, diff) => {
      const count = Number(diff['count'] ?? 0);
      const prices = count === 1 ? 'a price' : count > 0 ? `${count} prices` : 'prices';
      return withChanges(`imported ${prices}`, `import ${prices}`, diff);
    },
    'operator-page.open': same('opened', 'open'),
    'ledger.export': same('exported', 'export'),
  },
};
