import { isAppError } from '../../base/index.js';
import { toPrompt, type Dialect, type Prompt, type TemplateVariables } from '../../chat/index.js';
import type { JsonObject, Message } from '../request.js';
import { toTemplateVariables, type TemplateTokens } from './template-messages.js';

/** What a chat template makes use of. */
export interface TemplateFeatures {
  readonly tools: boolean;
  readonly toolMessages: boolean;
  readonly toolCalls: boolean;
  /** Whether thinking is on, or off, when a request asks for that. */
  readonly thinkingOn: boolean;
  readonly thinkingOff: boolean;
}

/**
 * Renders a prompt with a model's template. Trusted variables may hold control tokens; a text alone is trusted. `caller`: among
 * whom turns are taken.
 */
export type RenderPrompt = (
  variables: TemplateVariables,
  signal: AbortSignal | undefined,
  isTrusted: boolean,
  caller?: string,
) => Promise<Prompt | string> | Prompt | string;

/** What templates of Granite and DeepSeek call their switch for thinking: a variable that a request sets by itself. */
export const OWN_SWITCH = 'thinking';

/** What a template is probed with. */
export interface ProbeOptions {
  readonly template: string;
  readonly dialect: Dialect;
  readonly templateTokens: TemplateTokens;
  readonly renderPrompt: RenderPrompt;
}

/** A conversation that a template is to render, which must show the word. */
interface Probe {
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
}

// Words that no template has of its own.
const SYSTEM = 'Zvqsystem';
const TOOL = 'zvqtool';
const CALLED = 'zvqcalled';
const RESULT = 'Zvqresult';

const user: Message = { role: 'user', text: 'Zvquser' };
const answer: Message = { role: 'assistant', text: 'Zvqanswer' };
const first: Message = { role: 'system', text: SYSTEM };
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
  text: '',
  calls: [{ id: CALL_ID, name: CALLED, argumentsText: '{"zvqkey": "zvqvalue"}' }],
};
const result: Message = { role: 'tool', callId: CALL_ID, name: CALLED, text: RESULT };
const calling: readonly Probe[] = [
  { messages: [user, call, result], tools },
  { messages: [user, call, result] },
  { messages: [user, call, result, answer, user], tools },
];

/**
 * Finds what a template makes use of by rendering a few conversations, once, when it is first asked. What none of those that
 * render shows is not made use of; a feature of which none renders counts as there: the template refuses it in its own words.
 * A template that loops counts as one that makes use of everything.
 */
export function createFeatureProbe(
  options: ProbeOptions,
): (signal: AbortSignal | undefined) => Promise<TemplateFeatures> {
  let known: Promise<TemplateFeatures> | undefined;
  return async (signal) => {
    // Without the signal of whoever asks first: others wait for the same answer.
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
 * A template that renders the same with thinking and without has no switch for it, or one of its own name, which is off as
 * long as nobody sets it. Without one, a model whose template writes the tags of reasoning thinks anyway, and others do not.
 */
async function findThinking(
  template: string,
  { reasoningTags }: Dialect,
  render: (enableThinking: boolean | undefined) => Promise<string | undefined>,
): Promise<Pick<TemplateFeatures, 'thinkingOn' | 'thinkingOff'>> {
  const [on, off] = [await render(true), await render(false)];
  if (on !== off || on === undefined) return { thinkingOn: true, thinkingOff: true };
  const hasOwnSwitch = new RegExp(`\\b${OWN_SWITCH}\\b`).test(template);
  const thinks = !hasOwnSwitch && reasoningTags !== null && template.includes(reasoningTags.open);
  return { thinkingOn: thinks, thinkingOff: !thinks };
}
