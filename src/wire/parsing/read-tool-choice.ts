import { AppError, describe } from '../../base/index.js';
import type { ToolChoice } from '../../completion/index.js';
import type { ChatCompletionRequest } from '../request-schemas.js';

type ToolRequest = Pick<ChatCompletionRequest, 'tools' | 'tool_choice'>;
type ChoiceObject = Exclude<ToolRequest['tool_choice'], string | undefined>;

/**
 * Which tools a request wants to be called. Undefined: as the model likes, or none at all. Errors: `invalid_value`,
 * `unsupported_value`, `missing_required_parameter`.
 */
export function readToolChoice({ tools = [], tool_choice: choice }: ToolRequest): ToolChoice | undefined {
  const offered = tools.flatMap((tool) => tool.function?.name ?? []);
  return readOpenAiChoice(choice, offered, 'function.name');
}

/** The same where tools are called otherwise. `nameField`: where an object has the name of a tool. */
export function readOpenAiChoice(
  choice: ToolRequest['tool_choice'],
  offered: readonly string[],
  nameField: 'function.name' | 'name',
): ToolChoice | undefined {
  if (choice === undefined || choice === 'auto' || choice === 'none') return undefined;
  return toToolChoice(typeof choice === 'string' ? readWord(choice) : readObject(choice, nameField), offered);
}

/** A choice as a dialect has it: the names of tools, and where each is. */
export interface AskedChoice {
  readonly isRequired: boolean;
  readonly named: readonly { readonly name: string; readonly param: string }[];
}

/** A choice that can be kept: there are tools, and those that it names are among them. Errors: `invalid_value`. */
export function toToolChoice({ isRequired, named }: AskedChoice, offered: readonly string[]): ToolChoice {
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

/** `{ type: 'function', function: { name } }`, or `{ type: 'allowed_tools', allowed_tools: { mode, tools } }`. */
function readObject(choice: ChoiceObject, nameField: string): AskedChoice {
  if (choice['type'] === 'function') return { isRequired: true, named: [readName(choice, 'tool_choice', nameField)] };
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
  const named = tools.map((tool: unknown, index) =>
    readName(isObject(tool) ? tool : {}, `${path}.tools[${index}]`, nameField),
  );
  return { isRequired: mode === 'required', named };
}

function readName(from: ChoiceObject, path: string, nameField: string): AskedChoice['named'][number] {
  const inner = from['function'];
  const name = isObject(inner) ? inner['name'] : from['name'];
  const field = isObject(inner) ? 'function.name' : from['name'] === undefined ? nameField : 'name';
  const param = `${path}.${field}`;
  if (typeof name === 'string' && name !== '') return { name, param };
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
