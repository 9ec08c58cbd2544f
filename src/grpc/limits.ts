const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of a gRPC server. */
export interface GrpcLimits {
  /** Size of a received message. 32 MiB, as a body over HTTP. */
  readonly messageBytes: number;
  /** Bytes of all messages during their reception: 8 of the largest, or 512 (a full queue) of half a MiB. */
  readonly receivingBytes: number;
  /** Time from the head of a call to the end of its message, as long as a body over HTTP may stall. */
  readonly receiveMs: number;
  /** Size of a call's metadata, as a header block of HTTP. */
  readonly metadataBytes: number;
  /** Concurrent streams of one connection: the length of an engine's queue. A client queues further streams. */
  readonly streamsPerConnection: number;
  /**
   * A new connection of a client gets an equal share of `streamsPerConnection`, but at least this many. Clients assume
   * 100 before they receive the server's setting.
   */
  readonly leastStreams: number;
  /** Streams whose head has arrived and whose call has not begun: 8 connections full of streams. Clients share them. */
  readonly waitingStreams: number;
  /** Running calls of inference: 8 connections full of streams. Control and health calls have an equal limit. */
  readonly calls: number;
  /** Open connections. Each costs a file descriptor and some 100 KB with TLS. */
  readonly connections: number;
  /** Concurrent TLS handshakes. Each costs a signature. */
  readonly handshakes: number;
  /**
   * New connections of one address, in a burst and then per second. More are closed before their handshake. The limits
   * allow the start of a fleet of gateways behind one address.
   */
  readonly connectionBurst: number;
  readonly connectionsPerSecond: number;
  /** Time from a connection to the end of its handshake. */
  readonly handshakeMs: number;
  /** A connection without a call is closed after this time. */
  readonly idleMs: number;
  /** After this time without a byte the server pings the connection, which must answer within `keepAliveTimeoutMs`. */
  readonly keepAliveMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Two PING frames closer together than this, with nothing sent between them, count as a strike. */
  readonly pingIntervalMs: number;
  /** Strikes before the server closes a connection with ENHANCE_YOUR_CALM. Others allow two; BDP probes need more. */
  readonly pingStrikes: number;
  /** A reset within this time after the head of its call counts against the client. */
  readonly resetWithinMs: number;
  /** Such resets of one client, in a burst and then per second. More cut off its connection with ENHANCE_YOUR_CALM. */
  readonly resetBurst: number;
  readonly resetsPerSecond: number;
  /**
   * Failing calls of one client, in a burst and then per second. Beyond that its next calls wait before they begin. A
   * client that repeats refused calls gets this part of the server, and others get the rest.
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
  /**
   * The part of the thread's time that such a client may always use to begin calls. With the work that follows, its
   * calls use about six times as much.
   */
  readonly leastBeginShare: number;
  /** Exclusion of a client that was cut off: the first time, and at most. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /**
   * Resets of one connection, in a burst and then per second, after which the server retires it and clients open
   * another. nghttp2 itself kills a connection with all its calls after 1,000 resets and 33 a second.
   */
  readonly renewalBurst: number;
  readonly renewalResetsPerSecond: number;
  /** A stream ends if its client reads nothing for this time. */
  readonly writeStallMs: number;
}

/** The default limits. */
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
