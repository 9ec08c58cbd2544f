/**
 * The files of trust: the server's own certificate, the CAs and identities of its clients, and the keys that sign
 * models. A change of a file is read again; an unusable file changes nothing.
 */
import type { Clock, LogEntry, LogLevel } from '../../base/index.js';
import { isAppError, toErrorData } from '../../base/index.js';
import type { AccessList, GrpcServer, TlsMaterial } from '../../grpc/index.js';

/** The trust of one reading. */
export interface Trust {
  /** Undefined: without TLS. */
  readonly tls: TlsMaterial | undefined;
  readonly access: AccessList;
  readonly numControl: number;
  readonly numData: number;
  /** Ed25519 public keys, hex in small letters. */
  readonly signingKeys: readonly string[];
}

/** Trust that is kept up to date. */
export interface LiveTrust {
  readonly current: Trust;
  /** Why the certificate proves nothing any more; undefined: it does. */
  readonly expired: string | undefined;
  /** Reads everything again. Errors: those of reading; the trust before stays in use. */
  reload(): Promise<Trust>;
  /** The same for a change without a waiting caller: refusals are logged. */
  follow(): Promise<void>;
  /** Looks whether the certificate has expired. */
  look(): void;
}

/** Options of trust. */
export interface TrustStoreOptions {
  readonly first: Trust;
  readonly read: () => Promise<Trust>;
  readonly server: () => Pick<GrpcServer, 'setTls' | 'setAccess'> | undefined;
  readonly clock: Clock;
  readonly log: (level: LogLevel, entry: LogEntry) => void;
  readonly onChange: () => void;
}

const DAY_MS = 24 * 3_600_000;
/** Two weeks are time enough for people; tools renew much earlier. */
const WARN_MS = 14 * DAY_MS;

/** Keeps `first` up to date. */
export function createLiveTrust({ first, read, server, clock, log, onChange }: TrustStoreOptions): LiveTrust {
  let current = first;
  let expired: string | undefined;
  let lastRefusal = '';
  const nowMs = (): number => clock.unixSeconds() * 1000;

  const tellExpiry = ({ tls }: Trust): void => {
    if (tls === undefined) return;
    const days = Math.floor((tls.expiresMs - nowMs()) / DAY_MS);
    const entry = { expires: new Date(tls.expiresMs).toISOString(), sha256: tls.sha256 };
    if (tls.expiresMs - nowMs() < WARN_MS)
      log('warn', { event: 'certificate', notice: `expires in ${days} days`, ...entry });
    else log('info', { event: 'certificate', ...entry });
  };
  const look = (): void => {
    const { tls } = current;
    const now = tls !== undefined && tls.expiresMs <= nowMs() ? new Date(tls.expiresMs).toISOString() : undefined;
    if (now === expired) return;
    expired = now;
    if (now !== undefined) {
      log('error', {
        event: 'certificate',
        notice: 'expired: health says NOT_SERVING until there is a new one',
        expires: now,
      });
    }
    onChange();
  };
  const reload = async (): Promise<Trust> => {
    const next = await read();
    current = next;
    lastRefusal = '';
    if (next.tls !== undefined) server()?.setTls(next.tls);
    server()?.setAccess(next.access);
    log('info', {
      event: 'trust',
      control_identities: next.numControl,
      data_identities: next.numData,
      trusted_signing_keys: next.signingKeys.length,
    });
    tellExpiry(next);
    look();
    onChange();
    return next;
  };
  tellExpiry(first);
  return {
    get current() {
      return current;
    },
    get expired() {
      return expired;
    },
    reload,
    look,
    async follow() {
      try {
        await reload();
      } catch (error) {
        if (!isAppError(error)) throw error;
        const { code, message } = toErrorData(error);
        // A file that is being written is looked at several times.
        if (message === lastRefusal) return;
        lastRefusal = message;
        log('warn', { event: 'trust', notice: 'refused; the earlier list stays in use', code, text: message });
      }
    },
  };
}
