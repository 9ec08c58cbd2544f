// node dist/bench/grammar/coverage.js FOLDER [EVERY]: measures which schemas of JSONSchemaBench compile (maskbench/data of the
// repository guidance-ai/jsonschemabench, which is not part of this one), and whether valid and invalid instances are told apart.
// Each EVERYth file is read. A Markdown table by source, then the reasons of refusals and the instances that differ.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '../../src/base/index.js';
import { compileGrammar, GrammarWalk, readJsonSchema } from '../../src/grammar/index.js';
import { markdownTable } from '../record/table.js';

/** A file of the collection. */
interface Case {
  readonly schema: unknown;
  readonly tests: readonly { readonly valid: boolean; readonly data: unknown }[];
}

/** What became of the schemas of one source. */
interface Counts {
  schemas: number;
  refused: number;
  acceptedWrongly: number;
  refusedWrongly: number;
  instances: number;
  readonly compileMs: number[];
}

/** Differences that are printed, of each kind. */
const MAX_SHOWN = 12;

const [, , folder = '', every = '1'] = process.argv;
const bySource = new Map<string, Counts>();
const reasons = new Map<string, number>();
const differences: string[] = [];

function countsOf(file: string): Counts {
  const source = file.replace(/[_-]+[^_]*$/, '').split('---')[0] ?? file;
  const counts = bySource.get(source) ?? {
    schemas: 0,
    refused: 0,
    acceptedWrongly: 0,
    refusedWrongly: 0,
    instances: 0,
    compileMs: [],
  };
  bySource.set(source, counts);
  return counts;
}

/** The grammar of a schema; undefined where it is refused. */
function compile(schema: unknown, counts: Counts): GrammarWalk | undefined {
  const before = process.cpuUsage();
  try {
    return new GrammarWalk(compileGrammar(readJsonSchema(schema, { anyOrder: true }).grammar));
  } catch (error) {
    if (!isAppError(error)) throw error;
    const reason = `${error.code} ${String(error.details['keyword'] ?? '')} ${String(error.details['reason'] ?? '')}`;
    const short = reason.replaceAll(/"[^"]*"/g, '"…"').slice(0, 120);
    reasons.set(short, (reasons.get(short) ?? 0) + 1);
    counts.refused++;
    return undefined;
  } finally {
    counts.compileMs.push(process.cpuUsage(before).user / 1000);
  }
}

const files = readdirSync(folder).filter((file, i) => file.endsWith('.json') && i % Number(every) === 0);
for (const file of files) {
  let one: Case;
  try {
    one = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case;
  } catch {
    continue;
  }
  const counts = countsOf(file);
  counts.schemas++;
  const walk = compile(one.schema, counts);
  if (walk === undefined) continue;
  for (const { valid, data } of one.tests) {
    const isAccepted = walk.start().advance(Buffer.from(JSON.stringify(data)))?.canEnd === true;
    counts.instances++;
    if (isAccepted === valid) continue;
    if (isAccepted) counts.acceptedWrongly++;
    else counts.refusedWrongly++;
    differences.push(`${isAccepted ? 'accepted' : 'not accepted'}: ${file} ${JSON.stringify(data).slice(0, 100)}`);
  }
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1);
}

const HEAD = [
  'source',
  'schemas',
  'refused',
  '%',
  'instances',
  'accepted wrongly',
  'valid, not accepted',
  'p50 ms',
  'max ms',
];
const rows = Array.from(bySource, ([source, counts]) => {
  const { schemas, refused, instances, acceptedWrongly, refusedWrongly, compileMs } = counts;
  const share = ((100 * refused) / schemas).toFixed(1);
  const numbers = [schemas, refused, share, instances, acceptedWrongly, refusedWrongly].map(String);
  return [source, ...numbers, quantile(compileMs, 0.5), quantile(compileMs, 1)];
});
process.stdout.write(`${markdownTable(HEAD, rows)}\n`);
for (const [reason, count] of [...reasons].toSorted((a, b) => b[1] - a[1]).slice(0, 2 * MAX_SHOWN)) {
  process.stdout.write(`${count} ${reason}\n`);
}
for (const kind of ['accepted', 'not accepted']) {
  for (const line of differences.filter((each) => each.startsWith(`${kind}:`)).slice(0, MAX_SHOWN)) {
    process.stdout.write(`${line}\n`);
  }
}
