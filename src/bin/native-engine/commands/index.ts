import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { BenchCommand } from './bench.js';
import { ConvertCommand } from './convert.js';
import { CpCommand } from './cp.js';
import { DfCommand } from './df.js';
import { ImportCommand } from './import.js';
import { ListCommand } from './list.js';
import { LoadCommand } from './load.js';
import { PsCommand } from './ps.js';
import { RmCommand } from './rm.js';
import { RunCommand } from './run.js';
import { ServeCommand } from './serve.js';
import { VerifyCommand } from './verify.js';
import { ShowCommand } from './show.js';
import { StatusCommand } from './status.js';
import { StopCommand } from './stop.js';
import { UnloadCommand } from './unload.js';

/** The commands of `native-engine`, by their first word. */
export const commands = {
  run: RunCommand,
  list: ListCommand,
  show: ShowCommand,
  import: ImportCommand,
  cp: CpCommand,
  rm: RmCommand,
  df: DfCommand,
  convert: ConvertCommand,
  serve: ServeCommand,
  verify: VerifyCommand,
  ps: PsCommand,
  load: LoadCommand,
  unload: UnloadCommand,
  stop: StopCommand,
  status: StatusCommand,
  bench: BenchCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
