// A gateway with its admin listener on a free port, and two ways to ask it: as a page that signed in, and as a script.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createKeySecret, openMeter } from '../../../src/metering/index.js';
import { startGateway, type StartedGateway } from '../serving/start-gateway.js';
import type { GatewaySetup } from '../../../src/gateway/index.js';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type FileParts, makeHome } from '../../support/start-product.js';

/** What was answered. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** As JSON; undefined where it is none. */
  readonly json: unknown;
}

/** What is sent besides method and path. */
export interface Sent {
  /** The address that it connects to. Default: 127.0.0.1. */
  readonly host?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway with its admin API. */
export interface StartedAdmin extends AsyncDisposable {
  readonly started: StartedGateway;
  readonly adminPort: number;
  readonly token: string;
  /** As a script, with the admin token. */
  script(method: string, path: string, sent?: Sent): Promise<Answered>;
  /** With no credential and no header of ours. */
  raw(method: string, path: string, sent?: Sent): Promise<Answered>;
  /** Signs in as a page does. */
  signIn(): Promise<Page>;
}

/** A page that signed in. */
export interface Page {
  readonly cookie: string;
  readonly csrfToken: string;
  /** What goes with each of its requests. */
  readonly headers: Readonly<Record<string, string>>;
  ask(method: string, path: string, sent?: Sent): Promise<Answered>;
}

/** A directory with databases that were made before, and the admin token that is in force there. */
export interface AdminHome {
  readonly home: string;
  readonly token: string;
}

/** Starts one with an admin token that was issued. */
export async function startAdmin(
  parts: FileParts = {},
  setup: Partial<GatewaySetup> = {},
  where?: AdminHome,
): Promise<StartedAdmin> {
  const { home: directory, token } = where ?? (await makeAdminHome());
  const file = parts['runtimes'] === undefined ? { models: [], ...parts } : parts;
  const started = await startGateway(file, { admin: { port: 0 }, ...setup }, directory);
  const adminPort = Number(new URL(started.gateway.adminUrl ?? '').port);
  const origin = `http://127.0.0.1:${adminPort}`;
  const raw: StartedAdmin['raw'] = (method, path, sent) => send(adminPort, method, path, sent);
  return {
    started,
    adminPort,
    token,
    raw,
    script: (method, path, sent = {}) =>
      raw(method, path, { ...sent, headers: { authorization: `Bearer ${token}`, ...sent.headers } }),
    async signIn() {
      const answered = await raw('POST', '/admin/api/session', { body: { token }, headers: { origin } });
      const cookie = String(answered.headers['set-cookie']).split(';')[0] ?? '';
      const csrfToken = (answered.json as { csrf_token: string }).csrf_token;
      const own = { origin, cookie, 'x-csrf-token': csrfToken };
      return {
        cookie,
        csrfToken,
        headers: own,
        ask: (method, path, sent = {}) => raw(method, path, { ...sent, headers: { ...own, ...sent.headers } }),
      };
    },
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      if (where === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Makes one with a token in force. */
export async function makeAdminHome(): Promise<AdminHome> {
  const home = makeHome();
  const { secret: token, hash } = createKeySecret('gwa');
  await issueToken(join(home, 'data'), hash);
  return { home, token };
}

/** Events of a stream as they come; ending the iteration closes the connection. */
export async function* readEvents(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): AsyncGenerator<Readonly<Record<string, unknown>>, void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, resolve);
    request.on('error', reject);
    request.end();
  });
  let text = '';
  for await (const piece of response) {
    text += String(piece);
    for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, at))?.[1];
      text = text.slice(at + 2);
      if (data !== undefined) yield JSON.parse(data) as Readonly<Record<string, unknown>>;
    }
  }
}

/** Puts an admin token in force in a data directory that no process has open. */
export async function issueToken(directory: string, hash: string): Promise<void> {
  await using meter = await openMeter({ directory, log: () => {}, retention: { requestDays: 30, auditDays: 365 } });
  await meter.adminToken.set(hash, { kind: 'test' });
}

/** Sends a request. A body that is no text is sent as JSON. */
export function send(port: number, method: string, path: string, sent: Sent = {}): Promise<Answered> {
  const { body, headers = {}, host = '127.0.0.1' } = sent;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host, port, method, path, headers: { ...type, ...length, ...headers }, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const answered = Buffer.concat(pieces).toString();
          const { statusCode: status = 0, headers: fields } = response;
          resolve({ status, headers: fields, text: answered, json: parse(answered) });
        });
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
