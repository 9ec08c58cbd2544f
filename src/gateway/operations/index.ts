import { createRequestParser } from '../../api/index.js';
import { AppError, nearest } from '../../base/index.js';
import { createAdminToken } from './admin-token.js';
import { createKey, listKeys, rotateKey, setKeyState } from './keys.js';
import type { Operation, OperationContext } from './operation.js';
import { backup, readAudit, requests, usage, verifyAudit } from './records.js';

/** What an operator may ask of a gateway, by the name that it has between a command and the gateway. */
export const operations = {
  'keys.list': listKeys,
  'keys.create': createKey,
  'keys.rotate': rotateKey,
  'keys.set-state': setKeyState,
  'admin-token.create': createAdminToken,
  usage,
  requests,
  'audit.verify': verifyAudit,
  'audit.read': readAudit,
  backup,
} as const satisfies Readonly<Record<string, Operation>>;

/** The name of an operation. */
export type OperationName = keyof typeof operations;

/** Runs an operation that is asked for by words from outside. Errors: `operation_unknown`, those of its parameters and its own. */
export async function runOperation(name: string, params: unknown, context: OperationContext): Promise<unknown> {
  if (!Object.hasOwn(operations, name)) {
    const near = nearest(name.slice(0, 64), Object.keys(operations));
    const hint = near === undefined ? '' : `; the nearest is ${near}`;
    throw new AppError('operation_unknown', `the gateway has no such operation${hint}; it may be of another version`);
  }
  const it: Operation = operations[name as OperationName];
  return it.run(context, createRequestParser(it.params)(params));
}
