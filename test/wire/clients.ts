// What clients of each dialect send and read, so that one suite holds all dialects to the same answers.
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ErrorBody,
  OllamaChatAnswer,
  OllamaError,
  OllamaGenerateAnswer,
  TextCompletion,
  TextCompletionChunk,
  Usage,
} from '../../src/api/index.js';
import type { ChoiceFinish, CompletionDelta, TokenUsage } from '../../src/completion/index.js';
import type { dialects } from '../../src/wire/index.js';

/** A choice as a client has read it. */
export interface ReadChoice {
  content: string;
  reasoning: string;
  calls: { id: string; name: string; argumentsText: string }[];
  /** Bytes of the tokens whose logprobs were told, joined. */
  tokenText: string;
  finish: string | null;
}

/** An answer as a client has read it. */
export interface ReadAnswer {
  readonly choices: ReadChoice[];
  usage: TokenUsage | undefined;
  readonly ids: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
}

/** What a body asks for. */
export interface Asked {
  readonly n: number;
  readonly isStream: boolean;
  readonly tellsUsage: boolean;
  readonly logprobs: boolean;
}

/** How clients of a dialect speak. */
export interface WireClient {
  body(asked: Asked): object;
  /** What answers of this dialect can say. */
  readonly says: readonly CompletionDelta['type'][];
  /** What it calls the reasons for which choices end. */
  readonly finishes: ReadonlyMap<ChoiceFinish, string>;
  readWhole(whole: object): ReadAnswer;
  /** Throws where an object says something of a choice that has ended. */
  readStream(objects: readonly object[], n: number): ReadAnswer;
  readError(body: object): { readonly code: string | null; readonly message: string };
  /** Choices of a request at most. Absent: any number. */
  readonly maxChoices?: number;
  /** What it tells of an answer's usage; the rest reads as 0. Absent: all. */
  readonly told?: readonly (keyof TokenUsage)[];
  /** Usage is told whether it was asked for or not. */
  readonly alwaysTellsUsage?: true;
  /** Answers have no ids. */
  readonly hasNoIds?: true;
}

const emptyChoice = (): ReadChoice => ({ content: '', reasoning: '', calls: [], tokenText: '', finish: null });

const readUsage = (usage: Usage | null | undefined): TokenUsage | undefined =>
  usage
    ? {
        promptTokens: usage.prompt_tokens,
        completionTokens: usage.completion_tokens,
        cachedTokens: usage.prompt_tokens_details.cached_tokens,
        reasoningTokens: usage.completion_tokens_details.reasoning_tokens,
      }
    : undefined;

const readError = (body: object): { code: string | null; message: string } => (body as ErrorBody).error;

/** Reads a stream of objects that have choices, each of which `add` adds to what was read. */
function readChoices<T extends { index: number; finish_reason: string | null }>(
  objects: readonly { id: string; model: string; choices: readonly T[]; usage?: Usage | null }[],
  n: number,
  add: (choice: ReadChoice, piece: T) => void,
): ReadAnswer {
  const choices = Array.from({ length: n }, emptyChoice);
  let usage: TokenUsage | undefined;
  for (const object of objects) {
    if (usage !== undefined) throw new Error('an object after the usage');
    for (const piece of object.choices) {
      const choice = choices[piece.index];
      if (choice === undefined || choice.finish !== null) throw new Error(`a piece of choice ${piece.index}`);
      add(choice, piece);
      choice.finish = piece.finish_reason;
    }
    usage = readUsage(object.usage);
  }
  return {
    choices,
    usage,
    ids: new Set(objects.map(({ id }) => id)),
    models: new Set(objects.map(({ model }) => model)),
  };
}

const bytesToText = (bytes: readonly number[]): string => Buffer.from(bytes).toString('utf8');

const chat: WireClient = {
  body: ({ n, isStream, tellsUsage, logprobs }) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
    n,
    stream: isStream,
    logprobs,
    stream_options: { include_usage: tellsUsage },
  }),
  says: ['content', 'reasoning', 'toolCall'],
  finishes: new Map([
    ['stop', 'stop'],
    ['length', 'length'],
    ['toolCalls', 'tool_calls'],
  ]),
  readWhole(whole) {
    const { id, model, choices, usage } = whole as ChatCompletion;
    return {
      ids: new Set([id]),
      models: new Set([model]),
      usage: readUsage(usage),
      choices: choices.map(({ message, logprobs, finish_reason: finish }) => ({
        content: message.content ?? '',
        reasoning: message.reasoning_content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          argumentsText: call.function.arguments,
        })),
        tokenText: bytesToText((logprobs?.content ?? []).flatMap(({ bytes }) => bytes)),
        finish,
      })),
    };
  },
  readStream: (objects, n) =>
    readChoices(objects as readonly ChatCompletionChunk[], n, (choice, { delta, logprobs }) => {
      choice.content += delta.content ?? '';
      choice.reasoning += delta.reasoning_content ?? '';
      choice.tokenText += bytesToText((logprobs?.content ?? []).flatMap(({ bytes }) => bytes));
      for (const { index, id, function: called } of delta.tool_calls ?? []) {
        const call = (choice.calls[index] ??= { id: id ?? '', name: called.name ?? '', argumentsText: '' });
        call.argumentsText += called.arguments;
      }
    }),
  readError,
};

const text: WireClient = {
  body: ({ n, isStream, tellsUsage, logprobs }) => ({
    model: 'm',
    prompt: 'hi',
    n,
    stream: isStream,
    ...(logprobs && { logprobs: 0 }),
    stream_options: { include_usage: tellsUsage },
  }),
  says: ['content'],
  finishes: new Map([
    ['stop', 'stop'],
    ['length', 'length'],
  ]),
  readWhole(whole) {
    const { id, model, choices, usage } = whole as TextCompletion;
    return {
      ids: new Set([id]),
      models: new Set([model]),
      usage: readUsage(usage),
      choices: choices.map((choice) => ({
        ...emptyChoice(),
        content: choice.text,
        tokenText: (choice.logprobs?.tokens ?? []).join(''),
        finish: choice.finish_reason,
      })),
    };
  },
  readStream: (objects, n) =>
    readChoices(objects as readonly TextCompletionChunk[], n, (choice, piece) => {
      choice.content += piece.text;
      choice.tokenText += (piece.logprobs?.tokens ?? []).join('');
    }),
  readError,
};

/** What the dialects of Ollama have in common. */
const ollama = {
  maxChoices: 1,
  told: ['promptTokens', 'completionTokens'],
  alwaysTellsUsage: true,
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

const ollamaChat: WireClient = {
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

const ollamaGenerate: WireClient = {
  ...ollama,
  body: ({ isStream, logprobs }) => ({ model: 'm', prompt: 'hi', stream: isStream, logprobs }),
  says: ['content', 'reasoning'],
  readWhole: (whole) => readPieces([whole as OllamaGenerateAnswer], addTextPiece),
  readStream: (objects) => readPieces(objects as readonly OllamaGenerateAnswer[], addTextPiece),
};

/** The client of each dialect. */
export const clients: Readonly<Record<keyof typeof dialects, WireClient>> = {
  chatCompletions: chat,
  textCompletions: text,
  ollamaChat,
  ollamaGenerate,
};
