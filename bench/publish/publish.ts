import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { MAX_OTHER_WORK } from '../record/machine.js';
import { selectRun, type ResultLine } from '../record/results.js';
import { drawBars } from './bars.js';
import { contestTable, ladderTable, toBars, toRoofline } from './measurements.js';
import { slugOf, withChart, withSection } from './page-section.js';
import { drawRoofline } from './roofline.js';

/** Pictures lie here, from the repository's root. */
const PICTURES = 'assets/bench';
/** The page with the tables, one folder below the root. */
const PAGE = 'docs/performance.md';
const CHART_TEXT = 'Bars: tokens a second of Troupe, llama.cpp and node-llama-cpp on the same files';

/**
 * Writes what the parts `machine` and `peers` measured, of one run or of the last of each part: tables into
 * docs/performance.md, with the chart, and pictures into assets/bench. Throws when a part is missing, another
 * machine measured it, or others used the cores when it began.
 */
export async function publish(
  lines: readonly ResultLine[],
  run: string | undefined,
  note: (text: string) => void,
): Promise<void> {
  const machine = publishable(lines, 'machine', run);
  const peers = publishable(lines, 'peers', run);
  const about = `${machine[0]?.cpu ?? ''}, ${machine[0]?.cores ?? 0} cores`;
  if (`${peers[0]?.cpu ?? ''}, ${peers[0]?.cores ?? 0} cores` !== about)
    throw new Error('machine and peers were not measured on the same CPU; measure both again');
  const slug = slugOf(machine[0]?.cpu ?? '', machine[0]?.cores ?? 0);
  const picture = `${PICTURES}/roofline-${slug}.svg`;
  await mkdir(PICTURES, { recursive: true });
  await writeFile(picture, drawRoofline(toRoofline(machine, peers, about)));
  const chart = `${PICTURES}/bars-${slug}.svg`;
  await writeFile(chart, drawBars({ heading: about, groups: toBars(peers) }));
  await change(PAGE, (page) => {
    const section = withSection(page, slug, sectionOf(about, picture, machine, peers));
    return withChart(section, `../${chart}`, CHART_TEXT);
  });
  note(`wrote ${picture}, ${chart}, and the section ${slug} and the chart of ${PAGE}`);
}

async function change(path: string, edit: (text: string) => string): Promise<void> {
  await writeFile(path, edit(await readFile(path, 'utf8')));
}

/** The lines of a part, if they may be published. */
export function publishable(lines: readonly ResultLine[], part: string, run?: string): ResultLine[] {
  const chosen = selectRun(lines, part, run);
  if (chosen.length === 0)
    throw new Error(`nothing was recorded of ${part}${run === undefined ? '' : ` in run ${run}`}`);
  const disturbed = chosen.find((line) => line.otherWork > MAX_OTHER_WORK);
  if (disturbed !== undefined)
    throw new Error(
      `run ${disturbed.run} of ${part} began while others used ${disturbed.otherWork} cores; ` +
        `at most ${MAX_OTHER_WORK} may be published: measure again on a quiet machine`,
    );
  return chosen;
}

function sectionOf(
  about: string,
  picture: string,
  machine: readonly ResultLine[],
  peers: readonly ResultLine[],
): string {
  const threads = Math.max(...peers.map(({ measured }) => Number(measured['threads'])));
  const rounds = Math.min(
    ...peers.map(({ measured }) => (Array.isArray(measured['runs']) ? measured['runs'].length : 0)),
  );
  return `**${about}**, ${peers[0]?.run.slice(0, 10) ?? ''}, commit ${peers[0]?.commit ?? ''}: the same GGUF file for everyone,
${threads} threads, medians of ${rounds} runs in turns, greedy, without speculation. Random weights but for SmolLM2.

- *bare* is llama.cpp compiled for the machine and called through its C functions.
- *binding* is node-llama-cpp 3.22.1.
- *÷ memory* is the share of the bandwidth, read in the same minutes, that the weights take.

${contestTable(peers)}

![Speed over multiply-adds per byte of weights, below the measured limits of memory and arithmetic](../${picture})

One product of 2,048 columns as a ladder, by rows of activations:

${ladderTable(machine)}`;
}
