import type { Cli, CommandClass } from 'clipanion';
import { declaredHelp, type DeclaredHelp } from './option.js';
import type { CliContext } from '../context.js';

/** One option as help shows it. */
export interface OptionLine {
  /** `--threads`. */
  readonly flag: string;
  /** The name of its value; undefined for an option without one. */
  readonly value: string | undefined;
  readonly required: boolean;
  readonly help: Omit<DeclaredHelp, 'name'>;
}

/** One positional argument. */
export interface ArgumentLine {
  /** `<model>` or `[prompt]`. */
  readonly shown: string;
  readonly help: Omit<DeclaredHelp, 'name'>;
}

/** Everything that help knows of one command. */
export interface CommandHelp {
  readonly name: string;
  readonly description: string;
  readonly details: string | undefined;
  /** A description of each example, and its command line. */
  readonly examples: readonly (readonly [string, string])[];
  readonly options: readonly OptionLine[];
  readonly arguments: readonly ArgumentLine[];
}

/**
 * A command's declarations, in their order. An option declared without help of ours is included, with its clipanion
 * description.
 */
export function readCommandHelp(
  cli: Cli<CliContext>,
  name: string,
  commandClass: CommandClass<CliContext>,
): CommandHelp {
  const declared = declaredHelp(new commandClass());
  const known = cli.definitions().find(({ path }) => path === `${cli.binaryName} ${name}`);
  // Options without a description appear in the usage line: `[--threads #0]`, `<--out #0>`.
  const inline = [...(known?.usage ?? '').matchAll(/([[<])(-[^\]>]*)[\]>]/g)].map(([, bracket, definition = '']) => ({
    definition,
    description: '',
    required: bracket === '<',
  }));
  const options = [...(known?.options ?? []), ...inline].map(({ definition, description = '', required }) => {
    const [names = '', ...values] = definition.split(' ');
    const flag = names.split(',').at(-1) ?? names;
    const help: OptionLine['help'] = declared.get(flag) ?? { description };
    return { flag, value: values.length === 0 ? undefined : (help.value ?? valueName(flag)), required, help };
  });
  const shown = [...(known?.usage ?? '').matchAll(/<[^>-][^>]*>|\[[^\]-][^\]]*\]/g)].map(([found]) => found);
  const { description = '', details, examples = [] } = commandClass.usage ?? {};
  return {
    name,
    description,
    details,
    examples: examples.map(([what, line]) => [what, line.replaceAll('$0', cli.binaryName)] as const),
    options,
    arguments: shown.map((found) => {
      const help: Omit<DeclaredHelp, 'name'> = declared.get(found.slice(1, -1)) ?? { description: '' };
      return { shown: help.repeated === true ? `${found}...` : found, help };
    }),
  };
}

/** The spellings of an option: `--config`, and `-config` where both are accepted. */
export function spellings({ flag, help }: OptionLine): string[] {
  return help.also === undefined ? [flag] : [help.also, flag];
}

/** DIR of --models-dir. */
function valueName(flag: string): string {
  return (flag.split('-').at(-1) ?? flag).toUpperCase();
}

/** `native-engine run [options] <model> [prompt]`, with the required options. */
export function usageLine(binary: string, { name, options, arguments: places }: CommandHelp): string {
  const required = options
    .filter((option) => option.required)
    .map((option) => `${spellings(option)[0]} ${option.value ?? ''}`.trim());
  return [binary, name, '[options]', ...places.map(({ shown }) => shown), ...required].join(' ');
}
