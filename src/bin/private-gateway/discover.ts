import { helpWidth, print, type Terminal } from '../../cli/index.js';
import { createScan, type Finding, type ScanOptions } from '../../gateway/index.js';
import { isRuntime, renderNothingFound, renderReport } from './report.js';
import { scanWithProgress } from './scan-with-progress.js';

/** How the findings are printed. */
export interface DiscoverOutput {
  readonly json: boolean;
  /** The command that scans again. */
  readonly again: string;
}

/** Scans, and prints what was found: for people at the end, as lines of JSON at once. Errors: those of the scan. */
export async function discover(options: ScanOptions, output: DiscoverOutput, terminal: Terminal): Promise<void> {
  const { stdout, closed, env } = terminal;
  const { json, again } = output;
  const scan = createScan(options);
  const findings: Finding[] = [];
  await scanWithProgress(scan, terminal, async (finding) => {
    findings.push(finding);
    if (json) await print(stdout, `${JSON.stringify(finding)}\n`, closed);
  });
  if (json) {
    await print(stdout, `${JSON.stringify({ range: scan.range, ...scan.counts })}\n`, closed);
    return;
  }
  const width = helpWidth(stdout, env['COLUMNS']);
  await print(stdout, renderReport({ scan, findings }, width), closed);
  if (!findings.some(isRuntime)) await print(stdout, `\n${renderNothingFound(again, width)}`, closed);
}
