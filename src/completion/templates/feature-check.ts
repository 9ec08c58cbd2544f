import { AppError } from '../../base/index.js';
import type { CompletionOptions } from '../completion-options.js';
import type { ChatPrompt } from '../request.js';
import { OWN_SWITCH, type TemplateFeatures } from './template-features.js';

/** Refuses a request if the template would silently drop part of it. Errors: `unsupported_by_template`. */
export type CheckFeatures = (request: ChatPrompt, signal: AbortSignal | undefined) => Promise<void>;

/** Checks requests for one model; requests that any template understands pass without a wait. */
export function createFeatureCheck({
  template,
  modelId,
}: Pick<CompletionOptions, 'template' | 'modelId'>): CheckFeatures {
  return async (request, signal) => {
    if (template?.features === undefined || request.dropsUnsupported) return;
    const needed = neededFeatures(request);
    if (needed.length === 0) return;
    const features = await template.features(signal);
    const missing = needed.find(({ feature }) => !features[feature]);
    if (missing !== undefined) throw unsupported(missing, request.fields.dropsUnsupported, modelId);
  };
}

/** A feature that a request needs, and its field. */
interface Need {
  readonly feature: keyof TemplateFeatures;
  readonly param: string;
}

function neededFeatures({ messages, tools, thinking, variables, fields }: ChatPrompt): Need[] {
  const needed: Need[] = [];
  if (tools.length > 0) needed.push({ feature: 'tools', param: fields.tools });
  messages.forEach((message, index) => {
    if (message.role === 'tool') needed.push({ feature: 'toolMessages', param: fields.message(index) });
    if ((message.calls?.length ?? 0) > 0) needed.push({ feature: 'toolCalls', param: fields.calls(index) });
  });
  const setsOwnSwitch = variables?.[OWN_SWITCH] !== undefined;
  if (thinking.enabled !== undefined && fields.thinking !== undefined && !setsOwnSwitch) {
    needed.push({ feature: thinking.enabled ? 'thinkingOn' : 'thinkingOff', param: fields.thinking });
  }
  return needed;
}

/** The missing support of a template, by feature: the rest of a sentence about it. */
const LACKS: Readonly<Record<keyof TemplateFeatures, string>> = {
  tools: 'has no place for tools, so the model would not see them',
  toolMessages: 'leaves messages of the role tool out',
  toolCalls: "leaves the calls of an assistant's message out",
  thinkingOn: 'knows no thinking, so the model would not do it',
  thinkingOff: 'cannot turn thinking off',
};

function unsupported({ feature, param }: Need, howToDrop: string, model: string): AppError {
  return new AppError(
    'unsupported_by_template',
    `${param}: the chat template of this model ${LACKS[feature]}; leave ${param} out, choose another model, or send ${howToDrop} to go on without`,
    { param, lacks: feature, model },
  );
}
