import { AppError, stringifyInOrder } from '../../base/index.js';
import { readSummary, toEcho, unsealReasoning, toCustomArguments, type EchoedFields } from '../../answers/index.js';
import { passMembers, setMembers, type ChatMembers } from './chat-body.js';
import { ChatTurns, type TurnPart } from './chat-turns.js';
import { isFields, missing, objectOf, objectsOf, optionalText, requiredText, type Fields } from './fields.js';
import { IgnoredNames } from './ignored-names.js';
import { mediaOf } from './message-media.js';
import { setResponsesTools, shownName, type CallForms } from './responses-tools.js';
import type { TranslatedRequest } from './translated-request.js';

/** Members of OpenAI's API: what is not among them is a field of local servers, and passes. */
const OWN: ReadonlySet<string> = new Set(
  (
    'model stream instructions input tools tool_choice parallel_tool_calls text reasoning ' +
    'max_output_tokens max_tool_calls include metadata store truncation previous_response_id ' +
    'conversation background prompt prompt_cache_key prompt_cache_retention prompt_cache_options ' +
    'safety_identifier service_tier stream_options context_management client_metadata moderation ' +
    'top_logprobs cache_salt'
  ).split(' '),
);

/** The item that brings more tools. */
const ADDITIONAL = 'additional_tools';
/** Types of parts that are text. */
const TEXT_PARTS: readonly unknown[] = ['input_text', 'output_text', 'text', 'reasoning_text', 'summary_text'];

const KEEPS_NOTHING = 'needs answers that are kept, and the gateway keeps none; send the whole conversation in input';
/** Members that would change the answer, each with why it cannot be served. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['previous_response_id', KEEPS_NOTHING],
  ['conversation', KEEPS_NOTHING],
  ['background', 'is not supported; leave it out, and use stream instead'],
  ['prompt', 'names a prompt that is kept, and there are none; send instructions and input'],
]);

/**
 * A body of the responses API as a request of chat completions. Errors: `missing_required_parameter`, `invalid_type`,
 * `invalid_value`, `unsupported_parameter`, `unsupported_value`.
 */
export function responsesToChat(body: Fields, sources: Readonly<Record<string, string>>): TranslatedRequest {
  for (const [param, why] of REFUSED) {
    const value = body[param];
    if (value !== undefined && value !== false)
      throw new AppError('unsupported_parameter', `${param} ${why}`, { param });
  }
  const ignored = new IgnoredNames();
  const members: ChatMembers = new Map();
  passMembers(members, body, OWN);
  const callForms = setResponsesTools(members, { body, source: sources['tools'], added: addedTools(body), ignored });
  setMembers(members, { messages: toMessages(body, ignored, callForms) });
  const effort = objectOf(body['reasoning'], 'reasoning')?.['effort'];
  const include: unknown = body['include'];
  const asks = (what: string): boolean => Array.isArray(include) && include.includes(what);
  const topLogprobs = typeof body['top_logprobs'] === 'number' ? body['top_logprobs'] : 0;
  const maxTokens = typeof body['max_output_tokens'] === 'number' ? body['max_output_tokens'] : undefined;
  const isStream = body['stream'] === true;
  setMembers(members, {
    ...(typeof effort === 'string' && { reasoning_effort: effort }),
    ...((topLogprobs > 0 || asks('message.output_text.logprobs')) && { logprobs: true, top_logprobs: topLogprobs }),
    max_tokens: maxTokens,
    response_format: toFormat(objectOf(objectOf(body['text'], 'text')?.['format'], 'text.format')),
    ...(isStream && { stream: true }),
  });
  const echoed = toEchoedFields(body);
  const responses = {
    echo: toEcho(echoed),
    tellsSummary: readSummary(echoed) !== undefined,
    sealsReasoning: asks('reasoning.encrypted_content'),
    callForms,
  };
  return { members, ignored: ignored.names, isStream, stops: [], maxTokens, hidesThinking: false, responses };
}

/** The tools that items bring. */
function addedTools({ input }: Fields): Fields[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown, index) =>
    isFields(item) && item['type'] === ADDITIONAL ? objectsOf(item['tools'], `input[${index}].tools`) : [],
  );
}

function toMessages({ instructions, input }: Fields, ignored: IgnoredNames, callForms: CallForms): Fields[] {
  if (input === undefined) throw missing('input');
  const turns = new ChatTurns();
  if (typeof instructions === 'string' && instructions !== '') turns.say('system', [instructions]);
  if (typeof input === 'string') turns.say('user', [input]);
  else
    objectsOf(input, 'input').forEach((item, index) =>
      addItem(turns, item, { path: `input[${index}].`, ignored, callForms }),
    );
  return turns.toMessages();
}

/** Where an item is, and what its calls are of. */
interface Place {
  readonly path: string;
  readonly ignored: IgnoredNames;
  readonly callForms: CallForms;
}

