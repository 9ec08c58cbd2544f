// Commands of the recorded corpus: their answers, helps and refusals.

/** A run of a command. */
export interface CommandCase {
  readonly name: string;
  /** `native-engine` when absent. */
  readonly binary?: string;
  readonly args: readonly string[];
  /** Standard input; default nothing. */
  readonly input?: string;
}

const SAME = ['--kernel', 'portable', '--threads', '1', '--temperature', '0'];

const runs: readonly (readonly string[])[] = [
  [],
  ['--help'],
  ['-h'],
  ['--version'],
  ['run', '--help'],
  ['serve', '--help'],
  ['convert', '--help'],
  ['bench', '--help'],
  ['rnu'],
  ['run'],
  ['run', 'none', 'Hello.'],
  ['run', 'demo', 'Hello.', '--temprature', '1'],
  ['run', 'demo', 'Hello.', '--temperature', 'hot'],
  ['run', 'demo', 'Hello.', '--temperature', '9'],
  ['run', 'demo', 'Hello.', '--threads', '0'],
  ['run', 'demo', 'Hello.', '--kernel', 'fast'],
  ['run', 'demo', 'Hello.', '--backend', 'cuda'],
  ['run', 'demo', 'Hello.', '--seed', 'x'],
  ['run', 'demo', 'one', 'two'],
  ['serve', '--check'],
  ['serve', '--http', '--port', '99999'],
  ['serve', '--http', '--allow-origin', 'x y'],
  ['convert'],
  ['convert', 'none', '--out', 'x'],
  ['convert', 'demo', '--out', 'x', '--quant', 'q3'],
  ['bench', 'none'],
  ['run', 'demo', 'What is 12 + 30?', ...SAME],
  ['run', 'demo', 'What is the capital of Norway?', ...SAME, '--json'],
  ['run', 'demo', 'Say it.', ...SAME, '--max-tokens', '3'],
];

/** Of `private-gateway`: what neither scans nor writes. */
const gatewayRuns: readonly (readonly string[])[] = [
  [],
  ['--version'],
  ['init', '--help'],
  ['discover', '--help'],
  ['check', '-h'],
  ['inti'],
  ['--config', 'x'],
  ['init', '-confg', 'x'],
  ['init', '-config'],
  ['init', '-config', 'missing/gateway.yaml'],
  ['init', '-config', 'x', 'y'],
  ['init', '-config', '.'],
  ['discover', '--cidr', '10.0.0.0/21'],
  ['discover', '--cidr', '8.8.8.8'],
  ['discover', '--cidr', '169.254.169.254'],
  ['discover', '--cidr', 'localhost'],
  ['discover', '--ports', '0'],
  ['discover', '--timeout', 'long'],
  ['discover', '--jsno'],
  ['check', '-config', 'none.yaml'],
  ['check', '-config=none.yaml', '--json'],
];

/** All of them; two read their prompt from standard input. */
export const commandCases: readonly CommandCase[] = [
  ...runs.map((args) => ({ name: `native-engine ${args.join(' ')}`.trim(), args })),
  ...gatewayRuns.map((args) => {
    const binary = 'private-gateway';
    return { name: `${binary} ${args.join(' ')}`.trim(), binary, args };
  }),
  { name: 'a prompt on standard input', args: ['run', 'demo', ...SAME], input: 'What is 12 + 30?' },
  { name: 'an empty standard input', args: ['run', 'demo', ...SAME], input: '' },
];
