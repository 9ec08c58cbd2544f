import {
  readThinking,
  thinkingField,
  type ChatCompletionRequest,
  type ChatMessage,
  type ThinkingFields,
  type Tool,
} from '../api/index.js';
import { AppError } from '../base/index.js';
import type { CompletionOptions } from './completion-options.js';
import { OWN_SWITCH, type TemplateFeatures } from './template-features.js';
import { offeredTools } from './template-messages.js';

/** What of a request a template may make no use of. */
export interface CheckedRequest
  extends ThinkingFields, Pick<ChatCompletionRequest, 'tool_choice' | 'drop_unsupported'> {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly Tool[];
}

/** Refuses a request that a template would render as if it were another. Errors: `unsupported_by_template`. */
export type CheckFeatures = (request: CheckedRequest, signal: AbortSignal | undefined) => Promise<void>;

/** Checks requests for one model; those that a template of any kind understands are not held up. */
export function createFeatureCheck({ templateFeatures }: Pick<CompletionOptions, 'templateFeatures'>): CheckFeatures {
  return async (request, signal) => {
    if (templateFeatures === undefined || request.drop_unsupported === true) return;
    const needed = neededFeatures(request);
    if (needed.length === 0) return;
    const features = await templateFeatures(signal);
    const missing = needed.find(({ feature }) => !features[feature]);
    if (missing !== undefined) throw unsupported(missing);
  };
}

/** A feature that a request needs, and where. */
interface Need {
  readonly feature: keyof TemplateFeatures;
  readonly param: string;
}

function neededFeatures(request: CheckedRequest): Need[] {
  const needed: Need[] = [];
  if (offeredTools(request).length > 0) needed.push({ feature: 'tools', param: 'tools' });
  request.messages.forEach((message, index) => {
    const feature = featureOf(message, index);
    if (feature !== undefined) needed.push({ feature, param: `messages[${index}]` });
    if (message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0) {
      needed.push({ feature: 'toolCalls', param: `messages[${index}].tool_calls` });
    }
    if (message.function_call) needed.push({ feature: 'toolCalls', param: `messages[${index}].function_call` });
  });
  const { enabled } = readThinking(request);
  const param = thinkingField(request);
  const setsOwnSwitch = request.chat_template_kwargs?.[OWN_SWITCH] !== undefined;
  if (enabled !== undefined && param !== undefined && !setsOwnSwitch) {
    needed.push({ feature: enabled ? 'thinkingOn' : 'thinkingOff', param });
  }
  return needed;
}

function featureOf({ role, content }: ChatMessage, index: number): keyof TemplateFeatures | undefined {
  if (role === 'tool' || role === 'function') return 'toolMessages';
  if ((role !== 'system' && role !== 'developer') || (content?.length ?? 0) === 0) return undefined;
  return index === 0 ? 'system' : 'laterSystem';
}

/** What a template does not do, by feature: the rest of a sentence about it. */
const LACKS: Readonly<Record<keyof TemplateFeatures, string>> = {
  tools: 'has no place for tools, so the model would not see them',
  toolMessages: 'leaves messages of the role tool out',
  toolCalls: "leaves the calls of an assistant's message out",
  system: 'leaves system messages out',
  laterSystem: 'leaves out system messages that do not come first',
  thinkingOn: 'knows no thinking, so the model would not do it',
  thinkingOff: 'cannot turn thinking off',
};

function unsupported({ feature, param }: Need): AppError {
  return new AppError(
    'unsupported_by_template',
    `${param}: the chat template of this model ${LACKS[feature]}; leave ${param} out, choose another model, or send "drop_unsupported": true to go on without`,
    { param },
  );
}
