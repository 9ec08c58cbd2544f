import { constants, type Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { AppError, isAppError, type Clock } from '../../base/index.js';
import { ANONYMOUS, readIdentity, type Identity } from '../identity/identity.js';
import { Allowance } from '../abuse/allowance.js';
import { toClientAddress } from '../abuse/client-address.js';
import type { GrpcLimits } from '../limits.js';
import { peerChain } from '../tls/chain-trust.js';

/** Stream id in a GOAWAY that still admits streams on their way. */
const ANY_STREAM = 2 ** 31 - 1;

/** The most streams of a lost connection that count as reset. Rarely do more clients of one identity fail at once. */
const LOST_COUNTED = 50;

/** Time for the reason of an end to reach its client. */
const LAST_WORD_MS = 100;

/** The part of a call that its connection uses. */
interface RunningCall {
  abort(reason: AppError): void;
}

/** A connection that was cut off, the reason, and the exclusion of its client in milliseconds. */
export interface CutOff {
  readonly connection: Connection;
  readonly reason: 'too_many_resets' | 'too_many_pings';
  readonly backoffMs: number;
}

/** One connection of a client, with the client's identity. */
export class Connection {
  readonly id: number;
  readonly socket: Socket;
  /** The identity, or the reason why the certificate has none; each call then fails with that reason. */
  readonly identity: Identity | AppError;
  /** Certificates of the client in DER, its own first; empty without TLS. */
  readonly chain: readonly Buffer[];
  /** The key for counting: the identity, or the address without one. */
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

  /** The remote address, for the log. */
  get peer(): string {
    return `${this.socket.remoteAddress ?? 'unknown'}:${this.socket.remotePort ?? 0}`;
  }

  /** Attaches the HTTP/2 session. `numOpen`: connections of the client, including this one. */
  attach(session: Http2Session, limits: GrpcLimits, numOpen: number): void {
    this.#session = session;
    const share = Math.max(limits.leastStreams, Math.floor(limits.streamsPerConnection / numOpen));
    if (share < limits.streamsPerConnection) session.settings({ maxConcurrentStreams: share });
    session.on('ping', () => this.#ping(limits));
    // Relevant errors also emit events that other code handles.
    session.on('error', () => {});
  }

  /** Records that data was sent. The client's earlier pings may have measured the link, so its strikes are cleared. */
  noteSent(): void {
    this.#strikes = 0;
  }

  /**
   * Whether a stream that ended early counts as reset. Of a lost connection only the first `LOST_COUNTED` streams
   * count: most losses are unintended, but a client could also reset streams by dropping connections.
   */
  countsReset(): boolean {
    const isLost = this.#isEnding || this.#session?.destroyed !== false || this.socket.destroyed;
    return !isLost || ++this.#lostStreams <= LOST_COUNTED;
  }

  /** Records a reset. After many, the connection ends without losing a call, before nghttp2 would kill it. */
  noteReset({ renewalBurst, renewalResetsPerSecond }: GrpcLimits): void {
    this.#renewal ??= new Allowance({ burst: renewalBurst, perSecond: renewalResetsPerSecond });
    const session = this.#session;
    if (this.#renewal.take(this.#clock.nowMs()) || this.#isEnding || session === undefined || session.closed) return;
    this.#leave('many_resets');
  }

  /** Accepts no new stream; settles after its streams have ended and are sent, at the latest after `withinMs`. */
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

  /** Ends the connection with ENHANCE_YOUR_CALM and a reason. `backoffMs`: the exclusion of its client. */
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

  /** Ends the connection and all its calls. */
  close(reason: AppError): void {
    for (const call of this.calls) call.abort(reason);
    this.#end((session) => {
      session.destroy();
      this.socket.destroy();
    });
    if (this.#session === undefined) this.socket.destroy();
  }

  /**
   * Ends the session in a separate turn of the event loop. nghttp2 calls the listeners of resets and pings during a
   * read or write. A session that ends there forgets its streams before they are reset.
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

  /** Answers too frequent pings with GOAWAY and this text. Source: gRPC's guide to keepalive. */
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
