import type { HttpResponse } from '../../../http/index.js';
import type { KeySort, KeyRecord } from '../../../metering/index.js';
import type { ConfigEdit } from '../../config/index.js';
import { etagOfKey, toShownKey } from '../../operations/shown-key.js';
import { checkModels } from '../../operations/check-models.js';
import { checkBudgets } from '../../routing/counted-budgets.js';
import { toKeyLimits } from '../../routing/key-definitions.js';
import { keyAllowsModel } from '../../routing/routing-table.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, checkEtag, etagHeader, readIfMatch, type AdminSection } from '../admin-route.js';
import { readCursor, toCursor } from '../cursor.js';
import { saveEdits } from '../files/save-config.js';
import { DEFAULT_PAGE } from '../schemas/paging.js';
import {
  BudgetReset,
  KeyChange,
  KeyPage,
  KeyQuery,
  KeyRotation,
  KeyStateChange,
  KeyWithSecret,
  NewKey,
  OneKey,
} from '../schemas/keys.js';
import { readTime } from '../times.js';
import { toCurl } from '../curl.js';

const LIST = '/admin/api/keys';
const ONE = '/admin/api/keys/{id}';

const list = adminRoute({
  method: 'GET',
  path: LIST,
  summary: 'Lists virtual keys with every limit and its current use, by filters and order.',
  query: KeyQuery,
  response: KeyPage,
  async handle({ context, query }) {
    const { search, state, origin, model, sort = 'created', order = 'desc', limit = DEFAULT_PAGE } = query;
    const after = readPlace(query.cursor, sort);
    const { records, total, next } = context.meter.pages.keys({
      ...(search !== undefined && { search }),
      ...(state !== undefined && { state }),
      ...(origin !== undefined && { origin }),
      ...(model !== undefined && { allows: (models: KeyRecord['models']) => keyAllowsModel(models, model) }),
      order: sort,
      descending: order === 'desc',
      ...(after !== undefined && { after }),
      limit,
    });
    return answer({
      data: records.map((record) => toShownKey(record, context.meter)),
      next_cursor: next === undefined ? null : toCursor([next.value, next.id]),
      total,
    });
  },
});

function readPlace(cursor: string | undefined, sort: KeySort) {
  const parts = readCursor<readonly [string | number, string]>(cursor, [sort === 'name' ? '' : 0, '']);
  return parts && { value: parts[0], id: parts[1] };
}

const show = adminRoute({
  method: 'GET',
  path: ONE,
  summary: 'Shows one key.',
  response: OneKey,
  handle: async ({ context, params }) => toAnswer(context.meter.pages.key(params['id'] ?? ''), context),
});

const create = adminRoute({
  method: 'POST',
  path: LIST,
  summary: 'Makes a key. Its secret is in this answer and nowhere else.',
  body: NewKey,
  response: KeyWithSecret,
  async handle({ context, record, body: { name, models = null, expires_at: expiresAt, limits = {} } }) {
    const expiresAtMs = readTime('expires_at', expiresAt ?? undefined) ?? null;
    checkModels(models, context.config());
    checkBudgets(models, toKeyLimits(limits), context.config().models);
    const rules = { name, models, expiresAtMs, limits: toKeyLimits(limits) };
    const made = await context.meter.createKey(rules, record.by ?? { kind: 'admin' });
    return answer({
      secret: made.secret,
      curl: toCurl(made.secret, made.record, context),
      key: toShownKey(made.record, context.meter),
    });
  },
});

const change = adminRoute({
  method: 'PATCH',
  path: ONE,
  summary: 'Changes a key: name, models, expiry, limits. One of gateway.yaml is changed there.',
  changesByEtag: true,
  body: KeyChange,
  response: OneKey,
  async handle(call) {
    const { context, params, body, record } = call;
    const { meter } = context;
    const key = meter.pages.key(params['id'] ?? '');
    checkEtag(readIfMatch(call), etagOfKey(key), 'the key');
    const { name, models, limits } = body;
    const expiresAtMs = body.expires_at === null ? null : readTime('expires_at', body.expires_at);
    if (models !== undefined) checkModels(models, context.config());
    const limited = limits === undefined ? key.limits : toKeyLimits(limits);
    if (models !== undefined || limits !== undefined)
      checkBudgets(models === undefined ? key.models : models, limited, context.config().models);
    if (key.origin === 'file') {
      const fields = {
        ...(name !== undefined && { name }),
        ...(models !== undefined && { models }),
        ...(body.expires_at !== undefined && { expires_at: body.expires_at }),
        ...(limits !== undefined && { limits }),
      };
      const edit: ConfigEdit = { action: 'change', list: 'virtual_keys', id: key.id, fields };
      const { etag } = context.inUse();
      await saveEdits(call, [edit], { etag, action: 'key.update', target: `key:${key.id}`, diff: { name: key.name } });
      return toAnswer(meter.pages.key(key.id), context);
    }
    const rules = {
      ...(name !== undefined && { name }),
      ...(models !== undefined && { models }),
      ...(expiresAtMs !== undefined && { expiresAtMs }),
      ...(limits !== undefined && { limits: toKeyLimits(limits) }),
    };
    return toAnswer(await meter.updateKey(key.id, rules, record.by ?? { kind: 'admin' }), context);
  },
});

const rotate = adminRoute({
  method: 'POST',
  path: '/admin/api/keys/{id}/rotate',
  summary: 'Gives a key another secret. The one before is taken for a while more.',
  body: KeyRotation,
  response: KeyWithSecret,
  async handle({ context, params, record, body: { grace_s: graceS } }) {
    const made = await context.meter.rotateKey(params['id'] ?? '', graceS * 1000, record.by ?? { kind: 'admin' });
    return answer({
      secret: made.secret,
      curl: toCurl(made.secret, made.record, context),
      key: toShownKey(made.record, context.meter),
    });
  },
});

const setState = adminRoute({
  method: 'POST',
  path: '/admin/api/keys/{id}/state',
  summary: 'Disables, enables or revokes a key; its running requests end within a second.',
  body: KeyStateChange,
  response: OneKey,
  handle: async ({ context, params, record, body: { state } }) =>
    toAnswer(await context.meter.setKeyState(params['id'] ?? '', state, record.by ?? { kind: 'admin' }), context),
});

const resetBudget = adminRoute({
  method: 'POST',
  path: '/admin/api/keys/{id}/reset-budget',
  summary:
    'Makes budgets of a key full again: earlier usage does not count against them. Usage and costs stay recorded.',
  body: BudgetReset,
  response: OneKey,
  async handle({ context, params, record, body: { window, unit } }) {
    const choice = { ...(window !== undefined && { window }), ...(unit !== undefined && { unit }) };
    const by = record.by ?? { kind: 'admin' };
    return toAnswer(await context.meter.resetBudgets(params['id'] ?? '', choice, by), context);
  },
});

function toAnswer(record: KeyRecord, { meter }: AdminContext): HttpResponse {
  const key = toShownKey(record, meter);
  return answer({ key }, etagHeader(key.etag));
}

/** Virtual keys. */
export const keys: AdminSection = [list, show, create, change, rotate, setState, resetBudget];
