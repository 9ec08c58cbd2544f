import { toPathTree, type AnswerPath } from '../answer/answer-paths.js';
import { AnswerTexts } from '../answer/answer-texts.js';
import { JsonWalk } from '../answer/json-walk.js';
import { toTokens } from '../usage/estimate-tokens.js';

/** Tokens of an image or a sound: runtimes count some 300 to 1,500, whatever its bytes. */
const MEDIA_TOKENS = 1_000;
/** Tokens that a template puts around a message: its role, its beginning and its end. */
const MESSAGE_TOKENS = 4;

/** The fields of a message in OpenAI's chat completions and responses and in Anthropic's messages. */
const messages = ['messages', 'input'].flatMap((list): readonly AnswerPath[] => [
  { path: `${list}.*`, use: 'token', tokens: MESSAGE_TOKENS },
  ...['content', 'content.*.text', 'content.*.thinking', 'content.*.content', 'content.*.content.*.text'].map(
    (name): AnswerPath => ({ path: `${list}.*.${name}`, use: 'text' }),
  ),
  ...['reasoning_content', 'name', 'arguments', 'output', 'input', 'tool_calls.*.function.name'].map(
    (name): AnswerPath => ({ path: `${list}.*.${name}`, use: 'text' }),
  ),
  ...['tool_calls.*.function.arguments', 'content.*.input'].map((name): AnswerPath => ({
    path: `${list}.*.${name}`,
    use: 'value',
  })),
  ...['image_url', 'input_audio', 'audio_url', 'source', 'video_url', 'file'].map((name): AnswerPath => ({
    path: `${list}.*.content.*.${name}`,
    use: 'piece',
    tokens: MEDIA_TOKENS,
  })),
  { path: `${list}.*.images.*`, use: 'piece', tokens: MEDIA_TOKENS },
]);

const tree = toPathTree([
  ...messages,
  ...['system', 'system.*.text', 'instructions', 'suffix'].map((path): AnswerPath => ({ path, use: 'text' })),
  { path: 'tools', use: 'value' },
  // A text, texts, tokens, or lists of them.
  ...['prompt', 'prompt.*', 'prompt.*.*', 'input', 'input.*.*'].map((path): AnswerPath => ({ path, use: 'token' })),
]);

/** Bytes of a body that are read: of text some 80 ms. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

/**
 * Tokens of the prompt of a request, by the rule of `estimateTokens`. A very large body is extrapolated from its
 * beginning.
 */
export function estimatePrompt(body: Uint8Array): number {
  const texts = new AnswerTexts();
  new JsonWalk(tree, texts).write(body.subarray(0, MAX_READ_BYTES));
  return toTokens(texts.hundredths * Math.max(1, body.length / MAX_READ_BYTES));
}
