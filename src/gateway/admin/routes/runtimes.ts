import { AppError, present } from '../../../base/index.js';
import {
  readGatewayText,
  runtimeKindNames,
  type ConfigEdit,
  type GatewayConfig,
  type RuntimeConfig,
} from '../../config/index.js';
import type { Finding } from '../../discovery/finding.js';
import { compareFingerprint } from '../../discovery/fingerprint.js';
import { identifyUrl } from '../../discovery/identify.js';
import { runtimeKinds } from '../../runtimes/index.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, etagHeader, readIfMatch, unknownResource, type AdminSection } from '../admin-route.js';
import { saveEdits, stateOf, type ConfigState } from '../files/save-config.js';
import {
  Approval,
  NewRuntime,
  RuntimeChange,
  RuntimeCheck,
  RuntimeList,
  type ShownRuntime,
} from '../schemas/runtimes.js';
import { Saved } from '../schemas/saved.js';
import { showFinding } from '../shown.js';

const LIST = '/admin/api/runtimes';
const ONE = '/admin/api/runtimes/{id}';

const list = adminRoute({
  method: 'GET',
  path: LIST,
  summary: 'Lists runtimes, how they do, and why those get no requests that do not.',
  response: RuntimeList,
  async handle({ context }) {
    const { etag } = await readGatewayText(context.configPath);
    const data = context.config().runtimes.map((runtime) => showRuntime(runtime, context));
    const kinds = runtimeKindNames.map((kind) => ({ kind, title: runtimeKinds[kind].title }));
    return answer({ data, kinds, config_etag: etag }, etagHeader(etag));
  },
});

const create = adminRoute({
  method: 'POST',
  path: LIST,
  summary: 'Adds a runtime to gateway.yaml by hand. Adding it approves it.',
  changesByEtag: true,
  body: NewRuntime,
  response: Saved,
  handle: async (call) =>
    answer(
      await save(call, call.body.id, {
        action: 'runtime.create',
        edit: { action: 'add', list: 'runtimes', entry: call.body },
      }),
    ),
});

const change = adminRoute({
  method: 'PATCH',
  path: ONE,
  summary: 'Changes address, key, metering or translation of a runtime in gateway.yaml.',
  changesByEtag: true,
  body: RuntimeChange,
  response: Saved,
  async handle(call) {
    const { id } = knownRuntime(call.params['id'] ?? '', call.context);
    const given = Object.entries(call.body);
    const fields = Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
    const without = given.filter(([, value]) => value === null).map(([name]) => name);
    const edit: ConfigEdit = { action: 'change', list: 'runtimes', id, fields, without };
    return answer(await save(call, id, { action: 'runtime.update', edit }));
  },
});

const remove = adminRoute({
  method: 'DELETE',
  path: ONE,
  summary: 'Removes a runtime from gateway.yaml, with its targets; a model without a target goes too.',
  changesByEtag: true,
  response: Saved,
  async handle(call) {
    const { id } = knownRuntime(call.params['id'] ?? '', call.context);
    const { models } = call.context.config();
    const edits = [
      ...models.flatMap((model) => withoutRuntime(model, id)),
      { action: 'remove', list: 'runtimes', id } as const,
    ];
    return answer(await save(call, id, { action: 'runtime.remove', edit: edits }));
  },
});

const check = adminRoute({
  method: 'POST',
  path: '/admin/api/runtimes/{id}/check',
  summary: 'Looks what listens at the address of a runtime now, by the GETs of a scan alone.',
  isSafe: true,
  response: RuntimeCheck,
  async handle({ context, params, request }) {
    const runtime = knownRuntime(params['id'] ?? '', context);
    const finding = await identify(runtime, context, request.signal);
    return answer({ finding: showFinding(finding), change: changeOf(runtime, finding) });
  },
});

