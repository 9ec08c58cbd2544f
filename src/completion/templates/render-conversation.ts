import { isAppError } from '../../base/index.js';
import { toPrompt, type Prompt } from '../../chat/index.js';
import type { ModelTemplate } from '../completion-options.js';
import type { ChatPrompt, Message } from '../request.js';
import { ANY_SHAPE, isUnusual, stricterShapes, toShape } from './conversation-shape.js';
import { toTemplateVariables } from './template-messages.js';

/** Options of rendering a conversation. */
export interface RenderConversationOptions {
  readonly template: ModelTemplate;
  /** The prompt ends with the opening of an assistant's turn. */
  readonly addsGenerationPrompt: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly caller?: string | undefined;
}

/**
 * The prompt of a conversation, in a form that the template accepts. If the template refuses that form, stricter ones
 * are tried. Errors: the template's, for the first form.
 */
export async function renderConversation(
  request: ChatPrompt,
  { template, addsGenerationPrompt, signal, caller }: RenderConversationOptions,
): Promise<Prompt> {
  const { messages, trustsControlTokens: isTrusted } = request;
  const render = async (shaped: readonly Message[]): Promise<Prompt> => {
    const variables = toTemplateVariables({ ...request, messages: shaped }, addsGenerationPrompt, template.tokens);
    return toPrompt(await template.render(variables, signal, isTrusted, caller));
  };
  if (!isUnusual(messages)) return render(messages);
  const shaped = toShape(messages, (await template.shapes?.(signal)) ?? ANY_SHAPE);
  try {
    return await render(shaped);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const tried = new Set([JSON.stringify(shaped)]);
    for (const shapes of stricterShapes) {
      const stricter = toShape(messages, shapes);
      const text = JSON.stringify(stricter);
      if (tried.has(text)) continue;
      tried.add(text);
      const prompt = await render(stricter).catch((refusal: unknown) => {
        if (isRefusal(refusal)) return undefined;
        throw refusal;
      });
      if (prompt !== undefined) return prompt;
    }
    throw error;
  }
}

/** A template's own refusal; not an exhausted heap. */
function isRefusal(error: unknown): boolean {
  return isAppError(error) && error.code === 'template_error' && error.details['limitMiB'] === undefined;
}
