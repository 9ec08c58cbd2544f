// One request of a run as its client sees it.
import { request as httpRequest, type Agent } from 'node:http';
import { bodyOf, CASE, fateOf } from './fates.js';

/** The answer as a client saw it. */
export interface Seen {
  readonly startedMs: number;
  /** When it knew that nothing more comes. */
  readonly endedMs: number;
  /** Undefined: no head came. */
  readonly status: number | undefined;
  /** Of its generation; undefined: no head came. */
  readonly id: string | undefined;
  /** Its answer came to its end. */
  readonly isWhole: boolean;
  /** Tokens of a stream that came. */
  readonly tokens: number;
}

/** Sends request `index`. `whenAsked`: when its provider has it, and a client that leaves early does. */
export function send(
  port: number,
  agent: Agent,
  key: string,
  index: number,
  whenAsked: (index: number) => Promise<void>,
): Promise<Seen> {
  const fate = fateOf(index);
  const body = bodyOf(index);
  const headers = { authorization: `Bearer ${key}`, [CASE]: String(index), 'content-length': String(body.length) };
  const startedMs = Date.now();
  return new Promise((resolve) => {
    let [text, status, id]: [string, number | undefined, string | undefined] = ['', undefined, undefined];
    const end = (isWhole: boolean): void => {
      const tokens = text.split('" a"').length - 1;
      resolve({ startedMs, endedMs: Date.now(), status, id, isWhole, tokens });
    };
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: '/up/v1/chat/completions', headers };
    const request = httpRequest(options, (answer) => {
      status = answer.statusCode;
      const field = answer.headers['x-generation-id'];
      if (typeof field === 'string') id = field;
      answer.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (fate === 'leaves' && status === 200) request.destroy();
      });
      answer.on('end', () => end(answer.complete && status === 200));
      answer.on('error', () => end(false));
      answer.on('close', () => end(false));
    });
    request.on('error', () => end(false));
    request.end(body);
    if (fate === 'early') void whenAsked(index).then(() => request.destroy());
  });
}
