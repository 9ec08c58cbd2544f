// Streams word for word: what a dialect makes of the events of a completion.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKindOf, type ErrorData } from '../../src/base/index.js';
import type { CompletionEvent } from '../../src/completion/index.js';
import { AnswerTimer, dialects, type AnswerHead, type WireDialect } from '../../src/wire/index.js';
import { codeTables } from '../repo/code-tables.js';

/** One stream. `failure`: what ends it. */
export interface GoldenStream {
  readonly name: string;
  readonly body: object;
  readonly events: readonly CompletionEvent[];
  readonly failure?: ErrorData;
  readonly objects: readonly object[];
}

/** Dialects whose streams have names and an order of their own. */
export type GoldenDialect = 'responses' | 'messages';

/** The streams of `test/vectors/<dialect>/events.json`. */
export function readGoldenStreams(name: GoldenDialect): GoldenStream[] {
  const path = join(process.cwd(), 'test/vectors', name, 'events.json');
  return JSON.parse(readFileSync(path, 'utf8')) as GoldenStream[];
}

/** The objects that a dialect makes of a stream, with ids that are counted. */
export function writeStream(
  name: GoldenDialect,
  { body, events, failure }: Omit<GoldenStream, 'objects' | 'name'>,
): object[] {
  const dialect: WireDialect<object, object> = dialects[name];
  const write = dialect.toEvents(dialect.read(body), countedHead(dialect.idPrefix));
  const objects = events.flatMap((event) => write(event));
  if (failure === undefined) return objects;
  const kindOf = createKindOf(Object.values(codeTables));
  return [...objects, ...(write.fail?.(failure, kindOf) ?? [dialect.toError(failure, kindOf)])];
}

/** What all objects of an answer have in common, with ids that are counted. */
export function countedHead(idPrefix: string): AnswerHead {
  let ids = 0;
  const newId = (): string => `id${ids++}`;
  return {
    id: `${idPrefix}1`,
    created: 1000,
    model: 'm',
    systemFingerprint: 'f',
    newId,
    newCallId: () => `call_${newId()}`,
    unixSeconds: () => 1007,
    timer: new AnswerTimer(),
  };
}
