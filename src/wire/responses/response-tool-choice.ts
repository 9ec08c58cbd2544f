import { AppError, describe } from '../../base/index.js';
import type { ToolChoice } from '../../completion/index.js';
import { invalidField, missingField } from '../parsing/request-errors.js';
import type { ResponsesRequest } from '../request-schemas.js';
import { checkToolChoice } from '../tool-choice.js';

const PARAM = 'tool_choice';

/** The tools that an answer must call, or may; undefined: as the model likes, or none. Errors: `invalid_value`, `missing_required_parameter`, `unsupported_value`. */
export function readToolChoice({ tool_choice: choice, tools = [] }: ResponsesRequest): ToolChoice | undefined {
  const offered = tools.map(({ name = '' }) => name);
  if (choice === undefined || choice === 'auto' || choice === 'none') return undefined;
  if (choice === 'required') return checkToolChoice({ isRequired: true }, offered, PARAM);
  if (typeof choice === 'string') throw invalidField(PARAM, 'must be none, auto, required or an object', choice);
  const { type, mode, tools: allowed } = choice;
  if (type === 'function') {
    return checkToolChoice({ isRequired: true, names: [readName(choice, PARAM)] }, offered, `${PARAM}.name`);
  }
  if (type !== 'allowed_tools') throw unsupportedType(`${PARAM}.type`, type);
  if (mode !== 'auto' && mode !== 'required') throw invalidField(`${PARAM}.mode`, 'must be auto or required', mode);
  if (!Array.isArray(allowed) || allowed.length === 0) {
    throw invalidField(`${PARAM}.tools`, 'must be a list of tools', allowed);
  }
  const names = allowed.map((tool: unknown, index) => {
    const param = `${PARAM}.tools[${index}]`;
    if (typeof tool !== 'object' || tool === null) throw invalidField(param, 'must be an object', tool);
    const kind: unknown = Reflect.get(tool, 'type');
    if (kind !== 'function') throw unsupportedType(`${param}.type`, kind);
    return readName(tool, param);
  });
  return checkToolChoice({ isRequired: mode === 'required', names }, offered, `${PARAM}.tools`);
}

function readName(tool: object, param: string): string {
  const name: unknown = Reflect.get(tool, 'name');
  if (name === undefined) throw missingField(`${param}.name`);
  if (typeof name !== 'string') throw invalidField(`${param}.name`, 'must be a string', name);
  return name;
}

function unsupportedType(param: string, type: unknown): AppError {
  const message = `${param} is ${describe(type, true)}; a choice works for tools of the type "function" only`;
  return new AppError('unsupported_value', message, { param });
}