const approve = adminRoute({
  method: 'POST',
  path: '/admin/api/runtimes/{id}/approve',
  summary: 'Approves what listens there now, by the fingerprint that the operator was shown.',
  changesByEtag: true,
  body: Approval,
  response: Saved,
  async handle(call) {
    const { context, body, request } = call;
    const runtime = knownRuntime(call.params['id'] ?? '', context);
    const finding = await identify(runtime, context, request.signal);
    // Approves exactly the finding that was shown.
    if (!('fingerprint' in finding) || finding.fingerprint !== body.fingerprint) {
      const message = `the server there has changed since the scan: ${finding.reason ?? 'its fingerprint is another'}; check it again`;
      throw new AppError('etag_mismatch', message);
    }
    const fields = { kind: finding.kind, fingerprint: finding.fingerprint };
    const edit: ConfigEdit = { action: 'change', list: 'runtimes', id: runtime.id, fields };
    return answer(await save(call, runtime.id, { action: 'runtime.approve', edit, diff: fields }));
  },
});

async function save(
  call: Parameters<typeof saveEdits>[0] & Parameters<typeof readIfMatch>[0],
  id: string,
  {
    action,
    edit,
    diff,
  }: {
    readonly action: string;
    readonly edit: ConfigEdit | readonly ConfigEdit[];
    readonly diff?: Readonly<Record<string, unknown>>;
  },
): Promise<ConfigState & { readonly config_etag: string }> {
  const edits: readonly ConfigEdit[] = 'action' in edit ? [edit] : edit;
  const { etag } = await saveEdits(call, edits, {
    etag: readIfMatch(call),
    action,
    target: `runtime:${id}`,
    ...(diff !== undefined && { diff }),
  });
  return { config_etag: etag, ...stateOf(call.context, etag) };
}

/** Errors: `resource_unknown`. */
function knownRuntime(id: string, { config }: AdminContext): RuntimeConfig {
  const found = config().runtimes.find((runtime) => runtime.id === id);
  if (found === undefined) throw unknownResource('runtime', id, 'GET /admin/api/runtimes');
  return found;
}

/** A runtime of the file is approved, wherever it is: public addresses too. */
function identify({ baseUrl }: RuntimeConfig, { clock }: AdminContext, signal: AbortSignal): Promise<Finding> {
  return identifyUrl(new URL(baseUrl).origin, { allowPublic: true, clock, signal });
}

function changeOf({ fingerprint }: RuntimeConfig, finding: Finding): string | null {
  if (finding.state === 'impostor') return finding.reason;
  if (fingerprint === undefined || !('fingerprint' in finding)) return null;
  const compared = compareFingerprint(fingerprint, finding.fingerprint);
  return compared.isSame ? null : compared.change;
}

function withoutRuntime({ id, targets }: GatewayConfig['models'][number], runtimeId: string): ConfigEdit[] {
  const left = targets.filter((target) => target.runtimeId !== runtimeId);
  if (left.length === targets.length) return [];
  if (left.length === 0) return [{ action: 'remove', list: 'models', id }];
  const written = left.map(({ runtimeId: runtime, model, weight, order }) => ({
    runtime,
    model,
    ...(weight !== 1 && { weight }),
    ...(order !== 0 && { order }),
  }));
  return [{ action: 'change', list: 'models', id, fields: { targets: written } }];
}

function showRuntime(runtime: RuntimeConfig, { health, config }: AdminContext): ShownRuntime {
  const { id, kind, baseUrl, fingerprint, metering, translate, apiKey } = runtime;
  const state = health().find((each) => each.id === id);
  const serves = config().models.filter(({ targets }) => targets.some(({ runtimeId }) => runtimeId === id));
  return {
    id,
    kind,
    title: present(runtimeKinds[kind], 'the file has kinds that there are').title,
    base_url: baseUrl,
    fingerprint: fingerprint ?? null,
    metering,
    translate,
    api_key: apiKey === undefined ? null : apiKey.from === 'env' ? `env ${apiKey.name}` : `file ${apiKey.path}`,
    healthy: state?.isHealthy ?? false,
    trouble: state?.trouble ?? null,
    reason: state?.reason ?? null,
    models: serves.map((model) => model.id),
  };
}

/** Runtimes. */
export const runtimes: AdminSection = [list, create, change, remove, check, approve];
