import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { whyNoUws } from './over-transports.js';

/** What uWebSockets.js prints, past Node, once a process, when it is written to outside of a cork: each write is then a packet. */
const WARNING = 'corked callback';
/** Every kind of answer: small, large, in pieces, without a body, the last of a connection, refused. */
const SUITES = ['http/contract', 'http/drain', 'http/slow', 'server/status'];

const why = whyNoUws === undefined ? '' : ` (skipped: ${whyNoUws})`;

it.skipIf(whyNoUws)(`answers over uWebSockets.js are never written outside of a cork${why}`, async () => {
  const suites = SUITES.map((suite) => join('dist/test', `${suite}.test.js`));
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...suites, '-t', 'over uws'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toMatch(/Tests .*passed/);
  expect(stdout + stderr).not.toContain(WARNING);
});
