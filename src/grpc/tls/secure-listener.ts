/**
 * The socket of a gRPC server: TCP, and TLS where there are certificates. HTTP/2 begins on a connection when its handshake
 * has ended well, so that whoever has no certificate of the CA costs a handshake and nothing more.
 */
import { constants } from 'node:crypto';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import type { GrpcLimits } from '../limits.js';
import type { TlsMaterial } from './tls-material.js';

/** How and for whom it listens. */
export interface SecureListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Undefined: without TLS. */
  readonly tls: TlsMaterial | undefined;
  readonly limits: GrpcLimits;
  /** A connection on which HTTP/2 may begin. */
  readonly onConnection: (socket: Socket | TLSSocket) => void;
  /** A connection that came to nothing: why, by a word of OpenSSL, Node or ours. */
  readonly onRefused: (reason: string, socket: Socket) => void;
}

/** A socket that is listened on. */
export interface SecureListener {
  readonly host: string;
  readonly port: number;
  /** Connections from now on see these. */
  setTls(material: TlsMaterial): void;
  /** Takes no new connections. */
  close(): void;
}

/** Suites with forward secrecy and authenticated encryption alone. Source: RFC 9325, 4.2; RFC 9113, 9.2. */
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

/** Listens. Errors: those of the system, as Node has them. */
export async function openSecureListener(options: SecureListenerOptions): Promise<SecureListener> {
  const { host, port, tls, limits, onConnection, onRefused } = options;
  const server = tls === undefined ? createTcpServer({ noDelay: true }) : createTlsServer(tlsOptions(tls, limits));
  server.maxConnections = limits.connections;
  if (tls === undefined) server.on('connection', onConnection);
  else {
    const handshaking = new Set<string>();
    server.on('connection', (socket: Socket) => {
      socket.setNoDelay(true);
      const peer = peerOf(socket);
      if (handshaking.size >= limits.handshakes) {
        onRefused('too many handshakes', socket);
        socket.destroy();
        return;
      }
      handshaking.add(peer);
      socket.once('close', () => handshaking.delete(peer));
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      handshaking.delete(peerOf(socket));
      if (socket.alpnProtocol === PROTOCOL) onConnection(socket);
      else {
        onRefused('no HTTP/2 in ALPN', socket);
        socket.destroy();
      }
    });
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      // Why a certificate was refused; the error itself is then of the connection that was cut for it.
      const { authorizationError } = socket as { readonly authorizationError?: unknown };
      onRefused(
        typeof authorizationError === 'string' ? authorizationError : (error.code ?? 'handshake failed'),
        socket,
      );
      socket.destroy();
    });
  }
  await listenOn(server, host, port);
  const address = server.address();
  return {
    host,
    port: typeof address === 'object' && address !== null ? address.port : port,
    setTls(material) {
      if ('setSecureContext' in server) server.setSecureContext(contextOf(material));
    },
    close: () => void server.close(),
  };
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

/** What a reload replaces. No session is ever resumed: a resumed one would not be verified by the CAs of now. */
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

/** Where a connection comes from: no two open ones of a listener are the same. */
function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function listenOn(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      // Such as EMFILE for one connection: the others go on.
      server.on('error', () => {});
      resolve();
    });
  });
}
