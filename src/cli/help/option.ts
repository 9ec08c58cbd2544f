// How commands declare their options and arguments: clipanion's declaration, with everything that help says beside it.
import { Option } from 'clipanion';

/** The headings under which help lists options, in this order. An option that names none is under the last. */
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

/** What help says of an option or an argument. */
export interface OptionHelp {
  /** What the value is called: `N`, `DIR`, `f32|q8`. Left out, the last word of the option's name: DIR of --models-dir. */
  readonly value?: string;
  readonly description: string;
  /** What holds when the option is absent. An option with an initial value does not repeat it here. */
  readonly default?: string;
  readonly group?: (typeof optionGroups)[number];
  /** Another way to type it: `-config` for `--config`. */
  readonly also?: string;
}

/** The help of one declaration under the name that the command line has for it. */
export interface DeclaredHelp extends OptionHelp {
  readonly name: string;
  /** Whether `--no-name` is worth a mention: absent, `--name` and `--no-name` are three different things. */
  readonly negated?: boolean;
  readonly repeated?: boolean;
}

const HELP = Symbol('help');

/** An option with a text as its value; absent, it is `initial`, or undefined without one. */
export function textOption(flag: string, help: OptionHelp): string | undefined;
export function textOption(flag: string, help: OptionHelp, initial: string): string;
export function textOption(flag: string, help: OptionHelp, initial?: string): string | undefined {
  const { description } = help;
  if (initial === undefined)
    return withHelp(Option.String(typed(flag, help), { description }), { name: flag, ...help });
  const declaration = Option.String(typed(flag, help), initial, { description });
  return withHelp(declaration, { name: flag, default: initial, ...help });
}

/** An option with a text as its value that must be there. */
export function requiredOption(flag: string, help: OptionHelp): string {
  return withHelp(Option.String(typed(flag, help), { required: true, description: help.description }), {
    name: flag,
    ...help,
  });
}

/** An option that may come several times, each time with a text. */
export function listOption(flag: string, help: OptionHelp): string[] {
  return withHelp(Option.Array(flag, [], { description: help.description }), { name: flag, repeated: true, ...help });
}

/** An option without a value, off unless it is there. */
export function switchOption(flag: string, help: OptionHelp): boolean {
  return withHelp(Option.Boolean(typed(flag, help), false, { description: help.description }), { name: flag, ...help });
}

/** An option without a value that is turned on by `--name`, off by `--no-name`, and undefined when neither is there. */
export function triStateOption(flag: string, help: OptionHelp): boolean | undefined {
  return withHelp(Option.Boolean(flag, { description: help.description }), { name: flag, negated: true, ...help });
}

/** An argument that must be there, by its place. */
export function argument(name: string, help: OptionHelp): string {
  return withHelp(Option.String({ name }), { name, ...help });
}

/** One argument or more, by their place. */
export function restArguments(name: string, help: OptionHelp): string[] {
  return withHelp(Option.Rest({ name, required: 1 }), { name, repeated: true, ...help });
}

/** An argument that may be left out, by its place. */
export function optionalArgument(name: string, help: OptionHelp): string | undefined {
  return withHelp(Option.String({ name, required: false }), { name, ...help });
}

/** The names of an option as clipanion wants them. */
function typed(flag: string, { also }: OptionHelp): string {
  return also === undefined ? flag : `${also},${flag}`;
}

function withHelp<T>(declaration: T, help: DeclaredHelp): T {
  // Until a command line is parsed, what clipanion declares is an object, whatever its type says.
  return Object.assign(declaration as object, { [HELP]: help }) as T;
}

/** The help that the options and arguments of a fresh command carry, by their names. */
export function declaredHelp(command: object): ReadonlyMap<string, DeclaredHelp> {
  const found = new Map<string, DeclaredHelp>();
  for (const declaration of Object.values(command) as unknown[]) {
    if (typeof declaration !== 'object' || declaration === null || !(HELP in declaration)) continue;
    const help = declaration[HELP] as DeclaredHelp;
    found.set(help.name, help);
  }
  return found;
}
