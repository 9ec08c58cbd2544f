// The tools of a request as a program writes them.

/** A function that the model may call. */
export interface FunctionTool {
  /** The kind of tool. */
  readonly type: 'function';
  /** The function. */
  readonly function: FunctionDefinition;
}

/** A function as the model sees it. */
export interface FunctionDefinition {
  /** Its name, of 1 to 64 characters. */
  readonly name: string;
  /** The purpose of the tool, and when to call it. */
  readonly description?: string | null | undefined;
  /** A JSON Schema of its arguments, which are an object; the template shows the schema unchanged. */
  readonly parameters?: object | null | undefined;
  /**
   * Calls are held to the schema, and text around them is free. true: a schema with unsupported parts is refused
   * (`unsupported_schema`). false: those parts are left open. Absent: true for a forced call, else false.
   */
  readonly strict?: boolean | null | undefined;
}

/** A tool that takes free text. Refused with `unsupported_value`: only functions work. */
export interface CustomTool {
  /** The kind of tool. */
  readonly type: 'custom';
  /** The tool. */
  readonly custom: {
    /** Its name. */
    readonly name: string;
    /** The purpose of the tool, and when to call it. */
    readonly description?: string | null | undefined;
    /** The format of its input. */
    readonly format?: object | null | undefined;
  };
}

/** A tool that the model may call. */
export type Tool = FunctionTool | CustomTool;

/** The name of a tool in a choice. */
export interface ToolName {
  /** Its name. */
  readonly name: string;
}

/** A choice that forces a call of one function. */
export interface FunctionChoice {
  /** The kind of choice. */
  readonly type: 'function';
  /** The function. */
  readonly function: ToolName;
}

/** A choice that forces a call of a tool with free text. Refused with `unsupported_value`: only functions work. */
export interface CustomChoice {
  /** The kind of choice. */
  readonly type: 'custom';
  /** The tool. */
  readonly custom: ToolName;
}

/** A choice of the tools that the model may call. */
export interface AllowedToolsChoice {
  /** The kind of choice. */
  readonly type: 'allowed_tools';
  /** `{ mode: 'auto' | 'required', tools }`: whether a call is required, and the allowed tools by type and name. */
  readonly allowed_tools: object;
}

/**
 * Whether the model calls tools, and which. `auto` leaves it to the model; `none` hides the tools. `required` forces at
 * least one call; a function forces a call of that function. A forced call together with a format is refused
 * (`invalid_value`).
 */
export type ToolChoice = 'auto' | 'none' | 'required' | FunctionChoice | CustomChoice | AllowedToolsChoice;
