import { AppError, checkOptions, describe } from '../base/index.js';
import { readSchema } from './answer-schema.js';
import type { ChatOptions } from './call-options.js';
import { carryOutCalls, type ReadTool } from './carry-out-calls.js';
import type { ChatCompletionChunk, Usage } from './chat-answers.js';
import type { ChatMessage } from './chat-messages.js';
import type { ChatCompletionRequest } from './chat-request.js';
import type { FunctionTool, ToolChoice } from './chat-tools.js';
import { addUsage, collectAnswer } from './collect-answer.js';
import { refuseSetFields, renamed } from './refusals.js';
import {
  runToolsOptions,
  setByLoop,
  toolLimits,
  type RunToolsOptions,
  type RunToolsRequest,
  type RunToolsResult,
  type ToolLimits,
} from './run-tools-request.js';
import type { RunnableTool } from './runnable-tool.js';

/** Enough answers for a task. In a longer loop the model calls the same tool again and again. */
const MAX_ROUNDS = 10;
/** The most calls of one answer that run concurrently. */
const MAX_CALLS_PER_ROUND = 16;
/** At four characters a token, such a result already exceeds most contexts. */
const MAX_RESULT_LENGTH = 65_536;

/** Sends a request to the model. */
type Stream = (request: ChatCompletionRequest, options: ChatOptions) => AsyncIterable<ChatCompletionChunk>;

/**
 * Sends the request, carries out the model's calls and sends the results back, until an answer calls no tool. Errors:
 * those of a stream and of `carryOutCalls`; `tool_limit_exceeded`, `unsupported_schema`, `invalid_value`,
 * `invalid_option`.
 */
export async function runTools(
  stream: Stream,
  request: RunToolsRequest,
  options: RunToolsOptions | undefined,
): Promise<RunToolsResult> {
  const given = checkOptions<RunToolsOptions>('runTools', options, runToolsOptions);
  const { onChunk, onRound, onCall, onResult, onUsage, ...call } = given;
  const { fields, tools, limits } = readRequest(request);
  const { maxRounds = MAX_ROUNDS, maxCallsPerRound = MAX_CALLS_PER_ROUND } = limits;
  const { maxResultLength = MAX_RESULT_LENGTH, toolErrors = 'end' } = limits;
  const signal = call.signal ?? new AbortController().signal;
  const offered = [...tools.values()].map(toFunctionTool);
  const messages: ChatMessage[] = [...fields.messages];
  let usage: Usage | undefined;
  for (let round = 1; ; round++) {
    const asked: ChatCompletionRequest = {
      ...fields,
      messages,
      tools: offered,
      tool_choice: round === 1 ? fields.tool_choice : toLaterChoice(fields.tool_choice),
      stream_options: { include_usage: true },
    };
    const answer = await collectAnswer(stream(asked, call), (chunk) => onChunk?.(chunk, round)).catch(
      (error: unknown) => {
        throw inOwnWords(error);
      },
    );
    const { message, finishReason } = answer;
    const calls = message.tool_calls ?? [];
    usage = usage === undefined ? answer.usage : addUsage(usage, answer.usage);
    messages.push(message);
    onRound?.({ round, ...answer });
    if (calls.length === 0) {
      onUsage?.(usage);
      return { message, finishReason, messages, rounds: round, usage };
    }
    if (round === maxRounds)
      throw tooMany(`after ${round} answers the model still calls tools`, 'maxRounds', maxRounds);
    if (calls.length > maxCallsPerRound) {
      throw tooMany(`an answer makes ${calls.length} calls`, 'maxCallsPerRound', maxCallsPerRound);
    }
    const results = await carryOutCalls(calls, tools, {
      maxResultLength,
      tellsErrors: toolErrors === 'tell',
      signal,
      onCall: (made) => onCall?.({ round, call: made }),
      onResult: (made, result) => onResult?.({ round, call: made, ...result }),
    });
    for (const [
      i,
      {
        id,
        function: { name },
      },
    ] of calls.entries()) {
      messages.push({ role: 'tool', tool_call_id: id, name, content: results[i]?.content ?? '' });
    }
  }
}

/**
 * Splits a request into chat fields, tools and limits. Errors: `invalid_value`, `invalid_option`, `unsupported_schema`.
 */
function readRequest(request: RunToolsRequest): {
  readonly fields: Omit<ChatCompletionRequest, 'tools'>;
  readonly tools: ReadonlyMap<string, ReadTool>;
  readonly limits: ReturnType<typeof checkOptions<ToolLimits>>;
} {
  const { tools: given, maxRounds, maxCallsPerRound, maxResultLength, toolErrors, ...fields } = { ...request };
  refuseSetFields(fields, setByLoop, 'beside tools that are run');
  const limits = { maxRounds, maxCallsPerRound, maxResultLength, toolErrors };
  return { fields, tools: readTools(given), limits: checkOptions('runTools', limits, toolLimits) };
}

function readTools(given: unknown): ReadonlyMap<string, ReadTool> {
  const tools = new Map<string, ReadTool>();
  if (!Array.isArray(given)) throw refused('tools', `must be a list of tools; it is ${describe(given)}`);
  for (const [i, tool] of (given as readonly (RunnableTool | null)[]).entries()) {
    if (typeof tool !== 'object' || tool === null)
      throw refused(`tools[${i}]`, `must be a tool; it is ${describe(tool)}`);
    const { name, parameters, run } = tool;
    if (typeof run !== 'function') throw refused(`tools[${i}].run`, 'must be a function that carries out a call');
    if (tools.has(name)) throw refused(`tools[${i}].name`, 'is the name of an earlier tool; names must differ');
    tools.set(name, {
      tool,
      schema: (parameters ?? undefined) === undefined ? undefined : readSchema(parameters, `tools[${i}].parameters`),
    });
  }
  return tools;
}

/** A tool as the model sees it. */
function toFunctionTool({ tool: { name, description, strict }, schema }: ReadTool): FunctionTool {
  return { type: 'function', function: { name, description, parameters: schema?.json, strict: strict ?? true } };
}

/** A forced call applies to the first answer only; otherwise the loop would not end. */
function toLaterChoice(choice: ToolChoice | null | undefined): ToolChoice | undefined {
  if (choice === 'none') return choice;
  if (typeof choice !== 'object' || choice === null || choice.type !== 'allowed_tools') return undefined;
  return { ...choice, allowed_tools: { ...choice.allowed_tools, mode: 'auto' } };
}

/** Renames the fields in errors of tools to those of this API. */
function inOwnWords(error: unknown): unknown {
  return renamed(error, /^(tools\[\d+\])\.function\.?/, '$1.');
}

function tooMany(what: string, limit: string, value: number): AppError {
  return new AppError('tool_limit_exceeded', `${what}; ${limit} is ${value}`, { [limit]: value });
}

function refused(param: string, why: string): AppError {
  return new AppError('invalid_value', `${param} ${why}`, { param });
}
