import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/index.js';

/** Of a session that is not used: half an hour. */
export const IDLE_MS = 30 * 60_000;
/** Of any session: a working day. */
export const ABSOLUTE_MS = 12 * 3_600_000;
/** Sessions at once: one operator has a few browsers. The one that was used least recently ends. */
const MAX_SESSIONS = 64;

/** Why a session ended. */
export type SessionEnd = 'signed_out' | 'idle' | 'expired' | 'replaced' | 'token_replaced' | 'token_removed';

/** A session of an operator who signed in. */
export interface Session {
  /** For logs: reveals nothing of its secret. */
  readonly name: string;
  /** The operator's name, as stated at sign-in. */
  readonly operator: string | undefined;
  /** Each request sends it beside the cookie. Pages of other origins, even of another port, cannot read it. */
  readonly csrfToken: string;
  /** On the clock. */
  readonly endsMs: number;
  /** Aborted when the session ends: its streams then end. */
  readonly signal: AbortSignal;
}

interface Entry extends Session {
  readonly controller: AbortController;
  usedMs: number;
}

/** A session that begins, with its secret, which is in its cookie and nowhere else. */
export interface NewSession {
  readonly secret: string;
  readonly session: Session;
}

/** Options of sessions. */
export interface SessionsOptions {
  readonly clock: Clock;
  readonly idleMs?: number;
  readonly absoluteMs?: number;
  readonly onEnd: (session: Session, why: SessionEnd) => void;
}

/**
 * Sessions in memory: a restart of the program ends all. They are found by the SHA-256 of their secrets. A secret that
 * a client brings never begins a session.
 */
export class Sessions {
  readonly idleMs: number;
  readonly #absoluteMs: number;
  readonly #clock: Clock;
  readonly #onEnd: SessionsOptions['onEnd'];
  /** The one that was used least recently first. */
  readonly #byHash = new Map<string, Entry>();

  constructor({ clock, idleMs = IDLE_MS, absoluteMs = ABSOLUTE_MS, onEnd }: SessionsOptions) {
    this.#clock = clock;
    this.idleMs = idleMs;
    this.#absoluteMs = absoluteMs;
    this.#onEnd = onEnd;
  }

  get count(): number {
    this.tick();
    return this.#byHash.size;
  }

  /** Begins a session; the operator may have given a name. */
  begin(operator?: string): NewSession {
    this.tick();
    const [oldest] = this.#byHash.keys();
    if (this.#byHash.size >= MAX_SESSIONS && oldest !== undefined) this.#end(oldest, 'replaced');
    const secret = randomBytes(32).toString('base64url');
    const controller = new AbortController();
    const nowMs = this.#clock.nowMs();
    const session: Entry = {
      name: randomBytes(6).toString('hex'),
      operator,
      csrfToken: randomBytes(32).toString('base64url'),
      endsMs: nowMs + this.#absoluteMs,
      signal: controller.signal,
      controller,
      usedMs: nowMs,
    };
    this.#byHash.set(hashOf(secret), session);
    return { secret, session };
  }

  /** The session of a secret. `isUse` restarts its idle time. Undefined: unknown, or ended. */
  find(secret: string, isUse = true): Session | undefined {
    this.tick();
    const hash = hashOf(secret);
    const session = this.#byHash.get(hash);
    if (session === undefined || !isUse) return session;
    session.usedMs = this.#clock.nowMs();
    // The newest are last.
    this.#byHash.delete(hash);
    this.#byHash.set(hash, session);
    return session;
  }

  /** Ends the session of a secret, if it exists. */
  end(secret: string): void {
    this.#end(hashOf(secret), 'signed_out');
  }

  /** Ends all of them. */
  endAll(why: SessionEnd): void {
    for (const hash of this.#byHash.keys()) this.#end(hash, why);
  }

  /** Ends those whose time is over. */
  tick(): void {
    const nowMs = this.#clock.nowMs();
    for (const [hash, { endsMs, usedMs }] of this.#byHash) {
      if (nowMs >= endsMs) this.#end(hash, 'expired');
      else if (nowMs - usedMs >= this.idleMs) this.#end(hash, 'idle');
    }
  }

  #end(hash: string, why: SessionEnd): void {
    const session = this.#byHash.get(hash);
    if (session === undefined) return;
    this.#byHash.delete(hash);
    session.controller.abort();
    this.#onEnd(session, why);
  }
}

/** Compares two texts in constant time. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
