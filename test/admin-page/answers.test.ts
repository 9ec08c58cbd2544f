// The page has types of its own for what the API answers and takes, since it may import nothing of the gateway. Here they meet:
// that this file compiles is the proof.
import { expect, it } from 'vitest';
import type { Static, TSchema } from '../../src/schema/index.js';
import * as config from '../../src/gateway/admin/schemas/configuration.js';
import * as keys from '../../src/gateway/admin/schemas/keys.js';
import * as metrics from '../../src/gateway/admin/schemas/metrics.js';
import * as models from '../../src/gateway/admin/schemas/models.js';
import * as overview from '../../src/gateway/admin/schemas/overview.js';
import * as requests from '../../src/gateway/admin/schemas/requests.js';
import * as runtimes from '../../src/gateway/admin/schemas/runtimes.js';
import * as saved from '../../src/gateway/admin/schemas/saved.js';
import * as scans from '../../src/gateway/admin/schemas/scans.js';
import * as session from '../../src/gateway/admin/schemas/session.js';
import * as system from '../../src/gateway/admin/schemas/system.js';
import * as audit from '../../src/gateway/admin/schemas/audit.js';
import type * as configAnswers from '../../src/admin-page/api/config-answers.js';
import type * as keyAnswers from '../../src/admin-page/api/key-answers.js';
import type * as metricsAnswers from '../../src/admin-page/api/metrics-answers.js';
import type * as runtimeAnswers from '../../src/admin-page/api/runtime-answers.js';
import type * as systemAnswers from '../../src/admin-page/api/system-answers.js';

/** What the API answers is what the page reads. */
const reads =
  <T>() =>
  <S extends TSchema>(schema: S, _: (answered: Static<S>) => T): S =>
    schema;
/** What the page sends is what the API takes. */
const sends =
  <T>() =>
  <S extends TSchema>(schema: S, _: (sent: T) => Static<S>): S =>
    schema;

const checked = [
  reads<configAnswers.ShownConfig>()(config.ShownConfig, (value) => value),
  reads<configAnswers.CheckedText>()(config.CheckedText, (value) => value),
  reads<configAnswers.EditedConfig>()(config.EditedConfig, (value) => value),
  reads<{ data: readonly configAnswers.Version[] }>()(config.VersionList, (value) => value),
  reads<configAnswers.WholeVersion>()(config.WholeVersion, (value) => value),
  reads<configAnswers.ModelList>()(models.ModelList, (value) => value),
  reads<configAnswers.TrialAnswer>()(models.TrialAnswer, (value) => value),
  reads<configAnswers.Saved>()(saved.Saved, (value) => value),
  reads<keyAnswers.Key>()(keys.ShownKey, (value) => value),
  reads<keyAnswers.KeyWithSecret>()(keys.KeyWithSecret, (value) => value),
  reads<metricsAnswers.Overview>()(overview.Overview, (value) => value),
  reads<metricsAnswers.Health>()(overview.Health, (value) => value),
  reads<metricsAnswers.Series>()(metrics.Series, (value) => value),
  reads<{ data: readonly metricsAnswers.Part[] }>()(metrics.Breakdown, (value) => value),
  reads<metricsAnswers.LoggedRequest>()(requests.ShownRequest, (value) => value),
  reads<metricsAnswers.OneRequest>()(requests.OneRequest, (value) => value),
  reads<runtimeAnswers.RuntimeList>()(runtimes.RuntimeList, (value) => value),
  reads<runtimeAnswers.RuntimeCheck>()(runtimes.RuntimeCheck, (value) => value),
  reads<runtimeAnswers.ScanList>()(scans.ScanList, (value) => value),
  reads<runtimeAnswers.Imported>()(scans.Imported, (value) => value),
  reads<runtimeAnswers.ScanEvent>()(scans.ScanEvent, (value) => value),
  reads<systemAnswers.System>()(system.System, (value) => value),
  reads<systemAnswers.Reloaded>()(system.Reloaded, (value) => value),
  reads<systemAnswers.Session>()(session.SessionState, (value) => value),
  reads<systemAnswers.AuditEntry>()(audit.ShownEntry, (value) => value),
  reads<systemAnswers.AuditVerdict>()(audit.AuditVerdict, (value) => value),
  sends<keyAnswers.KeyRules>()(keys.NewKey, (value) => value),
  sends<keyAnswers.KeyRules>()(keys.KeyChange, (value) => value),
  sends<configAnswers.ModelRules>()(models.ModelChange, (value) => value),
  sends<runtimeAnswers.RuntimeRules>()(runtimes.RuntimeChange, (value) => value),
  sends<runtimeAnswers.NewScan>()(scans.NewScan, (value) => value),
  sends<configAnswers.SetField>()(config.SentEdit, (value) => value),
];

it('the types of the page are those of the API, as the compiler sees it', () => {
  expect(checked.every((schema) => typeof schema === 'object')).toBe(true);
});
