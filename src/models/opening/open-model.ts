/** A model, open: its artifact in memory, its actors running, its completions ready. */

import type { Placement, Supervisor, TreeNode } from '../../actor/index.js';
import type { Manifest, ModelSource, OnProgress } from '../../artifact/index.js';
import { AppError } from '../../base/index.js';
import {
  checkCaller,
  EngineClient,
  fillModelMemory,
  type Generator,
  maxAdmitted,
  planModelMemory,
  type KvFormat,
  type ModelMemory,
  type PreparedDevice,
  type RestartLimits,
} from '../../engine/index.js';
import { controlTextsOf, endTokenIds } from '../../chat/index.js';
import { openSource } from '../../convert/index.js';
import { openTrusted, type Signature, type TrustPolicy } from '../../signing/index.js';
import { openTokenizer, type Tokenizer } from '../../tokenizer/index.js';
import {
  createSlotPool,
  createAnswerParts,
  type Completion,
  createEmbedder,
  createGrammarCompiler,
  type Embed,
} from '../../completion/index.js';
import { createModelSupervisor, startModelTree, type ModelSupervisor, type TextInit } from './model-tree.js';
import type { Loadable, ModelLease } from '../pool/pooled-model.js';

/** How a model is run. */
export interface OpenModelOptions {
  readonly device: PreparedDevice;
  /** Which models may be loaded by their signatures. Default: all but those whose signature does not hold. */
  readonly trust?: TrustPolicy | undefined;
  /** The supervisor of the model. */
  readonly models: ModelSupervisor;
  /** Compute threads, the engine's own included. */
  readonly threads: number;
  /** Where engine and tokenizer run. Templates always have a thread: a loop can only be stopped from outside. */
  readonly placement: Placement;
  readonly kvCache?: KvFormat | undefined;
  /** Longest context of a sequence, in tokens; the model's own may be shorter. */
  readonly maxContext?: number | undefined;
  /** Sequences that may wait while as many run as fit in a step. */
  readonly maxWaiting?: number | undefined;
  /** Milliseconds after which a step without progress counts as hung. Default 60,000; Infinity: never. */
  readonly stepTimeoutMs?: number | undefined;
  /** Guess ahead when one sequence runs alone. Default true. */
  readonly speculation?: boolean | undefined;
  /** The text of a chat template that is used instead of the model's own. */
  readonly template?: string | undefined;
  /** A model that would take more gets a smaller KV cache, of one whole context at least. */
  readonly maxBytes?: number | undefined;
  /** Restart limits of the engine's and of the text's supervisor, each. Default: theirs. */
  readonly restarts?: RestartLimits | undefined;
}

/**
 * One model that answers. Disposing of it stops its actors, ends what is under way with `engine_closed`, and settles when
 * its memory is given back.
 */
export interface OpenModel extends AsyncDisposable {
  readonly id: string;
  readonly contextLength: number;
  /** Why it is shorter than the model's own, where no option set it; one line. */
  readonly contextNote: string | undefined;
  /** Why its weights are repacked at each load; one line. */
  readonly layoutNote: string | undefined;
  /** Which types of its file are stored as others, in one line; undefined where all are kept. */
  readonly importNote: string | undefined;
  /** The signature of the loaded model. */
  readonly signature: Signature;
  readonly vocabSize: number;
  /** Length of its embeddings. */
  readonly hiddenSize: number;
  readonly generation: Manifest['generation'];
  /** Whether it can chat: there is a chat template. */
  readonly hasTemplate: boolean;
  readonly client: EngineClient;
  /** `client.generate` for a request that is scheduled among others. Errors of both: `overloaded`, the engine's. */
  readonly generate: Generator['generate'];
  /** Errors when the artifact has none: `tokenizer_missing`. */
  readonly tokenizer: Tokenizer;
  /** Errors when the artifact has no tokenizer: `tokenizer_missing`; it refuses conversations when there is no template. */
  readonly completion: Completion;
  /** Token ids need no tokenizer; texts do: `tokenizer_missing`. */
  readonly embed: Embed;
  /** Its actors, for health, and for tests that kill them. */
  readonly supervisor: Supervisor;
  /** The live tree; `ready` is false once it has given up. */
  tree(): TreeNode;
  readonly ready: boolean;
}

