import type { Operations } from '../../control/index.js';
import { createAdminToken } from './admin-token.js';
import { changeKey } from './change-key.js';
import { createKey, listKeys, resetBudget, rotateKey, setKeyState } from './keys.js';
import type { OperationContext } from './operation.js';
import { backup, readAudit, requests, usage, verifyAudit } from './records.js';

/** The operations of an operator, by the names that commands and the gateway use. */
export const operations = {
  'keys.list': listKeys,
  'keys.create': createKey,
  'keys.set': changeKey,
  'keys.rotate': rotateKey,
  'keys.reset-budget': resetBudget,
  'keys.set-state': setKeyState,
  'admin-token.create': createAdminToken,
  usage,
  requests,
  'audit.verify': verifyAudit,
  'audit.read': readAudit,
  backup,
} as const satisfies Operations<OperationContext>;

/** The name of an operation. */
export type OperationName = keyof typeof operations;
