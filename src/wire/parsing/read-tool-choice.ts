import { AppError, describe } from '../../base/index.js';
import type { ToolCallRule } from '../../completion/index.js';
import type { ChatCompletionRequest } from '../request-schemas.js';
import type { ToolOffer } from '../tools/tool-offer.js';

type ToolRequest = Pick<ChatCompletionRequest, 'tools' | 'tool_choice'>;
type ChoiceObject = Exclude<ToolRequest['tool_choice'], string | undefined>;

/**
 * The tool choice of a request. Undefined: the model decides, or there are no tools. Errors: `invalid_value`,
 * `unsupported_value`, `missing_required_parameter`.
 */
export function readToolChoice(choice: ToolRequest['tool_choice'], offer: ToolOffer): ToolCallRule | undefined {
  return readOpenAiChoice(choice, offer, 'function.name');
}

/** The same where tools are called otherwise. `nameField`: where an object has the name of a tool. */
export function readOpenAiChoice(
  choice: ToolRequest['tool_choice'],
  offer: ToolOffer,
  nameField: 'function.name' | 'name',
): ToolCallRule | undefined {
  if (choice === undefined || choice === 'auto' || choice === 'none') return undefined;
  const asked = typeof choice === 'string' ? readWord(choice) : readObject(choice, nameField, offer);
  // It asks for tools that were left out.
  if (asked === undefined || (offer.names.length === 0 && offer.leftOut.length > 0)) return undefined;
  return toToolChoice(asked, offer.names);
}

/** The name of a `tool_choice` that became `chosen` because its tools were left out: nothing. */
export function ignoredChoice(asked: unknown, chosen: ToolCallRule | undefined): readonly string[] {
  const asksForNothing = asked === undefined || asked === 'auto' || asked === 'none';
  return asksForNothing || chosen !== undefined ? [] : ['tool_choice'];
}

/** A choice as a dialect has it: the names of tools, and where each is. */
export interface AskedChoice {
  readonly isRequired: boolean;
  readonly named: readonly { readonly name: string; readonly param: string }[];
}

/** A choice that can be kept: there are tools, and they include the named ones. Errors: `invalid_value`. */
export function toToolChoice({ isRequired, named }: AskedChoice, offered: readonly string[]): ToolCallRule {
  if (offered.length === 0)
    throw invalid('tool_choice', 'tool_choice asks for a call and tools is empty; send the tools');
  for (const { name, param } of named) {
    if (!offered.includes(name)) throw invalid(param, `${param} is ${describe(name, true)}, which is none of tools`);
  }
  return named.length === 0 ? { isRequired } : { isRequired, names: [...new Set(named.map(({ name }) => name))] };
}

function readWord(choice: string): AskedChoice {
  if (choice === 'required') return { isRequired: true, named: [] };
  const known = 'auto, none, required, or an object that names a tool';
  throw invalid('tool_choice', `tool_choice must be ${known}; it is ${describe(choice, true)}`);
}

/**
 * `{ type: 'function', function: { name } }`, the same of a custom tool, or `{ type: 'allowed_tools', allowed_tools: {
 * mode, tools } }`. Undefined: only tools that were left out.
 */
function readObject(choice: ChoiceObject, nameField: string, offer: ToolOffer): AskedChoice | undefined {
  if (isNamed(choice)) return { isRequired: true, named: [readName(choice, 'tool_choice', nameField, offer)] };
  if (offer.lacks({ type: choice['type'] })) return undefined;
  if (choice['type'] !== 'allowed_tools') {
    const param = 'tool_choice.type';
    const message = `${param} is ${describe(choice['type'], true)}; function and allowed_tools work`;
    throw new AppError('unsupported_value', message, { param });
  }
  // OpenAI's Responses API has its fields beside the type.
  const isNested = isObject(choice['allowed_tools']);
  const allowed = isNested ? (choice['allowed_tools'] as ChoiceObject) : choice;
  const path = isNested ? 'tool_choice.allowed_tools' : 'tool_choice';
  const { mode = 'auto', tools } = allowed;
  if (mode !== 'auto' && mode !== 'required') {
    throw invalid(`${path}.mode`, `${path}.mode must be auto or required; it is ${describe(mode, true)}`);
  }
  if (!Array.isArray(tools) || tools.length === 0) {
    throw invalid(`${path}.tools`, `${path}.tools must be a list of at least one tool; it is ${describe(tools)}`);
  }
  const named = tools.flatMap((entry: unknown, index) => {
    const tool = isObject(entry) ? entry : {};
    if (!isNamed(tool) && offer.lacks({ type: tool['type'] })) return [];
    return [readName(tool, `${path}.tools[${index}]`, nameField, offer)];
  });
  return named.length === 0 ? undefined : { isRequired: mode === 'required', named };
}

/** Whether an object names a tool that is served: hosted ones have a type alone. */
function isNamed({ type }: ChoiceObject): boolean {
  return type === 'function' || type === 'custom';
}

function readName(from: ChoiceObject, path: string, nameField: string, offer: ToolOffer): AskedChoice['named'][number] {
  const key = isObject(from['custom']) ? 'custom' : 'function';
  const inner = from[key];
  const name = isObject(inner) ? inner['name'] : from['name'];
  const field = isObject(inner) ? `${key}.name` : from['name'] === undefined ? nameField : 'name';
  const param = `${path}.${field}`;
  const group = typeof from['namespace'] === 'string' ? from['namespace'] : undefined;
  if (typeof name === 'string' && name !== '') return { name: offer.shownName(name, group), param };
  if (name === undefined)
    throw new AppError('missing_required_parameter', `${param} is required and is missing`, { param });
  throw invalid(param, `${param} must be the name of a tool; it is ${describe(name)}`);
}

function isObject(value: unknown): value is ChoiceObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_value', message, { param });
}
