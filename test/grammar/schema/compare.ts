import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import { isAppError } from '../../../src/base/index.js';
import { readJsonSchema, type JsonSchemaGrammar } from '../../../src/grammar/schema/index.js';
import { grammarAccepts } from '../interpret.js';
import { createRandom, createSampler } from '../sample.js';

/** What became of one schema. */
export interface Comparison {
  /** The code of the error that refused it; undefined where it compiled. */
  readonly refusal: string | undefined;
  /** How the grammar and ajv differ: a text and who takes it; undefined where they do not. */
  readonly difference: string | undefined;
  /** Microseconds of this thread for the grammar. */
  readonly cpuUs: number;
}

/** The schema as a grammar, or the code of the error. Errors of other kinds are thrown. */
export function tryRead(schema: unknown): JsonSchemaGrammar | string {
  try {
    return readJsonSchema(schema, { anyOrder: true });
  } catch (error) {
    const codes = ['unsupported_schema', 'unsatisfiable_schema', 'grammar_too_large'];
    if (isAppError(error) && codes.includes(error.code)) return error.code;
    throw error;
  }
}

/**
 * Compares the grammar of a schema with ajv: texts that the grammar makes are valid, and values are accepted just where
 * they are valid. `seed`: of the texts.
 */
export function compareWithAjv(
  schema: unknown,
  values: readonly unknown[],
  seed: number,
  numTexts: number,
): Comparison {
  const started = process.cpuUsage();
  const read = tryRead(schema);
  const cpuUs = process.cpuUsage(started).user;
  if (typeof read === 'string' && read !== 'unsatisfiable_schema')
    return { refusal: read, difference: undefined, cpuUs };
  const compiled = compileWithAjv(schema);
  if (compiled === undefined) return { refusal: undefined, difference: undefined, cpuUs };
  // Of references that lead to themselves ajv overflows its stack; it cannot judge them.
  let isLoop = false;
  const validate = (value: unknown): boolean => {
    try {
      return compiled(value);
    } catch (error) {
      isLoop ||= error instanceof RangeError && error.stack?.includes('ajv') === true;
      if (isLoop) return true;
      throw error;
    }
  };
  const refusal = typeof read === 'string' ? read : undefined;
  if (typeof read !== 'string') {
    const sample = createSampler(read.grammar);
    const random = createRandom(seed);
    for (let i = 0; i < numTexts; i++) {
      const text = sample(random);
      if (!validate(JSON.parse(text)) && !hasTwice(text)) {
        return { refusal, difference: `made, but not valid: ${text}`, cpuUs };
      }
    }
  }
  for (const value of values) {
    const text = JSON.stringify(value);
    const isValid = validate(value);
    if (isLoop) break;
    const isAccepted = typeof read !== 'string' && grammarAccepts(read.grammar, text);
    // Of a very large number it is not always known whether it is a multiple, and then it is not accepted.
    const isUnknown = isValid && text.includes('e+') && JSON.stringify(schema).includes('"multipleOf"');
    if (isValid !== isAccepted && !isUnknown) {
      return {
        refusal,
        difference: `${isValid ? 'valid, but not accepted' : 'accepted, but not valid'}: ${text}`,
        cpuUs,
      };
    }
  }
  return { refusal, difference: undefined, cpuUs };
}

/**
 * Whether ajv is wrong about a schema. It has one variable for `prefixItems` and `contains`, and takes arrays for valid that
 * do not contain what they must; it takes items for evaluated that a schema of `dependentSchemas` would look at; and not
 * those that `if` looks at alone (2020-12, core, section 10.2.2.1), nor those that `contains` finds (section 11.2). Where a
 * branch of `anyOf` or `oneOf` that looks at items is not met, it takes all items for evaluated, or fails: a
 * variable of it is left undefined.
 */
export function isWrongInAjv(schema: unknown): boolean {
  const all = JSON.stringify(schema);
  return (
    (all.includes('"prefixItems"') && all.includes('"contains"')) ||
    ((all.includes('"dependentSchemas"') || all.includes('"if"')) && all.includes('"unevaluated')) ||
    (/"(?:contains|anyOf|oneOf)"/.test(all) && all.includes('"unevaluatedItems"'))
  );
}

/**
 * A schema with a limit, which nothing reaches, beside each `contains` that has none. Without it ajv does not begin anew for each
 * element or property of a loop around it: what one of them contains the next one seems to contain.
 */
function withLimits(schema: unknown): AnySchema {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'contains' in value && !('maxContains' in value)
      ? { ...value, maxContains: 1_000_000 }
      : value,
  ) as AnySchema;
}

/** What ajv makes of a schema; undefined where references that lead to themselves overflow its stack. */
function compileWithAjv(schema: unknown): ValidateFunction | undefined {
  try {
    return createAjv().compile(withLimits(schema));
  } catch (error) {
    if (error instanceof RangeError && error.stack?.includes('ajv') === true) return undefined;
    throw error;
  }
}

/** ajv, which divides doubles for `multipleOf` and so is wrong about large numbers, with a keyword that counts. */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  ajv.removeKeyword('multipleOf');
  return ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    validate: (step: number, value: number) => toUnits(value) % toUnits(step) === 0n,
  });
}

/** A number as a whole count of 10^-400. */
function toUnits(value: number): bigint {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent) - fraction.length + 400;
  return BigInt(whole + fraction) * 10n ** BigInt(power);
}

/** Whether some object has a name twice: other properties may, as the grammar does not remember their names. */
export function hasTwice(text: string): boolean {
  const compact = text.replace(/[\n\r\t]|(?<=[{,[:]) +/g, '');
  return JSON.stringify(JSON.parse(text)).length < compact.length;
}
