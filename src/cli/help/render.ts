import type { Product } from '../product.js';
import { type CommandHelp, type OptionLine, spellings, usageLine } from './command-help.js';
import { layOutRows, type Row, wrap, wrapIndented, wrapShell } from './layout.js';
import { optionGroups } from './option.js';

/** The product's texts in the head of its help. */
export type ProductNames = Omit<Product, 'commands' | 'codes' | 'menu' | 'hints' | 'synonyms'>;

const common: readonly Row[] = [{ term: '-h, --help', text: 'this help' }];

/** Help of a product: the first command to type, and all commands. */
export function renderOverview(product: ProductNames, commands: readonly CommandHelp[], width: number): string {
  const { binary, label, version, summary, firstCommand } = product;
  const sections = [
    wrap(`${label} ${version}: ${summary}.`, width),
    ['Usage', ...wrapIndented(`${binary} <command> [options]`, width, 2)],
    ['First command', ...wrapShell(`${binary} ${firstCommand}`, width, 2)],
    ...commandSections(product, commands, width),
    [
      'Options',
      ...layOutRows(
        [
          { term: '-h, --help', text: 'this help; after a command, its options and examples' },
          { term: '-v, --version', text: 'the version' },
        ],
        width,
      ),
    ],
  ];
  return joinSections(sections);
}

/** The commands below their headings, each with its arguments and description. */
function commandSections(
  { sections = {}, aliases = {} }: ProductNames,
  commands: readonly CommandHelp[],
  width: number,
): string[][] {
  const named = new Set(Object.values(sections).flat());
  const others = commands.filter(({ name }) => !named.has(name)).map(({ name }) => name);
  const headings = { ...sections, [named.size === 0 ? 'Commands' : 'Other commands']: others };
  const rows = new Map(commands.map((command) => [command.name, toCommandRow(command, aliases)]));
  const all = [...rows.values()];
  return Object.entries(headings).map(([heading, names]) => {
    const found = names.flatMap((name) => rows.get(name) ?? []);
    return found.length === 0 ? [] : [heading, ...layOutRows(found, width, all)];
  });
}

function toCommandRow(command: CommandHelp, aliases: Readonly<Record<string, string>>): Row {
  const also = Object.keys(aliases).filter((alias) => aliases[alias] === command.name);
  const words = also.length === 0 ? '' : ` Also: ${also.join(', ')}.`;
  const term = [command.name, ...command.arguments.map(({ shown }) => shown)].join(' ');
  return { term, text: command.description + words };
}

/** Help of one command: usage, examples, arguments, and its options by their groups. */
export function renderCommand(product: ProductNames, command: CommandHelp, width: number): string {
  const { examples, details } = command;
  const places = command.arguments.map(({ shown, help }) => ({ term: shown, text: describe(help) }));
  const sections = [
    wrap(command.description, width),
    ['Usage', ...wrapIndented(usageLine(product.binary, command), width, 2)],
    examples.length === 0
      ? []
      : [
          examples.length === 1 ? 'Example' : 'Examples',
          ...examples.flatMap(([what, line]) => [...wrapIndented(`${what}:`, width, 2), ...wrapShell(line, width, 4)]),
        ],
    places.length === 0 ? [] : ['Arguments', ...layOutRows(places, width)],
    ...renderGroups(command.options, width),
    details === undefined ? [] : ['Notes', ...wrapIndented(details, width, 2)],
  ];
  return joinSections(sections);
}

function renderGroups(options: readonly OptionLine[], width: number): string[][] {
  return optionGroups.flatMap((group, i) => {
    const isLast = i === optionGroups.length - 1;
    const rows = options.filter(({ help }) => (help.group ?? optionGroups.at(-1)) === group).map(toRow);
    const all = isLast ? [...rows, ...common] : rows;
    return all.length === 0 ? [] : [[group, ...layOutRows(all, width)]];
  });
}

function toRow(option: OptionLine): Row {
  const { flag, value, required, help } = option;
  const term = help.negated ? `${flag}, ${flag.replace('--', '--no-')}` : spellings(option).join(', ');
  const marks = [required ? '(required)' : '', help.repeated ? '(may be repeated)' : ''];
  return {
    term: value === undefined ? term : `${term} ${value}`,
    text: [describe(help), ...marks.filter((mark) => mark !== '')].join(' '),
  };
}

function describe(help: { readonly description: string; readonly default?: string }): string {
  return help.default === undefined ? help.description : `${help.description} [default: ${help.default}]`;
}

/** Sections with an empty line between them; empty ones are left out. */
function joinSections(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
