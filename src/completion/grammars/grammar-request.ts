import { type JsonObject } from '../../base/index.js';
import type { CallNotation, NotationText } from '../../chat/index.js';
import { closeObjects } from '../../grammar/index.js';
import type { AnswerFormat, ToolCallRule } from '../request.js';

/** A tool in the form that a grammar needs. */
export interface CallableTool {
  /** The beginnings of a call of it, up to its arguments: one of these. */
  readonly open: readonly NotationText[];
  /** The same for a call without a trigger: an expression for it, and one for the beginning that only such calls have. */
  readonly bare?: { readonly open: string; readonly start: string } | undefined;
  /** The schema of its arguments. */
  readonly schema: JsonObject;
  /** Unsupported parts of the schema are refused; otherwise they are left open and reported. */
  readonly isStrict: boolean;
  /** The request's field with the schema. */
  readonly field: string;
}

/** The calls that an answer may make. */
export interface CallsRequest {
  readonly tools: readonly CallableTool[];
  readonly notation: Omit<CallNotation, 'open' | 'bare'>;
  /** At least one call, and no other text; otherwise text may surround the calls. */
  readonly isRequired: boolean;
  readonly isSingle: boolean;
}

/** The required form of an answer: a format, calls, or either. Data, for another thread. */
export interface GrammarRequest {
  readonly format?: { readonly format: AnswerFormat; readonly field: string } | undefined;
  readonly calls?: CallsRequest | undefined;
}

/** A request's tool fields, for `toCallsRequest`. */
export interface CallWishes {
  readonly tools: readonly JsonObject[];
  readonly toolChoice?: ToolCallRule | undefined;
  readonly isSingle: boolean;
  readonly toolSchema: (index: number) => string;
}

/** Schema of a tool without parameters. Source: OpenAI's API, `parameters` of a function. */
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** The calls that a request allows, in its model's notation. Tools are in OpenAI's form. */
export function toCallsRequest(
  { tools, toolChoice, isSingle, toolSchema }: CallWishes,
  notation: CallNotation,
): CallsRequest | undefined {
  const isRequired = toolChoice?.isRequired === true;
  const names = toolChoice?.names;
  const callable = tools.flatMap((tool, index): CallableTool[] => {
    const { name, parameters, strict } = (tool['function'] ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || names?.includes(name) === false) return [];
    const hasNone = typeof parameters !== 'object' || parameters === null || Object.keys(parameters).length === 0;
    const declared = hasNone ? NO_ARGUMENTS : (parameters as JsonObject);
    // A closed schema's answers are valid for the open one too, and a small model in an open object adds names of its
    // own.
    const schema = isRequired || strict === true ? (closeObjects(declared) as JsonObject) : declared;
    // Where a call is optional, an answer is given whatever the tool's schema is.
    const isStrict = isRequired ? strict !== false : strict === true;
    const { open, bare } = notation;
    const bareCall = bare && { open: bare.open(name), start: bare.start(name) };
    return [{ open: open(name), bare: bareCall, schema, isStrict, field: toolSchema(index) }];
  });
  if (callable.length === 0) return undefined;
  const { open: _, bare: _bare, ...shared } = notation;
  // A named tool is called once, as at OpenAI.
  const isNamed = isRequired && names?.length === 1;
  return {
    tools: callable,
    notation: shared,
    isRequired,
    isSingle: isSingle || isNamed,
  };
}
