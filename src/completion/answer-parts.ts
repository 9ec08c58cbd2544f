import type { Supervisor } from '../actor/index.js';
import { dialectOf } from '../chat/index.js';
import type { EngineClient, RecommendedSampling } from '../engine/index.js';
import type { PlainText, Tokenizer } from '../tokenizer/index.js';
import type { Admit } from './slot-pool.js';
import type { AppError } from '../base/index.js';
import { createCompletion, type Completion } from './completion.js';
import type { ModelTemplate } from './completion-options.js';
import type { GrammarCompiler } from './grammars/grammar-compiler.js';
import { createRemoteRenderer, templateKey } from './template-actor.js';
import { createShapeProbe } from './templates/shape-probe.js';
import { createFeatureProbe, type RenderPrompt } from './templates/template-features.js';
import { readTemplateWishes } from './templates/template-messages.js';
import { createTextEncoder, tokenizerKey } from './tokenizer-actor.js';

/** The parts that answer for a model with a tokenizer. */
export interface AnswerParts {
  readonly completion: Completion;
  /** Text to ids, with the tokenizer's special tokens around every text. */
  readonly encode: EncodePrompt;
}

type EncodePrompt = (text: string, signal: AbortSignal | undefined, plain?: PlainText) => Promise<readonly number[]>;

/** The facts of a model's manifest that answers depend on. */
export interface AnswerModelFacts {
  readonly id: string;
  /** The fingerprint of answers contains the weights' first digest. */
  readonly weights: { readonly chunkSha256: readonly string[] };
  readonly generation: RecommendedSampling & { readonly stopTokenIds: readonly number[] };
  readonly chat: {
    readonly template: string | null;
    readonly bosToken: string | null;
    readonly eosToken: string | null;
  };
}

/** The sources of answers. */
export interface AnswerSources {
  readonly manifest: AnswerModelFacts;
  readonly tokenizer: Tokenizer;
  readonly client: EngineClient;
  /** The tree with the actors for text. */
  readonly supervisor: Supervisor;
  readonly vocabSize: number;
  readonly admit: Admit;
  /** Compiles grammars for answers; absent where the engine has no vocabulary. */
  readonly grammars?: GrammarCompiler | undefined;
  /** The error of a conversation with a model without a chat template. */
  readonly templateMissing: () => AppError;
}

/** Assembles the parts that answer for a model. */
export function createAnswerParts(sources: AnswerSources): AnswerParts {
  const { manifest, tokenizer, client, vocabSize, admit, templateMissing } = sources;
  const encode = textEncoder(sources, { addSpecialTokens: true });
  const completion = createCompletion({
    modelId: manifest.id,
    systemFingerprint: `fp_${manifest.weights.chunkSha256[0]?.slice(0, 12) ?? 'empty'}`,
    generator: client,
    tokenizer,
    vocabSize,
    stopTokenIds: manifest.generation.stopTokenIds,
    recommended: manifest.generation,
    admit,
    grammars: sources.grammars,
    encode: textEncoder(sources, { addSpecialTokens: false }),
    encodeText: encode,
    template: openTemplate(sources),
    templateMissing,
  });
  return { completion, encode };
}

function openTemplate({ manifest, tokenizer, client, supervisor }: AnswerSources): ModelTemplate | undefined {
  const { template, bosToken, eosToken } = manifest.chat;
  if (template === null) return undefined;
  const renderRemotely = createRemoteRenderer({
    ref: supervisor.ref(templateKey),
    restart: () => supervisor.restart(templateKey.id),
  });
  const render: RenderPrompt = (variables, signal, isTrusted, caller) =>
    orReason(client, renderRemotely(template, variables, { signal, isTrusted, caller }));
  const tokens = { bosToken, eosToken, ...readTemplateWishes(template) };
  const dialect = dialectOf(manifest, tokenizer);
  const probe = { template, dialect, templateTokens: tokens, renderPrompt: render };
  return { render, tokens, dialect, features: createFeatureProbe(probe), shapes: createShapeProbe(probe) };
}

function textEncoder(
  { tokenizer, client, supervisor }: AnswerSources,
  options: { readonly addSpecialTokens: boolean },
): EncodePrompt {
  const encode = createTextEncoder(tokenizer, supervisor.ref(tokenizerKey), options);
  return (text, signal, plain) => orReason(client, encode(text, signal, plain));
}

/** The result of `work`, or its error. */
function orReason<T>(client: EngineClient, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw client.reasonOf(thrown);
  });
}
