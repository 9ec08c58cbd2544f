// Back-pressure on connections of undici. undici's own back-pressure pauses the HTTP parser. In every version 7, a
// server that closes or resets the connection during a pause ends the process: an assertion in a socket event, which
// cannot be caught. Source: nodejs/undici issue 5360, fixed in version 8, which needs Node 22. So the parser is never
// paused; it finds no bytes to read instead.
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { present } from '../../base/index.js';

/** The reading of one connection. */
export interface ReadGate {
  /** Stops reading: the kernel then holds the sender back. Bytes that were read already still arrive. */
  shut(): void;
  /** Reading resumes after this turn. */
  open(): void;
  /** The answer is over: the connection is read as before. */
  release(): void;
}

/** The gates of one pool. */
export interface Gates {
  /** Opens connections that have a gate. */
  readonly connector: buildConnector.connector;
  /** Whether the end of a connection would be seen: a shut gate hides it. */
  isReading(socket: Socket): boolean;
  /** Of the connection whose bytes are parsed now: to be asked from inside a handler of undici's. */
  reading(): ReadGate;
}

/** Gates of connections that `connect` opens. */
export function createGates(connect: buildConnector.connector): Gates {
  let reading: ReadGate | undefined;
  const shut = new WeakSet<Socket>();
  const toGated = (socket: Socket): Socket => {
    const read = socket.read.bind(socket);
    const gate: ReadGate = {
      shut: () => void shut.add(socket),
      open: () => {
        if (!shut.delete(socket)) return;
        // Emit it outside of the parser, which reads on by this event.
        process.nextTick(() => socket.emit('readable'));
      },
      release: () => void shut.delete(socket),
    };
    // Also a read of 0 bytes, by which Node notices the end of a connection.
    socket.read = (sizeBytes) => {
      if (shut.has(socket)) return null;
      reading = gate;
      return read(sizeBytes) as unknown;
    };
    return socket;
  };
  return {
    connector: (options, callback) => {
      connect(options, (...[error, socket]) => {
        if (error !== null) callback(error, null);
        else callback(null, toGated(socket));
      });
    },
    isReading: (socket) => !shut.has(socket),
    reading: () => present(reading, 'bytes are parsed that were read from a connection'),
  };
}
