const KIB = 1024;
const MIB = 1024 * KIB;

/** What a gRPC server takes at most. */
export interface GrpcLimits {
  /** A message that is received. 32 MiB: what a body over HTTP may have. */
  readonly messageBytes: number;
  /** Of messages that are being received, all together. 8 of the largest, or 512 (a full queue) of half a MiB. */
  readonly receivingBytes: number;
  /** From the head of a call to the end of its message. As long as a body over HTTP may stall. */
  readonly receiveMs: number;
  /** The metadata of a call: what HTTP takes as a header block. */
  readonly metadataBytes: number;
  /** Streams of one connection at once; a client queues more. What the queue of an engine holds. */
  readonly streamsPerConnection: number;
  /** Streams whose head has come and whose call waits for its turn to begin. 8 connections full of streams. */
  readonly waitingStreams: number;
  /** Calls of inference under way; as many of control and health, watches among them. 8 connections full of streams. */
  readonly calls: number;
  /** Open connections; each costs a file descriptor and some 100 KB with TLS. */
  readonly connections: number;
  /** TLS handshakes under way; each costs a signature. */
  readonly handshakes: number;
  /** From a connection to the end of its handshake. */
  readonly handshakeMs: number;
  /** A connection without a call is closed. */
  readonly idleMs: number;
  /** After so long without a byte a connection is asked whether it lives, and given so long to answer. */
  readonly keepAliveMs: number;
  readonly keepAliveTimeoutMs: number;
  /** PING frames sooner after one another than this, with nothing sent between, are strikes. */
  readonly pingIntervalMs: number;
  /** Strikes after which a connection is closed with ENHANCE_YOUR_CALM. Two are what other servers bear; BDP probes bring more. */
  readonly pingStrikes: number;
  /** Streams that a connection may reset before their calls have begun, at once and then in a second. nghttp2 bears 1000 and 33. */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
  /** A client that takes nothing of a stream for so long is cut. */
  readonly writeStallMs: number;
}

/** The limits where nothing else is asked for. */
export const DEFAULT_GRPC_LIMITS: GrpcLimits = {
  messageBytes: 32 * MIB,
  receivingBytes: 256 * MIB,
  receiveMs: 30_000,
  metadataBytes: 16 * KIB,
  streamsPerConnection: 512,
  waitingStreams: 4_096,
  calls: 4_096,
  connections: 2_048,
  handshakes: 256,
  handshakeMs: 10_000,
  idleMs: 30 * 60_000,
  keepAliveMs: 60_000,
  keepAliveTimeoutMs: 20_000,
  pingIntervalMs: 10_000,
  pingStrikes: 8,
  resetBurst: 400,
  resetsPerSecond: 33,
  writeStallMs: 30_000,
};
