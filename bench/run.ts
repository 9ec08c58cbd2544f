// npm run bench [-- machine | kernels | engine | peers | publish …]: measures, prints tables, and adds what it measured to
// bench/results as JSON lines. `--help` lists the options.

import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runContest } from './contest/contest.js';
import { judge, toRow, verdictHead } from './contest/judge.js';
import { drawTerminal } from './terminal/draw-terminal.js';
import { runScript, scripts, type ScriptName } from './parts.js';
import { publish } from './publish/publish.js';
import { describeMachine, MAX_OTHER_WORK } from './record/machine.js';
import { appendResults, readResults, RESULTS, type Measured, type ResultLine } from './record/results.js';
import { markdownTable } from './record/table.js';

const HELP = `npm run bench [-- PART … --node PATH … --threads N --rounds N --only WORD …]

parts   machine   what memory and arithmetic give at most, as a ladder from a plain loop on
        kernels   every kernel on one thread
        engine    the demo model and a random one through the whole engine
        peers     beside llama.cpp, bare and through its Node binding, in turns on the same files
        publish   writes docs/performance.md and the pictures from what was last recorded; measures nothing
        draw      records a terminal in which the demo model answers, and draws assets/terminal.svg
        without one: machine, kernels, engine, peers

--node     an interpreter to measure, the newest first; may be given again. Default: this one
--threads  default: as many as cores
--rounds   measured rounds of peers, default 5
--only     of peers: lines whose file or measure has this in its name; all words must fit
--run      of publish: the run to take (its time of beginning) instead of each part's last

Files and peers are looked for in $TROUPE_BENCH (default ~/.troupe/bench), the Python with llama-cpp-python at
$TROUPE_BENCH_PYTHON. What is not there is skipped, with how to get it.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', multiple: true },
    threads: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', multiple: true },
    run: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const parts = positionals.length > 0 ? positionals : [...Object.keys(scripts), 'peers'];
const unknown = parts.find((part) => !Object.hasOwn(scripts, part) && !['peers', 'publish', 'draw'].includes(part));
const threads = wholeNumber('threads', values.threads ?? String(availableParallelism()));
const rounds = wholeNumber('rounds', values.rounds);
const nodes = values.node ?? [process.execPath];

const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Runs the parts in order; each line is recorded as soon as it is measured. */
async function measureParts(): Promise<void> {
  const machine = await describeMachine();
  note(
    `${machine.cpu}, ${machine.cores} cores; load average ${machine.loadAverage}; others use ${machine.otherWork} cores`,
  );
  if (machine.otherWork > MAX_OTHER_WORK)
    note(`that is more than ${MAX_OTHER_WORK}: what is measured now will not be published`);
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const about = { run: new Date().toISOString(), commit, ...machine };
  const record = async (part: string, measured: Measured): Promise<void> => {
    const line: ResultLine = { part, ...about, measured };
    await appendResults(RESULTS, [line]);
  };
  for (const part of parts) {
    if (part === 'peers') await measurePeers((line) => record(part, line));
    else
      for (const node of nodes) await runScript(part as ScriptName, node, threads, (line) => record(part, line), note);
  }
  note(`recorded in ${RESULTS} as run ${about.run}`);
}

async function measurePeers(record: (line: Measured) => Promise<void>): Promise<void> {
  const results = [];
  for await (const result of runContest({ nodes, threads, rounds, only: values.only ?? [] }, note)) {
    results.push(result);
    await record({ ...result });
    const { file, measure, contestant, otherWork, sleepersWork } = result;
    if (Math.max(otherWork, sleepersWork) > MAX_OTHER_WORK)
      note(`${file} ${measure}, ${contestant}: disturbed; others used ${otherWork} cores, sleepers ${sleepersWork}`);
  }
  const verdicts = judge(results);
  process.stdout.write(`${markdownTable(verdictHead, verdicts.map(toRow))}\n`);
}

/** Throws what the command line got wrong. */
function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1024) return value;
  throw new Error(`--${name} is a whole number from 1 to 1024, not ${text}`);
}

if (values.help) process.stdout.write(HELP);
else if (unknown !== undefined) {
  note(`there is no part ${unknown}\n\n${HELP}`);
  process.exitCode = 2;
} else if (parts.includes('publish')) await publish(await readResults(RESULTS), values.run, note);
else if (parts.includes('draw')) await drawTerminal(note);
else await measureParts();
