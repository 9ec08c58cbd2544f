import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { TestAlertsCommand } from './alerts/test.js';
import { AdminTokenCommand } from './admin-token.js';
import { ListAuditCommand } from './audit-list.js';
import { BackupCommand } from './backup.js';
import { CheckCommand } from './check.js';
import { DiscoverCommand } from './discover.js';
import { InitCommand } from './init.js';
import { CreateKeyCommand } from './keys/create.js';
import { DisableKeyCommand } from './keys/disable.js';
import { EnableKeyCommand } from './keys/enable.js';
import { ListKeysCommand } from './keys/list.js';
import { RevokeKeyCommand } from './keys/revoke.js';
import { ResetBudgetCommand } from './keys/reset-budget.js';
import { RotateKeyCommand } from './keys/rotate.js';
import { SetKeyCommand } from './keys/set.js';
import { RequestsCommand } from './requests.js';
import { ServeCommand } from './serve.js';
import { UsageCommand } from './usage.js';
import { VerifyAuditCommand } from './audit-verify.js';

/** The commands of `private-gateway`, by their words. */
export const commands = {
  init: InitCommand,
  serve: ServeCommand,
  discover: DiscoverCommand,
  check: CheckCommand,
  'keys list': ListKeysCommand,
  'keys create': CreateKeyCommand,
  'keys set': SetKeyCommand,
  'keys reset-budget': ResetBudgetCommand,
  'keys rotate': RotateKeyCommand,
  'keys disable': DisableKeyCommand,
  'keys enable': EnableKeyCommand,
  'keys revoke': RevokeKeyCommand,
  'admin-token': AdminTokenCommand,
  usage: UsageCommand,
  requests: RequestsCommand,
  'audit list': ListAuditCommand,
  'audit verify': VerifyAuditCommand,
  'alerts test': TestAlertsCommand,
  backup: BackupCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
