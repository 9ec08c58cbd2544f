// The result of a scan, for people. It counts every endpoint that took a connection, with reasons.
import { wrap } from '../../cli/index.js';
import { counted } from '../../words/index.js';
import { runtimeKinds, type Finding, type FoundRuntime, type RuntimeKind, type Scan } from '../../gateway/index.js';

/** Names of models shown for one runtime; all names of one would hide the other runtimes. */
const MAX_NAMES = 3;

/** A scan that ended, and what it found. */
export interface Scanned {
  readonly scan: Pick<Scan, 'range' | 'ports' | 'counts'>;
  readonly findings: readonly Finding[];
}

/** Whether it is a runtime that may be used. */
export function isRuntime(finding: Finding): finding is FoundRuntime {
  return finding.state === 'found' || finding.state === 'auth';
}

/** Findings by address and port. */
export function inAddressOrder<T extends Finding>(findings: readonly T[]): T[] {
  return findings.toSorted((a, b) => a.url.localeCompare(b.url, 'en', { numeric: true }));
}

/** The report of a scan, in lines of at most `width` columns where its texts have spaces. */
export function renderReport({ scan, findings }: Scanned, width: number): string {
  const all = inAddressOrder(findings);
  const runtimes = all.filter(isRuntime);
  const skipped = all.filter(({ state }) => state === 'skipped');
  const impostors = all.filter(({ state }) => state === 'impostor');
  const ports = scan.ports.length === 1 ? 'port' : `${scan.ports.length} ports`;
  const lines = [
    ...wrapHanging(`Scanned ${scan.range}, ${ports} ${scan.ports.join(' ')}`, width, 2),
    '',
    ...section(`Found ${counted(runtimes.length, 'runtime')}`, runtimes, renderRuntime, width),
    ...section(`Skipped ${skipped.length}`, skipped, renderOther, width),
    ...section(`Refused ${counted(impostors.length, 'impostor')}`, impostors, renderOther, width),
    ...wrap(renderCounts(scan.counts), width),
  ];
  return `${lines.join('\n')}\n`;
}

/** Why there is nothing, and what to do: which servers are looked for, how one is started, and where else to look. */
export function renderNothingFound(again: string, width: number): string {
  const titles = Object.values<RuntimeKind>(runtimeKinds)
    .filter(({ refusal }) => refusal === undefined)
    .map(({ title }) => title);
  const lines = [
    ...wrap(`No runtime was found. A scan knows ${titles.join(', ')}.`, width),
    ...wrap('Start one, for example with `ollama serve` or `npx native-engine serve --http`, and scan again:', width),
    `  ${again}`,
    ...wrap(
      'For servers on other machines or ports, name them with --cidr 192.168.1.0/24 and --ports 8000,8080.',
      width,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function section<T extends Finding>(
  title: string,
  findings: readonly T[],
  render: (finding: T, width: number) => string[],
  width: number,
): string[] {
  if (findings.length === 0) return [];
  return [`${title}:`, ...findings.flatMap((finding) => render(finding, width)), ''];
}

function renderRuntime({ url, kind, version, models, proof, reason }: FoundRuntime, width: number): string[] {
  const named = models === undefined ? [] : [`${counted(models.length, 'model')}${renderNames(models)}`];
  const facts = [...(version === undefined ? [] : [`version ${version}`]), ...named, proof];
  return [`  ${url}  ${runtimeKinds[kind].title}`, ...facts, ...(reason === undefined ? [] : [reason])].flatMap(
    (fact, i) => (i === 0 ? [fact] : wrapHanging(`    ${fact}`, width, 4)),
  );
}

function renderNames(models: readonly string[]): string {
  if (models.length === 0) return '';
  const rest = models.length > MAX_NAMES ? ` and ${models.length - MAX_NAMES} more` : '';
  return `: ${models.slice(0, MAX_NAMES).join(', ')}${rest}`;
}

function renderOther({ url, kind, reason = '' }: Finding, width: number): string[] {
  const title = kind === null ? '' : `  ${runtimeKinds[kind].title}`;
  return [`  ${url}${title}`, ...wrapHanging(`    ${reason}`, width, 4)];
}

function renderCounts({ endpoints, excluded, closed, silent, found, auth, skipped, impostor }: Scan['counts']): string {
  const parts: readonly (readonly [number, string])[] = [
    [found, 'found'],
    [auth, 'found that want a key'],
    [skipped, 'skipped'],
    [impostor, 'refused as impostors'],
    [closed, 'closed'],
    [silent, 'silent'],
  ];
  const told = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const never = excluded === 0 ? '' : ` ${excluded} of the range are never contacted.`;
  return `${counted(endpoints, 'endpoint')} tried: ${told.length === 0 ? 'none' : told.join(', ')}.${never}`;
}

/** Text in lines of which all but the first are indented; the spaces that it begins with stay. */
function wrapHanging(text: string, width: number, indent: number): string[] {
  const [spaces = ''] = /^ */.exec(text) ?? [];
  const lines = wrap(text, width - Math.max(indent, spaces.length));
  return lines.map((line, i) => (i === 0 ? spaces : ' '.repeat(indent)) + line);
}
