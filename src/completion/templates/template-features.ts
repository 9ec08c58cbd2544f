import { isAppError, type JsonObject } from '../../base/index.js';
import { toPrompt, type ModelDialect, type Prompt, type TemplateVariables } from '../../chat/index.js';
import { textParts, type Message } from '../request.js';
import { toTemplateVariables, type TemplateTokens } from './template-messages.js';

/** The features that a chat template uses. */
export interface TemplateFeatures {
  readonly tools: boolean;
  readonly toolMessages: boolean;
  readonly toolCalls: boolean;
  /** Whether thinking is on, or off, when a request asks for that. */
  readonly thinkingOn: boolean;
  readonly thinkingOff: boolean;
}

/**
 * Renders a prompt with a model's template. Trusted variables may contain control tokens; a text alone is trusted.
 * Callers take turns by `caller`.
 */
export type RenderPrompt = (
  variables: TemplateVariables,
  signal: AbortSignal | undefined,
  isTrusted: boolean,
  caller?: string,
) => Promise<Prompt | string> | Prompt | string;

/** The switch for thinking in templates of Granite and DeepSeek: a variable that a request sets by itself. */
export const OWN_SWITCH = 'thinking';

/** Inputs of a probe. */
export interface ProbeOptions {
  readonly template: string;
  readonly dialect: ModelDialect;
  readonly templateTokens: TemplateTokens;
  readonly renderPrompt: RenderPrompt;
}

/** A conversation for the template, whose rendering must show the word. */
interface Probe {
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
}

// Words that no template has of its own.
const SYSTEM = 'Zvqsystem';
const TOOL = 'zvqtool';
const CALLED = 'zvqcalled';
const RESULT = 'Zvqresult';

const user: Message = { role: 'user', content: textParts('Zvquser') };
const answer: Message = { role: 'assistant', content: textParts('Zvqanswer') };
const first: Message = { role: 'system', content: textParts(SYSTEM) };
const tools: JsonObject[] = [
  {
    type: 'function',
    function: {
      name: TOOL,
      description: 'Zvqabout',
      parameters: { type: 'object', properties: { zvqkey: { type: 'string', description: 'Zvqkey' } }, required: [] },
    },
  },
];
// Templates of Mistral's demand ids of nine letters or digits.
const CALL_ID = 'zvqcall01';
const call: Message = {
  role: 'assistant',
  content: [],
  calls: [{ id: CALL_ID, name: CALLED, argumentsText: '{"zvqkey": "zvqvalue"}' }],
};
const result: Message = { role: 'tool', callId: CALL_ID, name: CALLED, content: textParts(RESULT) };
const calling: readonly Probe[] = [
  { messages: [user, call, result], tools },
  { messages: [user, call, result] },
  { messages: [user, call, result, answer, user], tools },
];

/**
 * Finds the features that a template uses by rendering a few conversations, once, at the first request. A feature that
 * no rendering shows is unused. A feature whose conversations all fail to render counts as used: the template's own
 * error then comes at rendering. A template that loops counts as using everything.
 */
export function createFeatureProbe(
  options: ProbeOptions,
): (signal: AbortSignal | undefined) => Promise<TemplateFeatures> {
  let known: Promise<TemplateFeatures> | undefined;
  return async (signal) => {
    // Not with the first request's signal: others wait for the same answer.
    known ??= findFeatures(options).catch((error: unknown) => {
      if (isAppError(error) && error.code === 'template_timeout') return EVERYTHING;
      known = undefined;
      throw error;
    });
    const features = await known;
    signal?.throwIfAborted();
    return features;
  };
}

const EVERYTHING: TemplateFeatures = {
  tools: true,
  toolMessages: true,
  toolCalls: true,
  thinkingOn: true,
  thinkingOff: true,
};

async function findFeatures({
  template,
  dialect,
  templateTokens,
  renderPrompt,
}: ProbeOptions): Promise<TemplateFeatures> {
  /** The text, or undefined where the template refuses the conversation. */
  const render = async ({ messages, tools: told = [] }: Probe, enabled?: boolean): Promise<string | undefined> => {
    const thinking = { isHidden: false, ...(enabled !== undefined && { enabled }) };
    try {
      const variables = toTemplateVariables({ messages, tools: told, thinking }, true, templateTokens);
      return toPrompt(await renderPrompt(variables, undefined, true)).text;
    } catch (error) {
      if (isAppError(error) && error.code === 'template_error') return undefined;
      throw error;
    }
  };
  const shows = async (word: string, probes: readonly Probe[]): Promise<boolean> => {
    const texts: string[] = [];
    for (const probe of probes) {
      const text = await render(probe);
      if (text !== undefined) texts.push(text.toLowerCase());
    }
    return texts.length === 0 || texts.some((text) => text.includes(word.toLowerCase()));
  };
  return {
    tools: await shows(TOOL, [
      { messages: [user], tools },
      { messages: [first, user], tools },
    ]),
    toolMessages: await shows(RESULT, calling),
    toolCalls: await shows(CALLED, calling),
    ...(await findThinking(template, dialect, (enabled) => render({ messages: [user] }, enabled))),
  };
}

/**
 * A template whose rendering is the same with thinking and without has no switch, or one of its own name. Such a switch
 * is off unless a request sets it. Without a switch, a model whose template writes the tags of reasoning always thinks,
 * and others never do.
 */
async function findThinking(
  template: string,
  { reasoningTags }: ModelDialect,
  render: (enableThinking: boolean | undefined) => Promise<string | undefined>,
): Promise<Pick<TemplateFeatures, 'thinkingOn' | 'thinkingOff'>> {
  const [on, off] = [await render(true), await render(false)];
  if (on !== off || on === undefined) return { thinkingOn: true, thinkingOff: true };
  const hasOwnSwitch = new RegExp(`\\b${OWN_SWITCH}\\b`).test(template);
  const thinks = !hasOwnSwitch && reasoningTags !== null && template.includes(reasoningTags.open);
  return { thinkingOn: thinks, thinkingOff: !thinks };
}
