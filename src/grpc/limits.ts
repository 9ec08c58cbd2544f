const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of a gRPC server. */
export interface GrpcLimits {
  /** A received message. 32 MiB, as a body over HTTP. */
  readonly messageBytes: number;
  /** Of messages that are being received, all together. 8 of the largest, or 512 (a full queue) of half a MiB. */
  readonly receivingBytes: number;
  /** From the head of a call to the end of its message. As long as a body over HTTP may stall. */
  readonly receiveMs: number;
  /** The metadata of a call, as a header block of HTTP. */
  readonly metadataBytes: number;
  /** Streams of one connection at once; a client queues more. As many as the queue of an engine holds. */
  readonly streamsPerConnection: number;
  /**
   * A client that has several connections gets an equal share of these on a new one, but no less. Clients assume 100 before they
   * receive the server's setting.
   */
  readonly leastStreams: number;
  /** Streams whose head has come and whose call waits for its turn to begin. 8 connections full of streams. Clients share them. */
  readonly waitingStreams: number;
  /** Calls of inference under way; as many of control and health, watches among them. 8 connections full of streams. */
  readonly calls: number;
  /** Open connections; each costs a file descriptor and some 100 KB with TLS. */
  readonly connections: number;
  /** TLS handshakes under way; each costs a signature. */
  readonly handshakes: number;
  /** New connections of one address, at once and then in a second; more are closed before their handshake. A fleet of gateways behind one address may start. */
  readonly connectionBurst: number;
  readonly connectionsPerSecond: number;
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
  /** A call that its client resets within so long of its head counts as one that was not meant. */
  readonly resetWithinMs: number;
  /** Such resets of one client, at once and then in a second; more, and its connection is cut off with ENHANCE_YOUR_CALM. */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
  /**
   * Failing calls of one client, at once and then per second; beyond that its next calls wait before they begin. A client that
   * repeats refused calls gets this part of the server, and others get the rest.
   */
  readonly failureBurst: number;
  readonly failuresPerSecond: number;
  /**
   * While other clients call too, calls of a client with more waiting streams than this begin at a slower pace. It
   * equals the number of streams that a client opens before it receives the server's setting. So a client within its
   * limit is not slowed down.
   */
  readonly pacedStreams: number;
  /** The pace keeps the serving thread busy for this part of its time. Above half, most calls would find it busy. */
  readonly sharedUtilization: number;
  /** The part of its time that beginning calls of such a client may always take. With all that follows them it is about six times as much. */
  readonly leastBeginShare: number;
  /** For how long a client that was cut off is kept out, the first time and at most. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /**
   * Resets of one connection, at once and then in a second, after which it ends with its calls, and clients open another.
   * nghttp2 kills a connection by itself after 1,000 and 33 a second, with all calls of it.
   */
  readonly renewalBurst: number;
  readonly renewalResetsPerSecond: number;
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
  leastStreams: 100,
  waitingStreams: 4_096,
  calls: 4_096,
  connections: 2_048,
  handshakes: 256,
  connectionBurst: 256,
  connectionsPerSecond: 32,
  handshakeMs: 10_000,
  idleMs: 30 * 60_000,
  keepAliveMs: 60_000,
  keepAliveTimeoutMs: 20_000,
  pingIntervalMs: 10_000,
  pingStrikes: 8,
  resetWithinMs: 1_000,
  resetBurst: 200,
  resetsPerSecond: 200,
  failureBurst: 200,
  failuresPerSecond: 200,
  pacedStreams: 100,
  sharedUtilization: 0.4,
  leastBeginShare: 0.06,
  backoffMs: 5_000,
  maxBackoffMs: 5 * 60_000,
  renewalBurst: 600,
  renewalResetsPerSecond: 33,
  writeStallMs: 30_000,
};
