import { readCustomText, type CallForm } from '../../answers/index.js';
import { itemSources } from '../../base/index.js';
import { readJsonSources, type CustomToolCall, type ToolCall, type ToolCallDelta } from '../../api/index.js';
import { missingField } from '../parsing/request-errors.js';
import type { ChatCompletionRequest } from '../request-schemas.js';
import { toCustomTool } from '../function-tools.js';
import { ToolOffer } from './tool-offer.js';

/** Types of tools and calls of chat completions that are served; others are left out. */
const SERVED: readonly string[] = ['function', 'custom'];

/** Whether a tool or a call of this type is served. */
export function isServedByChat(type: string): boolean {
  return SERVED.includes(type);
}

/** The tools of a body: functions as they are, custom tools as functions of one text. Errors: `missing_required_parameter`. */
export function offerChatTools(body: Pick<ChatCompletionRequest, 'tools'>): ToolOffer {
  const { tools: source } = readJsonSources(body);
  const texts = source === undefined ? [] : itemSources(source);
  const offer = new ToolOffer(source !== undefined);
  (body.tools ?? []).forEach((tool, index) => {
    const { type, function: called, custom } = tool;
    if (type === 'function') {
      if (called === undefined) throw missingField(`tools[${index}].function`);
      const { name } = called;
      const schemaPath = `tools[${index}].function.parameters`;
      offer.add({ shown: name, form: { kind: 'function', name }, tool, text: texts[index], schemaPath });
    } else if (type === 'custom') {
      if (custom === undefined) throw missingField(`tools[${index}].custom`);
      const { name } = custom;
      const schemaPath = `tools[${index}].custom`;
      offer.add({ shown: name, form: { kind: 'custom', name }, tool: toCustomTool(name, custom), schemaPath });
    } else offer.leaveOut(type);
  });
  return offer;
}

/** A call as the client named its tool. */
export function toCalled(call: ToolCall, forms: ReadonlyMap<string, CallForm>): ToolCall {
  const { id, function: called } = call;
  if (forms.get(called.name)?.kind !== 'custom') return call;
  const input = readCustomText(called.arguments);
  return asCall({ id, type: 'custom', custom: { name: called.name, input } });
}

/** The pieces of a call of a custom tool, which comes whole. */
export function toCustomPieces(index: number, id: string, name: string, argumentsText: string): ToolCallDelta[] {
  const pieces: readonly object[] = [
    { index, id, type: 'custom', custom: { name, input: '' } },
    { index, custom: { input: readCustomText(argumentsText) } },
  ];
  return pieces.map((piece) => piece as ToolCallDelta);
}

/** The types of answers are those of the library's programs, which can offer only functions. */
function asCall(call: CustomToolCall): ToolCall {
  const answered: object = call;
  return answered as ToolCall;
}
