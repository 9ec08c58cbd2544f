// The command line of every product: terminal, options, help, progress, exit codes. Has no command of any product.
export type { CliContext } from './context.js';
export { shells } from './completion/index.js';
export type { MenuItem } from './menu.js';
export { decodeInput } from './decode-input.js';
export { fitScreen, helpWidth, layOutRows, wrap } from './help/layout.js';
export {
  argument,
  listOption,
  optionalArgument,
  requiredOption,
  restArguments,
  switchOption,
  textOption,
  type OptionHelp,
  triStateOption,
} from './help/option.js';
export { INTERRUPTED, type Interrupts } from './interrupts.js';
export {
  parseChoice,
  parseDuration,
  parseExpiry,
  parseNumber,
  parseNumbers,
  parseOptionalNumber,
  parseSeed,
  ranges,
  type NumberRange,
} from './option-values.js';
export { fitTable, renderTable, windowWidth } from './table.js';
export { fromOption, readTimeRange, readTimeTexts, toOption } from './time-range.js';
export { countText } from '../words/index.js';
export { agoText, sizeText, spanText } from './units.js';
export { printError } from './print-error.js';
export type { CodeTables, CommandLoader, Product } from './product.js';
export {
  disableCoreDumps,
  findUnsafeSettings,
  keepInspectorShut,
  readProcessFacts,
  type SafetyFinding,
} from './process-safety.js';
export { canAsk, openQuestions, type Questions } from './questions.js';
export { openStatusLine, type Screen } from './status-line.js';
export { startProduct } from './run-product.js';
export { plainFlow, WordWrap, type TextFlow } from './word-wrap.js';
export { dialogueStream, dim, print, toPrintable, understandsEscapes, type Terminal } from './terminal.js';
