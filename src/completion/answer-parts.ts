import type { Supervisor } from '../actor/index.js';
import type { Manifest } from '../artifact/index.js';
import type { EngineClient } from '../engine/index.js';
import type { PlainText, Tokenizer } from '../tokenizer/index.js';
import type { Admit } from './admission.js';
import { createCompletion, type Completion } from './completion.js';
import { dialectOf } from './control-texts.js';
import { createRemoteRenderer, templateKey } from './template-actor.js';
import { createFeatureProbe, type RenderPrompt } from './template-features.js';
import { asksForNone } from './template-messages.js';
import { createTextCompleter, type TextCompleter, type TextCompleterOptions } from './text-completion.js';
import { createTextEncoder, tokenizerKey } from './tokenizer-actor.js';

/** What a model with a tokenizer answers with; without a template only texts. */
export interface AnswerParts {
  readonly completion: Completion | undefined;
  readonly text: TextCompleter;
  /** Text to ids, with the special tokens that the tokenizer puts around every text. */
  readonly encode: EncodeText;
}

type EncodeText = (text: string, signal: AbortSignal | undefined, plain?: PlainText) => Promise<readonly number[]>;

/** What answers are made from. */
export interface AnswerSources {
  readonly manifest: Manifest;
  readonly tokenizer: Tokenizer;
  readonly client: EngineClient;
  /** Has the actors for text. */
  readonly supervisor: Supervisor;
  readonly vocabSize: number;
  readonly admit: Admit;
}

/** Puts together what answers for a model. */
export function createAnswerParts(sources: AnswerSources): AnswerParts {
  const { manifest, tokenizer, client, supervisor, vocabSize, admit } = sources;
  const encode = textEncoder(sources, { addSpecialTokens: true });
  const common: TextCompleterOptions = {
    modelId: manifest.id,
    systemFingerprint: `fp_${manifest.weights.chunkSha256[0]?.slice(0, 12) ?? 'empty'}`,
    generator: client,
    tokenizer,
    vocabSize,
    stopTokenIds: manifest.generation.stopTokenIds,
    admit,
    encode,
  };
  const text = createTextCompleter(common);
  const { template, bosToken, eosToken } = manifest.chat;
  if (template === null) return { completion: undefined, text, encode };
  const render = createRemoteRenderer({
    ref: supervisor.ref(templateKey),
    restart: () => supervisor.restart(templateKey.id),
  });
  const templateTokens = { bosToken, eosToken, callsHaveNone: asksForNone(template) };
  const dialect = dialectOf(manifest, tokenizer);
  const renderPrompt: RenderPrompt = (variables, signal, isTrusted) =>
    orReason(client, render(template, variables, { signal, isTrusted }));
  const completion = createCompletion({
    ...common,
    encode: textEncoder(sources, { addSpecialTokens: false }),
    renderPrompt,
    templateFeatures: createFeatureProbe({ template, dialect, templateTokens, renderPrompt }),
    templateTokens,
    dialect,
  });
  return { completion, text, encode };
}

function textEncoder(
  { tokenizer, client, supervisor }: AnswerSources,
  options: { readonly addSpecialTokens: boolean },
): EncodeText {
  const encode = createTextEncoder(tokenizer, supervisor.ref(tokenizerKey), options);
  return (text, signal, plain) => orReason(client, encode(text, signal, plain));
}

/** What `work` comes to, or why it failed. */
function orReason<T>(client: EngineClient, work: Promise<T>): Promise<T> {
  return work.catch((thrown: unknown) => {
    throw client.reasonOf(thrown);
  });
}
