/** Limits on a scan's use of the network, of the scanned machines and of this machine. */
export interface ScanLimits {
  /** Connections being opened at once. 20,000 ports of a /22 that drop everything take half a minute by it. */
  readonly connections: number;
  /** Milliseconds until a port counts as silent: a port of a local network answers within a few. */
  readonly connectMs: number;
  /** Ports of one host that are looked at at once. */
  readonly perHost: number;
  /** Endpoints probed at once, each of which may hold `requests` bodies. */
  readonly endpoints: number;
  /** Requests to one endpoint at once. */
  readonly requests: number;
  /** Milliseconds for all requests to one endpoint. */
  readonly endpointMs: number;
  /** Bytes of one body: model lists and API descriptions of real runtimes exceed 8 KiB, none exceeds 512. */
  readonly bodyBytes: number;
}

/** Defaults of a scan. */
export const DEFAULT_SCAN_LIMITS: ScanLimits = {
  connections: 256,
  connectMs: 400,
  perHost: 4,
  endpoints: 32,
  requests: 4,
  endpointMs: 1_500,
  bodyBytes: 512 << 10,
};

/** Of the header block of an answer, in bytes: as much as Node takes. */
export const MAX_ANSWER_HEADER_BYTES = 16 << 10;
