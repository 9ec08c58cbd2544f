import { itemSources, memberSources, isJsonObject, type JsonObject } from '../../base/index.js';
import { MAX_TOOLS, readJsonSources, type ResponsesTool } from '../../api/index.js';
import { toCustomTool, toFunctionTool, toFunctionToolSource } from '../function-tools.js';
import { checkToolName } from '../parsing/check-tool-name.js';
import { invalidField } from '../parsing/request-errors.js';
import type { ResponsesRequest } from '../request-schemas.js';
import { ToolOffer } from '../tools/tool-offer.js';

/** Types of tools that are served; others are left out. */
export const servedTools: readonly string[] = ['function', 'custom', 'namespace'];
/** The item of an input that brings more tools. */
export const MORE_TOOLS = 'additional_tools';

/**
 * The tools of a body and of its input: functions unchanged, custom tools as functions of one text, grouped ones one by
 * one. Errors: `missing_required_parameter`, `invalid_value`.
 */
export function offerResponsesTools(body: Pick<ResponsesRequest, 'tools' | 'input'>): ToolOffer {
  const { tools } = readJsonSources(body);
  const offer = new ToolOffer(tools !== undefined);
  addTools(offer, { tools: body.tools ?? [], texts: tools === undefined ? [] : itemSources(tools), path: 'tools' });
  if (typeof body.input === 'string') return offer;
  body.input.forEach(({ type, tools: more }, index) => {
    if (type !== MORE_TOOLS || more === undefined) return;
    addTools(offer, { tools: more.map(toTool), texts: [], path: `input[${index}].tools` });
  });
  return offer;
}

/** Tools of one list, the group that they are of, and their texts where they came as JSON text. */
interface ToolList {
  readonly tools: readonly ResponsesTool[];
  readonly texts: readonly string[];
  readonly path: string;
  readonly namespace?: string | undefined;
}

function addTools(offer: ToolOffer, { tools, texts, path, namespace }: ToolList): void {
  tools.forEach((tool, index) => {
    const param = `${path}[${index}]`;
    const text = texts[index];
    if (!servedTools.includes(tool.type)) return offer.leaveOut(tool.type, tool.name);
    checkToolName(tool.name, `${param}.name`);
    const { name = '' } = tool;
    if (tool.type === 'namespace') {
      // Groups cannot be nested.
      if (namespace !== undefined) return offer.leaveOut(tool.type, name);
      const members = text === undefined ? undefined : memberSources(text).get('tools');
      const inner = members === undefined ? [] : itemSources(members);
      const list = (tool.tools ?? []).map(toTool);
      return addTools(offer, { tools: list, texts: inner, path: `${param}.tools`, namespace: name });
    }
    if (offer.tools.length >= MAX_TOOLS) {
      throw invalidField(param, `is one too many: a request has at most ${MAX_TOOLS} tools`, undefined);
    }
    const kind = tool.type === 'custom' ? 'custom' : 'function';
    const form = { kind, name, namespace } as const;
    const shown = offer.nameFor(form);
    if (kind === 'custom') offer.add({ shown, form, tool: toCustomTool(shown, tool), schemaPath: param });
    else {
      const source =
        text === undefined ? undefined : toFunctionToolSource(text, 'parameters', shown === name ? undefined : shown);
      const made = toFunctionTool({ ...tool, name: shown }, tool.parameters);
      offer.add({ shown, form, tool: made, text: source, schemaPath: `${param}.parameters` });
    }
  });
}

/** A tool within another list; the schema only requires an object. */
function toTool(tool: JsonObject): ResponsesTool {
  const { type, name, description, parameters, strict, format } = tool;
  return {
    type: typeof type === 'string' ? type : 'function',
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    ...(isJsonObject(parameters) && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
    ...(isJsonObject(format) && { format }),
  };
}

/** Tools that an answer repeats: grouped ones one by one, without those that were left out. */
export function toEchoed(tools: readonly ResponsesTool[] = []): ResponsesTool[] {
  return tools.flatMap((tool) => {
    if (tool.type === 'namespace') return toEchoed((tool.tools ?? []).map(toTool));
    return servedTools.includes(tool.type) ? [tool] : [];
  });
}
