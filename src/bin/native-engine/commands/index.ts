import type { CommandLoader } from '../../../cli/index.js';

/** The commands of `native-engine`, by their first word. A start loads the command that it runs. */
export const commands = {
  run: async () => (await import('./run.js')).RunCommand,
  pull: async () => (await import('./pull.js')).PullCommand,
  search: async () => (await import('./search.js')).SearchCommand,
  list: async () => (await import('./list.js')).ListCommand,
  show: async () => (await import('./show.js')).ShowCommand,
  import: async () => (await import('./import.js')).ImportCommand,
  cp: async () => (await import('./cp.js')).CpCommand,
  rm: async () => (await import('./rm.js')).RmCommand,
  df: async () => (await import('./df.js')).DfCommand,
  convert: async () => (await import('./convert.js')).ConvertCommand,
  tokenize: async () => (await import('./tokenize.js')).TokenizeCommand,
  serve: async () => (await import('./serve.js')).ServeCommand,
  verify: async () => (await import('./verify.js')).VerifyCommand,
  ps: async () => (await import('./ps.js')).PsCommand,
  load: async () => (await import('./load.js')).LoadCommand,
  unload: async () => (await import('./unload.js')).UnloadCommand,
  stop: async () => (await import('./stop.js')).StopCommand,
  status: async () => (await import('./status.js')).StatusCommand,
  doctor: async () => (await import('./doctor.js')).DoctorCommand,
  bench: async () => (await import('./bench.js')).BenchCommand,
  completion: async () => (await import('./completion.js')).CompletionCommand,
} as const satisfies Record<string, CommandLoader>;
