// What an answer is held to: certain tokens cut it, estimates do not.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { createOutputLimiter, type OutputLimiter } from '../../src/relay-serving/output-limiter.js';
import { scanRequest, type CompletionCount } from '../../src/relay/index.js';

/** A hold with a budget of so many tokens. */
class TestHold {
  grantedTokens: number;
  asked = 0;
  readonly #budget: number;

  constructor(granted: number, budget: number) {
    this.grantedTokens = granted;
    this.#budget = budget;
  }

  allow(tokens: number): boolean | Promise<boolean> {
    if (tokens <= this.grantedTokens) return true;
    this.asked++;
    this.grantedTokens = Math.min(this.#budget, tokens + 10);
    return Promise.resolve(tokens <= this.grantedTokens);
  }
}

function admissionOf(
  asked: object,
  limit: number | undefined,
  hold = new TestHold(1_000_000, 1_000_000),
): OutputLimiter {
  return createOutputLimiter({
    facts: scanRequest(Buffer.from(JSON.stringify({ model: 'm', messages: [], ...asked }))),
    limit,
    hold,
    used: () => new AppError('budget_exceeded', 'none left'),
    finalBytes: ({ code }) => Buffer.from(code),
    onCut: () => {},
  });
}

const told = (tokens: number, thoughts = 0): CompletionCount => ({
  tokens,
  isTold: true,
  least: tokens,
  leastSaid: tokens - thoughts,
});
const estimated = (tokens: number, least: number, leastSaid = least): CompletionCount => ({
  tokens,
  isTold: false,
  least,
  leastSaid,
});

async function ask({ admit }: OutputLimiter, count: CompletionCount): Promise<string> {
  const verdict = await admit(count);
  return verdict === true ? 'on' : Buffer.from(verdict.finalBytes).toString();
}

describe('a limit that the upstream was told', () => {
  it.each(['max_tokens', 'max_completion_tokens', 'max_output_tokens'])(
    'cuts near %s by what is certain',
    async (name) => {
      const admission = admissionOf({ [name]: 10 }, 10);
      // However much an estimate says.
      expect(await ask(admission, estimated(5_000, 10))).toBe('on');
      // A runtime may end a little late, or count its last token.
      expect(await ask(admission, told(12))).toBe('on');
      expect(await ask(admission, estimated(30, 22))).toBe('output_limit_reached');
      expect(await ask(admission, told(1_500))).toBe('output_limit_reached');
      expect(await admission.admit(told(1_500))).toMatchObject({ charged: 10 });
      expect(admission.mostTokens).toBe(10);
    },
  );

  it('does not hold thoughts, which some providers count beside it', async () => {
    const admission = admissionOf({ max_tokens: 10 }, 10);
    expect(await ask(admission, told(1_985, 1_976))).toBe('on');
    expect(await ask(admission, estimated(3_000, 2_000, 9))).toBe('on');
  });

  it('is of each choice', async () => {
    const admission = admissionOf({ max_tokens: 10, n: 3 }, 10);
    expect(await ask(admission, told(30))).toBe('on');
    expect(await ask(admission, told(60))).toBe('output_limit_reached');
  });
});

describe('a limit that the upstream does not know', () => {
  it('cuts at once by what is certain, and by an estimate of twice as much', async () => {
    const admission = admissionOf({}, 50);
    expect(await ask(admission, estimated(60, 40))).toBe('on');
    expect(await ask(admission, estimated(60, 51))).toBe('output_limit_reached');
    expect(await ask(admission, estimated(200, 40))).toBe('output_limit_reached');
    expect(admission.mostTokens).toBeUndefined();
  });
});

describe('a hold', () => {
  it('ends an answer where it has certainly no more, and not by an estimate', async () => {
    const hold = new TestHold(20, 100);
    const admission = admissionOf({}, undefined, hold);
    expect(await ask(admission, estimated(90, 70))).toBe('on');
    expect(await ask(admission, estimated(140, 90))).toBe('on');
    const { asked } = hold;
    // It is not asked again for each piece.
    for (let tokens = 141; tokens < 180; tokens++) expect(await ask(admission, estimated(tokens, 90))).toBe('on');
    expect(hold.asked).toBe(asked);
    expect(await ask(admission, estimated(180, 101))).toBe('budget_exceeded');
  });

  it('that has all that an answer may have does not end it for the little that its upstream counts beyond', async () => {
    const admission = admissionOf({ max_tokens: 10 }, 10, new TestHold(10, 10));
    expect(await ask(admission, told(12))).toBe('on');
    expect(await ask(admission, told(40))).toBe('output_limit_reached');
  });
});
