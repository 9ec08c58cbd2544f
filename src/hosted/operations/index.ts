import type { Operations } from '../../control/index.js';
import {
  accountStatement,
  createAccount,
  creditAccount,
  listAccounts,
  setAccountState,
  showOneAccount,
} from './accounts.js';
import { beginAuditExport, listAudit, readAudit, verifyAudit } from './audit.js';
import { addGateway, listGateways, removeGateway, setGatewayState, syncGateway } from './gateways.js';
import { showHealth } from './health.js';
import { createKey, listKeys, rotateKey, setKeyState } from './keys.js';
import { exportLedger, verifyLedger } from './ledger.js';
import type { OperationContext } from './operation.js';
import { importPrices, importPriceText, listPrices } from './prices.js';
import { listRequests } from './requests.js';
import { showTraffic } from './traffic.js';
import { sumUsage } from './usage.js';

/** The operations of an operator, by the names that commands and servers use. */
export const operations = {
  'accounts.create': createAccount,
  'accounts.list': listAccounts,
  'accounts.show': showOneAccount,
  'accounts.statement': accountStatement,
  'accounts.credit': creditAccount,
  'accounts.set-state': setAccountState,
  'keys.create': createKey,
  'keys.list': listKeys,
  'keys.rotate': rotateKey,
  'keys.set-state': setKeyState,
  'gateways.add': addGateway,
  'gateways.list': listGateways,
  'gateways.sync': syncGateway,
  'gateways.set-state': setGatewayState,
  'gateways.remove': removeGateway,
  'prices.import': importPrices,
  'prices.import-text': importPriceText,
  'prices.list': listPrices,
  'usage.sum': sumUsage,
  'traffic.show': showTraffic,
  'requests.list': listRequests,
  'audit.list': listAudit,
  'audit.read': readAudit,
  'audit.verify': verifyAudit,
  'audit.export': beginAuditExport,
  'health.show': showHealth,
  'ledger.verify': verifyLedger,
  'ledger.export': exportLedger,
} as const satisfies Operations<OperationContext>;

/** The name of an operation. */
export type OperationName = keyof typeof operations;
