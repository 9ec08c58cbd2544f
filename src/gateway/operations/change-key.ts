import { AppError } from '../../base/index.js';
import type { KeyRecord, KeyRules } from '../../metering/index.js';
import { Type, type Static } from '../../schema/index.js';
import { editGatewayConfig, readGatewayText, type ConfigEdit } from '../config/index.js';
import { KeyLimitFields } from '../config/schema/virtual-key.js';
import { checkBudgets } from '../routing/counted-budgets.js';
import { toKeyLimits, toWrittenLimits } from '../routing/key-definitions.js';
import { checkModels } from './check-models.js';
import { findKey, NamedKey } from './find-key.js';
import { operation, type OperationContext } from './operation.js';
import { saveFile, toUsable } from './save-file.js';
import { toShownKey, toTime } from './shown-key.js';

/** Sets each given limit; null removes it; absent limits stay. */
const LimitChange = Type.Partial(
  Type.Object(
    Object.fromEntries(
      Object.entries(KeyLimitFields.properties).map(([name, schema]) => [name, Type.Union([schema, Type.Null()])]),
    ),
  ),
);

/** A change of a key; absent fields stay. */
const KeyChange = Type.Object({
  id: NamedKey,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  models: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String({ minLength: 1, maxLength: 257 }))])),
  expires_at_ms: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 1 })])),
  limits: Type.Optional(LimitChange),
});

/**
 * Changes name, models, expiry and limits of a key, one of the database or of gateway.yaml, where it changes the file.
 * Errors: those of `findKey`, `invalid_value`, `config_refused`, `audit_unavailable`, those of `checkModels` and of
 * files.
 */
export const changeKey = operation({
  params: KeyChange,
  async run(context, change) {
    const { meter, config, by } = context;
    const key = findKey(meter, change.id);
    const rules = toRules(key, change);
    if (Object.keys(rules).length === 0) {
      throw new AppError(
        'invalid_value',
        'nothing of the key is to be changed; say what: its name, models, expiry or a limit',
        {
          param: null,
        },
      );
    }
    if (rules.models !== undefined) checkModels(rules.models, config());
    const { models = key.models, limits = key.limits } = rules;
    checkBudgets(models, limits, config().models);
    if (key.origin === 'file') await changeInFile(context, key, change);
    else await meter.updateKey(key.id, rules, by);
    return { key: toShownKey(meter.pages.key(key.id), meter) };
  },
});

type KeyChange = Static<typeof KeyChange>;

function toRules(key: KeyRecord, { name, models, expires_at_ms: expiresAtMs, limits }: KeyChange): Partial<KeyRules> {
  return {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(limits !== undefined && { limits: toKeyLimits(merge(toWrittenLimits(key.limits), limits)) }),
  };
}

/** Limits with a change; null takes one away. */
function merge(written: KeyLimitFields, change: object): KeyLimitFields {
  const all = Object.entries({ ...written, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined));
}

/** Fields that are left out stay as they are written. */
async function changeInFile(
  { meter, config, by, path, reload }: OperationContext,
  { id, name: known }: KeyRecord,
  { name, models, expires_at_ms: expiresAtMs, limits }: KeyChange,
): Promise<void> {
  const written = config().virtualKeys.find((each) => each.id === id)?.limits ?? {};
  const fields = {
    ...(name !== undefined && { name }),
    ...(models !== undefined && { models }),
    ...(expiresAtMs !== undefined && { expires_at: expiresAtMs === null ? null : toTime(expiresAtMs) }),
    ...(limits !== undefined && { limits: merge(written, limits) }),
  };
  const edit: ConfigEdit = { action: 'change', list: 'virtual_keys', id, fields };
  const before = await readGatewayText(path);
  const text = toUsable(path, () => editGatewayConfig(before.text, [edit], path), meter.keys());
  const event = { actor: by, action: 'key.update', target: `key:${id}`, diff: { name: known } };
  await saveFile({ path, meter, reload }, { ...event, before, text });
}
