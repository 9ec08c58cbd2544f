import type { SchemaOutput } from './schema-output.js';

/** The context of one call of a tool. */
export interface ToolCallContext {
  /** Aborts when the loop ends because of its own signal or an error of another call in the same round. */
  readonly signal: AbortSignal;
  /** The id of the call in the messages. */
  readonly callId: string;
}

/** A function that a model may call and that the library runs. */
export interface RunnableTool<Schema = object> {
  /** Its name, of 1 to 64 characters. */
  readonly name: string;
  /** The purpose of the tool, and when to call it. */
  readonly description?: string | null | undefined;
  /**
   * The schema of its arguments object: TypeBox, Zod or another Standard Schema, or JSON Schema. Absent: any object.
   */
  readonly parameters?: Schema | null | undefined;
  /** false: unsupported parts of the schema are left open. Default true: they are refused (`unsupported_schema`). */
  readonly strict?: boolean | null | undefined;
  /** Carries out a call. The model receives a text unchanged and any other value as JSON. */
  run(args: SchemaOutput<Schema>, call: ToolCallContext): ToolResult | Promise<ToolResult>;
}

/** The return value of a tool: a text, or a value that the library writes as JSON. */
export type ToolResult = string | object | number | boolean | null;

/** Infers the types of a tool's arguments. Use it for tools that are defined outside a `runTools` call. */
export function defineTool<Schema extends object>(tool: RunnableTool<Schema>): RunnableTool<Schema> {
  return tool;
}
