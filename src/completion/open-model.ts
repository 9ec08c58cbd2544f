/**
 * A model, open: its artifact in memory, its actors running, its completions ready. Puts the engine's subtree and the
 * actors for text under one tree, and tells the engine's client when its engine was replaced.
 */

import {
  createSupervisor,
  type Placement,
  type Supervisor,
  type SupervisorSpec,
  type TreeNode,
} from '../actor/index.js';
import { openArtifact, type Artifact, type Manifest } from '../artifact/index.js';
import { AppError } from '../base/index.js';
import { detectDialect } from '../chat/index.js';
import {
  ENGINE_ID,
  EngineClient,
  engineTree,
  fillModelMemory,
  maxAdmitted,
  planModelMemory,
  type EngineActor,
  type KvFormat,
  type ModelMemory,
  type PreparedKernels,
  type RestartLimits,
} from '../engine/index.js';
import { openTokenizer, type Tokenizer } from '../tokenizer/index.js';
import { createAdmission, type Admit } from './admission.js';
import { createCompletion, type Completion } from './completion.js';
import { createEmbedder, type Embed } from './embedder.js';
import type { Loadable } from './pooled-model.js';
import { createRemoteRenderer, TEMPLATE_ID, templateActorSpec, type TemplateActor } from './template-actor.js';
import { createTextCompleter, type TextCompleter, type TextCompleterOptions } from './text-completion.js';
import { createTextEncoder, TOKENIZER_ID, tokenizerActorSpec, type TokenizerActor } from './tokenizer-actor.js';

/** How a model is run. */
export interface OpenModelOptions {
  readonly kernels: PreparedKernels;
  /** Compute threads, the engine's own included. */
  readonly threads: number;
  /** Where engine and tokenizer run. Templates always have a thread: a loop can only be stopped from outside. */
  readonly placement: Placement;
  readonly kvCache?: KvFormat | undefined;
  /** Longest context of a sequence, in tokens; the model's own may be shorter. */
  readonly maxContext?: number | undefined;
  /** Sequences that may wait while as many run as fit in a step. */
  readonly maxWaiting?: number | undefined;
  /** Guess ahead when one sequence runs alone. Default true. */
  readonly speculation?: boolean | undefined;
  /** A model that would take more gets a smaller KV cache, of one whole context at least. */
  readonly maxBytes?: number | undefined;
  /** Deaths that the engine's and the text's supervisor bear each. Default: theirs. */
  readonly restarts?: RestartLimits | undefined;
}

/**
 * One model that answers. Disposing of it stops its actors, ends what is under way with `engine_closed`, and settles when
 * its memory is given back.
 */
export interface OpenModel extends AsyncDisposable {
  readonly id: string;
  readonly contextLength: number;
  readonly vocabSize: number;
  /** Length of its embeddings. */
  readonly hiddenSize: number;
  readonly generation: Manifest['generation'];
  readonly client: EngineClient;
  /** Errors when the artifact has none: `tokenizer_missing`. */
  readonly tokenizer: Tokenizer;
  /** Errors when the artifact has no tokenizer or template: `tokenizer_missing`, `template_missing`. */
  readonly completion: Completion;
  /** Errors when the artifact has no tokenizer: `tokenizer_missing`. */
  readonly text: TextCompleter;
  /** Token ids need no tokenizer; texts do: `tokenizer_missing`. */
  readonly embed: Embed;
  /** Its actors: what health shows, and where tests kill. */
  readonly supervisor: Supervisor;
  /** The live tree; `ready` is false once it has given up. */
  tree(): TreeNode;
  readonly ready: boolean;
}

/** Opens the artifact in `directory`. Errors: those of the artifact and of its config; `out_of_memory`. */
export async function openModel(directory: string, options: OpenModelOptions): Promise<OpenModel> {
  await using prepared = await prepareModel(directory, options);
  return await prepared.open();
}

/** A model whose needs are known and whose weights are not read yet. */
export interface PreparedModel extends Loadable<OpenModel> {
  open(signal?: AbortSignal): Promise<OpenModel>;
}

/** Checks the artifact in `directory` and plans its memory. Errors: those of the artifact and of its config; `out_of_memory`. */
export async function prepareModel(directory: string, options: OpenModelOptions): Promise<PreparedModel> {
  const artifact = await openArtifact(directory);
  try {
    const plan = planModelMemory(artifact, options);
    return {
      id: artifact.manifest.id,
      bytes: plan.bytes,
      async open(signal) {
        const text = await readTokenizer(artifact);
        return startModel(artifact, await fillModelMemory(artifact, plan, signal), text, options);
      },
      [Symbol.asyncDispose]: () => artifact[Symbol.asyncDispose](),
    };
  } catch (error) {
    await artifact[Symbol.asyncDispose]();
    throw error;
  }
}

