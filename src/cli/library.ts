// What the command line uses of the library, until src/index.ts exists.
export interface Engine extends AsyncDisposable {
  load(model: string): Promise<Model>;
}
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
export interface ChatCompletionChunk {
  choices: {
    index: number;
    delta: { content?: string | null; reasoning_content?: string };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}
export interface Model extends AsyncDisposable {
  readonly id: string;
  readonly contextLength: number;
  readonly generation: { temperature?: number; topP?: number; topK?: number; minP?: number };
  stream(request: object, options?: { signal?: AbortSignal }): AsyncIterable<ChatCompletionChunk>;
  generate(
    request: { promptTokenIds: readonly number[]; maxTokens: number; ignoreStop?: boolean; seed?: number },
    options?: { signal?: AbortSignal },
  ): AsyncIterable<number>;
  renderChat(
    messages: readonly ChatMessage[],
    options?: { addGenerationPrompt?: boolean; enableThinking?: boolean },
  ): Promise<string>;
  readonly tokenizer: { encode(text: string, options?: { addSpecialTokens?: boolean }): number[] };
}
