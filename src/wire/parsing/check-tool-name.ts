import { MAX_TOOL_NAME } from '../../api/index.js';
import { invalidField, missingField } from './request-errors.js';

/** The name of a tool. Errors: `missing_required_parameter`, `invalid_value`. */
export function checkToolName(name: string | undefined, param: string): void {
  if (name === undefined) throw missingField(param);
  if (name.length >= 1 && name.length <= MAX_TOOL_NAME) return;
  throw invalidField(param, `must have 1 to ${MAX_TOOL_NAME} characters`, name);
}
