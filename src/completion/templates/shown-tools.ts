import { itemSources, memberSources, isJsonObject, type JsonObject } from '../../base/index.js';
import { toJsonVariable } from '../../chat/index.js';

/**
 * Tools in OpenAI's form for a template: without `strict` of their functions. That field controls constraints, models
 * were not trained on it, and not every dialect has it. `source`: the tools as JSON text, if they came so.
 */
export function toShownTools(tools: readonly JsonObject[], source: string | undefined): unknown {
  const isStrictSaid = tools.some(({ function: called }) => isJsonObject(called) && Object.hasOwn(called, 'strict'));
  if (source !== undefined) return toJsonVariable(isStrictSaid ? withoutStrictText(source) : source);
  if (!isStrictSaid) return tools;
  return tools.map((tool) => {
    const { function: called } = tool;
    if (!isJsonObject(called)) return tool;
    const { strict: _, ...shown } = called;
    return { ...tool, function: shown };
  });
}

/** The names of tools in OpenAI's form. */
export function toolNamesOf(tools: readonly JsonObject[]): string[] {
  return tools.flatMap(({ function: called }) => {
    const name = isJsonObject(called) ? called['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

/** The JSON Schema of a named tool's arguments; undefined without one. */
export function parametersOfTool(tools: readonly JsonObject[], name: string): unknown {
  for (const { function: called } of tools)
    if (isJsonObject(called) && called['name'] === name) return called['parameters'];
  return undefined;
}

/** The same in JSON text: all else keeps its original text. */
function withoutStrictText(source: string): string {
  const tools = itemSources(source).map((tool) =>
    rebuild(tool, (name, text) => {
      if (name !== 'function' || !text.startsWith('{')) return text;
      return rebuild(text, (field, value) => (field === 'strict' ? undefined : value));
    }),
  );
  return `[${tools.join(', ')}]`;
}

/** An object's text with each member's text replaced by `change`; undefined leaves the member out. */
function rebuild(text: string, change: (name: string, text: string) => string | undefined): string {
  const members = Array.from(memberSources(text)).flatMap(([name, value]) => {
    const changed = change(name, value);
    return changed === undefined ? [] : [`${JSON.stringify(name)}: ${changed}`];
  });
  return `{${members.join(', ')}}`;
}
