import { MAX_STOP_LENGTH, MAX_STOPS } from '../../api/index.js';
import { AppError, describe } from '../../base/index.js';
import { samplerParameters, setAt, snakeName } from '../../completion/index.js';
import type {
  Absentable,
  NamedParameter,
  SamplerParameter,
  SamplerValues,
  SamplingChoice,
} from '../../completion/index.js';
import { readSeed } from '../parsing/seed.js';

/** The types of options, in Ollama's words. Source: ollama/ollama, api/types.go, `Options.FromMap`. */
type OptionType = 'integer' | 'float32' | 'boolean' | 'array';

/** Another name of a sampler's field. */
const REPEAT_PENALTY = 'repeat_penalty';

/** Options that choose tokens, by the sampler's own names. */
const samplers: ReadonlyMap<string, NamedParameter> = new Map(
  samplerParameters.flatMap((named) => {
    const name = snakeName(named);
    const names = name === 'repetition_penalty' ? [name, REPEAT_PENALTY] : [name];
    return names.map((each): [string, NamedParameter] => [each, named]);
  }),
);

/** Options that are known besides, and their types. */
const others: ReadonlyMap<string, OptionType> = new Map<string, OptionType>([
  ['num_predict', 'integer'],
  ['seed', 'integer'],
  ['stop', 'array'],
  // Other options are ignored: the server decides how a model is loaded, and some samplers no longer exist.
  ['num_keep', 'integer'],
  ['num_ctx', 'integer'],
  ['num_batch', 'integer'],
  ['num_gpu', 'integer'],
  ['main_gpu', 'integer'],
  ['num_thread', 'integer'],
  ['draft_num_predict', 'integer'],
  ['use_mmap', 'boolean'],
  ['use_mlock', 'boolean'],
  ['numa', 'boolean'],
  ['low_vram', 'boolean'],
  ['f16_kv', 'boolean'],
  ['vocab_only', 'boolean'],
  ['logits_all', 'boolean'],
  ['embedding_only', 'boolean'],
  ['penalize_newline', 'boolean'],
  ['mirostat', 'integer'],
  ['mirostat_tau', 'float32'],
  ['mirostat_eta', 'float32'],
  ['tfs_z', 'float32'],
]);

/** The parsed `options`. */
export interface OllamaOptions {
  readonly sampling: SamplingChoice;
  /** Absent: as many as fit. */
  readonly maxTokens: number | undefined;
  readonly stops: readonly string[];
  /** Unknown names. */
  readonly unknown: readonly string[];
}

/** Reads `options`; a null counts as absent, unknown ones are named and of no effect. Errors: `invalid_type`, `invalid_value`. */
export function readOptions(options: Readonly<Record<string, unknown>> = {}): OllamaOptions {
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== undefined);
  const values: Absentable<SamplerValues> = {};
  const unknown: string[] = [];
  for (const [name, value] of given) {
    const sampler = samplers.get(name);
    const type = sampler === undefined ? others.get(name) : typeOf(sampler.parameter);
    if (type === undefined) unknown.push(name);
    else checkType(name, value, type);
    if (sampler !== undefined) setAt(values, sampler.path, checkRange(name, value, sampler.parameter));
  }
  const limit = Math.trunc(Number(options['num_predict'] ?? -1));
  return {
    sampling: { values, defaults: 'ollama', seed: readSeedOption(options['seed']) },
    // -1 and -2 mean no limit and the whole context; 0 means no limit too.
    maxTokens: limit > 0 ? limit : undefined,
    stops: readStops(options['stop'] ?? []),
    unknown,
  };
}

function typeOf({ whole = false }: SamplerParameter): OptionType {
  return whole ? 'integer' : 'float32';
}

/** Errors: `invalid_type`, in Ollama's words. */
function checkType(name: string, value: unknown, type: OptionType): void {
  const isRight = type === 'array' ? Array.isArray(value) : typeof value === (type === 'boolean' ? type : 'number');
  if (isRight) return;
  const message = `option "${name}" must be of type ${type}, not ${describe(value)}`;
  throw new AppError('invalid_type', message, { param: `options.${name}` });
}

/** The value, cut to a whole number as Ollama does. Errors: `invalid_value`. */
function checkRange(name: string, value: unknown, { whole = false, min, max, isAboveMin }: SamplerParameter): number {
  const number = whole ? Math.trunc(Number(value)) : Number(value);
  const isLow = isAboveMin === true ? number <= min : number < min;
  if (isLow) throw outside(name, `${isAboveMin === true ? 'above' : 'at least'} ${min}`, number);
  if (max !== undefined && number > max) throw outside(name, `at most ${max}`, number);
  if (whole && !Number.isSafeInteger(number)) throw outside(name, 'a whole number below 2^53', number);
  return number;
}

function readSeedOption(value: unknown): SamplingChoice['seed'] {
  if (typeof value !== 'number') return undefined;
  if (!Number.isSafeInteger(Math.trunc(value))) throw outside('seed', 'a whole number below 2^53', value);
  return readSeed(Math.trunc(value));
}

/** Errors: `invalid_type`, `invalid_value`. */
function readStops(value: unknown): readonly string[] {
  const stops: readonly unknown[] = Array.isArray(value) ? value : [];
  if (stops.length > MAX_STOPS) throw outside('stop', `a list of at most ${MAX_STOPS} texts`, stops.length);
  return stops.flatMap((stop) => {
    if (typeof stop !== 'string') {
      const message = `option "stop" must be an array of strings; one item is ${describe(stop)}`;
      throw new AppError('invalid_type', message, { param: 'options.stop' });
    }
    if (stop.length > MAX_STOP_LENGTH) {
      throw outside('stop', `a list of texts of at most ${MAX_STOP_LENGTH} characters`, stop.length);
    }
    return stop === '' ? [] : [stop];
  });
}

function outside(name: string, rule: string, value: number): AppError {
  return new AppError('invalid_value', `option "${name}" must be ${rule}; it is ${value}`, {
    param: `options.${name}`,
  });
}
