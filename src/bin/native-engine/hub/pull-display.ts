import { systemClock, type Clock } from '../../../base/index.js';
import { fitScreen, openStatusLine, sizeText, type Screen } from '../../../cli/index.js';
import type { OnPullEvent, PullEstimate } from '../../../models/index.js';
import { createTransferRate } from './transfer-rate.js';

/** A pull on standard error. Disposing of it takes the status line off. */
export interface PullDisplay extends Disposable {
  readonly onEvent: OnPullEvent;
}

/** Shows the pull of `name`: its plan, a line with speed and time that is left, and what is tried again. `isQuiet`: nothing. */
export function openPullDisplay(
  terminal: Screen,
  name: string,
  isQuiet = false,
  clock: Clock = systemClock,
): PullDisplay {
  const line = openStatusLine(terminal, clock);
  const rate = createTransferRate(clock);
  const say = (text: string): void => {
    line.clear();
    terminal.stderr.write(`${fitScreen(terminal.stderr, text)}\n`);
  };
  /** Speed and time say more than a bar, and than the name, where there is no room for all. */
  const fit = (before: string, bar: string, after: string): string => {
    const columns = terminal.stderr.columns ?? 80;
    return [before + bar + after, before + after].find(({ length }) => length < columns) ?? after;
  };
  const onEvent: OnPullEvent = (event) => {
    if (isQuiet) return undefined;
    switch (event.kind) {
      case 'notice':
        return say(event.notice.text);
      case 'plan':
        return say(planText(name, event.repo, event.revision, event.quant, event.estimate));
      case 'download': {
        const { doneBytes, totalBytes } = event;
        rate.note(doneBytes);
        const share = totalBytes === 0 ? 1 : doneBytes / totalBytes;
        return line.show(share, (bar) => fit(`downloading ${name}: `, bar, speedText(doneBytes, totalBytes, rate)));
      }
      case 'convert': {
        if (event.isBeside) return undefined;
        const share = event.totalBytes === 0 ? 1 : event.doneBytes / event.totalBytes;
        const done = `${percent(share)} of ${sizeText(event.totalBytes)}`;
        return line.show(share, (bar) => fit(`converting ${name}: `, bar, done));
      }
      case 'retry': {
        const { file, reason, attempt, waitMs } = event;
        const wait = waitMs < 100 ? 'at once' : `in ${(waitMs / 1_000).toFixed(1)} s`;
        return say(`${file ?? 'the hub'}: ${reason}; try ${attempt} ${wait}`);
      }
      case 'note':
        return say(event.text);
      case 'wait':
        return say(
          `waiting for ${event.pid === undefined ? 'a process of another machine' : `process ${event.pid}`}, which pulls ${name}`,
        );
    }
  };
  return { onEvent, [Symbol.dispose]: () => line.clear() };
}

/** What a pull is going to take, in one or two lines. */
export function planText(
  name: string,
  repo: string,
  revision: string,
  quant: string | undefined,
  found: PullEstimate,
): string {
  // A short name says nothing of where the model is from.
  const isShort = !name.includes('/');
  const what = `${isShort ? `${name} is ${repo}:` : name} ${quant === undefined ? '' : `${quant} `}at ${revision.slice(0, 12)}`;
  const free = found.freeBytes === undefined ? '' : ` (${sizeText(found.freeBytes)} free)`;
  const takes = `${sizeText(found.downloadBytes)} to download, ${sizeText(found.diskBytes)} of disk${free}`;
  const memory = `about ${sizeText(found.memoryBytes)} of memory of ${sizeText(found.budgetBytes)} here`;
  const instead =
    found.fittingQuant === undefined
      ? ''
      : `; ${isShort ? repo : name.replace(/:.*$/s, '')}:${found.fittingQuant} would`;
  return `${what}: ${takes}, ${memory}${found.fits ? '' : `\nwarning: it does not fit the memory here${instead}`}`;
}

function speedText(doneBytes: number, totalBytes: number, rate: ReturnType<typeof createTransferRate>): string {
  const done = `${percent(totalBytes === 0 ? 1 : doneBytes / totalBytes)} of ${sizeText(totalBytes)}`;
  const speed = rate.bytesPerSecond;
  const left = rate.secondsFor(totalBytes - doneBytes);
  return `${done}${speed === undefined ? '' : `, ${sizeText(Math.round(speed))}/s`}${left === undefined ? '' : `, ${timeText(left)} left`}`;
}

function percent(share: number): string {
  return `${Math.floor(Math.min(1, share) * 100)} %`;
}

/** `42 s`, `3 min 20 s`, `2 h 5 min`. */
function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}
