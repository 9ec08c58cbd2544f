// node dist/bench/engine/answers-table.js: right answers by topic for each quant, as a Markdown table.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine } from '../../src/index.js';
import { scoreAnswers, totalScore, type Score } from './answers.js';

const quants = ['f32', 'q8', 'q4'] as const;
const scratch = await mkdtemp(join(tmpdir(), 'troupe-answers-'));
const columns = new Map<string, Map<string, Score>>();
try {
  await using engine = await createEngine();
  for (const quant of quants) {
    const out = join(scratch, quant);
    await convertCheckpoint({ source: 'assets/demo', out, quant });
    await using model = await engine.load(out);
    columns.set(quant, await scoreAnswers(model));
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

const topics = [...(columns.get('f32')?.keys() ?? [])].toSorted();
const cell = (score: Score | undefined): string => (score === undefined ? '–' : `${score.right}/${score.total}`);
console.log(`| topic | ${quants.join(' | ')} |`);
console.log(`|---|${quants.map(() => '---|').join('')}`);
for (const topic of topics)
  console.log(`| ${topic} | ${quants.map((quant) => cell(columns.get(quant)?.get(topic))).join(' | ')} |`);
console.log(`| **all** | ${quants.map((quant) => cell(totalScore(columns.get(quant) ?? new Map()))).join(' | ')} |`);
