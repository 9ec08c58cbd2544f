import { invalidValue, systemClock, type Clock } from '../base/index.js';
import { toLimits, type HttpLimits } from './limits.js';
import type { Handler, ToErrorResponse } from './message.js';
import { checkAllowedHost, checkAllowedOrigin } from './heads/allow-values.js';
import { createAllowedNames } from './heads/names.js';
import { refuse } from './refusal.js';
import { createServing, type HttpEvent, type ServingStats } from './serve.js';
import { chooseTransport, type TransportChoice } from './choose-transport.js';
import type { TlsOptions } from './tls.js';
import { within } from './within.js';
import { transports, type TransportName } from './transports/index.js';

/** How long handlers have after their abort to write a final error, before every connection is closed. */
const LAST_WORDS_MS = 1_000;

/** Options of a listener. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly transport: TransportChoice;
  readonly handler: Handler;
  /** How requests are answered that never reach the handler. */
  readonly toErrorResponse: ToErrorResponse;
  /** Absent: plain HTTP. */
  readonly tls?: TlsOptions;
  readonly limits?: Partial<HttpLimits>;
  /** Host headers answered besides the loopback names and the listen host: `name` for any port, `name:port`, or `*`. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages allowed besides those of this machine, such as `https://chat.example`, or `*`. */
  readonly allowedOrigins?: readonly string[];
  /** Decides of each origin instead, where the allowed ones may change while it listens: then pages of this machine are not allowed by themselves. */
  readonly isOriginAllowed?: (origin: string, host?: string) => boolean;
  /** Where the package uWebSockets.js is, when not where Node would find it. */
  readonly uwsDirectory?: string;
  /** Other threads listen on the same port: the system spreads connections over them. */
  readonly sharesPort?: boolean;
  readonly log: (event: HttpEvent) => void;
  /** Makes the id of each request; absent: a plain one that the client gave is taken. */
  readonly createId?: () => string;
  readonly clock?: Clock;
}

/** Counts of a listener: current ones, and totals since its start. */
export interface ListenerStats {
  readonly connections: number;
  readonly running: number;
  readonly requests: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly stalledReaders: number;
  readonly refused: Readonly<Record<string, number>>;
}

/** A listener at work. */
export interface Listener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly transport: TransportName;
  readonly stats: () => ListenerStats;
  /**
   * Takes no new connection or request, lets running answers end for `graceMs`, then aborts their signals and, a
   * second later, closes. A second call with a shorter grace shortens the first.
   */
  drain(graceMs: number): Promise<void>;
}

/**
 * Starts to listen. Errors: `address_in_use`, `address_unavailable`, `transport_unavailable`, `transport_unsafe`,
 * `invalid_value`.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { host, handler, toErrorResponse, tls, log, clock = systemClock } = options;
  const limits = toLimits(options.limits);
  if (!Number.isInteger(options.port) || options.port < 0 || options.port > 65_535) {
    throw invalidValue('port', options.port, 'a whole number from 0 to 65535');
  }
  const { allowedHosts = [], allowedOrigins = [] } = options;
  allowedHosts.forEach((name, at) => checkAllowedHost(`allowedHosts[${at}]`, name));
  allowedOrigins.forEach((origin, at) => checkAllowedOrigin(`allowedOrigins[${at}]`, origin));
  const { isHostAllowed, isOriginAllowed } = createAllowedNames(host, allowedHosts, allowedOrigins);
  const names = { isHostAllowed, isOriginAllowed: options.isOriginAllowed ?? isOriginAllowed };
  const serving = createServing({ handler, toErrorResponse, limits, clock, names, log, createId: options.createId });
  const transport = await chooseTransport(options.transport, host, options.uwsDirectory);
  const server = await transports[transport]({
    host,
    port: options.port,
    sharesPort: options.sharesPort === true,
    limits,
    tls,
    toErrorResponse,
    uwsDirectory: options.uwsDirectory,
    onExchange: serving.accept,
    onParserRefusal: (code) => serving.countRefusal(refuse(code, 'the parser refused the request')),
  });

  const drain = async (graceMs: number): Promise<void> => {
    serving.stopAccepting();
    server.stopAccepting();
    if (!(await within(graceMs, serving.whenIdle(), clock))) {
      serving.abortAll();
      await within(LAST_WORDS_MS, serving.whenIdle(), clock);
    }
    await server.closeAll();
    await serving.end();
  };
  return {
    host,
    port: server.port,
    transport,
    stats: () => toStats(serving.stats, server.connections()),
    drain,
    [Symbol.asyncDispose]: () => drain(0),
  };
}

function toStats({ refused, ...counts }: ServingStats, connections: number): ListenerStats {
  return { ...counts, connections, refused: Object.fromEntries(refused) };
}
