import { toCustomFunction, type CallForm } from '../../answers/index.js';
import {
  exactText,
  memberText,
  setMembers,
  toFunctionText,
  type ChatMembers,
  type FunctionFields,
} from './chat-body.js';
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

/** What calls are for the client, by the names that the model sees. */
export type CallForms = ReadonlyMap<string, CallForm>;

interface Functions {
  readonly tools: FunctionFields[];
  readonly forms: Map<string, CallForm>;
  readonly ignored: IgnoredNames;
}

/**
 * Sets the tools that are functions, those of namespaces among them, and custom tools as functions with one argument of text.
 * Tools that OpenAI runs are left out and named.
 */
export function setResponsesTools(members: ChatMembers, { body, source, added, ignored }: OfferedTools): CallForms {
  const found: Functions = { tools: [], forms: new Map(), ignored };
  objectsOf(body['tools'], 'tools').forEach((tool, index) => {
    const written = (): string | undefined => memberText(source, index, 'parameters');
    addTool(found, { tool, path: `tools[${index}].`, written });
  });
  added.forEach((tool) => addTool(found, { tool, path: 'tools of additional_tools: ' }));
  const { tools, forms } = found;
  const { mode, names } = readChoice(body['tool_choice']);
  const offered = names === undefined || mode === 'named' ? tools : tools.filter(({ name }) => names.includes(name));
  if (offered.length === 0) return forms;
  members.set('tools', `[${offered.map(toFunctionText).join(',')}]`);
  if (typeof body['parallel_tool_calls'] === 'boolean') {
    setMembers(members, { parallel_tool_calls: body['parallel_tool_calls'] });
  }
  const [name] = names ?? [];
  if (mode !== 'named') setMembers(members, { tool_choice: mode });
  else if (tools.some((tool) => tool.name === name)) {
    setMembers(members, { tool_choice: { type: 'function', function: { name } } });
  } else ignored.add('tool_choice');
  return forms;
}

/** The name under which the model sees a client's tool. */
export function shownName(forms: CallForms, name: string, namespace: string | undefined): string {
  if (namespace === undefined) return name;
  for (const [shown, form] of forms) if (form.name === name && form.namespace === namespace) return shown;
  return name;
}

/** One tool, and where it is. */
interface PlacedTool {
  readonly tool: Fields;
  readonly path: string;
  readonly namespace?: string;
  /** The text of its parameters, as its client wrote it. */
  readonly written?: () => string | undefined;
}

function addTool(found: Functions, { tool, path, namespace, written = () => undefined }: PlacedTool): void {
  const { tools, forms, ignored } = found;
  const { type, parameters, strict, format } = tool;
  if (type === 'namespace' && namespace === undefined) {
    const group = requiredText(tool, 'name', path);
    objectsOf(tool['tools'], `${path}tools`).forEach((inner, index) => {
      addTool(found, { tool: inner, path: `${path}tools[${index}].`, namespace: group });
    });
    return;
  }
  if (type !== 'function' && type !== 'custom') return ignored.addType(type);
  const name = requiredText(tool, 'name', path);
  // Two groups may have tools of one name.
  const shown = namespace !== undefined && forms.has(name) ? `${namespace}__${name}` : name;
  forms.set(shown, { kind: type, name, namespace });
  const description = optionalText(tool, 'description', path);
  if (type === 'function') {
    const text = isFields(parameters) ? exactText(parameters, written) : undefined;
    const isStrict = typeof strict === 'boolean' ? strict : undefined;
    tools.push({ name: shown, description, parameters: text, strict: isStrict });
  } else {
    const grammar = isFields(format) && typeof format['definition'] === 'string' ? format['definition'] : undefined;
    const { parameters: schema, ...custom } = toCustomFunction({ name, description, grammar });
    tools.push({ name: shown, ...custom, parameters: JSON.stringify(schema) });
  }
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
