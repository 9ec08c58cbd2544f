// The demo model's real tree, with its supervisor in reach, and twenty conversations to hold it to.

import { join } from 'node:path';
import { type Supervisor, type TreeNode } from '../../src/actor/index.js';
import { openModel, type OpenModel, type OpenModelOptions } from '../../src/models/index.js';
import { devices } from '../../src/compute/index.js';
import { createModel, type Model } from '../../src/embedding/model.js';
import type { ChatCompletionRequest } from '../../src/index.js';

/** A loaded model and its actors. */
export interface Demo extends AsyncDisposable {
  readonly opened: OpenModel;
  readonly model: Model;
  readonly supervisor: Supervisor;
}

/** Limits that no test passes by accident, and no pause: rounds are many and shall be short. */
export const PATIENT = { intensity: 1_000_000, periodMs: 1_000, backoffMs: { first: 0, max: 0 } } as const;

/** Opens the demo, or the artifact in `directory`. Portable kernels: the same bits on every machine. */
export async function openDemo(
  options: Partial<OpenModelOptions> = {},
  directory = join(process.cwd(), 'dist/demo'),
): Promise<Demo> {
  const device = await devices.cpu.prepare({ isPortable: true });
  const opened = await openModel(directory, { device, threads: 2, placement: 'thread', ...options });
  const threads = options.threads ?? 2;
  const model = createModel({
    first: opened,
    kernel: device.variant,
    kernelNotes: device.notes,
    threads,
    acquire: async () => ({ model: opened, keepFor: () => {}, [Symbol.dispose]: () => {} }),
    peek: () => opened,
    close: async () => {},
  });
  const { supervisor } = opened;
  return { opened, model, supervisor, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** What a conversation came to: everything but ids that are drawn anew each time. */
export type Outcome = Readonly<Record<string, unknown>>;

/** Twenty conversations, half of them streamed; one is left early, one is too long and needs the tokenizer actor. */
export function converse(
  model: Model,
  maxTokens: number,
  onText: (text: string) => void = () => {},
): Promise<Outcome[]> {
  return Promise.all(
    Array.from({ length: 20 }, async (_, index): Promise<Outcome> => {
      const request = requestOf(index, maxTokens);
      try {
        if (index === LEFT) return await leave(model, request);
        return await (index % 2 === 0 ? streamed(model, request, onText) : whole(model, request));
      } catch (error) {
        return { error: { ...(error as object), message: (error as Error).message } };
      }
    }),
  );
}

const LEFT = 6;
const TOO_LONG = 9;
const TOPICS = ['a fox', 'an owl', 'a bear', 'a mouse', 'a hen'];

function requestOf(index: number, maxTokens: number): ChatCompletionRequest {
  const topic = TOPICS[index % TOPICS.length] as string;
  const content =
    index === TOO_LONG
      ? 'What is 2 + 2? '.repeat(5_000)
      : [`Tell me a story about ${topic}.`, `What is ${index} + 30?`, `Who was ${topic}?`][index % 3];
  return {
    messages: [{ role: 'user', content: content as string }],
    seed: index,
    temperature: index % 4 === 0 ? 0 : 1,
    max_tokens: maxTokens,
    ...(index % 2 === 0 && { stream_options: { include_usage: true } }),
  };
}

async function whole(model: Model, request: ChatCompletionRequest): Promise<Outcome> {
  const { choices, usage } = await model.chat(request);
  return { choices, usage };
}

async function streamed(
  model: Model,
  request: ChatCompletionRequest,
  onText: (text: string) => void,
): Promise<Outcome> {
  let [content, reasoning] = ['', ''];
  let [finishReason, usage]: unknown[] = [];
  for await (const chunk of model.stream(request)) {
    const choice = chunk.choices[0];
    if (choice?.delta.content) onText(choice.delta.content);
    content += choice?.delta.content ?? '';
    reasoning += choice?.delta.reasoning_content ?? '';
    finishReason = choice?.finish_reason ?? finishReason;
    usage = chunk.usage ?? usage;
  }
  return { content, reasoning, finishReason, usage };
}

async function leave(model: Model, request: ChatCompletionRequest): Promise<Outcome> {
  for await (const chunk of model.stream({ ...request, max_tokens: 900 })) {
    if (chunk.choices[0]?.delta.content) break;
  }
  return { left: true };
}

/** Settles when every actor of the tree runs, those that were killed just now included. */
export async function allRunning(supervisor: Supervisor): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise<void>((resolve) => {
    const off = supervisor.onEvent(() => look());
    const look = (): void => {
      if (!runs(supervisor.tree())) return;
      off();
      resolve();
    };
    look();
  });
}

function runs(node: TreeNode): boolean {
  return node.state === 'running' && node.children.every(runs);
}

/** Whether the actor `id` runs now. */
export function isRunning(node: TreeNode, id: string): boolean {
  return (node.id === id && node.state === 'running') || node.children.some((child) => isRunning(child, id));
}
