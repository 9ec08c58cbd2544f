import { describe } from '../base/index.js';
import type { ToolChoice } from '../completion/index.js';
import { invalidField } from './parsing/request-errors.js';

/** What a dialect says of the tools that an answer may call. `none`: no tool is shown to the model. */
export type ChosenTools = 'none' | ToolChoice | undefined;

/**
 * A choice that can be kept: there are tools, and those that it names are among them. `param`: where it names one.
 * Errors: `invalid_value`.
 */
export function checkToolChoice(choice: ToolChoice, offered: readonly string[], param: string): ToolChoice {
  const { isRequired, names = [] } = choice;
  if (isRequired && offered.length === 0) throw invalidField(param, 'asks for a call, and needs tools', []);
  const missing = names.find((name) => !offered.includes(name));
  if (missing === undefined) return choice;
  throw invalidField(param, `must name tools of the request, which are ${describe([...offered], true)}`, missing);
}
