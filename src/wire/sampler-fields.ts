import { samplerParameters, setAt, snakeName, type SamplerParameter } from '../completion/index.js';
import type { Absentable, SamplerValues } from '../completion/index.js';
import { Type } from '../schema/index.js';

/** `topP` as the wire spells it: `top_p`. */
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** `{ topP: number, dry: { base: number } }` has `top_p` and `dry_base`. */
type WireNames<Values> = {
  [Name in keyof Values & string]: Values[Name] extends number
    ? Snake<Name>
    : `${Snake<Name>}_${WireNames<Values[Name]>}`;
}[keyof Values & string];

/** The samplers' numbers as fields of a request. */
export type SamplerFields = { readonly [Name in WireNames<SamplerValues>]?: number };

/** Other names of fields, which they outrank. */
const aliases = {
  /** llama.cpp's. */
  repeat_penalty: 'repetition_penalty',
} as const satisfies Record<string, keyof SamplerFields>;

type Schemas = Readonly<Record<keyof SamplerFields | keyof typeof aliases, Type.TOptional<Type.TNumber>>>;

/** Each parameter with the names of its field, of which an earlier one outranks. Made once: requests are read by the thousand. */
const fields = samplerParameters.map((named) => {
  const name = snakeName(named);
  const others = Object.entries(aliases).flatMap(([alias, of]) => (of === name ? [alias] : []));
  return { ...named, names: [name, ...others] };
});

/** The fields' schemas, in the order of the samplers. */
export const samplerFields = toSchemas();

/** The sampler values of a checked body. */
export function toSamplerValues(
  body: SamplerFields & { readonly [Alias in keyof typeof aliases]?: number },
): Absentable<SamplerValues> {
  const values = {};
  for (const { path, names } of fields) {
    for (const name of names) {
      const value: unknown = Reflect.get(body, name);
      if (value === undefined) continue;
      setAt(values, path, value);
      break;
    }
  }
  return values;
}

function toSchemas(): Schemas {
  const schemas = fields.flatMap(({ names, parameter }) => {
    const schema = Type.Optional(toSchema(parameter));
    return names.map((name) => [name, schema] as const);
  });
  return Object.fromEntries(schemas) as Schemas;
}

function toSchema({ min, max, whole = false, isAboveMin = false, wire }: SamplerParameter): Type.TNumber {
  const most = wire?.max ?? max ?? (whole ? Number.MAX_SAFE_INTEGER : undefined);
  const range = {
    ...(isAboveMin ? { exclusiveMinimum: min } : { minimum: wire?.min ?? min }),
    ...(most !== undefined && { maximum: most }),
  };
  return (whole ? Type.Integer(range) : Type.Number(range)) as Type.TNumber;
}
