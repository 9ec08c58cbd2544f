import { Environment } from '@huggingface/jinja';
import { JsonNumber } from '../base/index.js';
import { toJsonFilter } from './to-json.js';

/** A value of @huggingface/jinja, which exports neither its classes nor its types. */
export interface RuntimeValue {
  readonly type: string;
  readonly value: unknown;
}
type RuntimeClass = new (value?: unknown) => RuntimeValue;

const IntegerValue = classOf(1);
const FloatValue = classOf(0.5);
const StringValue = classOf('');
const BooleanValue = classOf(true);
const NullValue = classOf(null);
const UndefinedValue = classOf(undefined);
const ArrayValue = classOf([]);
const ObjectValue = classOf({});
const FunctionValue = classOf(() => {});

/**
 * A variable as the library has it: plain data or `ExactJson`. Unlike its own, numbers remember how they are written
 * (`numberSource`), and a bigint is a number.
 */
export function toRuntimeValue(value: unknown): RuntimeValue {
  switch (typeof value) {
    case 'string':
      return new StringValue(value);
    case 'boolean':
      return new BooleanValue(value);
    case 'undefined':
      return new UndefinedValue();
    case 'number':
      return Number.isFinite(value) ? toNumber(String(value)) : new FloatValue(value);
    case 'bigint':
      return toNumber(String(value));
    case 'object':
      return value === null ? new NullValue() : toContainer(value);
    default:
      return new Environment().set('function', value) as RuntimeValue;
  }
}

/** A function that is given values of the library as they are, and gives one: plain ones lose what 1.0 and 1 are. */
export function toRuntimeFunction(run: (args: readonly RuntimeValue[]) => RuntimeValue): RuntimeValue {
  return new FunctionValue(run);
}

/** Whether a value was made by `toRuntimeFunction`. */
export function isRuntimeFunction(value: unknown): value is RuntimeValue {
  return value instanceof FunctionValue;
}

/** Whether a value is one of the library. */
export function isRuntimeValue(value: unknown): value is RuntimeValue {
  return typeof value === 'object' && value !== null && 'type' in value && 'value' in value;
}

/** A computed number. */
export function computedNumber(value: number, isFloat: boolean): RuntimeValue {
  return new (isFloat ? FloatValue : IntegerValue)(value);
}

/** A computed text. */
export function fromText(value: string): RuntimeValue {
  return new StringValue(value);
}

/** Two lists, or two tuples, as one; undefined for other values. */
export function joinLists(a: RuntimeValue, b: RuntimeValue): RuntimeValue | undefined {
  if (!Array.isArray(a.value) || !Array.isArray(b.value)) return undefined;
  const Class = a.constructor as RuntimeClass;
  return new Class([...(a.value as unknown[]), ...(b.value as unknown[])]);
}

function toContainer(value: object): RuntimeValue {
  if (value instanceof JsonNumber) return toNumber(value.source);
  if (Array.isArray(value)) return new ArrayValue(value.map(toRuntimeValue));
  const all = value instanceof Map ? Array.from(value as Map<unknown, unknown>) : Object.entries(value);
  // As JSON.stringify, which a program's schema would go through on its way to a server.
  const entries = all.filter(([, item]) => item !== undefined);
  return new ObjectValue(new Members(entries.map(([key, item]) => [String(key), toRuntimeValue(item)])));
}

/**
 * The members of an object, whose text is JSON. The library asks for it where a template adds an object to a text, which is an
 * error in Python: templates that do (DeepSeek's) take the arguments of a call for the JSON text that clients send.
 */
class Members extends Map<string, RuntimeValue> {
  override toString(): string {
    return toJsonFilter([new ObjectValue(this)]);
  }
}

/** As Python reads a number: an integer unless it has a point or an exponent. */
function toNumber(source: string): RuntimeValue {
  const value = new (/^-?\d+$/.test(source) ? IntegerValue : FloatValue)(Number(source));
  return Object.assign(value, { source });
}

function classOf(value: unknown): RuntimeClass {
  return (new Environment().set('value', value) as RuntimeValue).constructor as RuntimeClass;
}
