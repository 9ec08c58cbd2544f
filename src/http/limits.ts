import { invalidValue } from '../base/index.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of a listener. Every value is a whole number above 0. */
export interface HttpLimits {
  /** A body, as sent and after decompression. 32 MiB: room for images as data URLs; peers take 20 MiB. */
  readonly bodyBytes: number;
  /** The bodies of all requests under way. 16 of the largest, or 512 (a full queue) of 1 MiB. */
  readonly bodiesBytes: number;
  /** The header block. 16 KiB is the limit of both parsers. */
  readonly headerBytes: number;
  /** Header fields. uWebSockets.js takes 98; browsers and SDKs send about 25. */
  readonly headerCount: number;
  /** From a connection's first byte, or its opening, to the end of the header block. Ends slow-header attacks. */
  readonly headerMs: number;
  /** The window in which a body must bring `bodyProgressBytes`, or its end. Ends slow-body attacks. */
  readonly bodyStallMs: number;
  /** 16 KiB in 30 s is slower than any modem. */
  readonly bodyProgressBytes: number;
  /** A reader that takes nothing for so long is cut. */
  readonly writeStallMs: number;
  /** Bytes of an answer handed to the socket at once; at most two pieces wait in this process for one reader. */
  readonly pieceBytes: number;
  /** Idle time of a connection between requests; above the 60 s of common proxies, so that the client closes first. */
  readonly keepAliveMs: number;
  /** Open connections; each costs a file descriptor and about 20 KB. */
  readonly connections: number;
  /** Requests that one connection may send ahead of their answers. More is an attack: HTTP clients do not pipeline. */
  readonly pipelined: number;
}

/** The limits where nothing else is asked for. */
export const DEFAULT_LIMITS: HttpLimits = {
  bodyBytes: 32 * MIB,
  bodiesBytes: 512 * MIB,
  headerBytes: 16 * KIB,
  headerCount: 90,
  headerMs: 10_000,
  bodyStallMs: 30_000,
  bodyProgressBytes: 16 * KIB,
  writeStallMs: 30_000,
  pieceBytes: 64 * KIB,
  keepAliveMs: 75_000,
  connections: 10_000,
  pipelined: 16,
};

/** The default limits with some changed. Errors: `invalid_value`. */
export function toLimits(changed: Partial<HttpLimits> = {}): HttpLimits {
  const limits = { ...DEFAULT_LIMITS, ...changed };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw invalidValue(`limits.${name}`, value, 'a whole number above 0');
  }
  return limits;
}
