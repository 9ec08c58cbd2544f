import { createTemplateRenderer, detectDialect } from '../../chat/index.js';
import { createFeatureProbe } from './template-features.js';
import { readTemplateWishes } from './template-messages.js';

/** A template to probe, with the tokens that it names. Survives structured cloning. */
export interface ProbeJob {
  readonly template: string;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
}

/** A model's abilities by its template alone. */
export interface TemplateSkills {
  /** It describes tools to the model, and its calls can be parsed. */
  readonly tools: boolean;
  /** It reasons when a request asks for it. */
  readonly thinking: boolean;
}

/** The task of the thread for templates. piscina looks for the default or a named export. */
export async function run({ template, bosToken, eosToken }: ProbeJob): Promise<TemplateSkills> {
  const renderer = createTemplateRenderer({ special: [], tags: [] });
  const dialect = detectDialect(template, () => false);
  const probe = createFeatureProbe({
    template,
    dialect,
    templateTokens: { bosToken, eosToken, ...readTemplateWishes(template) },
    renderPrompt: (variables) => renderer.render(template, variables),
  });
  const { tools, thinkingOn } = await probe(undefined);
  return { tools: tools && dialect.tags.length > 0, thinking: thinkingOn && dialect.reasoningTags !== null };
}
