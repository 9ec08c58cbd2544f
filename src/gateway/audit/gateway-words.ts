import { changed, constantWords, same, withChanges, type AuditWords } from '../../metering/index.js';

/** The audit log of a gateway in words. */
export const gatewayWords: AuditWords = {
  self: 'The gateway',
  targets: {
    config: 'gateway.yaml',
    'admin-token': 'the admin token',
    gateway: 'the gateway',
    audit: 'the audit log',
    session: 'the admin page',
  },
  deeds: {
    'admin-token.set': (target, { before }) =>
      Reflect.get(Object(before) as object, 'issued') === false
        ? { done: `set ${target}`, toDo: `set ${target}` }
        : { done: `replaced ${target}`, toDo: `replace ${target}` },
    'admin-token.remove': constantWords('found no admin token: every session ended', 'remove the admin token'),
    'session.create': same('signed in to', 'sign in to'),
    'session.end': (target) => ({ done: `ended ${target}`, toDo: `end ${target}` }),
    'config.look': same('had the gateway read', 'have the gateway read'),
    'config.write': changed,
    'config.edit': changed,
    'config.init': changed,
    'config.restore': (target, diff) =>
      withChanges(
        `restored ${target} of ${String(diff['version'])}`,
        `restore ${target} of ${String(diff['version'])}`,
        diff,
      ),
    'runtime.create': (target, diff) => withChanges(`added ${target}`, `add ${target}`, diff, target),
    'runtime.update': changed,
    'runtime.remove': (target, diff) => withChanges(`removed ${target}`, `remove ${target}`, diff, target),
    'runtime.approve': (target, diff) => withChanges(`approved ${target}`, `approve ${target}`, diff),
    'runtime.import': (_, diff) => withChanges('imported runtimes of a scan', 'import runtimes of a scan', diff),
    'model.create': (target, diff) => withChanges(`added ${target}`, `add ${target}`, diff, target),
    'model.update': changed,
    'model.remove': (target, diff) => withChanges(`removed ${target}`, `remove ${target}`, diff, target),
    'model.try': same('sent a test message to', 'send a test message to'),
    'scan.start': same('began the', 'begin the'),
    'scan.cancel': same('ended the', 'end the'),
    'gateway.drain': (target, { stop }) =>
      stop === true
        ? { done: `stopped ${target}`, toDo: `stop ${target}` }
        : { done: `drained ${target}: it takes no more requests`, toDo: `drain ${target}` },
    'backup.create': constantWords('made a backup of the databases', 'make a backup of the databases'),
  },
};
