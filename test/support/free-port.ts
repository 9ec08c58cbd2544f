import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to listeners of port 0: no other suite gets one of these in between. */
const [FIRST, BEHIND_LAST] = [20_000, 30_000];
const TRIES = 100;

/** A port of loopback without a listener now. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST, BEHIND_LAST);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
    if (tries === TRIES) throw new Error(`none of ${TRIES} ports from ${FIRST} on is free`);
  }
}
