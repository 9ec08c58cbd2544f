// How many of the demo model's conversations end as they should: test/vectors/demo/SOURCE.md.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatCompletion, ChatCompletionRequest, Model } from '../../src/index.js';

interface ExpectedTurn {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments: unknown }[];
}

interface Conversation {
  readonly topic: string;
  readonly match: 'exact' | 'end';
  readonly thinking: boolean;
  readonly tools: NonNullable<ChatCompletionRequest['tools']>;
  readonly messages: ChatCompletionRequest['messages'];
  readonly expected: ExpectedTurn;
}

/** Right answers of a topic. */
export interface Score {
  right: number;
  total: number;
}

/** Conversations asked at the same time: enough to fill a batch. */
const CONCURRENCY = 16;

/** Greedy answers of `model` to every conversation, by topic. */
export async function scoreAnswers(model: Model): Promise<Map<string, Score>> {
  const path = join(process.cwd(), 'test/vectors/demo/eval.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const conversations = lines.map((line) => JSON.parse(line) as Conversation);
  const scores = new Map<string, Score>();
  let next = 0;
  const ask = async (): Promise<void> => {
    for (let at = next++; at < conversations.length; at = next++) {
      const conversation = conversations[at] as Conversation;
      const { topic, messages, tools, thinking } = conversation;
      const answer = await model.chat({
        messages,
        ...(tools.length > 0 && { tools }),
        temperature: 0,
        enable_thinking: thinking,
      });
      const score = scores.get(topic) ?? { right: 0, total: 0 };
      scores.set(topic, score);
      score.total++;
      if (isRight(conversation, answer)) score.right++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, ask));
  return scores;
}

/** The sum over topics. */
export function totalScore(scores: ReadonlyMap<string, Score>): Score {
  return [...scores.values()].reduce((a, b) => ({ right: a.right + b.right, total: a.total + b.total }));
}

function isRight({ match, expected }: Conversation, answer: ChatCompletion): boolean {
  const choice = answer.choices[0];
  if (choice === undefined || choice.finish_reason === 'length') return false;
  if (match === 'end') return true;
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = choice.message;
  const wanted = expected.tool_calls ?? [];
  return (
    (content ?? '') === (expected.content ?? '') &&
    (reasoning ?? '') === (expected.reasoning_content ?? '') &&
    calls.length === wanted.length &&
    calls.every((call, i) => isCall(call.function, wanted[i]))
  );
}

/** Arguments are compared as JSON: a client cannot see their spacing. */
function isCall(
  call: { name: string; arguments: string },
  wanted: { name: string; arguments: unknown } | undefined,
): boolean {
  return call.name === wanted?.name && JSON.stringify(JSON.parse(call.arguments)) === JSON.stringify(wanted.arguments);
}
