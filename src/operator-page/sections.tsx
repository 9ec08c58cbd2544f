import type { Section } from '../page-kit/index.js';
import { AccountsSection } from './accounts/accounts-section.js';
import { GatewaysSection } from './gateways/gateways-section.js';
import { LedgerSection } from './ledger/ledger-section.js';
import { PricesSection } from './prices/prices-section.js';

/** The sections of the page, in their order. */
export const sections: readonly Section[] = [
  { path: '/', title: 'Accounts', icon: 'user', view: AccountsSection },
  { path: '/gateways', title: 'Gateways', icon: 'runtime', view: GatewaysSection },
  { path: '/prices', title: 'Prices', icon: 'metrics', view: PricesSection },
  { path: '/ledger', title: 'Ledger', icon: 'audit', view: LedgerSection },
];
