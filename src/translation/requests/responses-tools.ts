import { toCustomFunction } from '../../answers/index.js';
import { exactText, memberText, setMembers, toFunctionText, type ChatMembers, type FunctionTool } from './chat-body.js';
import { isFields, objectsOf, optionalText, requiredText, type Fields } from './fields.js';
import type { IgnoredNames } from './ignored-names.js';

/** The tools of a body. */
interface OfferedTools {
  readonly body: Fields;
  /** The text of the body's `tools`. */
  readonly source: string | undefined;
  /** Tools that items of the input bring. */
  readonly added: readonly Fields[];
  readonly ignored: IgnoredNames;
}

interface Functions {
  readonly tools: FunctionTool[];
  readonly custom: string[];
  readonly ignored: IgnoredNames;
}

/**
 * Sets the tools that are functions, those of namespaces among them, and custom tools as functions with one argument of text,
 * whose names it returns. Tools that OpenAI runs are left out and named.
 */
export function setResponsesTools(members: ChatMembers, { body, source, added, ignored }: OfferedTools): string[] {
  const found: Functions = { tools: [], custom: [], ignored };
  objectsOf(body['tools'], 'tools').forEach((tool, index) => {
    addTool(found, tool, `tools[${index}].`, () => memberText(source, index, 'parameters'));
  });
  added.forEach((tool) => addTool(found, tool, 'tools of additional_tools: ', () => undefined));
  const { tools, custom } = found;
  const { mode, names } = readChoice(body['tool_choice']);
  const offered = names === undefined || mode === 'named' ? tools : tools.filter(({ name }) => names.includes(name));
  if (offered.length === 0) return custom;
  members.set('tools', `[${offered.map(toFunctionText).join(',')}]`);
  if (typeof body['parallel_tool_calls'] === 'boolean') {
    setMembers(members, { parallel_tool_calls: body['parallel_tool_calls'] });
  }
  const [name] = names ?? [];
  if (mode !== 'named') setMembers(members, { tool_choice: mode });
  else if (tools.some((tool) => tool.name === name)) {
    setMembers(members, { tool_choice: { type: 'function', function: { name } } });
  } else ignored.add('tool_choice');
  return custom;
}

function addTool(
  { tools, custom, ignored }: Functions,
  tool: Fields,
  path: string,
  written: () => string | undefined,
): void {
  const { type, parameters, strict, format } = tool;
  const described = { description: optionalText(tool, 'description', path) };
  if (type === 'function') {
    tools.push({
      name: requiredText(tool, 'name', path),
      ...described,
      parameters: isFields(parameters) ? exactText(parameters, written) : undefined,
      strict: typeof strict === 'boolean' ? strict : undefined,
    });
  } else if (type === 'custom') {
    const name = requiredText(tool, 'name', path);
    const grammar = isFields(format) && typeof format['definition'] === 'string' ? format['definition'] : undefined;
    const { description, parameters: schema } = toCustomFunction({ name, ...described, grammar });
    custom.push(name);
    tools.push({ name, description, parameters: JSON.stringify(schema) });
  } else if (type === 'namespace') {
    objectsOf(tool['tools'], `${path}tools`).forEach((inner, index) => {
      addTool({ tools, custom, ignored }, inner, `${path}tools[${index}].`, () => undefined);
    });
  } else ignored.addType(type);
}

/** What `tool_choice` asks for: a word of chat completions, one tool, or a choice among some. */
function readChoice(choice: unknown): { readonly mode: string | undefined; readonly names?: readonly string[] } {
  if (typeof choice === 'string') return { mode: choice };
  if (!isFields(choice)) return { mode: undefined };
  const { type, name, mode, tools } = choice;
  if (type === 'allowed_tools' && Array.isArray(tools)) {
    const names = tools.flatMap((tool: unknown) =>
      isFields(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
    );
    return { mode: mode === 'required' ? 'required' : 'auto', names };
  }
  return { mode: 'named', names: typeof name === 'string' ? [name] : [] };
}
