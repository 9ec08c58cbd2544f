import type { CallForm } from '../../answers/index.js';
import { stringifyInOrder, type JsonObject } from '../../base/index.js';

/** A tool that the prompt offers to the model. */
interface ServedTool {
  /** Its name there, of `nameFor`. */
  readonly shown: string;
  readonly form: CallForm;
  /** In the form of chat completions. */
  readonly tool: JsonObject;
  /** The same as JSON text, where it came so. */
  readonly text?: string | undefined;
  /** The name of its schema in errors. */
  readonly schemaPath: string;
}

/** The tools of a request in the prompt, and those that were left out. */
export class ToolOffer {
  readonly #tools: JsonObject[] = [];
  readonly #texts: string[] = [];
  readonly #schemaPaths: string[] = [];
  readonly #forms = new Map<string, CallForm>();
  readonly #leftOut: { readonly type: string; readonly name: string | undefined }[] = [];
  readonly #hasTexts: boolean;

  /** `hasTexts`: the tools came as JSON text, of which each tool knows its part. */
  constructor(hasTexts: boolean) {
    this.#hasTexts = hasTexts;
  }

  /** In the form of chat completions. */
  get tools(): readonly JsonObject[] {
    return this.#tools;
  }

  /** All of them as JSON text, where they came so. */
  get source(): string | undefined {
    return this.#hasTexts && this.#tools.length > 0 ? `[${this.#texts.join(', ')}]` : undefined;
  }

  /** By their names in the prompt. */
  get forms(): ReadonlyMap<string, CallForm> {
    return this.#forms;
  }

  /** The names in the prompt. */
  get names(): readonly string[] {
    return [...this.#forms.keys()];
  }

  /** Types of the tools that were left out. */
  get leftOut(): readonly string[] {
    return this.#leftOut.map(({ type }) => type);
  }

  /** The name in errors of the schema of the tool at `index` of `tools`; undefined: there is none. */
  schemaPath(index: number): string | undefined {
    return this.#schemaPaths[index];
  }

  add({ shown, form, tool, text = stringifyInOrder(tool), schemaPath }: ServedTool): void {
    this.#tools.push(tool);
    this.#texts.push(text);
    this.#schemaPaths.push(schemaPath);
    this.#forms.set(shown, form);
  }

  leaveOut(type: string, name?: string): void {
    this.#leftOut.push({ type, name });
  }

  /** Whether a tool of this type, or of this name, was left out. */
  lacks({ type, name }: { readonly type?: unknown; readonly name?: unknown }): boolean {
    return this.#leftOut.some((tool) => tool.type === type || (tool.name !== undefined && tool.name === name));
  }

  /** The name under which the prompt offers a tool that is about to be added: two groups may have tools of one name. */
  nameFor({ name, namespace }: CallForm): string {
    return namespace !== undefined && this.#forms.has(name) ? `${namespace}__${name}` : name;
  }

  /** The prompt's name of a client's tool. */
  shownName(name: string, namespace?: string | null): string {
    if (namespace === undefined || namespace === null) return name;
    for (const [shown, form] of this.#forms) if (form.name === name && form.namespace === namespace) return shown;
    return name;
  }
}
