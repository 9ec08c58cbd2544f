import { AppError, describe, isError, waitFor } from '../base/index.js';
import type { AnswerSchema } from './answer-schema.js';
import type { ToolCall } from './chat-answers.js';
import type { RunnableTool } from './runnable-tool.js';

/** Objects that JSON cannot represent, although `JSON.stringify` silently writes them as `{}`. */
const FORMLESS = ['[object Map]', '[object Set]', '[object WeakMap]', '[object WeakSet]', '[object Promise]'];

/** A tool with its schema; the schema is undefined if the tool takes any object. */
export interface ReadTool {
  readonly tool: RunnableTool;
  readonly schema: AnswerSchema | undefined;
}

/** The result of a call. */
export interface CallResult {
  /** A result or the message of an error, in the form that the model receives. */
  readonly content: string;
  readonly isError: boolean;
}

/** Settings for carrying out calls. */
export interface CallRules {
  readonly maxResultLength: number;
  /** True: the model receives errors of tools, names and arguments as results. False: they are thrown. */
  readonly tellsErrors: boolean;
  readonly signal: AbortSignal;
  readonly onCall: (call: ToolCall) => void;
  readonly onResult: (call: ToolCall, result: CallResult) => void;
}

/**
 * Carries out the calls of one answer concurrently and returns the results in the order of the calls. The first error
 * aborts the other calls without waiting for them. Errors: `tool_unknown`, `tool_arguments_invalid`,
 * `tool_result_invalid`, errors thrown by a tool, and the reason of the signal.
 */
export async function carryOutCalls(
  calls: readonly ToolCall[],
  tools: ReadonlyMap<string, ReadTool>,
  rules: CallRules,
): Promise<readonly CallResult[]> {
  const round = new AbortController();
  const signal = AbortSignal.any([rules.signal, round.signal]);
  const carryOut = async (call: ToolCall): Promise<CallResult> => {
    const result = await carryOutCall(call, tools, rules, signal);
    rules.onResult(call, result);
    return result;
  };
  try {
    return await Promise.all(calls.map(carryOut));
  } catch (error) {
    round.abort(error);
    throw error;
  }
}

async function carryOutCall(
  call: ToolCall,
  tools: ReadonlyMap<string, ReadTool>,
  { maxResultLength, tellsErrors, onCall }: CallRules,
  signal: AbortSignal,
): Promise<CallResult> {
  const told = (error: unknown): CallResult => {
    if (!tellsErrors || signal.aborted) throw error;
    const message = isError(error) ? error.message : `the tool failed with ${describe(error, true)}`;
    return { content: JSON.stringify({ error: message.slice(0, maxResultLength) }), isError: true };
  };
  let run: () => Promise<unknown>;
  try {
    run = await readCall(call, tools, signal);
  } catch (error) {
    return told(error);
  }
  signal.throwIfAborted();
  onCall(call);
  let returned: unknown;
  try {
    // After an abort this does not wait for a tool that ignores the signal.
    returned = await waitFor(run(), 'a tool', { signal });
  } catch (error) {
    return told(error);
  }
  return { content: toText(call.function.name, returned, maxResultLength), isError: false };
}

/** Checks a call's arguments and returns a function that runs it. Errors: `tool_unknown`, `tool_arguments_invalid`. */
async function readCall(
  { id, function: { name, arguments: text } }: ToolCall,
  tools: ReadonlyMap<string, ReadTool>,
  signal: AbortSignal,
): Promise<() => Promise<unknown>> {
  const found = tools.get(name);
  if (found === undefined) {
    const message = `the model calls ${describe(name, true)}, which is none of the tools: ${[...tools.keys()].join(', ')}`;
    throw new AppError('tool_unknown', message, { numTools: tools.size });
  }
  // The parser of the dialect only returns calls whose arguments are complete objects.
  const args: unknown = JSON.parse(text);
  const verdict = (await found.schema?.judge(args)) ?? { value: args };
  if ('value' in verdict) return async () => found.tool.run(verdict.value, { signal, callId: id });
  const message = `the schema of the tool ${name} refuses the arguments of a call: ${verdict.problem}`;
  throw new AppError('tool_arguments_invalid', message, { tool: name });
}

/** Errors: `tool_result_invalid`. */
function toText(name: string, returned: unknown, maxLength: number): string {
  const text = typeof returned === 'string' ? returned : toJsonText(name, returned);
  if (text.length <= maxLength) return text;
  const message = `the tool ${name} returned ${text.length} characters; a result has at most ${maxLength} (maxResultLength): return less, or raise it`;
  throw new AppError('tool_result_invalid', message, { tool: name, length: text.length, maxResultLength: maxLength });
}

function toJsonText(name: string, returned: unknown): string {
  const refuse = (what: string): AppError =>
    new AppError(
      'tool_result_invalid',
      `the tool ${name} returned ${what}; it must return a text or what JSON has a form for`,
      {
        tool: name,
      },
    );
  let text: string | undefined;
  let formless: string | undefined;
  try {
    text = JSON.stringify(returned, (_, value: unknown) => {
      formless ??= describeFormless(value);
      return value;
    });
  } catch {
    throw refuse('an object with a circle, a bigint or a toJSON that throws');
  }
  if (formless !== undefined) throw refuse(formless);
  if (text === undefined) throw refuse(returned === undefined ? 'nothing' : describe(returned));
  return text;
}

/** Describes a value that JSON cannot represent. JSON leaves out undefined members, so they pass. */
function describeFormless(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `the number ${value}`;
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value !== 'object' || value === null) return undefined;
  const kind = Object.prototype.toString.call(value);
  return FORMLESS.includes(kind) ? `a ${kind.slice(8, -1)}` : undefined;
}
