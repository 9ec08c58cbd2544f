/** A client of a production server: the services of its .proto files as functions. */
import {
  grpc,
  services,
  troupe,
  type ChatChunk,
  type ChatCompletion,
  type ChatRequestInput,
  type CountTokensRequestInput,
  type DrainResponse,
  type EmbedRequestInput,
  type EmbedResponse,
  type FinishReasonValues,
  type GenerateChunk,
  type GenerateRequestInput,
  type HealthCheckResponse_ServingStatusValues,
  type Model,
  type ModelStateValues,
  type ReloadTrustResponse,
  type StatusResponse,
  type TokenizeRequestInput,
  type ToolChoice_ModeValues,
} from '../grpc/index.js';
import { createCaller } from './rpc-caller.js';
import type { ClientCallOptions, ClientOptions } from './client-options.js';

/** Numbers of the finish reasons of a choice. */
export const FinishReason: FinishReasonValues = troupe.engine.v1.FinishReason;
/** Numbers of the states of a model. */
export const ModelState: ModelStateValues = troupe.engine.v1.ModelState;
/** Numbers of the modes of a tool choice. */
export const ToolChoiceMode: ToolChoice_ModeValues = troupe.engine.v1.ToolChoice.Mode;
/** Numbers of the states of health. */
export const ServingStatus: HealthCheckResponse_ServingStatusValues = grpc.health.v1.HealthCheckResponse.ServingStatus;

/**
 * A client of one server. Every call has a deadline, can be aborted, and rejects with an error with the server's
 * `code`. Requests and answers are the messages of the .proto files.
 */
export interface Client extends AsyncDisposable {
  /** Answers a conversation as a whole. */
  chat(request: ChatRequestInput, options?: ClientCallOptions): Promise<ChatCompletion>;
  /** Streams the answer. Leaving the iteration cancels the call. */
  stream(request: ChatRequestInput, options?: ClientCallOptions): AsyncIterable<ChatChunk>;
  /** Continues token ids. */
  generate(request: GenerateRequestInput, options?: ClientCallOptions): AsyncIterable<GenerateChunk>;
  /** Token ids of a text. */
  tokenize(request: TokenizeRequestInput, options?: ClientCallOptions): Promise<readonly number[]>;
  /** Number of tokens of a text, or of a chat's prompt. */
  countTokens(request: CountTokensRequestInput, options?: ClientCallOptions): Promise<number>;
  /** Texts or token ids as vectors of length 1. */
  embed(request: EmbedRequestInput, options?: ClientCallOptions): Promise<EmbedResponse>;
  /** The server's models. */
  listModels(options?: ClientCallOptions): Promise<readonly Model[]>;
  /** Calls for identities with control rights. */
  readonly control: ControlClient;
  /** Whether the server serves. */
  readonly health: HealthClient;
  /** Ends the connection, and calls under way. */
  close(): Promise<void>;
}

/** Calls of `troupe.engine.v1.Control`. */
export interface ControlClient {
  /** Verifies and loads the model; resolves when it is ready. */
  load(options?: ClientCallOptions): Promise<Model>;
  /** Releases its memory; false: it was not loaded. */
  unload(options?: ClientCallOptions): Promise<boolean>;
  /** The server's present state. */
  status(options?: ClientCallOptions): Promise<StatusResponse>;
  /** Ends the calls with the id; returns their number. */
  cancel(requestId: string, options?: ClientCallOptions): Promise<number>;
  /** Refuses new inference; resolves when the calls under way have ended, at the latest after `graceMs`. */
  drain(graceMs?: number, options?: ClientCallOptions): Promise<DrainResponse>;
  /** Reads certificates, identities and keys again. */
  reloadTrust(options?: ClientCallOptions): Promise<ReloadTrustResponse>;
  /** Metrics in the text format of Prometheus. */
  metrics(options?: ClientCallOptions): Promise<string>;
}

/** Calls of `grpc.health.v1.Health`. The empty name is the whole server. */
export interface HealthClient {
  /** A number of `ServingStatus`. */
  check(service?: string, options?: ClientCallOptions): Promise<number>;
  /** The same now and after each change. Without a deadline unless one is given. */
  watch(service?: string, options?: ClientCallOptions): AsyncIterable<number>;
}

/** Connects at the first call. Errors: `invalid_option`, `invalid_value`. */
export function createClient(options: ClientOptions): Client {
  const caller = createCaller(options);
  const inference = services['troupe.engine.v1.Inference'];
  const control = services['troupe.engine.v1.Control'];
  const health = services['grpc.health.v1.Health'];

  async function* watch(service: string, call: ClientCallOptions | undefined): AsyncGenerator<number, void> {
    const endless = { deadlineMs: Infinity, ...call };
    for await (const { status } of caller.stream(health.Watch, { service }, endless)) yield status;
  }

  const close = async (): Promise<void> => caller.close();
  return {
    chat: (request, call) => caller.unary(inference.Complete, request, call),
    stream: (request, call) => caller.stream(inference.Chat, request, call),
    generate: (request, call) => caller.stream(inference.Generate, request, call),
    tokenize: async (request, call) => (await caller.unary(inference.Tokenize, request, call)).token_ids,
    countTokens: async (request, call) => (await caller.unary(inference.CountTokens, request, call)).tokens,
    embed: (request, call) => caller.unary(inference.Embed, request, call),
    listModels: async (call) => (await caller.unary(inference.ListModels, {}, call)).models,
    control: {
      async load(call) {
        const { model } = await caller.unary(control.Load, {}, call);
        return model ?? troupe.engine.v1.Model.decode(new Uint8Array());
      },
      unload: async (call) => (await caller.unary(control.Unload, {}, call)).unloaded,
      status: (call) => caller.unary(control.Status, {}, call),
      cancel: async (id, call) => (await caller.unary(control.Cancel, { request_id: id }, call)).cancelled,
      drain: (graceMs, call) => caller.unary(control.Drain, { grace_ms: graceMs }, call),
      reloadTrust: (call) => caller.unary(control.ReloadTrust, {}, call),
      metrics: async (call) => (await caller.unary(control.Metrics, {}, call)).text,
    },
    health: {
      check: async (service = '', call) => (await caller.unary(health.Check, { service }, call)).status,
      watch: (service = '', call) => watch(service, call),
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
