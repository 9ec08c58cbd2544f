import { actorCodes } from '../actor/index.js';
import { apiCodes } from '../api/index.js';
import { artifactCodes } from '../artifact/index.js';
import { baseCodes, type CodeTable } from '../base/index.js';
import { computeCodes } from '../compute/index.js';
import { completionCodes } from '../completion/index.js';
import { jinjaCodes } from '../jinja/index.js';
import { libraryCodes } from '../library/index.js';
import { poolCodes } from '../pool/index.js';
import { convertCodes } from '../convert/index.js';
import { engineCodes } from '../engine/index.js';
import { httpCodes } from '../http/index.js';
import { modelCodes } from '../model/index.js';
import { endpointCodes } from '../endpoint/index.js';
import { serverCodes } from '../server/index.js';
import { tokenizerCodes } from '../tokenizer/index.js';
import { weightsCodes } from '../weights/index.js';
import { cliCodes } from './errors.js';
import { INTERRUPTED } from './interrupts.js';

/** Exit status by who must act: 1 is a failure while running, 2 the user's mistake, 3 a refused configuration, 4 a network. */
export const exitByBlame = {
  caller: 2,
  operator: 3,
  upstream: 4,
  wait: 1,
  developer: 1,
} as const satisfies Record<CodeTable[string]['who'], number>;

/** Every error code of the product by the module that declares it. */
export const codeTables: Readonly<Record<string, CodeTable>> = {
  base: baseCodes,
  actor: actorCodes,
  api: apiCodes,
  jinja: jinjaCodes,
  weights: weightsCodes,
  artifact: artifactCodes,
  tokenizer: tokenizerCodes,
  compute: computeCodes,
  model: modelCodes,
  engine: engineCodes,
  completion: completionCodes,
  pool: poolCodes,
  convert: convertCodes,
  library: libraryCodes,
  http: httpCodes,
  endpoint: endpointCodes,
  server: serverCodes,
  cli: cliCodes,
};

/** The exit status for an error code; an unknown code is a failure of ours. */
export function toExitCode(code: string): number {
  if (code === 'interrupted') return INTERRUPTED;
  for (const table of Object.values(codeTables)) {
    const entry = Object.hasOwn(table, code) ? table[code] : undefined;
    if (entry !== undefined) return exitByBlame[entry.who];
  }
  return 1;
}
