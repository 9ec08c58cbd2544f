// A receiver of webhooks, which verifies what it gets by an implementation of its own.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** 32 bytes, as `alerts.webhooks[].secret` has them. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** One attempt as it came in. */
export interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly source: unknown; readonly data: Json };
  readonly isSigned: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** A receiver at work. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly got: readonly Got[];
  /** The types of what it got, each event once. */
  types(): readonly string[];
}

/** Starts one on loopback. `answer` says what becomes of an attempt, counted from 0. */
export async function startReceiver(
  answer: (attempt: number, response: ServerResponse) => void = (_, response) => void response.end(),
  secret = SECRET,
): Promise<Receiver> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const body = JSON.parse(text) as Got['body'];
      got.push({ headers: request.headers, text, body, isSigned: verify(request.headers, text, secret) });
      answer(got.length - 1, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    types: () => [...new Map(got.map(({ headers, body }) => [headers['webhook-id'], body.type])).values()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** As docs/alerts.md tells receivers to. */
function verify(headers: IncomingHttpHeaders, text: string, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const sent = Buffer.from(String(headers['webhook-signature']));
  const isFresh = Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp'])) < 300;
  return isFresh && sent.length === expected.length && timingSafeEqual(sent, expected);
}
