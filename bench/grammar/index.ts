// node dist/bench/grammar/index.js: times of compiling and of masks over schemas as requests bring them, ours and
// web-xgrammar's in turns in this process, as Markdown tables. Milliseconds.

import { performance } from 'node:perf_hooks';
import { compileGrammar, createVocabulary, GrammarWalk, readJsonSchema } from '../../src/grammar/index.js';
import { markdownTable } from '../record/table.js';
import { schemaCases, type SchemaCase } from './schemas.js';
import { findVocabulary } from './vocabulary.js';
import { loadWebXgrammar } from './web-xgrammar.js';

/** The first round warms the just-in-time compilers and is not counted. */
const ROUNDS = 6;

/** Times of one case. */
interface Times {
  readonly compile: number[];
  readonly first: number[];
  readonly masks: number[];
}

const vocabulary = await findVocabulary(process.cwd());
const { tokenizer, tokens, encoded, endTokenId } = vocabulary;
const began = performance.now();
const ours = createVocabulary(tokens);
const trieMs = performance.now() - began;
const peer = loadWebXgrammar();
const peerBegan = performance.now();
const info = await peer.TokenizerInfo.createTokenizerInfo(encoded, 'byte_level', false, encoded.length, [endTokenId]);
const infoMs = performance.now() - peerBegan;

/** Masks before each token of an answer, and what they cost. */
function runOurs({ schema }: SchemaCase, ids: readonly number[], times: Times): void {
  const from = performance.now();
  const walk = new GrammarWalk(compileGrammar(readJsonSchema(schema).grammar));
  let state = walk.start();
  times.compile.push(performance.now() - from);
  ids.forEach((id, index) => {
    const before = performance.now();
    ours.mask(state);
    (index === 0 ? times.first : times.masks).push(performance.now() - before);
    const next = state.advance(ours.bytesOf(id));
    if (next === undefined) throw new Error(`we refuse token ${index} of an answer`);
    state = next;
  });
}

async function runPeer({ schema }: SchemaCase, ids: readonly number[], times: Times): Promise<void> {
  // A compiler of its own: with its cache every schema but the first would cost nothing.
  const compiler = await peer.GrammarCompiler.createGrammarCompiler(info, false);
  const from = performance.now();
  const compiled = await compiler.compileJSONSchema(JSON.stringify(schema), true, 2, [',', ': '], false);
  const matcher = await peer.GrammarMatcher.createGrammarMatcher(compiled);
  times.compile.push(performance.now() - from);
  for (const [index, id] of ids.entries()) {
    const before = performance.now();
    await matcher.getNextTokenBitmask();
    (index === 0 ? times.first : times.masks).push(performance.now() - before);
    if (!matcher.acceptToken(id)) throw new Error(`the peer refuses token ${index} of an answer`);
  }
  matcher.dispose();
  compiled.dispose();
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(3);
}

const HEAD = ['schema', 'who', 'compile p50', 'first mask p50', 'mask p50', 'mask p99', 'mask max', 'masks'];
const rows: string[][] = [];
const all: Record<'ours' | 'web-xgrammar', Times> = { ours: none(), 'web-xgrammar': none() };

function none(): Times {
  return { compile: [], first: [], masks: [] };
}

function row(name: string, who: string, { compile, first, masks }: Times): string[] {
  const times = [quantile(compile, 0.5), quantile(first, 0.5), quantile(masks, 0.5), quantile(masks, 0.99)];
  return [name, who, ...times, quantile(masks, 1), String(masks.length)];
}

for (const one of schemaCases) {
  const ids = tokenizer.encode(JSON.stringify(one.answer, null, 2));
  const times = { ours: none(), 'web-xgrammar': none() };
  for (let round = 0; round < ROUNDS; round++) {
    const into = round === 0 ? { ours: none(), 'web-xgrammar': none() } : times;
    runOurs(one, ids, into.ours);
    await runPeer(one, ids, into['web-xgrammar']);
  }
  for (const who of ['ours', 'web-xgrammar'] as const) {
    rows.push(row(one.name, who, times[who]));
    for (const kind of ['compile', 'first', 'masks'] as const) all[who][kind].push(...times[who][kind]);
  }
}
for (const who of ['ours', 'web-xgrammar'] as const) rows.push(row('all', who, all[who]));
console.log(
  `vocabulary ${vocabulary.name}: ${tokens.length} tokens; ours made in ${trieMs.toFixed(0)} ms, the peer's in ${infoMs.toFixed(0)} ms\n`,
);
console.log(markdownTable(HEAD, rows));
