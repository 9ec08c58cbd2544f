// What the suites of the `ai` package ask the demo model.
import { generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel } from 'ai';
import { expect } from 'vitest';

/** A question that the demo model answers. */
export const OSLO = 'What is the capital of Norway?';
/** What it calls when it is asked whether it is warm somewhere. */
const tools = {
  get_weather: tool({
    description: 'Get the current weather in a city.',
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    }),
    execute: async ({ city }) => ({ city, temperature: 21, sky: 'sunny' }),
  }),
};

/** Goes round a loop of tools, and holds it to its one call and its answer. */
export async function expectToolLoop(
  how: 'whole' | 'streamed',
  model: LanguageModel,
  more: Pick<Parameters<typeof generateText>[0], 'providerOptions'> = {},
): Promise<void> {
  const request = { model, prompt: 'Is it warm in Oslo?', temperature: 0, tools, stopWhen: stepCountIs(3), ...more };
  const stream = how === 'whole' ? undefined : streamText(request);
  const { steps, text } =
    stream === undefined ? await generateText(request) : { steps: await stream.steps, text: await stream.text };
  expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]))).toEqual([
    ['get_weather', { city: 'Oslo' }],
  ]);
  expect(text).toMatch(/21|sunny|warm/i);
}
