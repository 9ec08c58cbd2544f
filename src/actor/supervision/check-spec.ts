import {
  AppError,
  callback,
  checkedLater,
  checkOptions,
  flag,
  oneOf,
  text,
  type OptionTable,
} from '../../base/index.js';
import { isSupervisorSpec, type ChildSpec, type SupervisorSpec } from './spec.js';

const ID = text('a string that is not empty');
const childFields: OptionTable<ChildSpec> = {
  id: ID,
  actor: checkedLater,
  init: checkedLater,
  restart: oneOf('permanent', 'transient', 'temporary'),
  shutdownMs: checkedLater,
  placement: oneOf('inline', 'thread', 'process'),
  mailbox: checkedLater,
  callDeadlineMs: checkedLater,
  startDeadlineMs: checkedLater,
  heapMb: checkedLater,
  startsBeside: flag,
  interrupt: callback,
};
const actorFields: OptionTable<ChildSpec['actor']> = { module: checkedLater, name: text('the name of a class') };
const supervisorFields: OptionTable<SupervisorSpec> = {
  id: ID,
  strategy: oneOf('oneForOne', 'oneForAll', 'restForOne'),
  intensity: checkedLater,
  periodMs: checkedLater,
  backoffMs: checkedLater,
  isExplained: callback,
  restart: oneOf('permanent', 'transient', 'temporary'),
  prepare: callback,
  maxChildren: checkedLater,
  children: { accepts: Array.isArray, expected: 'a list of specs' },
  clock: checkedLater,
};

/**
 * Refuses a tree with an unknown field, a duplicate or taken id, or a value outside its range. Errors:
 * `actor_spec_invalid`.
 */
export function checkSpec(spec: ChildSpec | SupervisorSpec, isTaken: (id: string) => boolean = () => false): void {
  checkNode(spec, new Set(), isTaken);
}

function checkNode(spec: ChildSpec | SupervisorSpec, seen: Set<string>, isTaken: (id: string) => boolean): void {
  if (typeof spec !== 'object' || spec === null) refuse('?', 'spec', String(spec), 'an object');
  const code = 'actor_spec_invalid';
  const call = `the spec of "${spec.id}"`;
  if (isSupervisorSpec(spec)) checkOptions(call, spec, supervisorFields, code);
  else {
    checkOptions(call, spec, childFields, code);
    const { module } = checkOptions(`the actor of "${spec.id}"`, spec.actor, actorFields, code);
    if (module === undefined) refuse(spec.id, 'actor.module', 'absent', 'the URL of a module');
  }
  if (spec.id === '' || seen.has(spec.id) || isTaken(spec.id))
    refuse(spec.id, 'id', spec.id, 'unique in the tree and not empty');
  seen.add(spec.id);
  if (isSupervisorSpec(spec)) {
    checkNumber(spec.id, 'intensity', spec.intensity, 0);
    checkNumber(spec.id, 'periodMs', spec.periodMs, 1);
    const { children, maxChildren } = spec;
    checkNumber(spec.id, 'maxChildren', maxChildren ?? 1, 1);
    if (children.length > (maxChildren ?? Infinity))
      refuse(spec.id, 'children', children.length, `no more than its maxChildren of ${maxChildren}`);
    for (const child of children) checkNode(child, seen, isTaken);
    return;
  }
  checkNumber(spec.id, 'shutdownMs', spec.shutdownMs, 0);
  checkNumber(spec.id, 'mailbox', spec.mailbox ?? 1, 1);
  checkNumber(spec.id, 'callDeadlineMs', spec.callDeadlineMs ?? 1, 1);
  checkNumber(spec.id, 'startDeadlineMs', spec.startDeadlineMs ?? 1, 1);
}

function checkNumber(id: string, field: string, value: number, least: number): void {
  if (!(value >= least)) refuse(id, field, value, `a number of at least ${least}`);
}

function refuse(id: string, field: string, value: string | number, rule: string): never {
  const message = `spec of "${id}": ${field} is ${JSON.stringify(value)}; it must be ${rule}`;
  throw new AppError('actor_spec_invalid', message, { actor: id, field });
}
