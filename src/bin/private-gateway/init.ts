import { codeOf, systemClock, type Clock } from '../../base/index.js';
import { helpWidth, print, toPrintable, type Interrupts, type Terminal } from '../../cli/index.js';
import {
  createScan,
  parseGatewayConfig,
  readGatewayText,
  refuseGatewayFile,
  type Finding,
  type GatewayConfig,
  type ScanOptions,
  noveltyOf,
} from '../../gateway/index.js';
import { approve, approverOf, confirmChange, type Approved, type Candidate } from './approve.js';
import { renderDiff, renderWritten, toInitJson } from './init-output.js';
import { counted } from '../../words/index.js';
import { inAddressOrder, isRuntime, renderReport, type Scanned } from './report.js';
import { scanWithProgress } from './scan-with-progress.js';
import { planConfig, writeConfig, type Base, type PlannedConfig, type Written } from './write-config.js';

/** The options of `init`. */
export interface InitOptions {
  readonly path: string;
  readonly force: boolean;
  readonly yes: boolean;
  readonly json: boolean;
  readonly scanOptions: ScanOptions;
  /** The command that scans again for the file. */
  readonly again: string;
}

/**
 * Scans, asks and writes `path`, and prints all of it. Of a file that exists it shows the lines before it writes them. Until the file is written nothing is: Ctrl-C leaves no trace. Errors:
 * `gateway_config_exists`, those of the scan, of the file and of the system; `interrupted`.
 */
export async function init(options: InitOptions, terminal: Terminal, interrupts: Interrupts): Promise<void> {
  const { path, force, json } = options;
  const clock = systemClock;
  const base = force ? await readBase(path) : undefined;
  if (base === undefined) await refuseGatewayFile(path);
  const { stdout, closed, env } = terminal;
  const width = helpWidth(stdout, env['COLUMNS']);
  const [approved, planned, isYes] = await decide(options, base, terminal, interrupts, clock).catch(
    (error: unknown) => {
      if (codeOf(error) === 'interrupted') terminal.stderr.write('interrupted: nothing was written\n');
      throw error;
    },
  );
  const written: Written = isYes
    ? await writeConfig(planned, clock)
    : { ...planned, outcome: 'declined', backup: undefined };
  const said = json
    ? `${JSON.stringify(toInitJson(approved, written))}\n`
    : renderWritten(approved, written, options.again, width);
  await print(stdout, said, closed);
  if (json && approved.numRefused > 0) {
    terminal.stderr.write(
      `warning: ${counted(approved.numRefused, 'runtime')} found and not written; --yes writes all\n`,
    );
  }
}

/** The file of `--force`; undefined where there is none yet. Errors: `gateway_config_invalid`, those of the system. */
async function readBase(path: string): Promise<Base | undefined> {
  try {
    const { text, etag } = await readGatewayText(path);
    return { text, etag, config: parseGatewayConfig(text, path).config };
  } catch (error) {
    if (codeOf(error) === 'gateway_config_missing') return undefined;
    throw error;
  }
}

/** What was approved, what is to be written, and whether it may be. Shows the lines of a file that would change. */
async function decide(
  options: InitOptions,
  base: Base | undefined,
  terminal: Terminal,
  interrupts: Interrupts,
  clock: Clock,
): Promise<readonly [Approved, PlannedConfig, boolean]> {
  const { path, json } = options;
  const { stdout, closed } = terminal;
  const approved = await scanAndApprove(options, base?.config, terminal, interrupts, clock);
  const planned = planConfig(path, approved.runtimes, base, clock);
  if (planned.diff === undefined) return [approved, planned, true];
  if (!json) await print(stdout, toPrintable(stdout, `\n${renderDiff(path, planned.diff)}`), closed);
  const isYes = approved.approver !== 'person' || (await confirmChange(path, terminal, interrupts));
  return [approved, planned, isYes];
}

async function scanAndApprove(
  options: InitOptions,
  config: GatewayConfig | undefined,
  terminal: Terminal,
  interrupts: Interrupts,
  clock: Clock,
): Promise<Approved> {
  const { stdout, closed, env } = terminal;
  const scanned = await runScan(options.scanOptions, config, terminal, interrupts, clock);
  if (!options.json) await print(stdout, renderReport(scanned, helpWidth(stdout, env['COLUMNS'])), closed);
  return approveFound(scanned, config, options, terminal, interrupts);
}

async function runScan(
  options: ScanOptions,
  config: GatewayConfig | undefined,
  terminal: Terminal,
  interrupts: Interrupts,
  clock: Clock,
): Promise<Scanned> {
  const own = config === undefined ? [] : [config.listen];
  const findings: Finding[] = [];
  const scan = await interrupts.during(async (signal) => {
    const running = createScan({ ...options, own, signal });
    await scanWithProgress(running, terminal, (finding) => void findings.push(finding), clock);
    return running;
  });
  return { scan, findings: inAddressOrder(findings) };
}

async function approveFound(
  scanned: Scanned,
  config: GatewayConfig | undefined,
  options: InitOptions,
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<Approved> {
  const approver = approverOf(options, terminal);
  const all = scanned.findings
    .filter(isRuntime)
    .map((runtime): Candidate => ({ runtime, novelty: noveltyOf(runtime, config) }));
  const asked = all.filter(({ novelty }) => novelty !== 'known');
  const yes = await approve(asked, approver, terminal, interrupts);
  const runtimes = all
    .filter(({ runtime, novelty }) => novelty === 'known' || yes.includes(runtime))
    .map(({ runtime }) => runtime);
  return { ...scanned, approver, numRefused: asked.length - yes.length, runtimes };
}
