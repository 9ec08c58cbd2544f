import type { SchemaOutput } from './schema-output.js';

/** One call of a tool. */
export interface ToolCallContext {
  /** Aborts when the loop ends: by its own signal, or by the error of another call of the same round. */
  readonly signal: AbortSignal;
  /** The id of the call, as the messages have it. */
  readonly callId: string;
}

/** A function that a model may call, and that the library runs. */
export interface RunnableTool<Schema = object> {
  /** Its name, of 1 to 64 characters. */
  readonly name: string;
  /** What it does, and when to call it. */
  readonly description?: string | null | undefined;
  /** Its arguments: a schema of an object, of TypeBox, Zod or another Standard Schema, or a JSON Schema. Absent: any object. */
  readonly parameters?: Schema | null | undefined;
  /** false: what of the schema cannot be held is left open in calls. Default true: it is refused (`unsupported_schema`). */
  readonly strict?: boolean | null | undefined;
  /** Carries out a call. A text is given to the model as it is, any other value as JSON. */
  run(args: SchemaOutput<Schema>, call: ToolCallContext): ToolResult | Promise<ToolResult>;
}

/** What a tool returns: a text, or a value that is written as JSON. */
export type ToolResult = string | object | number | boolean | null;

/** A tool with the types of its arguments, for a list of tools that is put together elsewhere. */
export function defineTool<Schema extends object>(tool: RunnableTool<Schema>): RunnableTool<Schema> {
  return tool;
}
