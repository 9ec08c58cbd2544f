import { Type, type Static } from '../../../schema/index.js';
import { GatewayModelEntry, PriceEntry, TargetEntry } from '../../config/schema/model.js';
import { orNull } from './paging.js';

/** A target and how it does. */
export const ShownTarget = Type.Object({
  runtime: Type.String(),
  model: Type.String(),
  weight: Type.Integer(),
  order: Type.Integer(),
  healthy: Type.Boolean(),
  breaker: Type.String({ description: '`closed`, `open` or `half-open`.' }),
  ejected: Type.Boolean(),
  running: Type.Integer({ description: 'Requests under way.' }),
});

/** A model of the file. */
export const ShownModel = Type.Object({
  id: Type.String(),
  targets: Type.Array(ShownTarget),
  max_output_tokens: orNull(Type.Integer()),
  price: orNull(PriceEntry),
});
export type ShownModel = Static<typeof ShownModel>;

/** All models, and the etag of the file that has them. */
export const GatewayModelList = Type.Object({ data: Type.Array(ShownModel), config_etag: Type.String() });

/** A model as the file has it. */
export const NewModel = Type.Object({
  id: GatewayModelEntry.properties.id,
  targets: Type.Array(TargetEntry, { minItems: 1, maxItems: 64 }),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  price: Type.Optional(PriceEntry),
});

/** A change of a model; null removes a field. */
export const ModelChange = Type.Object(
  {
    targets: Type.Optional(NewModel.properties.targets),
    max_output_tokens: Type.Optional(orNull(Type.Integer({ minimum: 1 }))),
    price: Type.Optional(orNull(PriceEntry)),
  },
  { minProperties: 1 },
);

/** A message to try a model with. The gateway stores neither the message nor its answer. */
export const Trial = Type.Object({
  message: Type.String({ minLength: 1, maxLength: 16_384 }),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_096 })),
});

/** The answer of a model. */
export const TrialAnswer = Type.Object({
  status: Type.Integer({ description: 'The status of the runtime.' }),
  runtime: Type.String(),
  upstream_model: Type.String(),
  text: orNull(Type.String({ description: 'The answer; null where the runtime refused.' })),
  reasoning: orNull(Type.String()),
  error: orNull(Type.String({ description: 'What the runtime said where it refused.' })),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  estimated: Type.Boolean(),
  first_byte_ms: orNull(Type.Number()),
  duration_ms: Type.Number(),
});
export type TrialAnswer = Static<typeof TrialAnswer>;
