import {
  atLeast,
  checkedLater,
  checkOptions,
  signal,
  text,
  type Checked,
  type OptionRule,
  type OptionTable,
} from '../base/index.js';

/** PEM, as text or bytes. */
export type Pem = string | Uint8Array;

/** A client's identity, and the CAs and name that identify the server. */
export interface ClientTls {
  /** CAs of the server, PEM. Default: Node's list. */
  readonly ca?: Pem | null | undefined;
  /** The client's certificate, followed by its intermediates, PEM. */
  readonly cert?: Pem | null | undefined;
  /** Its private key, PEM. */
  readonly key?: Pem | null | undefined;
  /** The name in the server's certificate. Default: the host of the address. */
  readonly serverName?: string | null | undefined;
}

/** The server's address, TLS, and limits. */
export interface ClientOptions {
  /** `host:port`; IPv6 in brackets. */
  readonly address: string;
  /** Undefined: without TLS, as in development. */
  readonly tls?: ClientTls | null | undefined;
  /** Deadline of calls without one, in milliseconds from their begin. Default 600,000; Infinity: none. */
  readonly deadlineMs?: number | null | undefined;
  /** Longest accepted message, in bytes. Default 64 MiB: 2,048 vectors of 4,096 numbers take half of it. */
  readonly maxMessageBytes?: number | null | undefined;
}

/** Options of one call. */
export interface ClientCallOptions {
  /** An abort cancels the call, which rejects with `signal.reason`. */
  readonly signal?: AbortSignal | null | undefined;
  /** Milliseconds from now; Infinity: none. Default: the client's. */
  readonly deadlineMs?: number | null | undefined;
  /** The id of the call, as for `control.cancel` and in the log. Default: the server makes one. */
  readonly requestId?: string | null | undefined;
  /** Called with the id of the call when the server has begun it. */
  readonly onRequestId?: ((id: string) => void) | null | undefined;
}

const address: OptionRule = {
  accepts: (value) => typeof value === 'string' && /^(?:\[[0-9a-fA-F:.%]+\]|[^:/\s[\]]+):\d{1,5}$/.test(value),
  expected: 'host:port, with IPv6 in brackets',
};
const pem: OptionRule = {
  accepts: (value) => typeof value === 'string' || value instanceof Uint8Array,
  expected: 'PEM, as text or bytes',
};
const deadline: OptionRule = { ...atLeast(1), expected: 'a number of milliseconds from 1 on, or Infinity' };

const clientTable: OptionTable<ClientOptions> = {
  address,
  tls: checkedLater,
  deadlineMs: deadline,
  maxMessageBytes: { ...atLeast(1), expected: 'a number of bytes from 1 on' },
};
const tlsTable: OptionTable<ClientTls> = { ca: pem, cert: pem, key: pem, serverName: text('a host name') };
const callTable: OptionTable<ClientCallOptions> = {
  signal,
  deadlineMs: deadline,
  requestId: text('an identifier'),
  onRequestId: { accepts: (value) => typeof value === 'function', expected: 'a function' },
};

/** Checks a client's options. Errors: `invalid_option`. */
export function checkClientOptions(
  options: ClientOptions,
): Checked<ClientOptions> & { readonly tls?: Checked<ClientTls> } {
  const { tls, ...checked } = checkOptions('createClient', options, clientTable);
  if (checked.address === undefined) checkOptions('createClient', { address: '' }, clientTable);
  return { ...checked, ...(tls && { tls: checkOptions<ClientTls>('tls of createClient', tls, tlsTable) }) };
}

/** Checks a call's options. Errors: `invalid_option`. */
export function checkCallOptions(call: string, options: ClientCallOptions | undefined): Checked<ClientCallOptions> {
  return checkOptions(call, options, callTable);
}
