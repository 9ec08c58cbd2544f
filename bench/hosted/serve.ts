// node dist/bench/hosted/serve.js FILE: a node of the hosted API in a process of its own, without its log of requests. Prints
// its port. SECRET is its secret, DATABASE_URL its database where the file has one.

import { systemClock, unixMs } from '../../src/base/index.js';
import { codeTables } from '../../src/bin/hosted-api/codes.js';
import { createHosted } from '../../src/hosted/index.js';

const hosted = await createHosted(process.argv[2] ?? '', {
  build: 'bench',
  codes: codeTables,
  readSecret: async (source) => (source.from === 'env' ? (process.env[source.name] ?? '') : ''),
  logLine: () => {},
  log: (entry) => process.stderr.write(`${JSON.stringify(entry)}\n`),
  clock: systemClock,
  now: unixMs,
  httpLimits: { connections: 20_000 },
});
process.stdout.write(`${hosted.port}\n`);
process.once('SIGTERM', () => {
  void hosted
    .drain(5_000)
    .then(() => hosted[Symbol.asyncDispose]())
    .then(() => process.exit(0));
});
