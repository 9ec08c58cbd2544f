/** One metric of a text in the format of Prometheus: its lines of HELP and TYPE, and its samples. */
interface Family {
  readonly heading: string[];
  readonly samples: string[];
}

/**
 * The metrics of several relays as one text. Each sample has the number of its relay as a label, so Prometheus can sum
 * them.
 */
export function mergeMetrics(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] ?? '';
  const families = new Map<string, Family>();
  for (const [relay, text] of texts.entries()) {
    let family: Family | undefined;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, word = '', name = ''] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (word === '') family?.samples.push(withLabel(line, relay));
      else {
        family = families.get(name) ?? { heading: [], samples: [] };
        families.set(name, family);
        if (relay === 0) family.heading.push(line);
      }
    }
  }
  const all = [...families.values()];
  return all.map(({ heading, samples }) => [...heading, ...samples].map((line) => `${line}\n`).join('')).join('');
}

function withLabel(line: string, relay: number): string {
  const label = `relay="${relay}"`;
  const brace = line.indexOf('{');
  if (brace !== -1) return `${line.slice(0, brace + 1)}${label},${line.slice(brace + 1)}`;
  const space = line.indexOf(' ');
  return `${line.slice(0, space)}{${label}}${line.slice(space)}`;
}
