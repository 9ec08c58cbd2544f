/**
 * The socket of a gRPC server: TCP, and TLS if there are certificates. HTTP/2 begins after a successful handshake, so a
 * client without a certificate of the CA costs only a handshake.
 */
import { constants } from 'node:crypto';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { Clock } from '../../base/index.js';
import { Allowance } from '../abuse/allowance.js';
import { toClientAddress } from '../abuse/client-address.js';
import { RecentTable } from '../abuse/recent-table.js';
import type { GrpcLimits } from '../limits.js';
import type { TlsMaterial } from './tls-material.js';

/** Options of a listener. */
export interface SecureListenerOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Undefined: no TLS. */
  readonly tls: TlsMaterial | undefined;
  readonly limits: GrpcLimits;
  /** Called with each connection on which HTTP/2 may begin. */
  readonly onConnection: (socket: Socket | TLSSocket) => void;
  readonly clock: Clock;
  readonly onRefused: (refusal: RefusedConnection) => void;
}

/** A connection that was refused or failed before HTTP/2 began. */
export interface RefusedConnection {
  /**
   * Too many at once or in a second; a client that was cut off; a handshake that failed; another protocol than HTTP/2.
   */
  readonly kind: 'too_many' | 'kept_out' | 'handshake' | 'protocol';
  /** A short reason from OpenSSL, Node or this file. */
  readonly reason: string;
  /** An address or network, or an identity. */
  readonly client: string;
}

/** A listening socket. */
export interface SecureListener {
  readonly host: string;
  readonly port: number;
  /** Sets the certificates of new connections. */
  setTls(material: TlsMaterial): void;
  /** Stops accepting connections. */
  close(): void;
}

/** Only suites with forward secrecy and authenticated encryption. Source: RFC 9325, 4.2; RFC 9113, 9.2. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':');
const PROTOCOL = 'h2';

/** Starts to listen. Errors: Node's system errors. */
export async function openSecureListener(options: SecureListenerOptions): Promise<SecureListener> {
  const { host, port, tls, limits, clock } = options;
  const server = createTcpServer({ noDelay: true });
  server.maxConnections = limits.connections;
  const secure = tls === undefined ? undefined : createTlsServer(tlsOptions(tls, limits));
  const accept = secure === undefined ? options.onConnection : handshakes(secure, options);
  const rate = { burst: limits.connectionBurst, perSecond: limits.connectionsPerSecond };
  const arrivals = new RecentTable(MAX_ADDRESSES, () => new Allowance(rate));
  server.on('connection', (socket: Socket) => {
    const client = toClientAddress(socket.remoteAddress ?? '');
    if (arrivals.of(client).take(clock.nowMs())) accept(socket);
    else refuse(options, socket, { kind: 'too_many', reason: 'too many new connections', client });
  });
  await listenOn(server, host, port);
  const address = server.address();
  return {
    host,
    port: typeof address === 'object' && address !== null ? address.port : port,
    setTls: (material) => secure?.setSecureContext(contextOf(material)),
    close: () => void server.close(),
  };
}

/** The most addresses whose new connections are counted, some 100 bytes each. */
const MAX_ADDRESSES = 16_384;

/** Runs handshakes and passes on the connections that complete one. An earlier refusal costs no handshake. */
function handshakes(secure: TlsServer, options: SecureListenerOptions): (socket: Socket) => void {
  const { limits, onConnection } = options;
  const handshaking = new Set<string>();
  secure.on('secureConnection', (socket: TLSSocket) => {
    handshaking.delete(peerOf(socket));
    if (socket.alpnProtocol === PROTOCOL) onConnection(socket);
    else {
      const client = toClientAddress(socket.remoteAddress ?? '');
      refuse(options, socket, { kind: 'protocol', reason: 'no HTTP/2 in ALPN', client });
    }
  });
  secure.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // The reason for refusing a certificate. The error itself then only reports the closed connection.
    const { authorizationError } = socket as { readonly authorizationError?: unknown };
    const reason = typeof authorizationError === 'string' ? authorizationError : (error.code ?? 'handshake failed');
    // A closed socket no longer knows the address of its peer.
    refuse(options, socket, { kind: 'handshake', reason, client: toClientAddress(socket.remoteAddress ?? 'unknown') });
  });
  return (socket) => {
    const client = toClientAddress(socket.remoteAddress ?? '');
    if (handshaking.size >= limits.handshakes) {
      refuse(options, socket, { kind: 'too_many', reason: 'too many handshakes', client });
      return;
    }
    const peer = peerOf(socket);
    handshaking.add(peer);
    socket.once('close', () => handshaking.delete(peer));
    secure.emit('connection', socket);
  };
}

function refuse({ onRefused }: SecureListenerOptions, socket: Socket, refusal: RefusedConnection): void {
  onRefused(refusal);
  socket.destroy();
}

function tlsOptions(material: TlsMaterial, limits: GrpcLimits): TlsOptions {
  const asksClients = material.clientCa !== undefined;
  return {
    ...contextOf(material),
    requestCert: asksClients,
    rejectUnauthorized: asksClients,
    ALPNProtocols: [PROTOCOL],
    handshakeTimeout: limits.handshakeMs,
  };
}

/**
 * The parts that a reload replaces. Session resumption is off, because it would skip verification by the current CAs.
 */
function contextOf({ cert, key, clientCa }: TlsMaterial): TlsOptions {
  return {
    cert,
    key,
    ...(clientCa !== undefined && { ca: clientCa }),
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: CIPHERS,
    honorCipherOrder: true,
    ecdhCurve: 'X25519:P-256:P-384',
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
  };
}

/** The remote address and port, unique among the open connections of a listener. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      // An error such as EMFILE concerns one connection; the others continue.
      server.on('error', () => {});
      resolve();
    });
  });
}
