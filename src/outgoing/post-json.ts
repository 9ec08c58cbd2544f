import { isIP } from 'node:net';
import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ADDRESS_REFUSED, createCheckedLookup, type LookUpAll, type MayConnect } from '../address/index.js';
import type { Clock } from '../base/index.js';

/** An attempt as a whole: a receiver answers first and works afterwards. */
const ATTEMPT_MS = 10_000;
/** Of an answer, whose body says nothing that is needed. */
const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Digits of `Retry-After`: some three years. */
const RETRY_AFTER = /^\d{1,8}$/;

/** How addresses are found and checked. */
export interface OutgoingNetwork {
  readonly mayConnect: MayConnect;
  readonly lookUpAll?: LookUpAll;
  readonly clock: Clock;
}

/** What came of an attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** The HTTP status; undefined: there was no answer. */
  readonly status: number | undefined;
  /** A code of the system, `timeout`, `redirect`, `address_refused` or `status`; never a text of the receiver. */
  readonly reason: string | undefined;
  /** When the receiver wants to be asked again. */
  readonly retryAfterMs: number | undefined;
  /** The receiver wants no more of this (410). */
  readonly isGone: boolean;
}

/** Sends `body` once. Total: whatever fails is in the result. Redirects are not followed. */
export function postJson(
  target: string,
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  { mayConnect, lookUpAll, clock }: OutgoingNetwork,
): Promise<Attempt> {
  const url = new URL(target);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !mayConnect(host)) return Promise.resolve(failed('address_refused'));
  const bytes = Buffer.from(body);
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    lookup: createCheckedLookup(mayConnect, lookUpAll),
    maxHeaderSize: MAX_HEADER_BYTES,
    headers: {
      'content-type': 'application/json',
      'content-length': bytes.length,
      'user-agent': 'troupe',
      ...headers,
    },
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
    const end = (attempt: Attempt): void => {
      cancel();
      request.destroy();
      resolve(attempt);
    };
    let answered: Attempt | undefined;
    const cancel = clock.after(ATTEMPT_MS, () => end(answered ?? failed('timeout')));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const { code = 'connection_failed' } = error;
      end(answered ?? failed(code === ADDRESS_REFUSED ? 'address_refused' : code));
    });
    request.on('response', (response) => {
      const attempt = toAttempt(response.statusCode ?? 0, response.headers['retry-after']);
      answered = attempt;
      let received = 0;
      response.on('data', (chunk: Uint8Array) => {
        received += chunk.length;
        if (received > MAX_ANSWER_BYTES) end(attempt);
      });
      response.on('end', () => end(attempt));
      response.on('error', () => end(attempt));
    });
    request.end(bytes);
  });
}

function toAttempt(status: number, retryAfter: string | undefined): Attempt {
  const isDelivered = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect ? 'redirect' : 'status';
  return {
    isDelivered,
    status,
    reason: isDelivered ? undefined : reason,
    retryAfterMs: RETRY_AFTER.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : undefined,
    isGone: status === 410,
  };
}

function failed(reason: string): Attempt {
  return { isDelivered: false, status: undefined, reason, retryAfterMs: undefined, isGone: false };
}
