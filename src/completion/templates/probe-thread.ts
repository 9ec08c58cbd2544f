import { createTemplateRenderer, detectDialect } from '../../chat/index.js';
import { createFeatureProbe } from './template-features.js';
import { readTemplateWishes } from './template-messages.js';

/** A template to be looked at, with the tokens that it names. Survives structured cloning. */
export interface ProbeJob {
  readonly template: string;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
}

/** What a model can do by its template alone. */
export interface TemplateSkills {
  /** It is told of tools, and its calls can be read. */
  readonly tools: boolean;
  /** It reasons where a request asks for it. */
  readonly thinking: boolean;
}

/** What the thread for templates runs. piscina looks for the default or a named export. */
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
