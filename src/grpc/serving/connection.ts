import { constants, type Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AppError, isAppError, type Clock } from '../../base/index.js';
import { ANONYMOUS, readIdentity, type Identity } from '../identity/identity.js';
import { Allowance } from '../abuse/allowance.js';
import { toClientAddress } from '../abuse/client-address.js';
import type { GrpcLimits } from '../limits.js';
import { peerChain } from '../tls/chain-trust.js';

/** In a GOAWAY: streams that are on their way are still taken. */
const ANY_STREAM = 2 ** 31 - 1;

/** Streams of a lost connection that count as reset. More clients than this behind one identity do not lose theirs at once. */
const LOST_COUNTED = 50;

/** How long the reason of an end may take to its client. */
const LAST_WORD_MS = 100;

/** A call of a connection, as far as that ends it. */
interface RunningCall {
  abort(reason: AppError): void;
}

/** A connection that was cut off: why, and for how long its client is kept out, in milliseconds. */
export interface CutOff {
  readonly connection: Connection;
  readonly reason: 'too_many_resets' | 'too_many_pings';
  readonly backoffMs: number;
}

/** One connection of a client, and who it is. */
export class Connection {
  readonly id: number;
  readonly socket: Socket;
  /** Or the reason why its certificate names no identity: each of its calls fails with it. */
  readonly identity: Identity | AppError;
  /** Certificates of the client in DER, its own first; empty without TLS. */
  readonly chain: readonly Buffer[];
  /** Whom it is counted for: the identity, or the address where it has none. */
  readonly client: string;
  readonly calls = new Set<RunningCall>();
  readonly #clock: Clock;
  #session: Http2Session | undefined;
  #lastPingMs = -Infinity;
  #strikes = 0;
  #renewal: Allowance | undefined;
  #lostStreams = 0;
  #isEnding = false;
  readonly #onCutOff: (cut: CutOff) => void;

  constructor(id: number, socket: Socket, asksClients: boolean, clock: Clock, onCutOff: (cut: CutOff) => void) {
    this.#onCutOff = onCutOff;
    this.id = id;
    this.socket = socket;
    this.#clock = clock;
    this.chain = asksClients && socket instanceof TLSSocket ? peerChain(socket) : [];
    this.identity = asksClients ? identityOf(this.chain) : ANONYMOUS;
    const isKnown = !isAppError(this.identity) && this.identity.names.length > 0;
    this.client = isKnown ? this.identity.label : toClientAddress(socket.remoteAddress ?? '');
  }

  /** Where it comes from, for the log. */
  get peer(): string {
    return `${this.socket.remoteAddress ?? 'unknown'}:${this.socket.remotePort ?? 0}`;
  }

  /** HTTP/2 has begun on it. `numOpen`: connections of its client, with this one. */
  attach(session: Http2Session, limits: GrpcLimits, numOpen: number): void {
    this.#session = session;
    const share = Math.max(limits.leastStreams, Math.floor(limits.streamsPerConnection / numOpen));
    if (share < limits.streamsPerConnection) session.settings({ maxConcurrentStreams: share });
    session.on('ping', () => this.#ping(limits));
    // Each has an event of its own where it matters.
    session.on('error', () => {});
  }

  /** Something was sent to it: its pings may have asked for the state of the link. */
  noteSent(): void {
    this.#strikes = 0;
  }

  /**
   * Whether a stream that ended early counts as reset. Those that a lost connection takes with it are not meant, unless a
   * client resets by losing connections.
   */
  countsReset(): boolean {
    const isLost = this.#isEnding || this.#session?.destroyed !== false || this.socket.destroyed;
    return !isLost || ++this.#lostStreams <= LOST_COUNTED;
  }

  /** A stream was reset: before nghttp2 would kill the connection for it, it ends as connections do, and no call is lost. */
  noteReset({ renewalBurst, renewalResetsPerSecond }: GrpcLimits): void {
    this.#renewal ??= new Allowance({ burst: renewalBurst, perSecond: renewalResetsPerSecond });
    const session = this.#session;
    if (this.#renewal.take(this.#clock.nowMs()) || this.#isEnding || session === undefined || session.closed) return;
    this.#leave('many_resets');
  }

  /** Takes no new stream; settles when its streams are over and sent, at the latest after `withinMs`. */
  async leave(withinMs: number): Promise<void> {
    const { socket } = this;
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(withinMs, resolve);
      socket.once('close', () => {
        cancel();
        resolve();
      });
      if (this.#session === undefined) socket.destroy();
      else if (!this.#session.closed) this.#leave('shutting_down');
    });
  }

  /** Ends it with ENHANCE_YOUR_CALM and a word of why. `backoffMs`: how long its client is kept out. */
  cutOff(reason: CutOff['reason'], backoffMs = 0): void {
    const session = this.#session;
    if (this.#isEnding || session === undefined || session.destroyed) return;
    this.#end((open) => {
      open.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from(reason));
      open.destroy();
      // A session with many pending frames on reset streams was seen to keep its socket.
      this.socket.once(
        'close',
        this.#clock.after(LAST_WORD_MS, () => this.socket.destroy()),
      );
    });
    this.#onCutOff({ connection: this, reason, backoffMs });
  }

  #leave(why: string): void {
    this.#end((session) => {
      session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM, Buffer.from(why));
      session.close();
    });
  }

  /** Ends it and all its calls. */
  close(reason: AppError): void {
    for (const call of this.calls) call.abort(reason);
    this.#end((session) => {
      session.destroy();
      this.socket.destroy();
    });
    if (this.#session === undefined) this.socket.destroy();
  }

  /**
   * Ends its session in a turn of its own. nghttp2 calls the listeners of resets and pings in the middle of a read or write. A
   * session that ends there forgets its streams before they are reset.
   */
  #end(end: (session: Http2Session) => void): void {
    const session = this.#session;
    this.#isEnding = true;
    if (session !== undefined)
      setImmediate(() => {
        if (!session.destroyed) end(session);
        else this.socket.destroy();
      });
  }

  /** Pings that come too often are answered by GOAWAY with this text. Source: gRPC's guide to keepalive. */
  #ping({ pingIntervalMs, pingStrikes }: GrpcLimits): void {
    const nowMs = this.#clock.nowMs();
    const isEarly = nowMs - this.#lastPingMs < pingIntervalMs;
    this.#lastPingMs = nowMs;
    if (isEarly && ++this.#strikes > pingStrikes) this.cutOff('too_many_pings');
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
