// Streams of the recorded corpus in the form in which they are compared.

interface Chunk {
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly index: number;
  readonly finish_reason: unknown;
  readonly delta?: Record<string, unknown>;
  text?: string;
  logprobs: Record<string, unknown[]> | null;
}

/** An event as it is sent, with its one choice; `text` is written anew when another event is joined to it. */
interface Piece {
  text: string;
  readonly chunk: Chunk;
  readonly choice: Choice;
}

const DATA = 'data: ';

/**
 * Events in the order of their choices, each choice's texts joined where several events only go on with one text. How many
 * tokens come in one event, and whose come first, depends on who runs when; all else of an event is compared as it is.
 * An event is joined only if it equals the one before in everything but texts and log probabilities: in the envelope, the
 * order of its fields and the way in which its JSON is written.
 */
export function joinDeltas(events: readonly string[]): string[] {
  const before: string[] = [];
  const after: string[] = [];
  const byChoice = new Map<number, Piece[]>();
  for (const event of events) {
    const piece = toPiece(event);
    if (piece === undefined) {
      (byChoice.size > 0 ? after : before).push(event);
      continue;
    }
    const own = byChoice.get(piece.choice.index) ?? [];
    byChoice.set(piece.choice.index, own);
    const last = own.at(-1);
    if (last === undefined || !goesOn(last, piece)) own.push(piece);
  }
  const choices = [...byChoice].toSorted(([a], [b]) => a - b).flatMap(([, own]) => own);
  return [...before, ...choices.map(({ text }) => text), ...after];
}

/** The event of exactly one choice, written as JSON.stringify writes it; of all others nothing is joined. */
function toPiece(text: string): Piece | undefined {
  if (!text.startsWith(`${DATA}{`)) return undefined;
  const chunk = JSON.parse(text.slice(DATA.length)) as Chunk;
  const [choice, ...others] = chunk.choices ?? [];
  const isPlain = `${DATA}${JSON.stringify(chunk)}` === text;
  return choice === undefined || others.length > 0 || !isPlain ? undefined : { text, chunk, choice };
}

/** Adds `next` to `last` where both bring more of one text, and nothing else; whether it did. */
function goesOn(last: Piece, next: Piece): boolean {
  if (last.choice.finish_reason !== null || textKind(last.choice) === undefined) return false;
  if (textKind(last.choice) !== textKind(next.choice) || frameOf(last.chunk) !== frameOf(next.chunk)) return false;
  const { delta, logprobs } = last.choice;
  if (delta === undefined) last.choice.text = `${last.choice.text}${next.choice.text}`;
  for (const [field, text] of Object.entries(next.choice.delta ?? {})) {
    if (delta !== undefined) delta[field] = `${String(delta[field])}${String(text)}`;
  }
  for (const [field, entries] of Object.entries(next.choice.logprobs ?? {})) logprobs?.[field]?.push(...entries);
  last.text = `${DATA}${JSON.stringify(last.chunk)}`;
  return true;
}

/** All of a chunk but its texts and log probabilities. */
function frameOf(chunk: Chunk): string {
  const empty = (fields: object, by: unknown): object =>
    Object.fromEntries(Object.keys(fields).map((field) => [field, by]));
  const choices = chunk.choices?.map((choice) => ({
    ...choice,
    ...(choice.delta === undefined ? { text: '' } : { delta: empty(choice.delta, '') }),
    ...(choice.logprobs && { logprobs: empty(choice.logprobs, []) }),
  }));
  return JSON.stringify({ ...chunk, choices });
}

/** `text`, or the names of a delta's only fields, where these are texts. */
function textKind({ delta, text }: Choice): string | undefined {
  if (delta === undefined) return text === undefined ? undefined : 'text';
  const fields = Object.keys(delta);
  const isText = fields.length > 0 && fields.every((field) => /^(content|reasoning|reasoning_content)$/.test(field));
  return isText && fields.every((field) => typeof delta[field] === 'string') ? fields.join() : undefined;
}
