import { itemSources, memberSources } from '../base/index.js';
import type { JsonObject } from '../completion/index.js';

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
 * All tools as JSON text for templates: each member as the body wrote it, and nothing of how calls are held. `source`: the text of a checked body's tools;
 * `parametersName`: what they call their parameters.
 */
export function toFunctionToolsSource(source: string, parametersName: string): string {
  const names = [
    ['name', 'name'],
    ['description', 'description'],
    [parametersName, 'parameters'],
  ] as const;
  const tools = itemSources(source).map((tool) => {
    const members = memberSources(tool);
    const fields = names.flatMap(([from, to]) => {
      const text = members.get(from) ?? 'null';
      return text === 'null' ? [] : [`"${to}": ${text}`];
    });
    return `{"type": "function", "function": {${fields.join(', ')}}}`;
  });
  return `[${tools.join(', ')}]`;
}
