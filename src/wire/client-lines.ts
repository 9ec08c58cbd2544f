/** The line that Claude Code begins its system prompt with. */
export const BILLING_LINE = 'x-anthropic-billing-header';
const LINE = new RegExp(`^${BILLING_LINE}:[^\\n]*(?:\\n|$)`, 'gim');

/**
 * The text of a system message without the line in which Claude Code reports its version. The line changes with each
 * request, so no prompt with it would hit the prefix cache, and it is useless to a model.
 */
export function withoutClientLines(text: string): string {
  // Most have none.
  if (!text.toLowerCase().includes(BILLING_LINE)) return text;
  const kept = text.replaceAll(LINE, '');
  // The text after the line begins with it.
  return kept === text ? text : kept.replace(/^\n+/, '');
}
