import { AppError, describe } from '../../base/index.js';

/** The fields of a TypeBox validation error that are read here. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

/** A path of a request in the usual notation: `/messages/2/content` is `messages[2].content`. */
export function toParam(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((param, step) => (/^\d+$/.test(step) ? `${param}[${step}]` : param === '' ? step : `${param}.${step}`), '');
}

/**
 * The most specific of `errors` with a code of the API. The deepest error is the cause: every branch of a union fails,
 * and the intended branch got furthest. Codes: `missing_required_parameter`, `invalid_type`, `invalid_value`.
 */
export function toRequestError(errors: readonly SchemaError[], request: unknown): AppError {
  const depth = (error: SchemaError): number => error.instancePath.split('/').length;
  const deepest = Math.max(...errors.map(depth));
  const causes = errors.filter((error) => depth(error) === deepest && error.keyword !== 'anyOf');
  // A wrong value outranks a wrong type at the same path: there, one branch of the union had the right type.
  const cause = causes.find((error) => error.keyword !== 'type') ?? causes[0];
  if (cause === undefined)
    return new AppError('invalid_value', 'the request does not match its schema', { param: null });
  const param = toParam(cause.instancePath);
  if (cause.keyword === 'required') return missing(cause, param);
  const value = valueAt(request, cause.instancePath);
  const details = { param: param === '' ? null : param };
  const name = param === '' ? 'the request' : param;
  if (cause.keyword === 'type') {
    const types = causes
      .filter((error) => error.instancePath === cause.instancePath)
      .map((error) => String(Reflect.get(error.params, 'type')));
    return new AppError(
      'invalid_type',
      `${name} must be of type ${[...new Set(types)].join(' or ')}, not ${describe(value)}`,
      details,
    );
  }
  return new AppError(
    'invalid_value',
    `${name} ${rule(cause)}; it is ${describe(value, cause.keyword === 'enum')}`,
    details,
  );
}

function missing(cause: SchemaError, param: string): AppError {
  const names: unknown = Reflect.get(cause.params, 'requiredProperties');
  const name = Array.isArray(names) ? String(names[0]) : 'a field';
  const path = param === '' ? name : `${param}.${name}`;
  return new AppError('missing_required_parameter', `${path} is required and is missing`, { param: path });
}

function rule(cause: SchemaError): string {
  const limit = String(Reflect.get(cause.params, 'limit'));
  switch (cause.keyword) {
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be above ${limit}`;
    case 'maxProperties':
      return `must have at most ${limit} keys`;
    case 'minItems':
      return `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'minLength':
      return `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'boolean':
      return 'is one item too many';
    case 'enum':
      return `must be one of ${String(Reflect.get(cause.params, 'allowedValues'))}`;
    case 'pattern':
      return `must match ${String(Reflect.get(cause.params, 'pattern'))}`;
    default:
      return `breaks the rule ${cause.keyword}`;
  }
}

function valueAt(request: unknown, instancePath: string): unknown {
  let value = request;
  for (const step of instancePath.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}
