import type { AccountKeyLimits } from '../billing.js';

/**
 * Whether a key may use a model: by its provider's name, or by a pattern of provider and model in which `*` matches any
 * text.
 */
export function mayUse({ models }: AccountKeyLimits, provider: string, model: string): boolean {
  return models === null || models.some((pattern) => pattern === provider || matches(pattern, `${provider}/${model}`));
}

/** In linear time for each star: parts are found from the left, the last at the end. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
