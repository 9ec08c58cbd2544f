/** A variable of another engine: what it is for there, and what does it here. */
interface ForeignVariable {
  readonly ours: string;
  /** Commands on which it would bear. */
  readonly commands: readonly string[];
  /** What of ours makes the hint needless: an option on the command line, or a variable. */
  readonly unless?: readonly string[];
}

const CLIENTS = ['ps', 'load', 'unload', 'stop', 'status'];
const MODELS = ['run', 'serve', 'list', 'show', 'rm', 'cp', 'import', 'df', 'pull', 'bench'];

/** Source: Ollama, envconfig/config.go. */
const variables: Readonly<Record<string, readonly ForeignVariable[]>> = {
  OLLAMA_HOST: [
    { ours: 'serve has --host and --port', commands: ['serve'], unless: ['--host'] },
    { ours: 'use --host or TROUPE_HOST', commands: CLIENTS, unless: ['--host', 'TROUPE_HOST'] },
  ],
  OLLAMA_MODELS: [
    {
      ours: 'use --models-dir or TROUPE_MODELS; its files are of another form',
      commands: MODELS,
      unless: ['--models-dir', 'TROUPE_MODELS'],
    },
  ],
  OLLAMA_KEEP_ALIVE: [
    {
      ours: 'use keep_alive of a request, or load --keep-alive',
      commands: ['serve', 'load'],
      unless: ['--keep-alive'],
    },
  ],
  OLLAMA_CONTEXT_LENGTH: [{ ours: 'use --ctx', commands: ['run', 'serve'], unless: ['--ctx'] }],
  OLLAMA_KV_CACHE_TYPE: [{ ours: 'use --kv-cache', commands: ['run', 'serve', 'bench'], unless: ['--kv-cache'] }],
  OLLAMA_MAX_QUEUE: [{ ours: 'use --queue', commands: ['serve'], unless: ['--queue'] }],
  OLLAMA_MAX_LOADED_MODELS: [
    { ours: 'as many models stay as --memory-budget has room for', commands: ['serve'], unless: ['--memory-budget'] },
  ],
  OLLAMA_NUM_PARALLEL: [{ ours: 'requests for one model are computed together, up to 64', commands: ['serve'] }],
  OLLAMA_ORIGINS: [{ ours: 'use --allow-origin', commands: ['serve'], unless: ['--allow-origin'] }],
  OLLAMA_LOAD_TIMEOUT: [{ ours: 'a load has no limit, and a hung step has --step-timeout', commands: ['serve'] }],
  OLLAMA_DEBUG: [{ ours: 'use --debug', commands: ['run', 'serve'], unless: ['--debug'] }],
  OLLAMA_NOHISTORY: [{ ours: 'use /set nohistory', commands: ['run'] }],
};

/** Variables of Ollama that are set and have no effect on a command, each with what has it. Their values are not told. */
export function hints(
  command: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.entries(variables).flatMap(([name, uses]) => {
    if (!env[name]) return [];
    const use = uses.find(({ commands }) => commands.includes(command) || command === 'doctor');
    if (use === undefined) return [];
    const { unless = [] } = use;
    const isGiven = unless.some((ours) => argv.some((arg) => arg.split('=', 1)[0] === ours) || Boolean(env[ours]));
    return isGiven ? [] : [`${name} is set, and is not read here: ${use.ours}`];
  });
}
