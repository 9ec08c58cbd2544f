// The models of a gateway.yaml, as requests need them. Each change of the file makes a new table, which replaces the
// old one whole. Requests under way keep the table that they began with.
import { AppError, systemClock, type Clock } from '../../base/index.js';
import { toTokenPrice, type TokenPrice } from '../../metering/index.js';
import { RetryBudget, TargetGroup } from '../../relay/index.js';
import { matchesModel, type GatewayConfig, type GatewayModel } from '../config/index.js';
import type { ModelTarget, RoutedRuntime } from './model-target.js';

/** A model that clients may ask for. */
export interface RoutedModel {
  readonly id: string;
  readonly group: TargetGroup<ModelTarget>;
  readonly targets: readonly ModelTarget[];
  readonly retries: RetryBudget;
  readonly maxOutputTokens: number | undefined;
  readonly price: TokenPrice | undefined;
}

/** Models and paths of one file. */
export interface RoutingTable {
  readonly models: ReadonlyMap<string, RoutedModel>;
  readonly runtimes: readonly RoutedRuntime[];
  /** Paths that are relayed unread, besides those that the gateway knows. */
  readonly passthrough: ReadonlySet<string>;
  /** Requests may be translated, where their runtime allows it too. */
  readonly translate: boolean;
  readonly corsOrigins: ReadonlySet<string>;
}

/** The table of no model. */
export const EMPTY_TABLE: RoutingTable = {
  models: new Map(),
  runtimes: [],
  passthrough: new Set(),
  translate: true,
  corsOrigins: new Set(),
};

/** Makes the table of a file. Models with unchanged targets keep the state of those targets from `before`. */
export function toRoutingTable(
  config: GatewayConfig,
  runtimes: readonly RoutedRuntime[],
  before: RoutingTable = EMPTY_TABLE,
  clock: Clock = systemClock,
): RoutingTable {
  const byId = new Map(runtimes.map((runtime) => [runtime.config.id, runtime]));
  const toModel = (model: GatewayModel): RoutedModel => {
    const targets = model.targets.flatMap(({ runtimeId, model: name, weight, order }): ModelTarget[] => {
      const runtime = byId.get(runtimeId);
      return runtime === undefined ? [] : [{ id: `${runtimeId}/${name}`, runtime, model: name, weight, order }];
    });
    const old = before.models.get(model.id);
    const keeps = old !== undefined && areSame(old.targets, targets);
    return {
      id: model.id,
      targets,
      group: keeps ? old.group : new TargetGroup(targets, { clock }),
      retries: keeps ? old.retries : new RetryBudget(clock),
      maxOutputTokens: model.maxOutputTokens,
      price: model.price && toPrice(model.price),
    };
  };
  return {
    models: new Map(config.models.map((model) => [model.id, toModel(model)])),
    runtimes,
    passthrough: new Set(config.passthrough),
    translate: config.translate,
    corsOrigins: new Set(config.corsOrigins.map((origin) => origin.toLowerCase())),
  };
}

/** The model that a request names. Errors: `missing_required_parameter`, `model_not_found`, `key_model_access_denied`. */
export function findRoutedModel(
  { models }: RoutingTable,
  id: string | undefined,
  allowed: readonly string[] | null,
): RoutedModel {
  if (id === undefined) {
    throw new AppError(
      'missing_required_parameter',
      'the request names no model; set model to an id of GET /v1/models',
      {
        param: 'model',
      },
    );
  }
  const model = models.get(id);
  // A key that may not use a model does not learn whether the model exists.
  if (model !== undefined && keyAllowsModel(allowed, id)) return model;
  if (model !== undefined || !keyAllowsModel(allowed, id)) {
    const message = 'this key may not use the requested model; GET /v1/models lists its models';
    throw new AppError('key_model_access_denied', message, { param: 'model' });
  }
  throw new AppError('model_not_found', 'there is no such model; GET /v1/models lists the existing ones', {
    param: 'model',
  });
}

/** Whether a key that lists `allowed` may use the model. Null: all. */
export function keyAllowsModel(allowed: readonly string[] | null, id: string): boolean {
  return allowed === null || allowed.some((pattern) => matchesModel(pattern, id));
}

/** Targets hold their runtime by identity: another address or credential is another target. */
function areSame(before: readonly ModelTarget[], after: readonly ModelTarget[]): boolean {
  const isSame = (a: ModelTarget, b: ModelTarget | undefined): boolean =>
    b !== undefined && a.id === b.id && a.runtime === b.runtime && a.weight === b.weight && a.order === b.order;
  return before.length === after.length && before.every((target, i) => isSame(target, after[i]));
}

function toPrice(price: NonNullable<GatewayModel['price']>): TokenPrice {
  const { input_per_million: inputPerMillion, output_per_million: outputPerMillion, currency } = price;
  return toTokenPrice({ inputPerMillion, outputPerMillion, currency });
}
