import type { ActedKey } from './request-keys.js';
import type { ByteSpan, RequestFacts } from './scan-request.js';

/** Changes of a body. Absent fields stay. */
export interface RequestChanges {
  /** The runtime's name of the model. */
  readonly model?: string | undefined;
  /** Ask the runtime for the usage of a stream. */
  readonly includeUsage?: boolean | undefined;
  readonly cacheSalt?: string | undefined;
}

/** `text` replaces the bytes from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A body with some values replaced: its other bytes are views of the original, in pieces. New members go before the
 * last brace. A `stream_options` that is neither an object nor null stays, since the runtime will refuse it.
 */
export function editRequest(body: Uint8Array, facts: RequestFacts, changes: RequestChanges): readonly Uint8Array[] {
  const added: string[] = [];
  const edits: Edit[] = [];
  const set = (key: ActedKey, text: string): void => {
    const place = facts.places.get(key);
    if (place === undefined) added.push(`${JSON.stringify(key)}:${text}`);
    else edits.push({ start: place.start, end: place.end, text });
  };
  if (changes.model !== undefined && changes.model !== facts.model) set('model', JSON.stringify(changes.model));
  if (changes.cacheSalt !== undefined) set('cache_salt', JSON.stringify(changes.cacheSalt));
  if (changes.includeUsage === true && !facts.includesUsage) {
    const options = facts.places.get('stream_options');
    if (options?.kind === 'object') edits.push(askInside(options, facts));
    else if (options === undefined || options.kind === 'null') set('stream_options', '{"include_usage":true}');
  }
  if (added.length > 0) {
    const at = facts.root.end - 1;
    edits.push({ start: at, end: at, text: `${facts.root.isEmpty ? '' : ','}${added.join(',')}` });
  }
  return applyEdits(body, edits);
}

/** Whether `editRequest` can make a runtime report the usage of this stream. */
export function canAskUsage({ places }: RequestFacts): boolean {
  const kind = places.get('stream_options')?.kind;
  return kind === undefined || kind === 'null' || kind === 'object';
}

/** Sets `include_usage` of options that are there. */
function askInside({ start }: ByteSpan, { includeUsage, hasStreamOptions }: RequestFacts): Edit {
  if (includeUsage !== undefined) return { start: includeUsage.start, end: includeUsage.end, text: 'true' };
  return { start: start + 1, end: start + 1, text: `"include_usage":true${hasStreamOptions ? ',' : ''}` };
}

function applyEdits(body: Uint8Array, edits: readonly Edit[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    pieces.push(body.subarray(at, start), Buffer.from(text));
    at = end;
  }
  pieces.push(body.subarray(at));
  return pieces.filter(({ length }) => length > 0);
}
