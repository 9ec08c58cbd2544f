import type { Typed } from '../../data/index.js';

/** The most ports of one scan. */
const MAX_PORTS = 64;
const MAX_PORT = 65_535;

/** Reads typed ports: `11434, 8000-8010`. Empty text gives undefined, which means the well-known ports. */
export function readPorts(text: string): Typed<number[] | undefined> {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (parts.length === 0) return { value: undefined };
  const ports = new Set<number>();
  for (const part of parts) {
    const [, from = '', to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === '' || first < 1 || last > MAX_PORT || first > last) {
      return { error: `Ports from 1 to ${MAX_PORT}, such as 11434, 8000-8010.` };
    }
    if (last - first >= MAX_PORTS) return { error: `At most ${MAX_PORTS} ports.` };
    for (let port = first; port <= last; port++) ports.add(port);
  }
  return ports.size > MAX_PORTS
    ? { error: `At most ${MAX_PORTS} ports; this has ${ports.size}.` }
    : { value: [...ports] };
}
