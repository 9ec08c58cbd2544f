import type { CommandLoader } from '../../../cli/index.js';

/** The commands of `sign_artifact`, by their first word. A start loads the command that it runs. */
export const commands = {
  keygen: async () => (await import('./keygen.js')).KeygenCommand,
  sign: async () => (await import('./sign.js')).SignCommand,
  verify: async () => (await import('./verify.js')).VerifyCommand,
  export: async () => (await import('./export.js')).ExportCommand,
  import: async () => (await import('./import.js')).ImportCommand,
} as const satisfies Record<string, CommandLoader>;
