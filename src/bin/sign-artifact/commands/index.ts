import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { ExportCommand } from './export.js';
import { ImportCommand } from './import.js';
import { KeygenCommand } from './keygen.js';
import { SignCommand } from './sign.js';
import { VerifyCommand } from './verify.js';

/** The commands of `sign_artifact`, by their first word. */
export const commands = {
  keygen: KeygenCommand,
  sign: SignCommand,
  verify: VerifyCommand,
  export: ExportCommand,
  import: ImportCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
