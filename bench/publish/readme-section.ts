// The README's measured part: one section for each CPU that somebody published from, between marks of its own.

const HEADING = '## How fast it is';
/** The heading that the part stands before when it is not there yet. */
const BEFORE = '## Working on it';

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
