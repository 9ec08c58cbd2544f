// From the files that declare them and not from the modules: an error must not load what the command had no need of.
import type { CodeTables } from '../../cli/index.js';
import { baseCodes } from '../../base/errors.js';
import { weightsCodes } from '../../weights/errors.js';
import { artifactCodes } from '../../artifact/errors.js';
import { signingCodes } from '../../signing/errors.js';
import { cliCodes } from '../../cli/errors.js';

/** The error codes of every module that `sign_artifact` loads. */
export const codeTables = {
  base: baseCodes,
  weights: weightsCodes,
  artifact: artifactCodes,
  signing: signingCodes,
  cli: cliCodes,
} as const satisfies CodeTables;
