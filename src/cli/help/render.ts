import { type CommandHelp, type OptionLine, usageLine } from './command-help.js';
import { layOutRows, type Row, wrap, wrapIndented, wrapShell } from './layout.js';
import { optionGroups } from './option.js';

/** The product's name, version and command, for the head of its help. */
export interface Product {
  readonly binary: string;
  readonly version: string;
}

const common: readonly Row[] = [{ term: '-h, --help', text: 'this help' }];

/** Help of `native-engine` alone: what to type first, and the commands. */
export function renderOverview(product: Product, commands: readonly CommandHelp[], width: number): string {
  const { binary, version } = product;
  const sections = [
    wrap(`Troupe ${version}: language models on this machine.`, width),
    ['Usage', ...wrapIndented(`${binary} <command> [options]`, width, 2)],
    ['First command', ...wrapShell(`${binary} run demo`, width, 2)],
    [
      'Commands',
      ...commands.flatMap((command) => [
        ...wrapIndented(fullUsage(binary, command), width, 2),
        ...wrapIndented(command.description, width, 6),
      ]),
    ],
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

/** Help of one command: usage, examples, arguments, and its options by their groups. */
export function renderCommand(product: Product, command: CommandHelp, width: number): string {
  const { examples, details } = command;
  const places = command.arguments.map(({ shown, help }) => ({ term: shown, text: describe(help) }));
  const sections = [
    wrap(command.description, width),
    ['Usage', ...wrapIndented(fullUsage(product.binary, command), width, 2)],
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

function fullUsage(binary: string, command: CommandHelp): string {
  return usageLine(binary, command).replace(` ${command.name}`, ` ${command.name} [options]`);
}

function renderGroups(options: readonly OptionLine[], width: number): string[][] {
  return optionGroups.flatMap((group, i) => {
    const isLast = i === optionGroups.length - 1;
    const rows = options.filter(({ help }) => (help.group ?? optionGroups.at(-1)) === group).map(toRow);
    const all = isLast ? [...rows, ...common] : rows;
    return all.length === 0 ? [] : [[group, ...layOutRows(all, width)]];
  });
}

function toRow({ flag, value, required, help }: OptionLine): Row {
  const term = help.negated ? `${flag}, ${flag.replace('--', '--no-')}` : flag;
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
