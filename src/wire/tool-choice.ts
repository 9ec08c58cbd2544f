import { MAX_TOOL_NAME } from '../api/index.js';
import { AppError } from '../base/index.js';
import type { ToolChoice } from '../completion/index.js';
import { invalidField, missingField } from './parsing/request-errors.js';

/**
 * A choice that can be kept: there are tools, and those that it names are among them. `param`: where it names one.
 * Errors: `invalid_value`.
 */
export function checkToolChoice(choice: ToolChoice, offered: readonly string[], param: string): ToolChoice {
  const { isRequired, names = [] } = choice;
  if (isRequired && offered.length === 0) {
    throw new AppError('invalid_value', `${param} asks for a call, and the request offers no tools`, { param });
  }
  const missing = names.find((name) => !offered.includes(name));
  if (missing === undefined) return choice;
  throw invalidField(param, 'must name tools of the request', missing);
}

/** The name of a tool. Errors: `missing_required_parameter`, `invalid_value`. */
export function checkToolName(name: string | undefined, param: string): void {
  if (name === undefined) throw missingField(param);
  if (name.length >= 1 && name.length <= MAX_TOOL_NAME) return;
  throw invalidField(param, `must have 1 to ${MAX_TOOL_NAME} characters`, name);
}
