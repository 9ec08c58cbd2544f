import { never, type Dialect } from '../answer/dialect.js';
import { isRecord, readUsage } from '../answer/usage.js';

/** Anthropic's messages: the prompt's tokens come with `message_start`, the completion's with `message_delta`. */
export const messages: Dialect = {
  path: '/v1/messages',
  canAskUsage: false,
  textKeys: ['text', 'thinking', 'partial_json'],
  lastEvent: /"type"\s*:\s*"message_stop"/,
  endOfChoice: undefined,
  bodyKeys: ['content'],
  eventUsage: ({ message, usage }) => {
    const started = isRecord(message) ? readUsage(message['usage']) : undefined;
    if (started !== undefined) return { told: started, isCurrent: false };
    const told = readUsage(usage);
    return told && { told, isCurrent: true };
  },
  isUsageOnly: never,
};
