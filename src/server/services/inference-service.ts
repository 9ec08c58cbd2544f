import { checkDimensions } from '../../api/index.js';
import { systemClock, unixMs, type Clock } from '../../base/index.js';
import { createTextEncoder, tokenizerKey, type TokenUsage } from '../../completion/index.js';
import {
  defineService,
  troupe,
  type CallFacts,
  type GrpcService,
  type ModelInput,
  type ServiceCall,
} from '../../grpc/index.js';
import {
  holdCompletion,
  type HeldCompletion,
  type OneModelLibrary,
  type OneModelState,
  type OpenModel,
} from '../../models/index.js';
import {
  answerStream,
  answerWhole,
  AnswerTimer,
  dialects,
  parseGrpcChatRequest,
  parseGrpcEmbedRequest,
  parseGrpcGenerateRequest,
  toGrpcPrompt,
  type WireRequest,
} from '../../wire/index.js';
import { generateChunks } from './generate-chunks.js';

const { ModelState } = troupe.engine.v1;
const dialect = dialects.grpcChat;

/** `troupe.engine.v1.Inference` over the one model of `library`. */
export function inferenceService(library: OneModelLibrary, clock: Clock = systemClock): GrpcService {
  const openCompletion = async (name: string, signal: AbortSignal): Promise<HeldCompletion> =>
    holdCompletion(await library.open(name, signal));

  async function withModel<T>(
    { request, signal }: ServiceCall<{ readonly model: string }>,
    work: (model: OpenModel) => Promise<T>,
  ): Promise<T> {
    using lease = await library.open(request.model, signal);
    return await work(lease.model);
  }

  const toWire = (request: object, isStream: boolean): WireRequest =>
    dialect.read({ ...toPlain(request), stream: isStream });

  return defineService('troupe.engine.v1.Inference', 'data', {
    async *Chat(call) {
      const asked = toWire(call.request, true);
      const { events } = answerStream(dialect, asked, {
        ...toCallOptions(call),
        clock,
        open: (signal) => openCompletion(call.request.model, signal),
        modelName: library.id,
        timer: new AnswerTimer(clock, call.receivedMs),
      });
      for await (const { event, objects } of events) {
        if (event.type === 'end') noteUsage(call, event.usage);
        for (const object of objects) yield object;
      }
    },

    async Complete(call) {
      const asked = toWire(call.request, false);
      using held = await openCompletion(call.request.model, call.signal);
      const { whole, usage } = await answerWhole(dialect, asked, held.completion, {
        ...toCallOptions(call),
        clock,
        modelName: library.id,
        timer: new AnswerTimer(clock, call.receivedMs),
      });
      noteUsage(call, usage);
      return whole;
    },

    async *Generate(call) {
      const asked = parseGrpcGenerateRequest(toPlain(call.request));
      using lease = await library.open(call.request.model, call.signal);
      for await (const chunk of generateChunks(lease.model, asked, toCallOptions(call))) {
        if (chunk.usage) call.record.promptTokens = chunk.usage.prompt_tokens;
        if (chunk.usage) call.record.completionTokens = chunk.usage.completion_tokens;
        yield chunk;
      }
    },

    Tokenize: (call) =>
      withModel(call, async ({ tokenizer, supervisor }) => {
        const { text, plain, add_special_tokens: addSpecialTokens } = call.request;
        const encode = createTextEncoder(tokenizer, supervisor.ref(tokenizerKey), { addSpecialTokens });
        const ids = text === '' ? [] : await encode(text, call.signal, plain ? 'everywhere' : undefined);
        return { token_ids: ids };
      }),

    CountTokens: (call) =>
      withModel(call, async ({ completion, tokenizer, supervisor }) => {
        const { chat, text } = call.request;
        if (chat !== null) {
          const prompt = toGrpcPrompt(parseGrpcChatRequest(toPlain(chat)));
          return { tokens: await completion.countTokens(prompt, call.signal) };
        }
        const encode = createTextEncoder(tokenizer, supervisor.ref(tokenizerKey), { addSpecialTokens: false });
        return { tokens: text === null || text === '' ? 0 : (await encode(text, call.signal)).length };
      }),

    Embed(call) {
      const { inputs, dimensions, cacheSalt } = parseGrpcEmbedRequest(toPlain(call.request));
      return withModel(call, async (model) => {
        if (dimensions !== undefined) checkDimensions({ dimensions }, model.hiddenSize);
        const { signal, caller } = call;
        const { embeddings, promptTokens } = await model.embed(inputs, { signal, caller, cacheSalt });
        call.record.promptTokens = promptTokens;
        return {
          model: library.id,
          embeddings: embeddings.map((vector) => ({ values: vector })),
          prompt_tokens: promptTokens,
        };
      });
    },

    ListModels: async () => ({ models: [await toModel(library)] }),
  });
}

/** The model's description in messages. */
export async function toModel(library: OneModelLibrary): Promise<ModelInput> {
  const [stored] = await library.list();
  return {
    id: library.id,
    state: states[library.state],
    context_length: library.contextLength(library.id) ?? 0,
    created: Math.floor((stored?.changedMs ?? 0) / 1000),
  };
}

const states: Readonly<Record<OneModelState, number>> = {
  unloaded: ModelState.MODEL_STATE_UNLOADED,
  loading: ModelState.MODEL_STATE_LOADING,
  ready: ModelState.MODEL_STATE_READY,
  unloading: ModelState.MODEL_STATE_UNLOADING,
};

/** A call's deadline applies to its sequences too: the scheduler ends them when it has passed. */
function toCallOptions({ signal, caller, deadlineUnixMs }: CallFacts) {
  const leftMs = deadlineUnixMs - unixMs();
  return { signal, caller, ...(Number.isFinite(leftMs) && { deadlineMs: Math.max(1, leftMs) }) };
}

function noteUsage({ record }: CallFacts, { promptTokens, completionTokens }: TokenUsage): void {
  record.promptTokens = promptTokens;
  record.completionTokens = completionTokens;
}

/**
 * A message as the JSON form of it: what is absent there is absent here. Decoded messages have what is absent as null on
 * their prototypes, which checks of fields would take for values.
 */
function toPlain(message: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]: [string, unknown]) => [name, toPlainValue(value)]),
  );
}

function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    // Lists of numbers are long and as they should be.
    return value.length > 0 && typeof value[0] === 'object' ? value.map(toPlainValue) : value;
  }
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? toPlain(value) : value;
}
