import type { CommandLoader } from '../../../cli/index.js';

/** The commands of `private-gateway`, by their words. A start loads the command that it runs. */
export const commands = {
  init: async () => (await import('./init.js')).InitCommand,
  serve: async () => (await import('./serve.js')).ServeCommand,
  discover: async () => (await import('./discover.js')).DiscoverCommand,
  check: async () => (await import('./check.js')).CheckCommand,
  'keys list': async () => (await import('./keys/list.js')).ListKeysCommand,
  'keys create': async () => (await import('./keys/create.js')).CreateKeyCommand,
  'keys set': async () => (await import('./keys/set.js')).SetKeyCommand,
  'keys reset-budget': async () => (await import('./keys/reset-budget.js')).ResetBudgetCommand,
  'keys rotate': async () => (await import('./keys/rotate.js')).RotateKeyCommand,
  'keys disable': async () => (await import('./keys/disable.js')).DisableKeyCommand,
  'keys enable': async () => (await import('./keys/enable.js')).EnableKeyCommand,
  'keys revoke': async () => (await import('./keys/revoke.js')).RevokeKeyCommand,
  'admin-token': async () => (await import('./admin-token.js')).AdminTokenCommand,
  usage: async () => (await import('./usage.js')).UsageCommand,
  requests: async () => (await import('./requests.js')).RequestsCommand,
  'audit list': async () => (await import('./audit-list.js')).ListAuditCommand,
  'audit verify': async () => (await import('./audit-verify.js')).VerifyAuditCommand,
  'alerts test': async () => (await import('./alerts/test.js')).TestAlertsCommand,
  backup: async () => (await import('./backup.js')).BackupCommand,
} as const satisfies Record<string, CommandLoader>;
