import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { BenchCommand } from './bench.js';
import { ConvertCommand } from './convert.js';
import { RunCommand } from './run.js';
import { ServeCommand } from './serve.js';
import { VerifyCommand } from './verify.js';

/** The commands of `native-engine`, by their first word. */
export const commands = {
  run: RunCommand,
  convert: ConvertCommand,
  serve: ServeCommand,
  verify: VerifyCommand,
  bench: BenchCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
