/** The line that Claude Code begins its system prompt with. */
export const BILLING_LINE = 'x-anthropic-billing-header';
const LINE = new RegExp(`^${BILLING_LINE}:[^\\n]*(?:\\n|$)`, 'gim');

/**
 * The text of a system message without the line in which Claude Code tells Anthropic's servers its version: it changes with
 * each request, so that no prompt that has it finds its beginning in the prefix cache, and it tells a model nothing.
 */
export function withoutClientLines(text: string): string {
  // Most have none.
  if (!text.toLowerCase().includes(BILLING_LINE)) return text;
  const kept = text.replaceAll(LINE, '');
  // What the line stood before begins the text.
  return kept === text ? text : kept.replace(/^\n+/, '');
}
