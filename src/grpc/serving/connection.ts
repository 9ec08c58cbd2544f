import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AppError, isAppError, type Clock } from '../../base/index.js';
import { ANONYMOUS, readIdentity, type Identity } from '../identity/identity.js';
import type { GrpcLimits } from '../limits.js';
import { peerChain } from '../tls/chain-trust.js';

/** HTTP/2's word for a client that asks too much. Source: RFC 9113, 7. */
const ENHANCE_YOUR_CALM = 0xb;

/** How long the reason of an end may take to its client. */
const LAST_WORD_MS = 100;

/** A call of a connection, as far as that ends it. */
interface RunningCall {
  abort(reason: AppError): void;
}

/** One connection of a client, and who it is. */
export class Connection {
  readonly id: number;
  readonly socket: Socket;
  /** Or why its certificate names nobody: that is told to each of its calls. */
  readonly identity: Identity | AppError;
  /** Certificates of the client in DER, its own first; empty without TLS. */
  readonly chain: readonly Buffer[];
  readonly calls = new Set<RunningCall>();
  readonly #clock: Clock;
  #session: Http2Session | undefined;
  #lastPingMs = -Infinity;
  #strikes = 0;
  /** Resets that are forgiven, and when that was counted. */
  #resets = 0;
  #resetsMs = 0;

  constructor(id: number, socket: Socket, asksClients: boolean, clock: Clock) {
    this.id = id;
    this.socket = socket;
    this.#clock = clock;
    this.chain = asksClients && socket instanceof TLSSocket ? peerChain(socket) : [];
    this.identity = asksClients ? identityOf(this.chain) : ANONYMOUS;
  }

  /** Where it comes from, for the log. */
  get peer(): string {
    return `${this.socket.remoteAddress ?? 'unknown'}:${this.socket.remotePort ?? 0}`;
  }

  /** HTTP/2 has begun on it. */
  attach(session: Http2Session, limits: GrpcLimits): void {
    this.#session = session;
    session.on('ping', () => this.#ping(limits));
    // Each has an event of its own where it matters.
    session.on('error', () => {});
  }

  /** Something was sent to it: its pings may have asked for the state of the link. */
  noteSent(): void {
    this.#strikes = 0;
  }

  /**
   * A stream was reset before its call began. Some come of clients that change their minds; more in a second are an attack,
   * which is cut off as one by pings is. Source: CVE-2023-44487.
   */
  noteReset({ resetBurst, resetsPerSecond }: GrpcLimits): void {
    const nowMs = this.#clock.nowMs();
    const forgiven = ((nowMs - this.#resetsMs) * resetsPerSecond) / 1_000;
    this.#resets = Math.max(0, this.#resets - forgiven) + 1;
    this.#resetsMs = nowMs;
    if (this.#resets > resetBurst) this.#goAway('too_many_resets');
  }

  /** Ends it and all its calls. */
  close(reason: AppError): void {
    for (const call of this.calls) call.abort(reason);
    this.#session?.destroy();
    this.socket.destroy();
  }

  /** Pings that come too often are answered by GOAWAY with this text. Source: gRPC's guide to keepalive. */
  #ping({ pingIntervalMs, pingStrikes }: GrpcLimits): void {
    const nowMs = this.#clock.nowMs();
    const isEarly = nowMs - this.#lastPingMs < pingIntervalMs;
    this.#lastPingMs = nowMs;
    if (isEarly && ++this.#strikes > pingStrikes) this.#goAway('too_many_pings');
  }

  /** Ends it with a word of why. */
  #goAway(why: string): void {
    const session = this.#session;
    if (session === undefined || session.destroyed) return;
    session.goaway(ENHANCE_YOUR_CALM, 0, Buffer.from(why));
    session.destroy();
    // A session that has much to say of streams that were reset was seen to keep its socket.
    this.socket.once(
      'close',
      this.#clock.after(LAST_WORD_MS, () => this.socket.destroy()),
    );
  }
}

function identityOf([leaf]: readonly Buffer[]): Identity | AppError {
  if (leaf === undefined) return new AppError('certificate_refused', 'the connection brought no client certificate');
  try {
    return readIdentity(leaf);
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
}
