import type { AnswerPath } from './answer-paths.js';

/** What is kept of a whole answer of any API: what tells its usage, and that it is an error. */
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

/** The texts of one message of a chat, or of what a chunk adds to it, at `path`, with what runtimes add to OpenAI's API. */
export function messagePaths(path: string): readonly AnswerPath[] {
  const same = path.split('.').length;
  const texts = ['content', 'content.*.text', 'content.*.thinking', 'content.*.thinking.*.text', 'refusal'];
  // The same thoughts, under as many names as there are runtimes; some send two.
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
