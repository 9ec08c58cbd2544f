// From the files that declare them and not from the modules: an error must not load what the command had no need of.
import type { CodeTables } from '../../cli/index.js';
import { baseCodes } from '../../base/errors.js';
import { actorCodes } from '../../actor/errors.js';
import { apiCodes } from '../../api/errors.js';
import { httpCodes } from '../../http/errors.js';
import { endpointCodes } from '../../endpoint/errors.js';
import { databaseCodes } from '../../database/errors.js';
import { meteringCodes } from '../../metering/errors.js';
import { relayCodes } from '../../relay/errors.js';
import { telemetryCodes } from '../../telemetry/errors.js';
import { alertsCodes } from '../../alerts/errors.js';
import { controlCodes } from '../../control/errors.js';
import { relayServingCodes } from '../../relay-serving/errors.js';
import { gatewayCodes } from '../../gateway/errors.js';
import { cliCodes } from '../../cli/errors.js';

/** The error codes of every module that `private-gateway` loads. */
export const codeTables = {
  base: baseCodes,
  actor: actorCodes,
  api: apiCodes,
  http: httpCodes,
  endpoint: endpointCodes,
  relay: relayCodes,
  database: databaseCodes,
  metering: meteringCodes,
  control: controlCodes,
  alerts: alertsCodes,
  telemetry: telemetryCodes,
  'relay-serving': relayServingCodes,
  gateway: gatewayCodes,
  cli: cliCodes,
} as const satisfies CodeTables;
