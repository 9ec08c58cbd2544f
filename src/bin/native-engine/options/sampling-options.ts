// The options of samplers' numbers, as the samplers declare them.
import { Command } from 'clipanion';
import { getAt, samplerParameters, samplingDefaults, snakeName, type NamedParameter } from '../../../engine/index.js';
import { type CliContext, type NumberRange, type OptionHelp, parseNumber, textOption } from '../../../cli/index.js';

/** One number that can be given. */
export interface SamplingOption {
  /** As a request names it, and `/set`. */
  readonly name: string;
  readonly flag: string;
  /** Where it stands among the engine's values. */
  readonly path: readonly string[];
  readonly help: OptionHelp;
  readonly range: NumberRange;
  /** What holds for a number that was not given, by what the model's makers recommend. */
  readonly absent: (generation: object) => string;
}

/** Numbers by the names of requests. */
export type SamplingNumbers = Record<string, number>;

/** What the command line offers of the samplers, in their order. */
export const samplingOptions: readonly SamplingOption[] = samplerParameters.flatMap(toOption);

/** A command with an option for each number of the samplers. */
export abstract class SamplingCommand extends Command<CliContext> {
  constructor() {
    super();
    // clipanion finds a command's options among its own properties.
    for (const { name, flag, help } of samplingOptions) Reflect.set(this, name, textOption(flag, help));
  }

  /** The numbers that were given. Errors: `invalid_option`. */
  protected samplingNumbers(): SamplingNumbers {
    const numbers: SamplingNumbers = {};
    for (const { name, flag, range } of samplingOptions) {
      const text: unknown = Reflect.get(this, name);
      if (typeof text === 'string') numbers[name] = parseNumber(flag, text, range);
    }
    return numbers;
  }
}

function toOption(named: NamedParameter): SamplingOption[] {
  const { neutral, whole = false, min, isAboveMin = false, max, wire = { min, max }, option } = named.parameter;
  if (option === undefined) return [];
  const name = snakeName(named);
  const usual = numberAt(samplingDefaults.chat, named);
  const tell = (value: number): string =>
    value === neutral && option.neutralMeans !== undefined ? `${value} (${option.neutralMeans})` : String(value);
  return [
    {
      name,
      flag: `--${name.replaceAll('_', '-')}`,
      path: named.path,
      help: {
        value: whole ? 'N' : 'X',
        description: option.description,
        default: usual === undefined ? String(neutral) : `what the model recommends, else ${usual}`,
        group: 'Answer',
      },
      range: {
        min: wire.min,
        max: wire.max ?? (whole ? 2 ** 31 - 1 : Number.MAX_VALUE),
        whole,
        ...(isAboveMin && { except: min }),
      },
      absent: (generation) => tell(numberAt(generation, named) ?? usual ?? neutral),
    },
  ];
}

function numberAt(values: object, { path }: NamedParameter): number | undefined {
  const value = getAt(values, path);
  return typeof value === 'number' ? value : undefined;
}
