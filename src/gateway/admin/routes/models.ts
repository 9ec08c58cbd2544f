import type { GatewayModel } from '../../config/index.js';
import { readGatewayText, type ConfigEdit } from '../../config/index.js';
import { roundMs } from '../../../endpoint/index.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, etagHeader, readIfMatch, unknownResource, type AdminSection } from '../admin-route.js';
import { audited } from '../audited.js';
import { saveEdits, stateOf, type ConfigState } from '../files/save-config.js';
import { ModelChange, GatewayModelList, NewModel, Trial, TrialAnswer, type ShownModel } from '../schemas/models.js';
import { Saved } from '../schemas/saved.js';

const LIST = '/admin/api/models';
const ONE = '/admin/api/models/{id}';

const list = adminRoute({
  method: 'GET',
  path: LIST,
  summary: 'Lists models with their targets, weights, order and prices, and how each target does.',
  response: GatewayModelList,
  async handle({ context }) {
    const { config, configPath } = context;
    const states = new Map((await context.targets()).map(({ id, targets }) => [id, targets]));
    const { etag } = await readGatewayText(configPath);
    const data = config().models.map((model) => showModel(model, states.get(model.id) ?? []));
    return answer({ data, config_etag: etag }, etagHeader(etag));
  },
});

const create = adminRoute({
  method: 'POST',
  path: LIST,
  summary: 'Adds a model to gateway.yaml.',
  changesByEtag: true,
  body: NewModel,
  response: Saved,
  handle: async (call) =>
    answer(
      await save(call, call.body.id, {
        action: 'model.create',
        edit: { action: 'add', list: 'models', entry: call.body },
      }),
    ),
});

const change = adminRoute({
  method: 'PATCH',
  path: ONE,
  summary: 'Changes targets, price or limit of a model in gateway.yaml.',
  changesByEtag: true,
  body: ModelChange,
  response: Saved,
  async handle(call) {
    const id = knownId(call.params['id'] ?? '', call.context);
    const given = Object.entries(call.body);
    const fields = Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
    const without = given.filter(([, value]) => value === null).map(([name]) => name);
    const edit: ConfigEdit = { action: 'change', list: 'models', id, fields, without };
    return answer(await save(call, id, { action: 'model.update', edit }));
  },
});

const remove = adminRoute({
  method: 'DELETE',
  path: ONE,
  summary: 'Takes a model out of gateway.yaml.',
  changesByEtag: true,
  response: Saved,
  async handle(call) {
    const id = knownId(call.params['id'] ?? '', call.context);
    return answer(await save(call, id, { action: 'model.remove', edit: { action: 'remove', list: 'models', id } }));
  },
});

const attempt = adminRoute({
  method: 'POST',
  path: '/admin/api/models/{id}/try',
  summary: 'Sends a test message to a model. Neither it nor the answer is kept; no key is charged.',
  body: Trial,
  response: TrialAnswer,
  async handle(call) {
    const { context, body } = call;
    const id = knownId(call.params['id'] ?? '', context);
    const { message, max_tokens: maxTokens = 256 } = body;
    const tried = await audited(call, { action: 'model.try', target: `model:${id}` }, () =>
      context.tryModel(id, message, maxTokens),
    );
    const shown: TrialAnswer = {
      status: tried.status,
      runtime: tried.runtimeId,
      upstream_model: tried.upstreamModel,
      text: tried.text ?? null,
      reasoning: tried.reasoning ?? null,
      error: tried.error ?? null,
      prompt_tokens: tried.promptTokens,
      completion_tokens: tried.completionTokens,
      estimated: tried.isEstimated,
      first_byte_ms: tried.firstByteMs === undefined ? null : roundMs(tried.firstByteMs),
      duration_ms: roundMs(tried.durationMs),
    };
    return answer(shown);
  },
});

async function save(
  call: Parameters<typeof saveEdits>[0] & Parameters<typeof readIfMatch>[0],
  id: string,
  { action, edit }: { readonly action: string; readonly edit: ConfigEdit },
): Promise<ConfigState & { readonly config_etag: string }> {
  const { etag } = await saveEdits(call, [edit], { etag: readIfMatch(call), action, target: `model:${id}` });
  return { config_etag: etag, ...stateOf(call.context, etag) };
}

/** Errors: `resource_unknown`. */
function knownId(id: string, { config }: AdminContext): string {
  if (config().models.some((model) => model.id === id)) return id;
  throw unknownResource('model', id, 'GET /admin/api/models');
}

type States = Awaited<ReturnType<AdminContext['targets']>>[number]['targets'];

function showModel({ id, targets, maxOutputTokens, price }: GatewayModel, states: States): ShownModel {
  const byId = new Map(states.map((state) => [state.id, state]));
  return {
    id,
    targets: targets.map(({ runtimeId, model, weight, order }) => {
      const state = byId.get(`${runtimeId}/${model}`);
      return {
        runtime: runtimeId,
        model,
        weight,
        order,
        healthy: state?.isHealthy ?? false,
        breaker: state?.breaker ?? 'closed',
        ejected: state?.isEjected ?? false,
        running: state?.running ?? 0,
      };
    }),
    max_output_tokens: maxOutputTokens ?? null,
    price: price ?? null,
  };
}

/** Models. */
export const models: AdminSection = [list, create, change, remove, attempt];
