import type { Section } from '../kit/index.js';
import { AccountsSection } from './accounts/accounts-section.js';
import { AuditSection } from './audit/audit-section.js';
import { GatewaysSection } from './gateways/gateways-section.js';
import { HealthSection } from './health/health-section.js';
import { LedgerSection } from './ledger/ledger-section.js';
import { PricesSection } from './prices/prices-section.js';
import { RequestsSection } from './requests/requests-section.js';
import { UsageSection } from './usage/usage-section.js';

/** The sections of the page, in order. */
export const sections: readonly Section[] = [
  { path: '/', title: 'Accounts', icon: 'user', view: AccountsSection },
  { path: '/metrics', title: 'Metrics and usage', icon: 'overview', view: UsageSection },
  { path: '/requests', title: 'Requests', icon: 'requests', view: RequestsSection },
  { path: '/gateways', title: 'Gateways', icon: 'runtime', view: GatewaysSection },
  { path: '/prices', title: 'Prices', icon: 'metrics', view: PricesSection },
  { path: '/ledger', title: 'Ledger', icon: 'file', view: LedgerSection },
  { path: '/audit', title: 'Audit', icon: 'audit', view: AuditSection },
  { path: '/health', title: 'Health', icon: 'system', view: HealthSection },
];
