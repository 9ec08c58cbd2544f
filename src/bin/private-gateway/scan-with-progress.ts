import { every, systemClock, type Clock } from '../../base/index.js';
import { openStatusLine, type Terminal } from '../../cli/index.js';
import type { Finding, Scan } from '../../gateway/index.js';

/** How often the counts of a scan are looked at, in milliseconds. */
const LOOK_MS = 100;

/**
 * Runs a scan to its end and gives `take` what it finds as it comes, while standard error shows how far it is. Errors: the
 * reason of the scan's signal, and what `take` throws.
 */
export async function scanWithProgress(
  scan: Scan,
  terminal: Terminal,
  take: (finding: Finding) => Promise<void> | void,
  clock: Clock = systemClock,
): Promise<void> {
  using line = openStatusLine(terminal, clock);
  const show = (): void => {
    const { tried, endpoints, found, auth } = scan.counts;
    const share = endpoints === 0 ? 1 : tried / endpoints;
    line.show(
      share,
      (bar) => `scanning ${scan.range}: ${bar}${tried} of ${endpoints} endpoints, ${found + auth} found`,
    );
  };
  show();
  const stop = every(LOOK_MS, clock, show);
  try {
    for await (const finding of scan) {
      line.clear();
      await take(finding);
    }
  } finally {
    stop();
  }
}
