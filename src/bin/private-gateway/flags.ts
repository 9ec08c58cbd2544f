// Options that several commands have: one declaration each. Every command calls them for declarations of its own.
import { AppError } from '../../base/index.js';
import { parseNumber, parseOptionalNumber, switchOption, textOption } from '../../cli/index.js';
import type { ScanOptions } from '../../gateway/index.js';
import { quoteForShell } from '../shell-words.js';

/** `--config` */
export const configFlag = () =>
  textOption(
    '--config',
    { also: '-config', value: 'FILE', description: 'the gateway.yaml', group: 'Files' },
    'gateway.yaml',
  );

/** `--json` */
export const jsonFlag = (what: string) => switchOption('--json', { description: `print ${what} as JSON` });

/** `--csv` */
export const csvFlag = (what: string) =>
  switchOption('--csv', { description: `print ${what} as CSV, for a spreadsheet` });

/** Options that say what a key may. `none`: how the absence of a limit is written, where it can be. */
export const limitFlags = (none: { readonly hint: string; readonly default: string }) => {
  const limit = (name: `--${string}`, description: string) =>
    textOption(name, { value: 'N', description: description + none.hint, default: none.default, group: 'Limits' });
  return {
    requestsPerMinute: () => limit('--requests-per-minute', 'requests a minute'),
    tokensPerMinute: () => limit('--tokens-per-minute', 'prompt and completion tokens a minute'),
    parallel: () => limit('--parallel', 'requests at the same time'),
    maxOutputTokens: () => limit('--max-output-tokens', 'completion tokens of one answer'),
  };
};

/** `--debug` */
export const debugFlag = () => switchOption('--debug', { description: 'print the stack of an error too' });

/** `--cidr` */
export const cidrFlag = () =>
  textOption('--cidr', {
    value: 'RANGE',
    description: 'scan these addresses: 192.168.1.0/24, fd00::/120, or a single one; at most 1,024',
    default: 'this machine',
    group: 'Scan',
  });

/** `--allow-public` */
export const allowPublicFlag = () =>
  switchOption('--allow-public', {
    description: 'take a range with public addresses; scan none that are not yours',
    group: 'Scan',
  });

/** `--ports` */
export const portsFlag = () =>
  textOption('--ports', {
    value: 'LIST',
    description: 'scan these ports: 8000,8080',
    default: 'those on which the known servers listen',
    group: 'Scan',
  });

/** `--timeout` */
export const timeoutFlag = () =>
  textOption('--timeout', {
    value: 'SECONDS',
    description: 'how long one server may take for all it is asked',
    default: '1.5',
    group: 'Scan',
  });

/** The options of a scan as they were typed. */
export interface ScanFlags {
  readonly cidr: string | undefined;
  readonly allowPublic: boolean;
  readonly ports: string | undefined;
  readonly timeout: string | undefined;
}

/** A command with the options of a scan as they were typed, so that a hint repeats them. */
export function withScanFlags(command: string, { cidr, allowPublic, ports, timeout }: ScanFlags): string {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--cidr', cidr],
    ['--ports', ports],
    ['--timeout', timeout],
  ];
  const words = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, quoteForShell(value)]));
  return [command, ...words, ...(allowPublic ? ['--allow-public'] : [])].join(' ');
}

/** More would be a scan for everything that listens. */
const MAX_PORTS = 64;
/** Of the time for a server, how much it may take until it is connected: of 1.5 seconds the 0.4 that a scan gives. */
const CONNECT_SHARE = 4 / 15;

/** What a scan is to do. Errors: `invalid_option`; of the range, `createScan` says it. */
export function toScanOptions({ cidr, allowPublic, ports, timeout }: ScanFlags): ScanOptions {
  const seconds = parseOptionalNumber('--timeout', timeout, { min: 0.1, max: 60, whole: false });
  const endpointMs = seconds === undefined ? undefined : seconds * 1000;
  return {
    allowPublic,
    ...(cidr !== undefined && { range: cidr }),
    ...(ports !== undefined && { ports: parsePorts(ports) }),
    ...(endpointMs !== undefined && { limits: { endpointMs, connectMs: endpointMs * CONNECT_SHARE } }),
  };
}

function parsePorts(list: string): readonly number[] {
  const ports = list.split(',').map((text) => parseNumber('--ports', text, { min: 1, max: 65_535, whole: true }));
  if (ports.length <= MAX_PORTS) return [...new Set(ports)].toSorted((a, b) => a - b);
  const message = `--ports has ${ports.length} ports, but at most ${MAX_PORTS} are scanned; name the ports of your servers.`;
  throw new AppError('invalid_option', message, { option: '--ports', value: ports.length });
}
