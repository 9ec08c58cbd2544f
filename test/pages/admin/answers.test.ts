// The page has types of its own for what the API answers and takes, since it may import nothing of the gateway. Here they meet:
// that this file compiles is the proof.
import { expect, it } from 'vitest';
import type { Static, TSchema } from '../../../src/schema/index.js';
import type { TrafficSeries } from '../../../src/api/index.js';
import type * as config from '../../../src/gateway/admin/schemas/configuration.js';
import type * as keys from '../../../src/gateway/admin/schemas/keys.js';
import type * as metrics from '../../../src/gateway/admin/schemas/metrics.js';
import type * as models from '../../../src/gateway/admin/schemas/models.js';
import type * as overview from '../../../src/gateway/admin/schemas/overview.js';
import type * as requests from '../../../src/gateway/admin/schemas/requests.js';
import type * as runtimes from '../../../src/gateway/admin/schemas/runtimes.js';
import type * as saved from '../../../src/gateway/admin/schemas/saved.js';
import type * as scans from '../../../src/gateway/admin/schemas/scans.js';
import type * as session from '../../../src/gateway/admin/schemas/session.js';
import type * as system from '../../../src/gateway/admin/schemas/system.js';
import type * as audit from '../../../src/gateway/admin/schemas/audit.js';
import type * as configAnswers from '../../../src/pages/admin/api/config-answers.js';
import type * as keyAnswers from '../../../src/pages/admin/api/key-answers.js';
import type * as data from '../../../src/pages/data/traffic-answers.js';
import type * as metricsAnswers from '../../../src/pages/admin/api/metrics-answers.js';
import type * as runtimeAnswers from '../../../src/pages/admin/api/runtime-answers.js';
import type * as systemAnswers from '../../../src/pages/admin/api/system-answers.js';

/** True where whatever is `A` is a `B` too. */
type Fits<A, B> = [A] extends [B] ? true : false;
/** What the API answers is what the page reads. */
type Reads<S extends TSchema, T> = Fits<Static<S>, T>;
/** What the page sends is what the API takes. */
type Sends<T, S extends TSchema> = Fits<T, Static<S>>;

/** One that does not fit does not compile. */
const fits: readonly true[] = [
  true satisfies Reads<typeof config.ShownConfig, configAnswers.ShownConfig>,
  true satisfies Reads<typeof config.CheckedText, configAnswers.CheckedText>,
  true satisfies Reads<typeof config.EditedConfig, configAnswers.EditedConfig>,
  true satisfies Reads<typeof config.VersionList, { data: readonly configAnswers.Version[] }>,
  true satisfies Reads<typeof config.WholeVersion, configAnswers.WholeVersion>,
  true satisfies Reads<typeof models.GatewayModelList, configAnswers.ModelList>,
  true satisfies Reads<typeof models.TrialAnswer, configAnswers.TrialAnswer>,
  true satisfies Reads<typeof saved.Saved, configAnswers.Saved>,
  true satisfies Reads<typeof keys.ShownKey, keyAnswers.Key>,
  true satisfies Reads<typeof keys.KeyWithSecret, keyAnswers.KeyWithSecret>,
  true satisfies Reads<typeof overview.Overview, metricsAnswers.Overview>,
  true satisfies Reads<typeof overview.Health, metricsAnswers.Health>,
  true satisfies Reads<typeof TrafficSeries, data.TrafficSeries>,
  true satisfies Reads<typeof metrics.Breakdown, { data: readonly data.TrafficPart[] }>,
  true satisfies Reads<typeof requests.ShownRequest, metricsAnswers.LoggedRequest>,
  true satisfies Reads<typeof requests.OneRequest, metricsAnswers.OneRequest>,
  true satisfies Reads<typeof runtimes.RuntimeList, runtimeAnswers.RuntimeList>,
  true satisfies Reads<typeof runtimes.RuntimeCheck, runtimeAnswers.RuntimeCheck>,
  true satisfies Reads<typeof scans.ScanList, runtimeAnswers.ScanList>,
  true satisfies Reads<typeof scans.Imported, runtimeAnswers.Imported>,
  true satisfies Reads<typeof scans.ScanEvent, runtimeAnswers.ScanEvent>,
  true satisfies Reads<typeof system.System, systemAnswers.System>,
  true satisfies Reads<typeof system.Reloaded, systemAnswers.Reloaded>,
  true satisfies Reads<typeof session.SessionState, systemAnswers.Session>,
  true satisfies Reads<typeof audit.ShownEntry, systemAnswers.AuditEntry>,
  true satisfies Reads<typeof audit.AuditVerdict, systemAnswers.AuditVerdict>,
  true satisfies Sends<keyAnswers.KeyRules, typeof keys.NewKey>,
  true satisfies Sends<keyAnswers.KeyRules, typeof keys.KeyChange>,
  true satisfies Sends<configAnswers.ModelRules, typeof models.ModelChange>,
  true satisfies Sends<runtimeAnswers.RuntimeRules, typeof runtimes.RuntimeChange>,
  true satisfies Sends<runtimeAnswers.NewScan, typeof scans.NewScan>,
  true satisfies Sends<configAnswers.SetField, typeof config.SentEdit>,
];

it('the types of the page are those of the API, as the compiler sees it', () => {
  expect(fits.every(Boolean)).toBe(true);
});
