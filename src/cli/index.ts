// The command line of every product: terminal, options, help, progress, exit codes. No command of any product.
export type { CliContext } from './context.js';
export { decodeInput } from './decode-input.js';
export { exitCodeOf } from './exit-code-of.js';
export { codeTables } from './exit-codes.js';
export { readCommandHelp } from './help/command-help.js';
export { helpWidth, layOutRows, wrap } from './help/layout.js';
export {
  argument,
  listOption,
  optionalArgument,
  requiredOption,
  switchOption,
  textOption,
  triStateOption,
} from './help/option.js';
export { renderCommand, renderOverview } from './help/render.js';
export { INTERRUPTED, listenToInterrupts, type Interrupts } from './interrupts.js';
export { parseChoice, parseNumber, parseOptionalNumber, parseSeed, ranges, type NumberRange } from './option-values.js';
export { BINARY, parseCommand, unknownCommand } from './parse-command.js';
export { printError } from './print-error.js';
export { openProgressLine } from './progress.js';
export {
  dialogueStream,
  dim,
  openTerminal,
  print,
  toPrintable,
  understandsEscapes,
  type Terminal,
} from './terminal.js';
