import { expect, it } from 'vitest';
import { whyNoUws } from './over-transports.js';

/** Of Node, which the repack in test/uws has binaries for. */
const MAJORS = ['20', '22'];
const isWanted =
  process.env['CI'] !== undefined &&
  process.platform === 'linux' &&
  MAJORS.includes(process.versions.node.split('.')[0] ?? '');

// Suites over both transports skip what is not there: where all is proven, that would prove half of it without a word.
it.runIf(isWanted)('uWebSockets.js is there where the whole proof runs', () => expect(whyNoUws).toBeUndefined());