function addItem(turns: ChatTurns, item: Fields, { path, ignored, callForms }: Place): void {
  const { type = 'message', content } = item;
  const callId = (): string => optionalText(item, 'call_id', path) ?? requiredText(item, 'id', path);
  const called = (): string =>
    shownName(callForms, requiredText(item, 'name', path), optionalText(item, 'namespace', path));
  const result = (): void => {
    const media: TurnPart[] = [];
    const texts = toParts(item['output'], `${path}output`, ignored).filter((part) => {
      if (typeof part !== 'string') media.push(part);
      return typeof part === 'string';
    });
    turns.result(callId(), texts.join(''));
    if (media.length > 0) turns.say('user', media);
  };
  switch (type) {
    case 'message': {
      const role = toRole(requiredText(item, 'role', path), `${path}role`);
      const parts = toParts(content, `${path}content`, ignored);
      return turns.say(role, role === 'assistant' ? parts : joinTexts(parts));
    }
    case 'function_call':
      return turns.call({
        id: callId(),
        name: called(),
        argumentsText: optionalText(item, 'arguments', path) ?? '',
      });
    case 'custom_tool_call':
      return turns.call({
        id: callId(),
        name: called(),
        argumentsText: toCustomArguments(optionalText(item, 'input', path) ?? ''),
      });
    case 'local_shell_call':
      return turns.call({ id: callId(), name: 'local_shell', argumentsText: stringifyInOrder(item['action'] ?? {}) });
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return result();
    case 'reasoning':
      return turns.think(readReasoning(item));
    case ADDITIONAL:
      return;
    case 'item_reference': {
      const param = `${path}type`;
      const why = 'is item_reference, and the gateway keeps no items; send the items themselves, with "store": false';
      throw new AppError('unsupported_value', `${param} ${why}`, { param });
    }
    default:
      return ignored.addType(type);
  }
}

function toRole(role: string, param: string): 'system' | 'user' | 'assistant' {
  if (role === 'developer' || role === 'system') return 'system';
  if (role === 'user' || role === 'assistant') return role;
  throw new AppError('invalid_value', `${param} must be user, assistant, system or developer`, { param });
}

/** Texts and other parts; a part of no counterpart is left out and named. */
function toParts(content: unknown, path: string, ignored: IgnoredNames): TurnPart[] {
  if (typeof content === 'string') return [content];
  return objectsOf(content, path).flatMap((part, index): TurnPart[] => {
    const at = `${path}[${index}].`;
    if (TEXT_PARTS.includes(part['type'])) return [requiredText(part, 'text', at)];
    if (part['type'] === 'refusal') return [requiredText(part, 'refusal', at)];
    const media = mediaOf(part);
    if (media === undefined) ignored.addType(part['type']);
    return media === undefined ? [] : [media];
  });
}

/** The texts of one message are one text, as clients cut them. */
function joinTexts(parts: readonly TurnPart[]): readonly TurnPart[] {
  return parts.every((part) => typeof part === 'string') ? [parts.join('')] : parts;
}

/** As the model wrote it, or where a client has only that, the summary or what was sealed. */
function readReasoning({ content, summary, encrypted_content: sealed }: Fields): string {
  const textOf = (parts: unknown): string =>
    Array.isArray(parts)
      ? parts.map((part: unknown) => (isFields(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
      : '';
  const told = textOf(content) || textOf(summary);
  return told !== '' || typeof sealed !== 'string' ? told : (unsealReasoning(sealed) ?? '');
}

function toFormat(format: Fields | undefined): Fields | undefined {
  if (format === undefined || format['type'] === 'text') return undefined;
  const { type, name, description, schema, strict } = format;
  if (type !== 'json_schema') return { type };
  const named = {
    name: typeof name === 'string' ? name : 'answer',
    ...(typeof description === 'string' && { description }),
  };
  return { type, json_schema: { ...named, schema, ...(typeof strict === 'boolean' && { strict }) } };
}

/** What of a body is said again, as far as it has the right type: its runtime judges the rest. */
function toEchoedFields(body: Fields): EchoedFields {
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const number = (name: string): number | undefined => (typeof body[name] === 'number' ? body[name] : undefined);
  const { tool_choice: choice, parallel_tool_calls: parallel, metadata, reasoning = {}, text: output = {} } = body;
  const summaries = ['auto', 'concise', 'detailed'] as const;
  const { effort, summary, generate_summary: older } = isFields(reasoning) ? reasoning : {};
  const { format, verbosity } = isFields(output) ? output : {};
  const formatType = isFields(format) ? text(format['type']) : undefined;
  const tools = Array.isArray(body['tools']) ? body['tools'] : [];
  return {
    instructions: text(body['instructions']),
    tools: tools.flatMap((tool: unknown) => {
      if (!isFields(tool) || tool['type'] !== 'function') return [];
      const { name, description, parameters, strict } = tool;
      return [
        {
          type: 'function',
          name: text(name) ?? '',
          description: text(description) ?? null,
          parameters: isFields(parameters) ? parameters : null,
          strict: typeof strict === 'boolean' ? strict : null,
        },
      ];
    }),
    tool_choice: typeof choice === 'string' || isFields(choice) ? choice : undefined,
    parallel_tool_calls: typeof parallel === 'boolean' ? parallel : undefined,
    text: {
      format: formatType === undefined ? undefined : { ...(format as Fields), type: formatType },
      verbosity: (['low', 'medium', 'high'] as const).find((known) => known === verbosity),
    },
    reasoning: { effort: text(effort), summary: summaries.find((known) => known === (summary ?? older)) },
    temperature: number('temperature'),
    top_p: number('top_p'),
    presence_penalty: number('presence_penalty'),
    frequency_penalty: number('frequency_penalty'),
    top_logprobs: number('top_logprobs'),
    max_output_tokens: number('max_output_tokens'),
    metadata: isFields(metadata)
      ? Object.fromEntries(
          Object.entries(metadata).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
        )
      : undefined,
    prompt_cache_key: text(body['prompt_cache_key']),
    safety_identifier: text(body['safety_identifier']),
  };
}
