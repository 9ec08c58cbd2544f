// Gateways on one server, a path for each: `/g7/v1/models`. A third of them breaks the rules.
import type { ServerResponse } from 'node:http';
import { startListing, type ListingServer } from './listing-server.js';

const MANY = `{"data":[${Array.from({ length: 30_000 }, (_, i) => `{"id":"m${i}"}`).join(',')}]}`;
const BRACKETS = '['.repeat(900_000);

/** The faults of bad gateways. Each ends by itself when its connection does. */
const BAD: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'never answers': () => {},
  'drips a byte a second': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 1_000);
    response.once('close', () => clearInterval(timer));
  },
  'sends without end': (response) => {
    response.writeHead(200);
    const piece = Buffer.alloc(64 * 1024, 0x20);
    const pour = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', pour);
    pour();
  },
  'has a head without end': (response) => {
    const socket = response.socket;
    const line = `x: ${'a'.repeat(8_000)}\r\n`;
    socket?.write('HTTP/1.1 200 OK\r\n');
    const pour = (): void => {
      while (socket?.destroyed === false && socket.write(line));
    };
    socket?.on('drain', pour);
    pour();
  },
  'resets the connection': (response) => response.socket?.resetAndDestroy(),
  'answers 500': (response) => void response.writeHead(500).end('{"error":"x"}'),
  'redirects to itself': (response) => void response.writeHead(302, { location: '/v1/models' }).end(),
  'sends brackets': (response) => void response.writeHead(200).end(BRACKETS),
  'lists thousands of models': (response) => void response.writeHead(200).end(MANY),
  'is a page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
};

/** The fault of a gateway; undefined: it is good. Every third is bad. */
export function badnessOf(index: number): string | undefined {
  const ways = Object.keys(BAD);
  return index % 3 === 2 ? ways[Math.floor(index / 3) % ways.length] : undefined;
}

/** Starts them all; calls `onAsked` on each request. */
export function startCrowdServer(onAsked: (index: number) => void): Promise<ListingServer> {
  return startListing((response, request) => {
    const index = Number(/^\/g(\d+)\//.exec(request.url ?? '')?.[1]);
    onAsked(index);
    const bad = badnessOf(index);
    if (bad !== undefined) return BAD[bad]?.(response);
    const data = Array.from({ length: 20 }, (_, i) => ({ id: `model-${index}-${i}`, object: 'model', created: 1 }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
  });
}
