import type { AnswerPath } from './answer-paths.js';

/** The paths that are kept of a whole answer of any API: its usage and its error. */
export const KEPT_PATHS: readonly AnswerPath[] = [
  'error',
  'type',
  'object',
  'usage',
  'usageMetadata',
  'meta',
  'details',
  'x_groq.usage',
  'message.usage',
  'response.usage',
  'response.error',
  'choices.*.usage',
  'prompt_eval_count',
  'eval_count',
  'tokens_evaluated',
  'tokens_predicted',
].map((path) => ({ path, use: 'kept' }));

/** The texts at `path` of a chat's message, or of a chunk's delta, with the fields that runtimes add to OpenAI's API. */
export function messagePaths(path: string): readonly AnswerPath[] {
  const same = path.split('.').length;
  const texts = ['content', 'content.*.text', 'content.*.thinking', 'content.*.thinking.*.text', 'refusal'];
  // Names of the same thoughts at different runtimes; some send two.
  const thoughts = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details.*.text'];
  const calls = ['tool_calls.*.function', 'function_call'];
  return [
    ...texts.map((name): AnswerPath => ({ path: `${path}.${name}`, use: 'text' })),
    ...thoughts.map((name): AnswerPath => ({ path: `${path}.${name}`, use: 'text', same })),
    ...calls.flatMap((name): readonly AnswerPath[] => [
      { path: `${path}.${name}.name`, use: 'text' },
      { path: `${path}.${name}.arguments`, use: 'value' },
    ]),
    { path: `${path}.tool_calls.*.custom.name`, use: 'text' },
    { path: `${path}.tool_calls.*.custom.input`, use: 'text' },
  ];
}
