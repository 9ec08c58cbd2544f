import { METHODS } from 'node:http';
import { describe } from '../../base/index.js';
import type { RequestHead } from '../exchange.js';
import type { HttpLimits } from '../limits.js';
import type { AllowedNames } from './names.js';
import { refuse, refuseFraming, type Refusal } from '../refusal.js';

/** A head that two parsers cannot read in two ways. */
export interface CheckedHead {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReadonlyMap<string, string>;
  /** Undefined: none, or sent in chunks. */
  readonly contentLength: number | undefined;
  readonly wantsContinue: boolean;
}

const VERSIONS: readonly string[] = ['1.1', '1.0'];
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * No control character but tab. Bytes beyond ASCII pass, since some proxies and clients send names of people and files
 * in them. Transports decode them differently, so fields that the server interprets may not contain them.
 */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\uffff]*$/;
const TARGET = /^[\x21\x22\x24-\x7e]+$/;
/** Targets with the scheme of their connection; another scheme means another server. */
const ABSOLUTE = { http: /^http:\/\/([^/?]*)(.*)$/i, https: /^https:\/\/([^/?]*)(.*)$/i };
/** 15 digits are below 2^53. */
const CONTENT_LENGTH = /^\d{1,15}$/;

/**
 * Our own checks, the same over every transport. Parsers differ in what they accept (21 malformed requests measured,
 * and the CVEs of request smuggling). Required: exactly one Host, and at most one Content-Length, of digits. Refused:
 * any Transfer-Encoding but one `chunked`, both of these, body framing in HTTP/1.0, an absolute target for another
 * host.
 */
export function checkHead(head: RequestHead, names: AllowedNames, limits: HttpLimits): CheckedHead | Refusal {
  const headers = new Map<string, string>();
  const fault = readFields(head, headers) ?? checkFraming(head) ?? checkCount(head, limits);
  if (fault !== undefined) return fault;
  const host = headers.get('host') ?? '';
  const target = readTarget(head, host);
  if ('code' in target) return target;
  const refused = checkCaller(headers, host, names);
  if (refused !== undefined) return refused;
  const length = headers.get('content-length');
  return {
    method: head.method,
    ...target,
    headers,
    contentLength: length === undefined ? undefined : Number(length),
    wantsContinue: headers.has('expect') && head.version !== '1.0',
  };
}

/** Fills `headers`, names in lower case. */
function readFields(head: RequestHead, headers: Map<string, string>): Refusal | undefined {
  if (!VERSIONS.includes(head.version)) return refuseFraming(`HTTP/${head.version} is not 1.1 or 1.0`);
  if (!METHODS.includes(head.method)) return refuseFraming('the method is none that HTTP servers know');
  for (const [name, value] of head.fields) {
    if (!TOKEN.test(name)) return refuseFraming('a header name has a character that it may not have');
    const key = name.toLowerCase();
    if (!FIELD_VALUE.test(value)) {
      return refuseFraming(`the value of the header ${describe(key, true)} has a control character`);
    }
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return undefined;
}

function checkFraming(head: RequestHead): Refusal | undefined {
  const valuesOf = (name: string): string[] =>
    head.fields.filter(([key]) => key.toLowerCase() === name).map(([, value]) => trimBlanks(value));
  const hosts = valuesOf('host');
  if (hosts.length !== 1)
    return refuseFraming(`the request has ${hosts.length} Host headers; it must have exactly one`);
  const lengths = valuesOf('content-length');
  const codings = valuesOf('transfer-encoding');
  if (lengths.length > 1) return refuseFraming('the request has more than one Content-Length');
  if (lengths.length + codings.length > 1) {
    return refuseFraming('the request must have one Content-Length or one Transfer-Encoding, not several');
  }
  if (lengths.some((value) => !CONTENT_LENGTH.test(value))) {
    return refuseFraming('Content-Length is not a number of 1 to 15 digits');
  }
  if (codings.some((value) => value.toLowerCase() !== 'chunked')) {
    return refuseFraming('Transfer-Encoding is not `chunked`, the only coding taken');
  }
  if (codings.length > 0 && head.version !== '1.1') return refuseFraming('HTTP/1.0 has no Transfer-Encoding');
  if (codings.length > 0 && !head.checksChunks) {
    const message = 'send the body with a Content-Length; this transport cannot check bodies in chunks';
    // The answer to HEAD has no body to close after.
    return { code: 'length_required', message, framing: head.method === 'HEAD' ? 'malformed' : 'unknown' };
  }
  return undefined;
}

/** Without the blanks that HTTP allows around a value; \xa0 and others are no blanks to a parser behind or before us. */
function trimBlanks(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** Its framing is sound, so that it can be answered. */
function checkCount({ fields }: RequestHead, { headerCount }: HttpLimits): Refusal | undefined {
  if (fields.length <= headerCount) return undefined;
  const message = `the request has ${fields.length} header fields; the limit is ${headerCount}`;
  return refuse('headers_too_large', message);
}

/** The path and query of an origin-form, asterisk-form or absolute-form target. */
function readTarget(
  { scheme, method, target }: RequestHead,
  host: string,
): Pick<CheckedHead, 'path' | 'query'> | Refusal {
  if (!TARGET.test(target)) return refuseFraming('the request target has a character that it may not have');
  let origin = target;
  const [, authority, rest = ''] = ABSOLUTE[scheme].exec(target) ?? [];
  if (authority !== undefined) {
    if (authority.toLowerCase() !== host.toLowerCase()) {
      return refuseFraming('the host of the absolute request target is not that of the Host header');
    }
    origin = rest.startsWith('/') ? rest : `/${rest}`;
  }
  if (!origin.startsWith('/') && !(origin === '*' && method === 'OPTIONS')) {
    return refuseFraming('the request target must begin with a slash');
  }
  const at = origin.indexOf('?');
  return at === -1
    ? { path: origin, query: new URLSearchParams() }
    : { path: origin.slice(0, at), query: new URLSearchParams(origin.slice(at + 1)) };
}

/** The refusal of a body that is announced as larger than `maxBytes`, before a byte of it came. */
export function checkAnnounced(contentLength = 0, maxBytes: number): Refusal | undefined {
  if (contentLength <= maxBytes) return undefined;
  return refuse('request_too_large', `the body has ${contentLength} bytes; the limit is ${maxBytes}`);
}

/** What a well-framed request is refused for. */
function checkCaller(headers: ReadonlyMap<string, string>, host: string, names: AllowedNames): Refusal | undefined {
  if (!names.isHostAllowed(host)) {
    const shown = host === '' ? 'an empty Host' : `the host ${shownName(host, HOST)}`;
    return refuse('host_refused', `the listener does not answer for ${shown}; add it to the allowed hosts`);
  }
  const origin = headers.get('origin');
  if (origin !== undefined && !names.isOriginAllowed(origin, host)) {
    return refuse(
      'origin_refused',
      `pages of the origin ${shownName(origin, ORIGIN)} may not use this listener; allow it by name`,
    );
  }
  const expect = headers.get('expect');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return refuse('expectation_failed', `Expect is ${describe(expect, true)}; only 100-continue is known`);
  }
  return undefined;
}

const HOST = /^[\w.:[\]-]{1,255}$/;
const ORIGIN = /^[a-z-]{1,20}:\/\/[\w.:[\]-]{1,255}$/;

/** A name for a message, which a log has too: what is none, or may be a key, is not repeated. */
function shownName(text: string, form: RegExp): string {
  return form.test(text) && !/\w{40}/.test(text) ? `"${text}"` : describe(text);
}
