/**
 * Beginnings of the types of tools, blocks and items that chat completions do not have. Sources: OpenAI's API, tools and items of
 * responses; Anthropic's API, server tools and content blocks.
 */
const KNOWN =
  /^(?:web_search|web_fetch|file_search|code_execution|code_interpreter|image_generation|computer|bash|text_editor|memory|mcp|local_shell|shell|apply_patch|tool_search|tool_reference|advisor|server_tool_use|search_result|container_upload|document|redacted_thinking|compaction|context_compaction|item_reference|program|ghost_snapshot)[a-z0-9_]{0,40}$/;

/** Names of what was left out, each once. Of a client's own words none is kept: headers and logs have them. */
export class IgnoredNames {
  readonly #names = new Set<string>();

  /** A field, or a type that is known here. */
  add(name: string): void {
    this.#names.add(name);
  }

  /** A type that a body brings. */
  addType(type: unknown): void {
    this.#names.add(typeof type === 'string' && KNOWN.test(type) ? type : 'other');
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}
