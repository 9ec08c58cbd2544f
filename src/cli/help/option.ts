// Declarations of commands' options and arguments: clipanion's, with the texts of help.
import { Option } from 'clipanion';

/** The headings of options in help, in this order. An option without a heading comes under the last. */
export const optionGroups = [
  'Answer',
  'Output',
  'Measurement',
  'Limits',
  'Scan',
  'Network',
  'Files',
  'Signatures',
  'Engine',
  'Other options',
] as const;

/** Help texts of an option or an argument. */
export interface OptionHelp {
  /** Name of the value: `N`, `DIR`, `f32|q8`. Default: the last word of the option's name, as DIR of --models-dir. */
  readonly value?: string;
  readonly description: string;
  /** The default, for help. An option with an initial value does not repeat it here. */
  readonly default?: string;
  readonly group?: (typeof optionGroups)[number];
  /** Another spelling: `-config` for `--config`. */
  readonly also?: string;
}

/** The help of one declaration under its name on the command line. */
export interface DeclaredHelp extends OptionHelp {
  readonly name: string;
  /** Whether help mentions `--no-name`: absent, `--name` and `--no-name` are three different things. */
  readonly negated?: boolean;
  readonly repeated?: boolean;
}

const HELP = Symbol('help');

/** An option with a text value; absent, it is `initial`, or undefined without one. */
export function textOption(flag: string, help: OptionHelp): string | undefined;
export function textOption(flag: string, help: OptionHelp, initial: string): string;
export function textOption(flag: string, help: OptionHelp, initial?: string): string | undefined {
  const { description } = help;
  if (initial === undefined)
    return withHelp(Option.String(typed(flag, help), { description }), { name: flag, ...help });
  const declaration = Option.String(typed(flag, help), initial, { description });
  return withHelp(declaration, { name: flag, default: initial, ...help });
}

/** A required option with a text value. */
export function requiredOption(flag: string, help: OptionHelp): string {
  return withHelp(Option.String(typed(flag, help), { required: true, description: help.description }), {
    name: flag,
    ...help,
  });
}

/** A repeatable option with text values. */
export function listOption(flag: string, help: OptionHelp): string[] {
  return withHelp(Option.Array(flag, [], { description: help.description }), { name: flag, repeated: true, ...help });
}

/** An option without a value, off by default. */
export function switchOption(flag: string, help: OptionHelp): boolean {
  return withHelp(Option.Boolean(typed(flag, help), false, { description: help.description }), { name: flag, ...help });
}

/** An option without a value that is turned on by `--name`, off by `--no-name`, and undefined when neither is there. */
export function triStateOption(flag: string, help: OptionHelp): boolean | undefined {
  return withHelp(Option.Boolean(flag, { description: help.description }), { name: flag, negated: true, ...help });
}

/** A required positional argument. */
export function argument(name: string, help: OptionHelp): string {
  return withHelp(Option.String({ name }), { name, ...help });
}

/** One positional argument or more. */
export function restArguments(name: string, help: OptionHelp): string[] {
  return withHelp(Option.Rest({ name, required: 1 }), { name, repeated: true, ...help });
}

/** An optional positional argument. */
export function optionalArgument(name: string, help: OptionHelp): string | undefined {
  return withHelp(Option.String({ name, required: false }), { name, ...help });
}

/** The names of an option in clipanion's form. */
function typed(flag: string, { also }: OptionHelp): string {
  return also === undefined ? flag : `${also},${flag}`;
}

function withHelp<T>(declaration: T, help: DeclaredHelp): T {
  // Before a command line is parsed, clipanion's declaration is an object, whatever its type says.
  return Object.assign(declaration as object, { [HELP]: help }) as T;
}

/** The help of a fresh command's options and arguments, by their names. */
export function declaredHelp(command: object): ReadonlyMap<string, DeclaredHelp> {
  const found = new Map<string, DeclaredHelp>();
  for (const declaration of Object.values(command) as unknown[]) {
    if (typeof declaration !== 'object' || declaration === null || !(HELP in declaration)) continue;
    const help = declaration[HELP] as DeclaredHelp;
    found.set(help.name, help);
  }
  return found;
}
