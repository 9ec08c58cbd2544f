/** The target of `rel="next"` in a Link field; undefined if absent. Source: RFC 8288. */
export function readNextLink(text: string | undefined): string | undefined {
  for (const [, target, rest = ''] of (text ?? '').matchAll(/<([^>]{1,4096})>([^<]*)/g)) {
    if (/;\s*rel\s*=\s*"?next"?/i.test(rest)) return target;
  }
  return undefined;
}
