import type { CallNotation, NotationText } from '../../chat/index.js';
import { closeObjects } from '../../grammar/index.js';
import type { AnswerFormat, JsonObject, ToolChoice } from '../request.js';

/** A tool as a grammar sees it. */
export interface CallableTool {
  /** What a call of it begins with, up to its arguments: one of these. */
  readonly open: readonly NotationText[];
  /** The same where no trigger announces the call: an expression for it, and one for what only such calls begin with. */
  readonly bare?: { readonly open: string; readonly start: string } | undefined;
  /** Of its arguments. */
  readonly schema: JsonObject;
  /** What of the schema cannot be held is refused; else it is left open, and named. */
  readonly isStrict: boolean;
  /** What the request calls the schema. */
  readonly field: string;
}

/** The calls that an answer may make. */
export interface CallsRequest {
  readonly tools: readonly CallableTool[];
  readonly notation: Omit<CallNotation, 'open' | 'bare'>;
  /** There is at least one, and no other text; else text may stand around them. */
  readonly isRequired: boolean;
  readonly isSingle: boolean;
}

/** What the text of an answer must look like: by a format, by calls, or by either. Data, for another thread. */
export interface GrammarRequest {
  readonly format?: { readonly format: AnswerFormat; readonly field: string } | undefined;
  readonly calls?: CallsRequest | undefined;
}

/** What a request says of tools, for `toCallsRequest`. */
export interface CallWishes {
  readonly tools: readonly JsonObject[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly isSingle: boolean;
  readonly toolSchema: (index: number) => string;
}

/** Of a tool that says nothing of its arguments. Source: OpenAI's API, `parameters` of a function. */
const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** The calls that a request allows, in the notation of its model. Tools are in OpenAI's form. */
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
    // What is closed is valid too, and a small model that may go on with names of its own does.
    const schema = isRequired || strict === true ? (closeObjects(declared) as JsonObject) : declared;
    // As the model likes to call it, it is answered whatever its schema is.
    const isStrict = isRequired ? strict !== false : strict === true;
    const { open, bare } = notation;
    const bareCall = bare && { open: bare.open(name), start: bare.start(name) };
    return [{ open: open(name), bare: bareCall, schema, isStrict, field: toolSchema(index) }];
  });
  if (callable.length === 0) return undefined;
  const { open: _, bare: _bare, ...shared } = notation;
  // A tool that is named is called once, as at OpenAI.
  const isNamed = isRequired && names?.length === 1;
  return {
    tools: callable,
    notation: shared,
    isRequired,
    isSingle: isSingle || isNamed,
  };
}