async function startModel(
  { manifest, directory }: Artifact,
  memory: ModelMemory,
  text: Text | undefined,
  options: OpenModelOptions,
): Promise<OpenModel> {
  const { contextLength, config } = memory;
  const client = new EngineClient({ contextLength, vocabSize: config.vocabSize });
  const supervisor = await startTree(memory, client, text?.compiled, options).catch(async (error: unknown) => {
    await memory.release();
    throw error;
  });
  const tokenizer = text?.tokenizer;
  const admit = createAdmission(maxAdmitted(options.maxWaiting));
  const parts = tokenizer && answerParts(manifest, tokenizer, client, supervisor, config.vocabSize, admit);
  const close = async (): Promise<void> => {
    client.close(new AppError('engine_closed', `the model ${manifest.id} was disposed of`));
    await supervisor.stop();
    await memory.release();
  };
  let closing: Promise<void> | undefined;

  const noTokenizer = (): AppError => tokenizerMissing(directory, manifest);

  return {
    id: manifest.id,
    contextLength,
    vocabSize: config.vocabSize,
    hiddenSize: memory.program.hiddenSize,
    generation: manifest.generation,
    client,
    get tokenizer() {
      if (tokenizer !== undefined) return tokenizer;
      throw noTokenizer();
    },
    get completion() {
      if (parts === undefined) throw noTokenizer();
      if (parts.completion !== undefined) return parts.completion;
      throw new AppError('template_missing', `the artifact ${directory} has no template; it cannot chat`);
    },
    get text() {
      if (parts === undefined) throw noTokenizer();
      return parts.text;
    },
    embed: createEmbedder({
      admit,
      embed: (request, signal) => client.embed(request, signal),
      async encode(input, signal) {
        if (tokenizer === undefined) throw noTokenizer();
        return textEncoder(tokenizer, client, supervisor, { addSpecialTokens: true })(input, signal);
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

/** A tokenizer for this thread, and what another is made from in the actor's. */
interface Text {
  readonly compiled: Uint8Array;
  readonly tokenizer: Tokenizer;
}

async function readTokenizer(artifact: Artifact): Promise<Text | undefined> {
  if (!artifact.manifest.files.some(({ path }) => path === 'tokenizer.bin')) return undefined;
  const compiled = await artifact.readFile('tokenizer.bin');
  return { compiled, tokenizer: openTokenizer(compiled) };
}

/** Deaths of the actors for text: rare, and each is cheap. Templates have limits of their own. */
const TEXT_RESTARTS: RestartLimits = { intensity: 10, periodMs: 60_000 };

async function startTree(
  memory: ModelMemory,
  client: EngineClient,
  compiled: Uint8Array | undefined,
  options: OpenModelOptions,
): Promise<Supervisor> {
  const { kernels, threads, placement, speculation, restarts, maxWaiting } = options;
  const text = compiled && textTree(compiled, placement, restarts);
  const spec: SupervisorSpec = {
    id: 'model',
    strategy: 'oneForOne',
    // Each half has limits of its own; where one has given up, so has the model, and its caller may load it again.
    intensity: 0,
    periodMs: 1,
    children: [
      engineTree({ memory, kernels, threads, placement, client, speculation, restarts, maxWaiting }),
      ...(text ? [text] : []),
    ],
  };
  const supervisor = await createSupervisor(spec);
  client.attach(supervisor.ref<EngineActor>(ENGINE_ID));
  supervisor.onEvent(({ type, id, reason }) => {
    if (type === 'restarted' && id === ENGINE_ID) client.attach(supervisor.ref<EngineActor>(ENGINE_ID));
    if (type === 'escalated') client.close(gaveUp(reason?.message ?? `supervisor "${id}" gave up`));
  });
  return supervisor;
}

function textTree(compiled: Uint8Array, placement: Placement, restarts: RestartLimits | undefined): SupervisorSpec {
  return {
    id: 'text',
    strategy: 'oneForOne',
    ...(restarts ?? TEXT_RESTARTS),
    children: [tokenizerActorSpec({ compiled }, placement), templateActorSpec('thread')],
  };
}

function gaveUp(why: string): AppError {
  return new AppError('engine_restarted', `the model died too often and was given up: ${why}. Load it again`);
}

/** What a model with a tokenizer answers with; without a template only texts. */
interface AnswerParts {
  readonly completion: Completion | undefined;
  readonly text: TextCompleter;
}

function answerParts(
  manifest: Manifest,
  tokenizer: Tokenizer,
  client: EngineClient,
  supervisor: Supervisor,
  vocabSize: number,
  admit: Admit,
): AnswerParts {
  const common: Omit<TextCompleterOptions, 'encode'> = {
    modelId: manifest.id,
    systemFingerprint: `fp_${manifest.weights.chunkSha256[0]?.slice(0, 12) ?? 'empty'}`,
    generator: client,
    tokenizer,
    vocabSize,
    stopTokenIds: manifest.generation.stopTokenIds,
    admit,
  };
  const encodeText = textEncoder(tokenizer, client, supervisor, { addSpecialTokens: true });
  const text = createTextCompleter({ ...common, encode: encodeText });
  const { template, bosToken, eosToken } = manifest.chat;
  if (template === null) return { completion: undefined, text };
  const render = createRemoteRenderer({
    ref: supervisor.ref<TemplateActor>(TEMPLATE_ID),
    restart: () => supervisor.restart(TEMPLATE_ID),
  });
  const completion = createCompletion({
    ...common,
    encode: textEncoder(tokenizer, client, supervisor, { addSpecialTokens: false }),
    renderPrompt: (variables, signal) => orReason(client, render(template, variables, signal)),
    templateTokens: { bosToken, eosToken },
    dialect: detectDialect(template, (content) => tokenizer.tokenToId(content) !== undefined),
  });
  return { completion, text };
}

function textEncoder(
  tokenizer: Tokenizer,
  client: EngineClient,
  supervisor: Supervisor,
  options: { readonly addSpecialTokens: boolean },
): (text: string, signal: AbortSignal | undefined) => Promise<readonly number[]> {
  const encode = createTextEncoder(tokenizer, supervisor.ref<TokenizerActor>(TOKENIZER_ID), options);
  return (text, signal) => orReason(client, encode(text, signal));
}

/** What `work` comes to, or why it failed. */
function orReason<T>(client: EngineClient, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw client.reasonOf(thrown);
  });
}
