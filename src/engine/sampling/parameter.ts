import { invalidValue } from '../../base/index.js';

/** The largest penalty: past it a logit is practically zero. */
export const MAX_PENALTY = 1000;

/** A parameter as an option of the command line. */
export interface ParameterOption {
  /** Its text in help. */
  readonly description: string;
  /** The meaning of the neutral value. */
  readonly neutralMeans?: string;
}

/**
 * A numeric parameter of a sampler. Its name in the sampler's table is the library's. The check, the neutral value, the
 * request field of a wire and the command-line option all derive from here.
 */
export interface SamplerParameter {
  /** The value without effect, used when none is given. */
  readonly neutral: number;
  readonly whole?: boolean;
  readonly min: number;
  /** `min` itself is refused. */
  readonly isAboveMin?: boolean;
  /** Absent: any. */
  readonly max?: number;
  /** The narrower range of requests over a wire, which keep to OpenAI's. */
  readonly wire?: { readonly min: number; readonly max: number };
  /** Text of a refusal besides the range. */
  readonly note?: string;
  /** Absent: the command line has no such option. */
  readonly option?: ParameterOption;
}

/** A sampler's declaration of one number. */
export function parameter(declared: SamplerParameter): SamplerParameter {
  return declared;
}

/** Parameters by name, or in a group: `topP`, `dry: { base }`. */
export interface ParameterTable {
  readonly [name: string]: SamplerParameter | Readonly<Record<string, SamplerParameter>>;
}

/** The numbers of a table of parameters. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends SamplerParameter ? number : ValuesOf<Table[Name]>;
};

/** A parameter with its path of names: `['topP']`, `['dry', 'base']`. */
export interface NamedParameter {
  readonly path: readonly string[];
  readonly parameter: SamplerParameter;
}

/** The path as one name, in the spelling of wires and command lines: `top_p`, `dry_base`. */
export function snakeName({ path }: NamedParameter): string {
  return path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)).join('_');
}

/** All parameters of a table, in its order. */
export function listParameters(table: ParameterTable): NamedParameter[] {
  return Object.entries(table).flatMap(([name, entry]): NamedParameter[] => {
    if (isParameter(entry)) return [{ path: [name], parameter: entry }];
    return Object.entries(entry).map(([member, each]) => ({ path: [name, member], parameter: each }));
  });
}

/** The numbers of several tables as one, all neutral. Its type has no name, so that declarations show its fields alone. */
export function neutralOf<Table>(parameters: readonly NamedParameter[]): {
  readonly [Name in keyof All<Table>]: All<Table>[Name] extends SamplerParameter
    ? number
    : { readonly [Member in keyof All<Table>[Name]]: number };
} {
  const values = {};
  for (const { path, parameter: declared } of parameters) setAt(values, path, declared.neutral);
  return values as ReturnType<typeof neutralOf<Table>>;
}

/** The tables of a union as one that has the fields of all. */
type All<Table> = (Table extends unknown ? (table: Table) => void : never) extends (table: infer Each) => void
  ? Each
  : never;

/** The number at `path` of values in groups. */
export function getAt(values: object, [name = '', member]: readonly string[]): unknown {
  const value: unknown = Reflect.get(values, name);
  if (member === undefined) return value;
  return typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
}

/** Puts a number at `path`; makes its group. */
export function setAt(values: Record<string, unknown>, [name = '', member]: readonly string[], value: unknown): void {
  values[name] = member === undefined ? value : { ...(values[name] as object | undefined), [member]: value };
}

function isParameter(entry: ParameterTable[string]): entry is SamplerParameter {
  return typeof entry.neutral === 'number';
}

/** Checks a number against its declaration. Errors: `invalid_value`. */
export function checkParameter(field: string, value: unknown, declared: SamplerParameter): void {
  const { min, max = Infinity, whole = false, isAboveMin = false, note } = declared;
  const fits = typeof value === 'number' && value <= max && (isAboveMin ? value > min : value >= min);
  if (fits && (!whole || Number.isInteger(value))) return;
  const from = isAboveMin ? `above ${min}` : `from ${min}`;
  const to = max === Infinity ? ' on' : isAboveMin ? ` and at most ${max}` : ` to ${max}`;
  const rule = `${whole ? 'a whole number' : 'a number'} ${from}${to}`;
  throw invalidValue(field, value, note === undefined ? rule : `${rule}; ${note}`);
}
