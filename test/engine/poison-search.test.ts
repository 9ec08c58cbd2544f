import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PoisonSearch, type Suspect } from '../../src/engine/client/poison-search.js';

/** A request of a crowd, as a client has it. */
interface Request extends Suspect {
  readonly id: number;
  readonly isPoison: boolean;
  numTokens: number;
  givenTokens: number;
  isOver: boolean;
  isGuilty: boolean;
}

const PROMPT = 10;
const LENGTH = 40;

function requestsOf(size: number, poison: ReadonlySet<number>): Request[] {
  return Array.from({ length: size }, (_, id) => ({
    id,
    isPoison: poison.has(id),
    numTokens: PROMPT,
    givenTokens: PROMPT,
    isOver: false,
    isGuilty: false,
    deaths: 0,
    deathTokens: 0,
    trialTokens: 0,
  }));
}

interface Run {
  readonly deaths: number;
  readonly unexplained: number;
  /** The most of them without an explained one between: what a supervisor counts. */
  readonly mostInARow: number;
}

/**
 * Computes a crowd as an engine would, `rows` of them in a step: which dies when one of them is poison, or `isUnlucky`
 * says so of the step.
 */
function run(requests: Request[], rows: number, isUnlucky: (step: number) => boolean = () => false): Run {
  const search = new PoisonSearch<Request>();
  let [deaths, unexplained, inARow, mostInARow] = [0, 0, 0, 0];
  for (const one of requests) one.givenTokens = one.numTokens;
  for (let step = 0; requests.some(({ isOver }) => !isOver); step++) {
    if (step > 20_000) throw new Error('it never ends');
    const inStep = requests.filter((one) => !one.isOver && search.allows(one)).slice(0, rows);
    if (inStep.length === 0) throw new Error('no request may run, and some wait');
    if (inStep.some(({ isPoison }) => isPoison) || isUnlucky(step)) {
      deaths++;
      const { guilty, isExplained } = search.died(inStep, (id) => requests[id]);
      if (guilty !== undefined) guilty.request.isOver = guilty.request.isGuilty = true;
      if (!isExplained) unexplained++;
      inARow = isExplained ? 0 : inARow + 1;
      mostInARow = Math.max(mostInARow, inARow);
      for (const one of requests) one.givenTokens = one.numTokens;
      continue;
    }
    for (const one of inStep) {
      one.numTokens++;
      search.progress();
      const isPassed = search.isTried(one) && one.numTokens >= one.trialTokens;
      if (one.numTokens === PROMPT + LENGTH) one.isOver = true;
      if (isPassed || one.isOver) search.drop(one);
    }
  }
  expect(search.isOn).toBe(false);
  return { deaths, unexplained, mostInARow };
}

/** A crowd, who of it is poison, and how many fit in a step. */
const crowds = fc.integer({ min: 1, max: 64 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    rows: fc.integer({ min: 1, max: 64 }),
    poison: fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 5 }),
  }),
);

describe('the search for what engines die of', () => {
  it('finds every poisonous request and no other, in any crowd', () => {
    fc.assert(
      fc.property(crowds, ({ size, rows, poison }) => {
        const requests = requestsOf(size, new Set(poison));
        run(requests, rows);
        expect(requests.filter(({ isGuilty }) => isGuilty).map(({ id }) => id)).toEqual(
          poison.toSorted((a, b) => a - b),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('takes a few deaths for each, and leaves few of them unexplained', () => {
    fc.assert(
      fc.property(crowds, ({ size, rows, poison }) => {
        const { deaths, unexplained, mostInARow } = run(requestsOf(size, new Set(poison)), rows);
        // Two that make suspects, a halving each, and the one alone.
        const most = poison.length * (3 + Math.ceil(Math.log2(Math.min(size, rows))));
        expect(deaths).toBeLessThanOrEqual(most);
        expect(unexplained).toBeLessThanOrEqual(2 * poison.length);
        // A supervisor bears five.
        expect(mostInARow).toBeLessThanOrEqual(3);
      }),
      { numRuns: 500 },
    );
  });

  it('blames no request for two deaths that none caused, except one that was alone at both', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 64 }),
        fc.integer({ min: 2, max: 64 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (size, rows, first, second) => {
          const requests = requestsOf(size, new Set());
          run(requests, rows, (step) => step === first || step === first + second + 1);
          const guilty = requests.filter(({ isGuilty }) => isGuilty);
          // Only the last of a crowd is ever alone.
          expect(guilty.length).toBeLessThanOrEqual(size % rows === 1 ? 1 : 0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('forgets a death that a sequence has left 64 tokens behind', () => {
    const search = new PoisonSearch<Request>();
    const [one] = requestsOf(1, new Set()) as [Request];
    const die = (numTokens: number): boolean => search.died([{ id: 0, numTokens }], () => one).guilty !== undefined;
    expect([die(10), die(75), die(139)]).toEqual([false, false, true]);
  });

  it('calls the engine broken after eight guilty ones in a row, without a token of anybody', () => {
    const search = new PoisonSearch<Request>();
    const verdicts = requestsOf(10, new Set()).map((one) => {
      const die = () => search.died([{ id: one.id, numTokens: 10 }], () => one);
      die();
      return die().isExplained;
    });
    expect(verdicts).toEqual([...Array<boolean>(8).fill(true), false, false]);
  });
});
