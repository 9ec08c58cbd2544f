// The tools of a request as a program writes them.

/** A function that the model may call. */
export interface FunctionTool {
  /** What kind of tool it is. */
  readonly type: 'function';
  /** The function. */
  readonly function: FunctionDefinition;
}

/** A function as the model sees it. */
export interface FunctionDefinition {
  /** Its name, of 1 to 64 characters. */
  readonly name: string;
  /** What it does, and when to call it. */
  readonly description?: string | null | undefined;
  /** Its arguments, as a JSON Schema of an object; the template shows it as it is. */
  readonly parameters?: object | null | undefined;
  /**
   * Calls are held to the schema, and text around them is free. true: a schema that cannot be held is refused
   * (`unsupported_schema`). Absent: as true where a call is forced; else what cannot be held is left open, as with false.
   */
  readonly strict?: boolean | null | undefined;
}

/** A tool that takes free text. Refused with `unsupported_value`: only functions work. */
export interface CustomTool {
  /** What kind of tool it is. */
  readonly type: 'custom';
  /** The tool. */
  readonly custom: {
    /** Its name. */
    readonly name: string;
    /** What it does, and when to call it. */
    readonly description?: string | null | undefined;
    /** What its input must look like. */
    readonly format?: object | null | undefined;
  };
}

/** What the model may call. */
export type Tool = FunctionTool | CustomTool;

/** A tool that is to be called. */
export interface ToolName {
  /** Its name. */
  readonly name: string;
}

/** A function that is to be called. */
export interface FunctionChoice {
  /** What kind of choice it is. */
  readonly type: 'function';
  /** Which. */
  readonly function: ToolName;
}

/** A tool with free text that is to be called. Refused with `unsupported_value`: only functions work. */
export interface CustomChoice {
  /** What kind of choice it is. */
  readonly type: 'custom';
  /** Which. */
  readonly custom: ToolName;
}

/** The tools that may be called. */
export interface AllowedToolsChoice {
  /** What kind of choice it is. */
  readonly type: 'allowed_tools';
  /** `{ mode: 'auto' | 'required', tools }`: whether one must be called, and which may be, each by its type and name. */
  readonly allowed_tools: object;
}

/**
 * Whether the model calls tools, and which. `auto` leaves it to the model, `none` shows it no tools. `required` makes
 * it call at least one, and a function makes it call that one. A forced call beside a format is refused
 * (`invalid_value`).
 */
export type ToolChoice = 'auto' | 'none' | 'required' | FunctionChoice | CustomChoice | AllowedToolsChoice;
