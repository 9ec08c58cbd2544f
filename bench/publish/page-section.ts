// The measured part of docs/performance.md: one section for each CPU with published results, between marks of its own.
// The chart is between such marks too.

const HEADING = '## How fast it is';
/** The heading that the part stands before when it is not there yet. */
const BEFORE = '## Measure it yourself';

/** A CPU's name as marks and file names have it. */
export function slugOf(cpu: string, cores: number): string {
  const words = `${cpu} ${cores} cores`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-');
}

/** The document with `content` as the section `slug`: in place of the last one, or behind those of other CPUs. */
export function withSection(document: string, slug: string, content: string): string {
  const [begin, end] = [`<!-- bench ${slug}: begin -->`, `<!-- bench ${slug}: end -->`];
  const section = `${begin}\n\n${content.trim()}\n\n${end}`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from !== -1 && to > from) return `${document.slice(0, from)}${section}${document.slice(to + end.length)}`;
  const heading = document.indexOf(`${HEADING}\n`);
  if (heading !== -1) {
    const next = document.indexOf('\n## ', heading + HEADING.length);
    const at = next === -1 ? document.length : next;
    return `${document.slice(0, at).trimEnd()}\n\n${section}\n${document.slice(at)}`;
  }
  const at = document.indexOf(BEFORE);
  if (at === -1) throw new Error(`the document has neither "${HEADING}" nor "${BEFORE}" to put the section at`);
  return `${document.slice(0, at)}${HEADING}\n\n${section}\n\n${document.slice(at)}`;
}

/** The document with the chart at `path` between its marks. Throws when the marks are not there. */
export function withChart(document: string, path: string, description: string): string {
  const [begin, end] = ['<!-- bench chart: begin -->', '<!-- bench chart: end -->'];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`the document has no marks "${begin}" and "${end}" to put the chart between`);
  return `${document.slice(0, from)}${begin}\n\n![${description}](${path})\n\n${document.slice(to)}`;
}
