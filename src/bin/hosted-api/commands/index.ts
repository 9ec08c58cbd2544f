import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { CreateAccountCommand } from './accounts/create.js';
import { CreditAccountCommand } from './accounts/credit.js';
import { ListAccountsCommand } from './accounts/list.js';
import { ShowAccountCommand } from './accounts/show.js';
import { AccountStatementCommand } from './accounts/statement.js';
import { ResumeAccountCommand } from './accounts/resume.js';
import { SuspendAccountCommand } from './accounts/suspend.js';
import { TestAlertsCommand } from './alerts/test.js';
import { ExportAuditCommand } from './audit/export.js';
import { ListAuditCommand } from './audit/list.js';
import { VerifyAuditCommand } from './audit/verify.js';
import { CheckCommand } from './check.js';
import { AddGatewayCommand } from './gateways/add.js';
import { DisableGatewayCommand } from './gateways/disable.js';
import { EnableGatewayCommand } from './gateways/enable.js';
import { ListGatewaysCommand } from './gateways/list.js';
import { RemoveGatewayCommand } from './gateways/remove.js';
import { SyncGatewayCommand } from './gateways/sync.js';
import { HealthCommand } from './health.js';
import { InitCommand } from './init.js';
import { CreateKeyCommand } from './keys/create.js';
import { DisableKeyCommand } from './keys/disable.js';
import { EnableKeyCommand } from './keys/enable.js';
import { ListKeysCommand } from './keys/list.js';
import { RotateKeyCommand } from './keys/rotate.js';
import { ExportLedgerCommand } from './ledger/export.js';
import { VerifyLedgerCommand } from './ledger/verify.js';
import { MigrateCommand } from './migrate.js';
import { ImportPricesCommand } from './prices/import.js';
import { ListPricesCommand } from './prices/list.js';
import { RequestsCommand } from './requests.js';
import { ServeCommand } from './serve.js';
import { UsageCommand } from './usage.js';

/** The commands of `hosted-api`, by their words. */
export const commands = {
  init: InitCommand,
  serve: ServeCommand,
  check: CheckCommand,
  migrate: MigrateCommand,
  health: HealthCommand,
  'accounts list': ListAccountsCommand,
  'accounts show': ShowAccountCommand,
  'accounts create': CreateAccountCommand,
  'accounts credit': CreditAccountCommand,
  'accounts statement': AccountStatementCommand,
  'accounts suspend': SuspendAccountCommand,
  'accounts resume': ResumeAccountCommand,
  'keys list': ListKeysCommand,
  'keys create': CreateKeyCommand,
  'keys rotate': RotateKeyCommand,
  'keys disable': DisableKeyCommand,
  'keys enable': EnableKeyCommand,
  usage: UsageCommand,
  requests: RequestsCommand,
  'gateways list': ListGatewaysCommand,
  'gateways add': AddGatewayCommand,
  'gateways sync': SyncGatewayCommand,
  'gateways enable': EnableGatewayCommand,
  'gateways disable': DisableGatewayCommand,
  'gateways remove': RemoveGatewayCommand,
  'prices list': ListPricesCommand,
  'prices import': ImportPricesCommand,
  'ledger verify': VerifyLedgerCommand,
  'ledger export': ExportLedgerCommand,
  'audit list': ListAuditCommand,
  'audit export': ExportAuditCommand,
  'audit verify': VerifyAuditCommand,
  'alerts test': TestAlertsCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
