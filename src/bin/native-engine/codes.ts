// From the files that declare them and not from the modules: an error must not load what the command had no need of.
import type { CodeTables } from '../../cli/index.js';
import { baseCodes } from '../../base/errors.js';
import { actorCodes } from '../../actor/errors.js';
import { apiCodes } from '../../api/errors.js';
import { jinjaCodes } from '../../jinja/errors.js';
import { weightsCodes } from '../../weights/errors.js';
import { artifactCodes } from '../../artifact/errors.js';
import { signingCodes } from '../../signing/errors.js';
import { tokenizerCodes } from '../../tokenizer/errors.js';
import { grammarCodes } from '../../grammar/errors.js';
import { computeCodes } from '../../compute/errors.js';
import { modelCodes } from '../../model/errors.js';
import { engineCodes } from '../../engine/errors.js';
import { completionCodes } from '../../completion/errors.js';
import { storeCodes } from '../../store/errors.js';
import { hubCodes } from '../../hub/errors.js';
import { relayCodes } from '../../relay/errors.js';
import { convertCodes } from '../../convert/errors.js';
import { modelsCodes } from '../../models/errors.js';
import { embeddingCodes } from '../../embedding/errors.js';
import { httpCodes } from '../../http/errors.js';
import { endpointCodes } from '../../endpoint/errors.js';
import { grpcCodes } from '../../grpc/errors.js';
import { serverCodes } from '../../server/errors.js';
import { cliCodes } from '../../cli/errors.js';
import { remoteCodes } from './remote/errors.js';

/** The error codes of every module that `native-engine` loads. */
export const codeTables = {
  base: baseCodes,
  actor: actorCodes,
  api: apiCodes,
  jinja: jinjaCodes,
  weights: weightsCodes,
  artifact: artifactCodes,
  signing: signingCodes,
  tokenizer: tokenizerCodes,
  grammar: grammarCodes,
  compute: computeCodes,
  model: modelCodes,
  engine: engineCodes,
  completion: completionCodes,
  store: storeCodes,
  relay: relayCodes,
  hub: hubCodes,
  convert: convertCodes,
  models: modelsCodes,
  embedding: embeddingCodes,
  http: httpCodes,
  endpoint: endpointCodes,
  grpc: grpcCodes,
  server: serverCodes,
  cli: cliCodes,
  remote: remoteCodes,
} as const satisfies CodeTables;
