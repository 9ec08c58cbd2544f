import { MAX_GRACE_MS } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { KeyLimitFields } from '../config/schema/virtual-key.js';
import { checkBudgets } from '../routing/counted-budgets.js';
import { toKeyLimits } from '../routing/key-definitions.js';
import { checkModels } from './check-models.js';
import { findKey, NamedKey } from './find-key.js';
import { operation } from './operation.js';
import { toShownKey } from './shown-key.js';

/** Every key, with its limits, its usage and its holds now. */
export const listKeys = operation({
  params: Type.Object({}),
  run: ({ meter }) => ({ keys: meter.keys().map((record) => toShownKey(record, meter)) }),
});

/** A new key of the database. Only this answer contains its secret. Errors: also those of `checkModels`. */
export const createKey = operation({
  params: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 100 }),
    models: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String({ minLength: 1, maxLength: 257 }))])),
    expires_at_ms: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 1 })])),
    limits: Type.Optional(KeyLimitFields),
  }),
  async run({ meter, config, by }, { name, models = null, expires_at_ms: expiresAtMs = null, limits: written = {} }) {
    const limits = toKeyLimits(written);
    checkModels(models, config());
    checkBudgets(models, limits, config().models);
    const { record, secret } = await meter.createKey({ name, models, expiresAtMs, limits }, by);
    return { secret, key: toShownKey(record, meter) };
  },
});

/** Gives a key a new secret; the old one stays valid for its grace. Errors: also those of `findKey`. */
export const rotateKey = operation({
  params: Type.Object({ id: NamedKey, grace_ms: Type.Integer({ minimum: 0, maximum: MAX_GRACE_MS }) }),
  async run({ meter, by }, { id, grace_ms: graceMs }) {
    const { record, secret } = await meter.rotateKey(findKey(meter, id).id, graceMs, by);
    return { secret, key: toShownKey(record, meter) };
  },
});

/** Disables, enables or revokes a key; its requests under way end within a second. Errors: as above. */
export const setKeyState = operation({
  params: Type.Object({ id: NamedKey, state: Type.Enum(['active', 'disabled', 'revoked']) }),
  async run({ meter, by }, { id, state }) {
    return { key: toShownKey(await meter.setKeyState(findKey(meter, id).id, state, by), meter) };
  },
});

/** Resets budgets of a key: those of a window and a unit, or all. Recorded usage stays. Errors: as above. */
export const resetBudget = operation({
  params: Type.Object({
    id: NamedKey,
    window: Type.Optional(Type.Enum(['day', 'week', 'month', 'total'])),
    unit: Type.Optional(Type.String({ pattern: '^(?:tokens|[A-Z]{3})$' })),
  }),
  async run({ meter, by }, { id, window, unit }) {
    const choice = { ...(window !== undefined && { window }), ...(unit !== undefined && { unit }) };
    return { key: toShownKey(await meter.resetBudgets(findKey(meter, id).id, choice, by), meter) };
  },
});
