import { never, type Dialect } from '../answer/dialect.js';
import { isRecord, readUsage } from '../answer/usage.js';

/** OpenAI's responses: the events that end a stream carry the whole response, the others its deltas. */
export const responses: Dialect = {
  path: '/v1/responses',
  canAskUsage: false,
  textKeys: ['delta'],
  lastEvent: /"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/,
  endOfChoice: undefined,
  bodyKeys: ['output'],
  eventUsage: ({ response }) => {
    const told = isRecord(response) ? readUsage(response['usage']) : undefined;
    return told && { told, isCurrent: true };
  },
  isUsageOnly: never,
};
