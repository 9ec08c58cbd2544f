// What clients of Ollama's API send and read.
import type { OllamaChatAnswer, OllamaError, OllamaGenerateAnswer } from '../../src/api/index.js';
import type { TokenUsage } from '../../src/completion/index.js';
import { bytesToText, emptyChoice, type ReadAnswer, type ReadChoice, type WireClient } from './wire-client.js';

/** What the dialects of Ollama have in common. */
const ollama = {
  maxChoices: 1,
  tellsLogprobs: true,
  told: ['promptTokens', 'completionTokens'],
  tellsUsageAlways: true,
  hasNoIds: true,
  finishes: new Map([
    ['stop', 'stop'],
    ['length', 'length'],
  ]),
  readError: (body) => ({ code: null, message: (body as OllamaError).error }),
} as const satisfies Partial<WireClient>;

/** Reads the pieces of an answer of Ollama, the last of which alone is done. */
function readPieces<T extends OllamaChatAnswer | OllamaGenerateAnswer>(
  pieces: readonly T[],
  add: (choice: ReadChoice, piece: T) => void,
): ReadAnswer {
  const choice = emptyChoice();
  let usage: TokenUsage | undefined;
  for (const piece of pieces) {
    if (choice.finish !== null) throw new Error('a piece after the last');
    add(choice, piece);
    choice.tokenText += bytesToText((piece.logprobs ?? []).flatMap(({ bytes }) => bytes));
    if (!piece.done) continue;
    choice.finish = piece.done_reason ?? null;
    usage = {
      promptTokens: piece.prompt_eval_count ?? -1,
      completionTokens: piece.eval_count ?? -1,
      cachedTokens: 0,
      reasoningTokens: 0,
    };
  }
  return { choices: [choice], usage, ids: new Set(), models: new Set(pieces.map(({ model }) => model)) };
}

const addChatPiece = (choice: ReadChoice, { message }: OllamaChatAnswer): void => {
  choice.content += message.content;
  choice.reasoning += message.thinking ?? '';
  for (const { id, function: called } of message.tool_calls ?? []) {
    choice.calls[called.index] = { id, name: called.name, argumentsText: JSON.stringify(called.arguments) };
  }
};

/** Clients of /api/chat. */
export const ollamaChat: WireClient = {
  ...ollama,
  body: ({ isStream, logprobs }) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
    stream: isStream,
    logprobs,
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([...ollama.finishes, ['toolCalls', 'stop']]),
  readWhole: (whole) => readPieces([whole as OllamaChatAnswer], addChatPiece),
  readStream: (objects) => readPieces(objects as readonly OllamaChatAnswer[], addChatPiece),
};

const addTextPiece = (choice: ReadChoice, { response, thinking = '' }: OllamaGenerateAnswer): void => {
  choice.content += response;
  choice.reasoning += thinking;
};

/** Clients of /api/generate. */
export const ollamaGenerate: WireClient = {
  ...ollama,
  body: ({ isStream, logprobs }) => ({ model: 'm', prompt: 'hi', stream: isStream, logprobs }),
  says: ['content', 'reasoning'],
  readWhole: (whole) => readPieces([whole as OllamaGenerateAnswer], addTextPiece),
  readStream: (objects) => readPieces(objects as readonly OllamaGenerateAnswer[], addTextPiece),
};
