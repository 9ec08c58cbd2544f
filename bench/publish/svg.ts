// As much of SVG as a diagram needs.

/** Text that may stand between tags and in attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/** An element; numbers keep two decimals. `children` are elements; `text` of `textElement` is escaped there. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${toAttribute(value)}"`);
  return children.length === 0
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${children.join('')}</${name}>`;
}

/** A line of text at (x, y). */
export function textElement(
  text: string,
  x: number,
  y: number,
  attributes: Readonly<Record<string, string | number>> = {},
): string {
  return element('text', { x, y, ...attributes }, [escapeXml(text)]);
}

/** Maps [from, to] to [start, end] by logarithm; values outside are mapped outside. */
export function logScale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log(to / from);
  return (value) => start + ((end - start) * Math.log(value / from)) / span;
}

function toAttribute(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : escapeXml(value);
}
