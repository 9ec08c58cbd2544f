/** The result of saving a file, in a few words. */
export function savedWords(saved: {
  readonly in_use: boolean;
  readonly refused: string | null;
  readonly needs_restart?: readonly string[];
}): string {
  if (saved.refused !== null) return `Saved, but the gateway works by the text before: ${saved.refused}`;
  const { needs_restart: fields = [] } = saved;
  if (fields.length > 0) return `Saved. The next start takes up ${fields.join(', ')}.`;
  return saved.in_use ? 'Saved, and in use.' : 'Saved.';
}
