// A name server on loopback, which says what a test wants, or nothing.
import { createSocket } from 'node:dgram';

/** IPv4 addresses of a name, their time to live in seconds; undefined: there is no such name; `silent`: no answer. */
export type Say = (
  name: string,
) => { readonly addresses: readonly string[]; readonly ttl: number } | undefined | 'silent';

/** One that listens. */
export interface NameServer extends AsyncDisposable {
  /** `127.0.0.1:5353`. */
  readonly address: string;
  /** Names that were asked for by IPv4, in order. */
  readonly asked: readonly string[];
  /** From the next question on. */
  say: Say;
}

const TYPE_A = 1;
/** A response, recursion available, and whether the name is there. Source: RFC 1035, 4.1.1. */
const FOUND = 0x8180;
const NO_NAME = 0x8183;

/** Starts one. */
export async function startNameServer(say: Say): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const { name, type, end } = readQuestion(message);
    if (type === TYPE_A) asked.push(name);
    const said = server.say(name);
    if (said === 'silent') return;
    const records = type === TYPE_A ? (said?.addresses ?? []) : [];
    const head = Buffer.alloc(12);
    message.copy(head, 0, 0, 2);
    head.writeUInt16BE(said === undefined ? NO_NAME : FOUND, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map((text) => {
      const record = Buffer.alloc(16);
      // The name of the question, type A, class IN, and 4 bytes. Source: RFC 1035, 4.1.3 and 4.1.4.
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(TYPE_A, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(said?.ttl ?? 0, 6);
      record.writeUInt16BE(4, 10);
      Buffer.from(text.split('.').map(Number)).copy(record, 12);
      return record;
    });
    socket.send(Buffer.concat([head, message.subarray(12, end), ...answers]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    say,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
  return server;
}

function readQuestion(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}
