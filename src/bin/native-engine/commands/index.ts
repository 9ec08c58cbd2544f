import type { CommandClass } from 'clipanion';
import type { CliContext } from '../../../cli/index.js';
import { BenchCommand } from './bench.js';
import { CompletionCommand } from './completion.js';
import { ConvertCommand } from './convert.js';
import { CpCommand } from './cp.js';
import { DfCommand } from './df.js';
import { DoctorCommand } from './doctor.js';
import { ImportCommand } from './import.js';
import { ListCommand } from './list.js';
import { LoadCommand } from './load.js';
import { PsCommand } from './ps.js';
import { PullCommand } from './pull.js';
import { RmCommand } from './rm.js';
import { RunCommand } from './run.js';
import { SearchCommand } from './search.js';
import { ServeCommand } from './serve.js';
import { VerifyCommand } from './verify.js';
import { ShowCommand } from './show.js';
import { StatusCommand } from './status.js';
import { StopCommand } from './stop.js';
import { TokenizeCommand } from './tokenize.js';
import { UnloadCommand } from './unload.js';

/** The commands of `native-engine`, by their first word. */
export const commands = {
  run: RunCommand,
  pull: PullCommand,
  search: SearchCommand,
  list: ListCommand,
  show: ShowCommand,
  import: ImportCommand,
  cp: CpCommand,
  rm: RmCommand,
  df: DfCommand,
  convert: ConvertCommand,
  tokenize: TokenizeCommand,
  serve: ServeCommand,
  verify: VerifyCommand,
  ps: PsCommand,
  load: LoadCommand,
  unload: UnloadCommand,
  stop: StopCommand,
  status: StatusCommand,
  doctor: DoctorCommand,
  bench: BenchCommand,
  completion: CompletionCommand,
} as const satisfies Record<string, CommandClass<CliContext>>;