/** The completion of a model, with the lease that keeps the model loaded. */
export interface HeldCompletion extends Disposable {
  readonly completion: Completion;
}

/**
 * Takes the completion of a leased model; disposing of the result ends the lease. Errors: `tokenizer_missing`, and the lease is
 * given back.
 */
export function holdCompletion(lease: ModelLease<OpenModel>): HeldCompletion {
  try {
    const { completion } = lease.model;
    return { completion, [Symbol.dispose]: () => lease[Symbol.dispose]() };
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}

/** Opens the model at `directory`, alone in its tree. Errors: those of `prepareModel`. */
export async function openModel(directory: string, options: Omit<OpenModelOptions, 'models'>): Promise<OpenModel> {
  // Without children it holds no resources, and garbage collection takes it.
  const models = await createModelSupervisor();
  await using prepared = await prepareModel(directory, { ...options, models });
  return await prepared.open();
}

/** The memory that a model would take. */
export interface MemoryEstimate {
  /** Weights, KV cache and activations. */
  readonly bytes: number;
  readonly weightsBytes: number;
  readonly kvBytesPerToken: number;
  /** The context length with these options, and the length that the model declares, in tokens. */
  readonly contextLength: number;
  readonly declaredContextLength: number;
}

/** A model whose needs are known and whose weights are not read yet. */
export interface PreparedModel extends Loadable<OpenModel> {
  readonly estimate: MemoryEstimate;
  open(signal?: AbortSignal, onProgress?: OnProgress): Promise<OpenModel>;
}

/**
 * Checks the model at `directory` and its signature, and plans its memory. Errors: those of the artifact and of its config; those
 * of signatures; `out_of_memory`.
 */
export async function prepareModel(directory: string, options: OpenModelOptions): Promise<PreparedModel> {
  const { source, signature } = await openTrusted(directory, openSource, options.trust);
  const manifest = withTemplate(source.manifest, options.template);
  try {
    const plan = planModelMemory(source, options);
    const { bytes, kvBytesPerToken, contextLength, declaredContextLength } = plan;
    const weightsBytes = plan.planned.tensors.reduce((sum, tensor) => sum + plan.planned.layout.bytes(tensor), 0);
    return {
      id: manifest.id,
      bytes,
      estimate: { bytes, weightsBytes, kvBytesPerToken, contextLength, declaredContextLength },
      async open(signal, onProgress) {
        const text = await readTokenizer(source, manifest, plan.config.vocabSize);
        const memory = await fillModelMemory(source, plan, signal, onProgress);
        const ending = withEndTokens(manifest, options.template, text?.tokenizer);
        return startModel({ manifest: ending, directory, signature }, memory, text, options);
      },
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

async function startModel(
  { manifest, directory, signature }: Pick<ModelSource, 'manifest' | 'directory'> & { readonly signature: Signature },
  memory: ModelMemory,
  text: Text | undefined,
  options: OpenModelOptions,
): Promise<OpenModel> {
  const { contextLength, contextNote, layoutNote, config } = memory;
  const takesGrammars = text !== undefined;
  const client = new EngineClient({ contextLength, vocabSize: config.vocabSize, takesGrammars });
  const supervisor = await startModelTree(memory, client, text, { ...options, modelId: manifest.id }).catch(
    async (error: unknown) => {
      await memory.release();
      throw error;
    },
  );
  const tokenizer = text?.tokenizer;
  const admit = createSlotPool(maxAdmitted(options.maxWaiting));
  const { vocabSize } = config;
  const templateMissing = (): AppError =>
    new AppError(
      'template_missing',
      `the model ${manifest.id} has no chat template, so it cannot answer messages; choose one with --template (template in the library), or continue text with /v1/completions (generate in the library)`,
    );
  const sources = { manifest, client, supervisor, vocabSize, admit, templateMissing };
  const grammars = takesGrammars ? createGrammarCompiler() : undefined;
  const parts = tokenizer && createAnswerParts({ ...sources, tokenizer, grammars });
  const close = async (): Promise<void> => {
    client.close(new AppError('engine_closed', `the model ${manifest.id} was disposed of`));
    await supervisor.stop();
    await grammars?.[Symbol.asyncDispose]();
    await memory.release();
  };
  let closing: Promise<void> | undefined;

  const noTokenizer = (): AppError => tokenizerMissing(directory, manifest);

  return {
    id: manifest.id,
    contextLength,
    contextNote,
    layoutNote,
    importNote: typeof manifest.source['requantised'] === 'string' ? manifest.source['requantised'] : undefined,
    signature,
    vocabSize,
    hiddenSize: memory.graph.hiddenSize,
    generation: manifest.generation,
    hasTemplate: manifest.chat.template !== null,
    client,
    async *generate(request, signal) {
      checkCaller(request.caller);
      using places = admit(1, request.caller, signal);
      for await (const output of client.generate(request, places.signal)) {
        places.begin();
        yield output;
      }
    },
    get tokenizer() {
      if (tokenizer !== undefined) return tokenizer;
      throw noTokenizer();
    },
    get completion() {
      if (parts === undefined) throw noTokenizer();
      return parts.completion;
    },
    embed: createEmbedder({
      admit,
      contextLength,
      embed: (request, signal) => client.embed(request, signal),
      async encode(input, signal) {
        if (parts === undefined) throw noTokenizer();
        return parts.encode(input, signal);
      },
    }),
    supervisor,
    tree: () => supervisor.tree(),
    get ready() {
      return supervisor.ready;
    },
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

function tokenizerMissing(directory: string, { source }: Manifest): AppError {
  const why = typeof source['noTokenizer'] === 'string' ? `: ${source['noTokenizer']}` : '';
  const message = `the artifact ${directory} has no tokenizer, so it can only take token ids${why}`;
  return new AppError('tokenizer_missing', message, { directory });
}

/** A tokenizer for this thread, and the init of another in the actor's thread. */
interface Text extends TextInit {
  readonly tokenizer: Tokenizer;
}

async function readTokenizer(
  source: Pick<ModelSource, 'readFile'>,
  manifest: Manifest,
  vocabSize: number,
): Promise<Text | undefined> {
  if (!manifest.files.some(({ path }) => path === 'tokenizer.bin')) return undefined;
  const compiled = toShared(await source.readFile('tokenizer.bin'));
  const tokenizer = openTokenizer(compiled, (opened) => controlTextsOf(manifest, opened).tags, vocabSize);
  const vocabulary = toShared(await source.readFile('vocabulary.bin'));
  return { compiled, vocabulary, controls: controlTextsOf(manifest, tokenizer), tokenizer };
}

/** Copies bytes into shared memory. */
function toShared(bytes: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}

/** The manifest with the chosen chat template, if there is one, in place of the artifact's. */
function withTemplate(manifest: Manifest, chosen = manifest.chat.template): Manifest {
  return { ...manifest, chat: { ...manifest.chat, template: chosen } };
}

/**
 * The manifest whose answers end also at the added tokens with which the chosen template ends turns. Conversion took such tokens
 * for ordinary ones where the vocabulary says so.
 */
function withEndTokens(
  manifest: Manifest,
  chosen: string | undefined,
  tokenizer: Pick<Tokenizer, 'addedTokens' | 'tokenToId'> | undefined,
): Manifest {
  if (chosen === undefined || tokenizer === undefined) return manifest;
  const added = new Set(tokenizer.addedTokens.map(({ content }) => content));
  const ends = endTokenIds((token) =>
    added.has(token) && chosen.includes(token) ? tokenizer.tokenToId(token) : undefined,
  );
  const { generation } = manifest;
  return {
    ...manifest,
    generation: { ...generation, stopTokenIds: [...new Set([...generation.stopTokenIds, ...ends])] },
  };
}
