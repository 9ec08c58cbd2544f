// The log of a server as a person at a screen reads it. A program gets JSON lines: what is piped stays as it is.
import { parseStrictJson, type LogEntry } from '../../base/index.js';
import { sizeText, understandsEscapes, type Terminal } from '../../cli/index.js';

/** A log line of our own is no deeper, and has no more values. */
const LIMITS = { maxDepth: 4, maxItems: 1_000 };

/** Where a server's log lines go: to standard error, where a screen gets them as sentences without control characters. */
export function createLogSink(terminal: Pick<Terminal, 'stderr' | 'env'>): (line: string) => void {
  const { stderr } = terminal;
  const isScreen = understandsEscapes(terminal, stderr);
  return (line) => stderr.write(`${isScreen ? toScreenLine(line).replace(/\p{Cc}/gu, '') : line}\n`);
}

/** A JSON line as a sentence behind the time of day of this machine; what is no such line stays as it is. */
export function toScreenLine(line: string): string {
  const entry = parse(line);
  if (entry === undefined) return line;
  const { time, level, engine: _, ...rest } = entry;
  const at = new Date(String(time));
  const clock = Number.isNaN(at.getTime()) ? '' : `${at.toTimeString().slice(0, 8)}  `;
  const mark = level === 'warn' ? 'warning: ' : level === 'error' ? 'error: ' : '';
  return clock + mark + sentenceOf(rest);
}

function parse(line: string): (LogEntry & { readonly time?: unknown }) | undefined {
  try {
    const value = parseStrictJson(Buffer.from(line), LIMITS, (why) => new Error(why));
    return typeof value === 'object' && value !== null && 'event' in value ? (value as LogEntry) : undefined;
  } catch {
    return undefined;
  }
}

function sentenceOf(entry: LogEntry): string {
  const { event, model } = entry;
  const said = entry['text'] ?? entry['note'];
  if (event === 'request' || event === 'call') return callText(entry);
  if (event === 'pull') return `pulling ${show(model)}: ${pullText(entry)}`;
  if (event === 'import' && said === undefined) return `importing ${show(model)}: ${phaseText(entry)}`;
  if (typeof said === 'string') return `${show(model ?? event)}: ${said}`;
  return plainText(entry);
}

/** What was asked, how it ended, how long it took, and of which model and how many tokens. */
function callText(entry: LogEntry): string {
  const { method, route, status, ms, model, identity, code, error } = entry;
  const [read, written] = [entry['prompt_tokens'], entry['completion_tokens']];
  const isCounted = typeof read === 'number' && typeof written === 'number' && read + written > 0;
  const words = [
    // Over gRPC the method is the path, and the code is how it ended.
    `${show(method)}${route === undefined ? '' : ` ${show(route ?? '(no such path)')}`}`,
    status ?? code,
    typeof ms === 'number' ? durationText(ms) : undefined,
    model ?? identity,
    isCounted ? `${show(read)} + ${show(written)} tokens` : undefined,
    status === undefined ? error : code,
  ];
  return words.filter((word) => word !== undefined && word !== null && word !== '').join('  ');
}

function pullText(entry: LogEntry): string {
  const { downloadBytes, memoryBytes, retry, outcome } = entry;
  if (typeof downloadBytes === 'number') {
    const memory = typeof memoryBytes === 'number' ? `, about ${sizeText(memoryBytes)} of memory when it runs` : '';
    return `${sizeText(downloadBytes)} to download${memory}${entry['fits'] === false ? ', which do not fit here' : ''}`;
  }
  if (entry['phase'] !== undefined) return phaseText(entry);
  if (retry !== undefined) return `${show(entry['file'] ?? 'the hub')}: ${show(retry)}; try ${show(entry['attempt'])}`;
  if (outcome !== undefined) return outcome === 'new' ? 'it is here' : `it is here (${show(outcome)})`;
  if (entry['waitsForProcess'] !== undefined) return `waiting for process ${show(entry['waitsForProcess'])}`;
  return show(entry['text'] ?? entry['note'] ?? plainText(entry));
}

function phaseText(entry: LogEntry): string {
  const { phase, doneBytes, totalBytes } = entry;
  if (typeof doneBytes !== 'number' || typeof totalBytes !== 'number' || totalBytes === 0) return show(phase);
  return `${show(phase)}, ${Math.floor((100 * doneBytes) / totalBytes)} % of ${sizeText(totalBytes)}`;
}

/** Any other entry: its event, then names and values. */
function plainText({ event, ...rest }: LogEntry): string {
  const parts = Object.entries(rest).map(([name, value]) => `${name}=${show(value)}`);
  return [event, ...parts].join('  ');
}

/** A value of an entry as a word. */
function show(value: LogEntry[string]): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
