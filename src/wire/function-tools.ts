import { toCustomFunction } from '../answers/index.js';
import { memberSources, type JsonObject } from '../base/index.js';

/** A function of a dialect that has its fields flat. */
interface FlatTool {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly strict?: boolean | null | undefined;
}

/** A tool as chat completions spell it. */
export function toFunctionTool(
  { name, description, strict }: FlatTool,
  parameters: JsonObject | null | undefined,
): JsonObject {
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && { description }),
      ...(parameters !== null && parameters !== undefined && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  };
}

/**
 * A tool as JSON text for templates: each member in the body's own text, without the settings of how calls are
 * enforced. `source`: the text of a checked tool; `parametersName`: its name for parameters; `renamed`: the name in the
 * prompt, if that differs.
 */
export function toFunctionToolSource(source: string, parametersName: string, renamed?: string): string {
  const members = memberSources(source);
  const fields: string[] = [];
  for (const [from, to] of [
    ['name', 'name'],
    ['description', 'description'],
    [parametersName, 'parameters'],
  ] as const) {
    const isRenamed = from === 'name' && renamed !== undefined;
    const text = isRenamed ? JSON.stringify(renamed) : (members.get(from) ?? 'null');
    if (text !== 'null') fields.push(`"${to}": ${text}`);
  }
  return `{"type": "function", "function": {${fields.join(', ')}}}`;
}

/** A custom tool of a body, which takes one text. */
interface AskedCustomTool {
  readonly description?: string | null | undefined;
  /** `{ type: 'grammar', syntax, definition }` describes the text; chat completions nest it under `grammar`. */
  readonly format?: JsonObject | null | undefined;
}

/** A custom tool as the function that replaces it, in the form of chat completions. */
export function toCustomTool(name: string, { description, format }: AskedCustomTool): JsonObject {
  const nested = format?.['grammar'];
  const { definition } = (typeof nested === 'object' && nested !== null ? nested : (format ?? {})) as JsonObject;
  const grammar = typeof definition === 'string' ? definition : undefined;
  return {
    type: 'function',
    function: { name, ...toCustomFunction({ name, description: description ?? '', grammar }) },
  };
}
