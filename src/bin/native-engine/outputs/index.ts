import type { TSchema } from '../../../schema/index.js';
import { bench, benchLoad } from './bench.js';
import { pull, search } from './hub.js';
import { doctor } from './machine.js';
import { cp, df, imported, list, rm, show, tokenize, verify } from './models.js';
import { estimate, load, ps, status, unload } from './server.js';

/** What commands print with `--json`, by their command lines. */
export const outputs = {
  pull,
  search,
  list,
  show,
  import: imported,
  cp,
  rm,
  verify,
  df,
  tokenize,
  ps,
  load,
  'load --estimate-only': estimate,
  unload,
  stop: unload,
  status,
  doctor,
  bench,
  'bench --concurrency': benchLoad,
} as const satisfies Record<string, TSchema>;
